"""What both kinds of log do alike."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from barrier_policy.digest import stable_json
from barrier_policy.errors import LogError
from barrier_policy.log.chain import parse_anchor
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.record import GENESIS, Head, Record, digest_of
from barrier_policy.log_spec import Fsync, LogKind, LogSpec

Numbered = Callable[[int], Record]
Open = Callable[..., DecisionLog]


def filled(log: DecisionLog, numbered: Numbered, count: int) -> DecisionLog:
    for number in range(count):
        log.append(numbered(number))
    return log


def test_records_come_back_as_they_were_with_their_place(open_log: Open, numbered: Numbered) -> None:
    log = open_log()
    written = [log.append(numbered(number)) for number in range(3)]
    assert list(log.records()) == written
    assert [record.sequence for record in written] == [1, 2, 3]
    assert [record.previous for record in written] == [GENESIS, written[0].digest, written[1].digest]
    assert log.verify().head == Head(count=3, digest=written[2].digest) and not log.verify().problem


def test_a_log_that_is_opened_again_goes_on(open_log: Open, numbered: Numbered) -> None:
    for number in range(3):
        with open_log() as log:
            log.append(numbered(number))
    assert open_log().verify().head.count == 3


def test_both_kinds_hold_the_same_lines(tmp_path: Path, numbered: Numbered) -> None:
    logs = [filled(DecisionLog.open(tmp_path / name), numbered, 3) for name in ("a.jsonl", "a.sqlite")]
    assert [line.data for line in logs[0]._storage.lines()] == [line.data for line in logs[1]._storage.lines()]
    assert (tmp_path / "a.sqlite").read_bytes().startswith(b"SQLite format 3")


def test_a_log_that_is_not_there_can_be_written_and_not_read(open_log: Open, path: Path) -> None:
    with pytest.raises(LogError, match="there is no such log"):
        open_log().verify()
    assert not path.exists()


def test_only_the_owner_can_read_it(open_log: Open, numbered: Numbered, path: Path) -> None:
    open_log().append(numbered(1))
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("fsync", Fsync)
def test_every_fsync_policy_keeps_the_chain(open_log: Open, numbered: Numbered, fsync: Fsync) -> None:
    with open_log(fsync=fsync) as log:
        filled(log, numbered, 70)
    assert log.verify().head.count == 70


@pytest.mark.parametrize("kind", [LogKind.JSONL, LogKind.SQLITE])
def test_a_name_says_nothing_where_the_kind_is_given(tmp_path: Path, numbered: Numbered, kind: LogKind) -> None:
    log = DecisionLog.open(LogSpec(path=tmp_path / "log.x", kind=kind))
    log.append(numbered(1))
    assert DecisionLog.open(tmp_path / "log.x").verify().head.count == 1


def test_a_database_is_no_file_of_lines(tmp_path: Path, numbered: Numbered) -> None:
    DecisionLog.open(tmp_path / "log.db").append(numbered(1))
    with pytest.raises(LogError, match="the file is a database"):
        DecisionLog.open(LogSpec(path=tmp_path / "log.db", kind=LogKind.JSONL))


@pytest.mark.parametrize("name", ["notes.json", "notes.db"])
@pytest.mark.parametrize("content", [b"{}", b"{}\n", b"[1,\n 2]", b"dear diary\n", b"\x00\xff\n", b"\n"])
def test_nothing_is_added_to_or_taken_from_a_file_that_is_no_log(
    tmp_path: Path, numbered: Numbered, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LogError, match="notes"):
        DecisionLog.open(tmp_path / name).append(numbered(1))
    assert (tmp_path / name).read_bytes() == content


def test_threads_take_turns(open_log: Open, numbered: Numbered) -> None:
    log = open_log()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: log.append(numbered(number)), range(40)))
    assert log.verify().head.count == 40
    assert {record.labels["number"] for record in log.records()} == {str(number) for number in range(40)}


WRITER = """
import sys, msgspec
from pathlib import Path
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.record import Record
from barrier_policy.log_spec import Fsync, LogSpec
record = msgspec.json.decode(sys.stdin.buffer.read(), type=Record)
with DecisionLog.open(LogSpec(path=Path(sys.argv[1]), fsync=Fsync.BATCH, rotate_mb=1)) as log:
    for number in range(int(sys.argv[3])):
        log.append(msgspec.structs.replace(record, labels={"writer": sys.argv[2], "number": str(number)}))
