"""What the tests of readers share: the shipped readers, reading bytes or values, and transcripts as readable lines."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import barrier_policy_plugins
import pytest

from barrier_policy import Message, MessageKind, Part, PartType, Reader, Source, Transcript
from barrier_policy.transcript.reader import read_transcript

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"

Read = Callable[..., Transcript]


def shipped_readers() -> tuple[Reader, ...]:
    """All readers of the modules `read_*`, loaded without entry points so that an uninstalled checkout can be tested."""
    names = sorted(module.name for module in pkgutil.iter_modules(barrier_policy_plugins.__path__))
    modules = [importlib.import_module(f"barrier_policy_plugins.{name}") for name in names if name.startswith("read_")]
    return tuple(reader for module in modules for reader in module.barrier_readers())


def _part(part: Part) -> str:
    at = f"#{part.call_id.removeprefix('#')}" if part.call_id else ""
    match part.type:
        case PartType.TEXT:
            return repr(part.text) + at
        case PartType.REASONING:
            return f"({part.text})"
        case PartType.TOOL_CALL:
            return f"{part.name}{at} {part.text}"
        case PartType.TOOL_RESULT:
            flag = {None: "", True: " failed", False: " ok"}[part.is_error]
            return f"={at}{flag} {part.text!r}"
        case PartType.BLOB:
            return f"<{part.media_type or 'blob'}{at} {part.text[:40]}>"
        case _:
            return f"?{at} {part.text}"


def _message(message: Message) -> str:
    kind = "" if message.kind is MessageKind.MESSAGE else f" [{message.kind.value}]"
    return f"{message.role or '-'}/{message.origin.value}{kind}: {' | '.join(map(_part, message.parts))}"


def whole_outline(transcript: Transcript) -> str:
    """Format, what was left out, and the messages, as the golden files beside the fixtures hold them."""
    skipped = ", ".join(f"{skipped.count} {skipped.what}" for skipped in transcript.skipped)
    tools = ", ".join(tool.name for tool in transcript.tools)
    head = [f"format: {transcript.format}", f"skipped: {skipped or 'nothing'}", f"tools: {tools or 'none'}", ""]
    return "\n".join([*head, *map(_message, transcript.messages), ""])


@pytest.fixture(scope="session")
def readers() -> tuple[Reader, ...]:
    return shipped_readers()


@pytest.fixture(scope="session")
def read(readers: tuple[Reader, ...]) -> Read:
    """Read bytes, text, JSON Lines (a list of rows with `lines=True`) or a JSON value."""

    def read_any(data: Any, *, format: str = "", lines: bool = False) -> Transcript:
        if lines:
            data = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in data)
        elif not isinstance(data, (bytes, str)):
            data = json.dumps(data)
        source = Source(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"), path="run")
        return read_transcript(source, readers, format=format)

    return read_any


@pytest.fixture(scope="session")
def outline() -> Callable[[Transcript], list[str]]:
    """One line a message: role/origin, kind, parts."""
    return lambda transcript: [_message(message) for message in transcript.messages]


@pytest.fixture(scope="session", name="whole_outline")
def whole_outline_fixture() -> Callable[[Transcript], str]:
    return whole_outline


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the shared transcripts are not here")
    return SHARED
