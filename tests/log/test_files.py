"""A log of files: rotation, crashes in the middle of a line, and disks that are full."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.errors import LogError
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.files import BATCH, FileLog
from barrier_policy.log.record import Record, to_line
from barrier_policy.log_spec import Fsync, LogSpec

Numbered = Callable[[int], Record]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


@pytest.fixture
def log(path: Path, numbered: Numbered) -> DecisionLog:
    """A log of three records."""
    found = DecisionLog.open(path)
    for number in range(3):
        found.append(numbered(number))
    return found


def rotating(path: Path, rotate_bytes: int) -> DecisionLog:
    spec = LogSpec(path=path)
    return DecisionLog(FileLog(path, rotate_bytes=rotate_bytes), spec)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock"))


def test_a_file_is_put_aside_before_it_gets_larger_than_it_may(path: Path, numbered: Numbered) -> None:
    log = rotating(path, 3 * len(to_line(numbered(0))))
    for number in range(25):
        log.append(numbered(number))
    files = [path.with_name(f"{path.name}.{number}") for number in range(1, 13)]
    assert all(file.stat().st_size <= 3 * len(to_line(numbered(0))) for file in (*files, path))
    assert [record.labels["number"] for record in log.records()] == [str(number) for number in range(25)]
    assert log.verify().head.count == 25 and not log.verify().problem


def test_a_record_that_is_larger_than_a_file_may_be_has_one_for_itself(path: Path, numbered: Numbered) -> None:
    log = rotating(path, 10)
    for number in range(3):
        log.append(numbered(number))
    assert names(path.parent) == ["decisions.jsonl", "decisions.jsonl.1", "decisions.jsonl.2"]
    assert log.verify().head.count == 3


def test_the_chain_goes_on_where_a_crash_came_between_two_files(path: Path, numbered: Numbered, log: DecisionLog) -> None:
    path.rename(path.with_name("decisions.jsonl.1"))
    assert log.append(numbered(3)).sequence == 4
    assert log.verify().head.count == 4


def test_a_file_that_was_put_aside_and_is_gone_is_missed(path: Path, numbered: Numbered) -> None:
    log = rotating(path, 10)
    for number in range(4):
        log.append(numbered(number))
    path.with_name("decisions.jsonl.2").unlink()
    assert log.verify().problem.startswith(f"{path}.3:1: record 3 where 2 is next")


@pytest.mark.parametrize("left", [1, 2, 100, -2, -1])
def test_a_line_that_breaks_off_is_told_put_aside_and_the_log_goes_on(
    path: Path, numbered: Numbered, log: DecisionLog, left: int
) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    torn = lines[2][:left]
    path.write_bytes(b"".join(lines[:2]) + torn)
    assert log.verify().head.count == 2
    assert log.verify().problem.startswith(f"{path}:3: the line breaks off")
    told: list[str] = []
    assert len(list(log.records(told.append))) == 2
    assert told == [log.verify().problem]
    log.append(numbered(7))
    assert not log.verify().problem
    if left == -1:  # only the line feed was missing: the record is whole
        assert log.verify().head.count == 4
    else:
        assert log.verify().head.count == 3
        assert path.with_name("decisions.jsonl.torn").read_bytes() == torn + b"\n"


def test_a_crash_in_the_first_line_leaves_a_log_that_goes_on(path: Path, numbered: Numbered, log: DecisionLog) -> None:
    path.write_bytes(path.read_bytes()[:50])
    log.append(numbered(0))
    assert log.verify().head.count == 1 and not log.verify().problem


def test_what_a_file_system_leaves_behind_a_crash_is_put_aside(path: Path, numbered: Numbered, log: DecisionLog) -> None:
    with path.open("ab") as file:
        file.write(b"\x00" * 4096)
    assert log.verify().problem
    log.append(numbered(3))
    assert log.verify().head.count == 4 and not log.verify().problem


def test_nothing_is_put_aside_behind_a_record_that_was_changed(path: Path, numbered: Numbered, log: DecisionLog) -> None:
    damaged = path.read_bytes().replace(b'"number":"2"', b'"number":"3"') + b'{"bundle"'
    path.write_bytes(damaged)
    with pytest.raises(LogError, match="nothing was added: last line: the record was changed"):
        log.append(numbered(3))
    assert path.read_bytes() == damaged


def test_a_full_disk_leaves_the_log_as_it_was(
    path: Path, numbered: Numbered, log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    real = os.write
    written = iter([True])

    def full(fd: int, data: bytes) -> int:
        if next(written, False):
            return real(fd, data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(LogError, match=r"decisions\.jsonl: no space left on device"):
        log.append(numbered(3))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert log.append(numbered(3)).sequence == 4


@pytest.mark.parametrize(("policy", "expected"), [(Fsync.ALWAYS, 130), (Fsync.BATCH, 2), (Fsync.NEVER, 0)])
def test_records_are_made_durable_as_often_as_the_policy_says(
    path: Path, numbered: Numbered, monkeypatch: pytest.MonkeyPatch, policy: Fsync, expected: int
) -> None:
    assert BATCH == 64
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.fstat(fd).st_mode & 0o170000))
    log = DecisionLog.open(LogSpec(path=path, fsync=policy))
    for number in range(130):
        log.append(numbered(number))
    files = [mode for mode in flushed if mode == 0o100000]
    assert len(files) == expected
    log.close()
    files = [mode for mode in flushed if mode == 0o100000]
    assert len(files) == expected + (policy is Fsync.BATCH)


def test_a_reader_sees_what_was_there_when_it_began(path: Path, numbered: Numbered, log: DecisionLog) -> None:
    lines = log._storage.lines()
    next(lines)
    log.append(numbered(3))
    path.rename(path.with_name("decisions.jsonl.1"))
    log.append(numbered(4))
    assert len(list(lines)) == 2


def test_reading_makes_no_file(path: Path, log: DecisionLog) -> None:
    path.with_name("decisions.jsonl.lock").unlink()
    log.verify()
    assert names(path.parent) == [entry.name for entry in path.parent.iterdir()] == ["decisions.jsonl"]


def test_no_link_is_followed_and_no_pipe_waited_for(path: Path, numbered: Numbered) -> None:
    path.symlink_to(path.with_name("elsewhere"))
    with pytest.raises(LogError, match=r"decisions\.jsonl"):
        DecisionLog.open(path).append(numbered(0))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(LogError, match=r"decisions\.jsonl: not a plain file"):
        DecisionLog.open(path).append(numbered(0))
    assert not path.with_name("elsewhere").exists()


def test_a_folder_that_is_not_there_is_an_error_that_names_the_log(tmp_path: Path, numbered: Numbered) -> None:
    with pytest.raises(LogError, match="no such file or directory"):
        DecisionLog.open(tmp_path / "nowhere" / "log.jsonl").append(numbered(0))