"""


def test_processes_take_turns(open_log: Open, path: Path, record: Record) -> None:
    """Enough records that files are put aside while others write."""
    each = 60
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(each)], stdin=subprocess.PIPE) for name in "abc"
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(msgspec.json.encode(record))
        writer.stdin.close()
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    log = open_log()
    assert not log.verify().problem
    assert log.verify().head.count == 3 * each
    by_writer = {name: [r.labels["number"] for r in log.records() if r.labels["writer"] == name] for name in "abc"}
    assert all(numbers == [str(number) for number in range(each)] for numbers in by_writer.values())


def test_a_decision_is_found_by_the_beginning_of_its_id(open_log: Open, numbered: Numbered, record: Record) -> None:
    log = filled(open_log(), numbered, 2)
    digits = record.decision_id.removeprefix("sha256:")
    for name in (record.decision_id, digits, digits[:6], digits[:8].upper()):
        assert [found.sequence for found in log.find(name)] == [1, 2]


def test_a_beginning_that_fits_two_decisions_names_none(open_log: Open, record: Record) -> None:
    log = open_log()
    for end in "01":
        log.append(msgspec.structs.replace(record, decision_id="sha256:abcdef" + end * 58))
    with pytest.raises(LogError, match="2 decisions begin with abcdef"):
        log.find("abcdef")
    assert len(log.find("abcdef0")) == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [("abc", "no decision id"), ("x" * 8, "no decision id"), ("", "no decision id"), ("0" * 9, "no decision 0")],
)
def test_a_decision_that_is_not_there_is_not_found(open_log: Open, numbered: Numbered, name: str, problem: str) -> None:
    with pytest.raises(LogError, match=problem):
        filled(open_log(), numbered, 1).find(name)


def test_an_anchor_holds_while_the_log_grows(open_log: Open, numbered: Numbered) -> None:
    log = filled(open_log(), numbered, 3)
    noted = str(log.verify().head)
    filled(log, numbered, 2)
    for text in (noted, noted.partition(":")[2]):
        assert not log.verify(parse_anchor(text)).problem


def test_an_anchor_of_an_empty_log_is_met_by_any(open_log: Open, numbered: Numbered) -> None:
    assert not filled(open_log(), numbered, 1).verify(parse_anchor(str(Head()))).problem


@pytest.mark.parametrize(
    "text", ["", "3", "sha256:12", "3:sha256:12", "x:" + GENESIS, "-1:" + GENESIS, GENESIS + "0", "٣:" + GENESIS]
)
def test_what_is_no_anchor_is_refused(text: str) -> None:
    with pytest.raises(LogError, match="is no anchor"):
        parse_anchor(text)


def changed(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data and len(old) == len(new)
    path.write_bytes(data.replace(old, new, 1))


def test_what_is_read_is_verified_on_the_way(open_log: Open, path: Path, numbered: Numbered) -> None:
    log = filled(open_log(), numbered, 4)
    changed(path, b'"number":"1"', b'"number":"8"')
    found = log.records()
    assert next(found).sequence == 1
    with pytest.raises(LogError, match=r":2: the record was changed"):
        next(found)


def test_whoever_asks_to_be_told_gets_the_rest_as_well(open_log: Open, path: Path, numbered: Numbered) -> None:
    log = filled(open_log(), numbered, 4)
    changed(path, b'"number":"1"', b'"number":"8"')
    told: list[str] = []
    assert [record.labels["number"] for record in log.records(told.append)] == ["0", "8", "2", "3"]
    assert told == [log.verify().problem]


def test_lines_that_are_no_records_are_counted(tmp_path: Path, numbered: Numbered) -> None:
    path = tmp_path / "d.jsonl"
    log = filled(DecisionLog.open(path), numbered, 2)
    with path.open("ab") as file:
        file.write(b"noise\n" * 3)
    told: list[str] = []
    assert len(list(log.records(told.append))) == 2
    assert told == [log.verify().problem, f"{path}: 3 line(s) are no records and are left out"]


def test_one_reading_is_one_pass(tmp_path: Path, numbered: Numbered, monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(DecisionLog.open(tmp_path / "d.jsonl"), numbered, 3)
    read: list[int] = []
    lines = log._storage.lines
    monkeypatch.setattr(log._storage, "lines", lambda: (read.append(line.number) or line for line in lines()))
    list(log.records())
    assert read == [1, 2, 3]


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_what_names_no_file_names_no_log(name: str) -> None:
    with pytest.raises(LogError, match="is no name of a log"):
        DecisionLog.open(name)


def test_rows_of_a_database_that_were_renumbered_are_found(tmp_path: Path, numbered: Numbered) -> None:
    log = DecisionLog.open(tmp_path / "decisions.db")
    for number in range(3):
        log.append(numbered(number))
    with closing(sqlite3.connect(tmp_path / "decisions.db")) as connection:
        connection.execute("UPDATE records SET number = number + 10")
        connection.commit()
    found = log.verify()
    assert found.problem == f"{tmp_path / 'decisions.db'}:11: row 11 holds record 1 (rows were numbered anew)"
    assert found.head.count == 0


def test_a_record_with_fields_that_nobody_here_knows_is_told(tmp_path: Path, numbered: Numbered) -> None:
    log = DecisionLog.open(tmp_path / "decisions.jsonl")
    log.append(numbered(1))
    fields = msgspec.json.decode((tmp_path / "decisions.jsonl").read_bytes())
    fields["result"]["note"] = "approved by nobody"
    fields["digest"] = digest_of(fields)
    (tmp_path / "decisions.jsonl").write_bytes(stable_json(fields) + b"\n")
    assert not log.verify().problem, "the chain does not depend on which fields there are"
    with pytest.raises(LogError, match=r"decisions\.jsonl:1: the record has fields that this version does not know"):
        list(log.records())
    told: list[str] = []
    assert len(list(log.records(told.append))) == 1
    assert told == [f"{tmp_path / 'decisions.jsonl'}: 1 record(s) have fields that this version does not know"]


def test_a_record_of_a_version_that_knew_fewer_fields_is_as_good(tmp_path: Path, numbered: Numbered) -> None:
    log = DecisionLog.open(tmp_path / "decisions.jsonl")
    log.append(numbered(1))
    fields = msgspec.json.decode((tmp_path / "decisions.jsonl").read_bytes())
    del fields["inputs"]["asked"]["ranges"]
    fields["digest"] = digest_of(fields)
    (tmp_path / "decisions.jsonl").write_bytes(stable_json(fields) + b"\n")
    assert len(list(log.records())) == 1
