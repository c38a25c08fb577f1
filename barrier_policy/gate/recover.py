"""After a crash: every transaction that was under way is committed or rolled back (design section 5; invariant 16)."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import psutil

from barrier_policy.digest import digest_bytes
from barrier_policy.gate.journal import FINAL, Entry, Journal, State, read_journal, transactions
from barrier_policy.provenance.store import Store

ELSEWHERE = timedelta(hours=1)
"""A transaction of another machine that is older than this was interrupted."""


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction that was found unfinished, and what became of it."""

    transaction: str
    state: State
    reason: str


def recover(store: Store, now: str) -> tuple[Recovered, ...]:
    """Finish what a crash left unfinished. A transaction whose process still lives is left alone.

    What was put in place is committed: its bytes are those that were sealed and audited. All else is rolled back: the old context was
    never touched, and what was written aside is removed.
    """
    found = []
    for name in transactions(store):
        entries = read_journal(store, name)
        if entries and entries[-1].state not in FINAL and not _is_under_way(entries[0], now):
            found.append(_finish(store, name, entries, now))
    return tuple(found)


def _finish(store: Store, name: str, entries: tuple[Entry, ...], now: str) -> Recovered:
    journal = Journal(store, name, now=now, entries=entries)
    applied = _detail(entries, State.APPLIED)
    sealed = _detail(entries, State.SEALED)
    placed = _sealed_as(entries, _digest(applied.get("output", "")))
    old = next(_old_files(entries), None)
    written = placed is not None and old is not None and _digest(str(old)) != placed.get("head")
    audited = entries[-1].state is State.AUDITED and not entries[-1].detail.get("refused")
    if audited and placed is sealed and not written:
        journal.record(State.COMMITTED, recovered=True)
        _forget(entries)
        return Recovered(transaction=name, state=State.COMMITTED, reason="the new context was in place")
    if placed is not None and old is not None:  # it was not committed, or somebody wrote to the old file at that moment
        os.replace(old, applied["output"])
    staged = applied.get("staged", "")
    if staged.endswith(".staged"):
        Path(staged).unlink(missing_ok=True)
    _forget(entries)
    journal.record(State.ROLLED_BACK, reason="interrupted", recovered=True)
    return Recovered(transaction=name, state=State.ROLLED_BACK, reason=f"interrupted after it was {entries[-1].state}")


def _sealed_as(entries: tuple[Entry, ...], digest: str) -> dict[str, str] | None:
    """The seal of the context with this digest, None where none has it."""
    sealed = (entry.detail for entry in reversed(entries) if entry.state is State.SEALED)
    return next((detail for detail in sealed if detail.get("output") == digest), None)


def _old_files(entries: tuple[Entry, ...]) -> Iterator[Path]:
    """The second names of files that were replaced, the original first."""
    for entry in entries:
        old, output = Path(entry.detail.get("old", "")), Path(entry.detail.get("output", ""))
        if entry.state is State.APPLIED and old.suffix == ".old" and old.parent == output.parent and old.is_file():
            yield old


def _forget(entries: tuple[Entry, ...]) -> None:
    """Remove the second names of files that hold nothing but what was sealed; one that was written to since is left where it is."""
    heads = {entry.detail.get("head") for entry in entries if entry.state is State.SEALED}
    for path in _old_files(entries):
        if _digest(str(path)) in heads:
            path.unlink(missing_ok=True)


def _detail(entries: tuple[Entry, ...], state: State) -> dict[str, str]:
    return next((entry.detail for entry in reversed(entries) if entry.state is state), {})


def _digest(path: str) -> str:
    try:
        return digest_bytes(Path(path).read_bytes()) if path else ""
    except OSError:
        return ""


def owner() -> dict[str, str]:
    """Who runs a transaction: process, when that started (process numbers are used again), and machine."""
    process = psutil.Process()
    return {"process": str(process.pid), "started": str(process.create_time()), "machine": socket.gethostname()}


def _is_under_way(planned: Entry, now: str) -> bool:
    """Whether the process of a transaction still lives; one on another machine is taken to for an hour."""
    if planned.detail.get("machine") != socket.gethostname():
        return datetime.fromisoformat(now) - datetime.fromisoformat(planned.at) < ELSEWHERE
    try:
        started = psutil.Process(int(planned.detail["process"])).create_time()
    except (KeyError, ValueError, psutil.NoSuchProcess):
        return False
    return str(started) == planned.detail.get("started")
