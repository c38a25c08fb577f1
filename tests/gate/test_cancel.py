"""A compaction that is cancelled ends at once, changes nothing and leaves no thread behind that goes on."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate
from barrier_policy.errors import CompactionCancelledError
from barrier_policy.gate.journal import State, read_journal, transactions
from barrier_policy.gate.threads import Cancellation

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"
SENTENCE = "The user and the agent looked after the service."


def states(gate: Gate) -> list[State]:
    assert gate.store is not None
    return [entry.state for name in transactions(gate.store) for entry in read_journal(gate.store, name)]


async def cancelled_when(asked: threading.Event, work: Any) -> float:
    """Cancel a task once the event is set; returns how many seconds that took."""
    task = asyncio.create_task(work)
    while not asked.is_set():
        await asyncio.sleep(0.01)
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - start


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_task_that_is_cancelled_while_its_summarizer_hangs_ends_and_writes_nothing(
    gate_with: Callable[..., Gate], conversation: Messages, tmp_path: Path, kind: str
) -> None:
    asked, release, ended = threading.Event(), threading.Event(), []

    def hanging(request: Any) -> str:
        asked.set()
        release.wait(30)
        return SENTENCE

    async def waiting(request: Any) -> str:
        asked.set()
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("cleaned up")
        return SENTENCE

    gate = gate_with(summarizer=hanging if kind == "sync" else waiting)
    path, output = tmp_path / "in.json", tmp_path / "out.json"
    path.write_text(json.dumps(conversation), encoding="utf-8")
    start = time.monotonic()
    try:
        took = asyncio.run(cancelled_when(asked, gate.acompact_file(path, output, keep_last=2, now=NOW)))
        assert took < 5 and time.monotonic() - start < 25
    finally:
        release.set()
    assert states(gate)[-1] is State.ROLLED_BACK
    assert not output.exists() and not list(tmp_path.glob(".out*"))
    assert ended == ([] if kind == "sync" else ["cleaned up"])


def test_no_further_summary_is_asked_for_once_the_task_is_cancelled(
    gate_with: Callable[..., Gate], conversation: Messages
) -> None:
    asked, calls = threading.Event(), []

    async def slow(request: Any) -> str:
        calls.append(request)
        asked.set()
        await asyncio.sleep(0.2)
        return SENTENCE

    async def main() -> None:
        await cancelled_when(asked, gate_with(summarizer=slow).acompact(conversation * 3, keep_last=2, now=NOW))
        await asyncio.sleep(0.5)

    asyncio.run(main())
    assert len(calls) == 1


@pytest.mark.parametrize("state", [State.PLANNED, State.ARCHIVED, State.REBOUND, State.SEALED, State.APPLIED, State.AUDITED])
def test_another_thread_ends_a_compaction_at_any_step_before_its_commit(
    gate: Gate, conversation: Messages, tmp_path: Path, state: State
) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps(conversation), encoding="utf-8")
    before, cancellation = path.read_bytes(), Cancellation()
    with pytest.raises(CompactionCancelledError, match="the original is as it was"):
        gate.compact_file(
            path,
            path,
            keep_last=2,
            now=NOW,
            cancellation=cancellation,
            watch=lambda reached: cancellation.ask() if reached is state else None,
        )
    assert path.read_bytes() == before and states(gate)[-2:] == [state, State.ROLLED_BACK]
    assert [found.name for found in tmp_path.iterdir() if found.is_file()] == ["in.json"]


def test_what_is_committed_is_not_taken_back(gate: Gate, conversation: Messages) -> None:
    cancellation = Cancellation()
    done = gate.compact(
        conversation,
        keep_last=2,
        now=NOW,
        cancellation=cancellation,
        watch=lambda reached: cancellation.ask() if reached is State.COMMITTED else None,
    )
    assert done.outcome == "compacted" and states(gate)[-1] is State.COMMITTED


def test_a_task_that_is_cancelled_twice_still_waits_for_the_roll_back(
    gate_with: Callable[..., Gate], conversation: Messages
) -> None:
    asked = threading.Event()

    async def waiting(request: Any) -> str:
        asked.set()
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.3)
        return SENTENCE

    gate = gate_with(summarizer=waiting)

    async def main() -> None:
        task = asyncio.create_task(gate.acompact(conversation, keep_last=2, now=NOW))
        while not asked.is_set():
            await asyncio.sleep(0.01)
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert states(gate)[-1] is State.ROLLED_BACK

    asyncio.run(main())


@pytest.mark.parametrize(("name", "arguments"), [("plan", 1), ("audit", 2), ("audit_rounds", 2)])
def test_a_task_that_is_cancelled_while_it_only_looks_keeps_nobody_waiting(
    gate: Gate, conversation: Messages, monkeypatch: pytest.MonkeyPatch, name: str, arguments: int
) -> None:
    asked, release = threading.Event(), threading.Event()

    def long(*given: Any, **options: Any) -> None:
        asked.set()
        release.wait(30)

    monkeypatch.setattr(gate, name, long)
    start = time.monotonic()
    try:
        asyncio.run(cancelled_when(asked, getattr(gate, f"a{name}")(*[conversation] * arguments)))
        assert time.monotonic() - start < 15, "the event loop waits for the thread before it ends"
    finally:
        release.set()
