"""What a summarizer is told, and what a refusal says: only what may go, and the cheapest relief first."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import BarrierPolicyError, CompactionRefusedError, Gate
from barrier_policy.errors import StoreError, SummaryError
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.model import MessageKind
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def incident() -> Messages:
    found = json.loads((EXAMPLES / "incident.json").read_text(encoding="utf-8"))["messages"]
    assert isinstance(found, list)
    return found


def test_a_summarizer_is_told_only_messages_that_leave(gate_with: Callable[..., Gate], incident: Messages) -> None:
    asked: list[SummaryRequest] = []

    def record(request: SummaryRequest) -> str:
        asked.append(request)
        return "Services were looked after."

    gate = gate_with(summarizer=record)
    done = gate.compact(incident, keep_last=10, now=NOW)
    told = [message.index for request in asked for message in request.messages]
    leaves = {n for span in done.decision.spans if span.action != "retain" for n in range(*span.messages)}
    assert asked and set(told) <= leaves and len(told) == len(set(told))
    assert max(told) < done.decision.tail.start
    whole = read_transcript(Source.from_value(incident), gate.decider.plugins.readers).messages
    instructed = {
        message.index for message in whole if message.origin == "system" or message.kind is not MessageKind.MESSAGE
    }
    assert not instructed & set(told)
    for request in asked:
        places = [message.index for message in request.messages]
        assert places == list(range(places[0], places[0] + len(places))), "one contiguous run"
        assert request.max_tokens < request.tokens
    stays = [text for n, text in enumerate(map(json.dumps, incident)) if n not in leaves and len(text) > 200]
    seen = json.dumps([request.to_dict() for request in asked])
    assert stays and not any(text[60:160] in seen for text in stays)


def test_a_refusal_names_the_cheapest_relief_first(gate: Gate, incident: Messages) -> None:
    with pytest.raises(CompactionRefusedError) as raised:
        gate.compact(incident, keep_last=10, target_tokens=9_000, now=NOW)
    error = raised.value
    always = [any("always stays" in item.discharged_by for item in entry.items) for entry in error.relief]
    assert always == sorted(always[:-1]) + always[-1:]
    gains = [
        entry.tokens / len(entry.items) for entry, stays in zip(error.relief, always) if entry.span != "tail" and not stays
    ]
    assert len(gains) > 1 and gains == sorted(gains, reverse=True)
    assert "tail" not in [entry.span for entry in error.relief[:-1]]
    assert {item.item for entry in error.relief for item in entry.items} == {item.item for item in error.decision.blocking}
    assert all(item.discharged_by for entry in error.relief for item in entry.items)


def test_a_store_that_can_not_be_written_leaves_the_transcript(
    gate: Gate, conversation: Messages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(conversation))
    before = path.read_bytes()

    def refuse(code: int) -> Callable[..., Any]:
        def fail(*_: Any) -> None:
            raise OSError(code, os.strerror(code))

        return fail

    for code in (errno.ENOSPC, errno.EROFS):
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", refuse(code))
            with pytest.raises(StoreError, match=os.strerror(code).lower()):
                gate.compact_file(path, path, keep_last=2, now=NOW)
        assert path.read_bytes() == before
        assert [found.name for found in tmp_path.iterdir() if found.name.startswith(".")] == []


def test_a_disk_that_is_full_where_the_transcript_stands_leaves_it(
    gate: Gate, conversation: Messages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    path = folder / "log.json"
    path.write_text(json.dumps(conversation))
    before = path.read_bytes()
    replace = os.replace

    def full(*given: Any, **_: Any) -> None:
        if not given or str(given[0]).endswith(".staged"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(*given)

    for step in ("tempfile.NamedTemporaryFile", "os.replace"):
        with monkeypatch.context() as patch:
            patch.setattr(f"barrier_policy.gate.target.{step}", full)
            with pytest.raises(BarrierPolicyError, match="no space left on device; the transcript is as it was"):
                gate.compact_file(path, path, keep_last=2, now=NOW)
        assert path.read_bytes() == before and os.listdir(folder) == ["log.json"]


def test_a_summarizer_that_hangs_is_given_up_and_nothing_has_changed(
    gate_with: Callable[..., Gate], conversation: Messages, tmp_path: Path
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(conversation))
    before = path.read_bytes()
    gate = gate_with(summarizer=lambda request: time.sleep(60) or "never")
    gate.patience = 0.2
    with pytest.raises(SummaryError, match="no answer"):
        gate.compact_file(path, path, keep_last=2, now=NOW)
    assert path.read_bytes() == before
