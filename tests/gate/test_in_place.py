"""A transcript that is written to while it is replaced by its own compaction loses nothing."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import BarrierPolicyError, Gate
from barrier_policy.errors import JournalError
from barrier_policy.gate import in_place
from barrier_policy.gate.journal import State, read_journal, transactions
from barrier_policy.gate.recover import recover

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"
LATE = {"role": "user", "content": "One more thing: the cut-over is at 21:40, ticket CHG-90771."}


def line(message: dict[str, Any]) -> str:
    return json.dumps(message) + "\n"


@pytest.fixture
def log(conversation: Messages, tmp_path: Path) -> Path:
    """A transcript to which a runtime appends line by line."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(map(line, conversation)))
    return path


def compact(gate: Gate, path: Path) -> Any:
    return gate.compact_file(path, path, keep_last=2, now=NOW, format="openai_chat")


def last(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text().splitlines()[-1])
    assert isinstance(found, dict)
    return found


def left_behind(path: Path) -> list[str]:
    return [name for name in sorted(os.listdir(path.parent)) if name.startswith(f".{path.name}")]


def at_the_replacement(
    monkeypatch: pytest.MonkeyPatch, before: Callable[[], Any], after: Callable[[Any], None]
) -> list[int]:
    """Do something right before and right after the transcript is replaced for the first time."""
    times: list[int] = []
    replace = os.replace

    def replaced(source: Any, target: Any) -> None:
        if str(source).endswith(".staged"):
            times.append(1)
            made = before() if len(times) == 1 else None
            replace(source, target)
            if len(times) == 1:
                after(made)
        else:
            replace(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    return times


def test_what_is_appended_between_the_last_look_and_the_replacement_is_kept(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append() -> None:
        with log.open("a") as file:
            file.write(line(LATE))

    at_the_replacement(monkeypatch, append, lambda _: None)
    done = compact(gate, log)
    assert done.outcome == "compacted" and done.arrived == 1
    assert last(log) == LATE and log.read_bytes() == done.output
    assert left_behind(log) == []


def test_so_is_what_is_written_to_the_old_file_after_it(gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(file: Any) -> None:
        file.write(line(LATE))
        file.close()

    at_the_replacement(monkeypatch, lambda: log.open("a"), write)
    assert compact(gate, log).arrived == 1
    assert last(log) == LATE and left_behind(log) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems don't say who has a file open")
def test_whoever_has_the_old_file_open_is_waited_for(gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # another process, since a lease asks for every other descriptor
    script = "import sys,time\nf=open(sys.argv[1],'a')\nprint(1,flush=True)\ninput()\ntime.sleep(0.3)\nf.write(sys.argv[2])\nf.close()"
    with subprocess.Popen([sys.executable, "-c", script, str(log), line(LATE)], stdin=-1, stdout=-1, text=True) as writer:
        assert writer.stdin and writer.stdout and writer.stdout.readline()
        stdin = writer.stdin

        def go_on(_: Any) -> None:
            stdin.write("\n")
            stdin.flush()

        at_the_replacement(monkeypatch, lambda: None, go_on)
        compact(gate, log)
        assert writer.wait(10) == 0
    assert last(log) == LATE and left_behind(log) == []


def test_what_is_written_to_the_new_file_before_the_old_one_is_done_is_kept_too(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = {"role": "assistant", "content": "Noted, 21:40."}

    def write(file: Any) -> None:
        file.write(line(LATE))
        file.close()
        with log.open("a") as new:
            new.write(line(later))

    at_the_replacement(monkeypatch, lambda: log.open("a"), write)
    compact(gate, log)
    assert [json.loads(text) for text in log.read_text().splitlines()[-2:]] == [LATE, later]


def test_a_file_that_was_written_anew_at_that_moment_is_put_back(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = line({"role": "user", "content": "Another conversation."})

    def write(file: Any) -> None:
        file.truncate(0)
        file.write(other)
        file.close()

    at_the_replacement(monkeypatch, lambda: log.open("r+"), write)
    with pytest.raises(BarrierPolicyError, match="changed while it was compacted"):
        compact(gate, log)
    assert log.read_text() == other and left_behind(log) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_a_file_that_another_program_has_locked_is_left_alone(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_place, "PATIENCE", 0.05)
    before = log.read_bytes()
    with log.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(JournalError, match="locked by another program"):
            compact(gate, log)
    assert log.read_bytes() == before and left_behind(log) == []


def test_a_file_system_without_second_names_is_compacted_all_the_same(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(in_place.os, "link", refuse)
    done = compact(Gate(store=False, summarizer=gate.summarizer, decider=gate.decider), log)
    assert log.read_bytes() == done.output


def test_nothing_is_lost_of_what_a_busy_writer_appends(gate: Gate, log: Path) -> None:
    stop = threading.Event()
    said: list[str] = []

    def append() -> None:
        while not stop.is_set():
            said.append(f"note {len(said)} of the watch")
            with log.open("a") as file:
                file.write(line({"role": "user", "content": said[-1]}))
            time.sleep(0.4)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        with suppress(JournalError):  # a transcript that never rests may be left as it is
            compact(gate, log)
    finally:
        stop.set()
        writer.join()
    there = log.read_text()
    assert [text for text in said if text not in there] == []


def test_a_crash_right_after_the_replacement_brings_back_what_was_written_meanwhile(
    gate: Gate, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = log.read_text()

    class Crash(BaseException):
        pass

    def write(file: Any) -> None:
        file.write(line(LATE))
        file.close()
        raise Crash

    at_the_replacement(monkeypatch, lambda: log.open("a"), write)
    monkeypatch.setattr("barrier_policy.gate.target.FileTarget.discard", lambda self: None)
    monkeypatch.setattr("barrier_policy.gate.transaction.Transaction._roll_back", lambda self, reason: None)
    with pytest.raises(Crash):
        compact(gate, log)
    monkeypatch.undo()
    assert gate.store is not None
    monkeypatch.setattr("barrier_policy.gate.recover._is_under_way", lambda planned, now: False)
    (found,) = recover(gate.store, NOW)
    assert found.state is State.ROLLED_BACK
    assert log.read_text() == before + line(LATE) and left_behind(log) == []
    assert read_journal(gate.store, transactions(gate.store)[-1])[-1].state is State.ROLLED_BACK
