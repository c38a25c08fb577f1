"""Small transcripts in the form of OpenAI chat messages, and decisions about them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, Decision
from barrier_policy.decision.model import SpanDecision
from barrier_policy.provenance.store import original_bytes

NOW = "2026-11-10T12:00:00Z"

Messages = list[dict[str, Any]]


class Chat:
    """Writes messages."""

    def __init__(self) -> None:
        self._ids = count(1)

    def user(self, text: str) -> Messages:
        return [{"role": "user", "content": text}]

    def agent(self, text: str) -> Messages:
        return [{"role": "assistant", "content": text}]

    def call(self, tool: str, result: str | dict[str, Any] | None, **arguments: Any) -> Messages:
        """A call and its result; None for a call without one."""
        call_id = f"call_{next(self._ids)}"
        function = {"name": tool, "arguments": json.dumps(arguments)}
        asked: Messages = [
            {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]}
        ]
        if result is None:
            return asked
        content = result if isinstance(result, str) else json.dumps(result)
        return [*asked, {"role": "tool", "tool_call_id": call_id, "content": content}]


class Archive:
    """A store folder, filled by hand in the layout of `FileStore`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, messages: Messages, decision: Decision) -> None:
        """Write the original of every span of a decision."""
        transcript = Decider().read(messages)
        for span in decision.spans:
            self._path(span).write_bytes(original_bytes(transcript.messages[slice(*span.messages)]))

    def damage(self, decision: Decision) -> None:
        """Change a byte of every original."""
        for span in decision.spans:
            path = self._path(span)
            path.write_bytes(b"#" + path.read_bytes()[1:])

    def _path(self, span: SpanDecision) -> Path:
        name = span.digest.removeprefix("sha256:")
        path = self.root / "objects" / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    yield Archive(tmp_path / "store")
