"""Old files of a log go where every limit lets them, and what is anchored or held stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from barrier_policy.errors import LogError
from barrier_policy.log.chain import parse_anchor
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.files import FileLog
from barrier_policy.log.record import Record
from barrier_policy.log.removed import note_of
from barrier_policy.log.retention import Limits, Plan, plan_retention, read_anchors
from barrier_policy.log_spec import Fsync, LogSpec

Numbered = Callable[[int], Record]
NOW = "2026-06-10T00:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


@pytest.fixture
def log(path: Path, numbered: Numbered) -> DecisionLog:
    """Six files of one record each, logged on 1 to 6 June; the last one grows."""
    found = DecisionLog(FileLog(path, fsync=Fsync.NEVER, rotate_bytes=10), LogSpec(path=path))
    for day in range(1, 7):
        found.append(msgspec.structs.replace(numbered(day), timestamp=f"2026-06-{day:02}T12:00:00.5Z"))
    return found


def plan(log: DecisionLog, files: int | None = None, days: int | None = None, **options: object) -> Plan:
    known = {"now": NOW, "anchors": (), "held": {}} | options
    return plan_retention(log.files(), Limits(files=files, days=days), **known)  # type: ignore[arg-type]


def remove(log: DecisionLog, found: Plan) -> None:
    log.files().remove(Path(found.go[-1].file), found.go[-1].head, time=NOW)


def goes(found: Plan) -> list[int]:
    return [segment.head.count for segment in found.go]


@pytest.mark.parametrize(
    ("files", "days", "expected"),
    [
        (None, None, []),
        (0, None, [1, 2, 3, 4, 5]),
        (2, None, [1, 2, 3]),
        (9, None, []),
        (None, 7, [1, 2]),
        (None, 0, [1, 2, 3, 4, 5]),
        (None, 100, []),
        (2, 7, [1, 2]),
        (4, 7, [1]),
    ],
)
def test_a_file_goes_only_where_every_limit_lets_it(
    log: DecisionLog, files: int | None, days: int | None, expected: list[int]
) -> None:
    assert goes(plan(log, files, days)) == expected


def test_a_plan_removes_nothing(log: DecisionLog, path: Path) -> None:
    before = sorted(path.parent.iterdir())
    plan(log, 0)
    assert sorted(path.parent.iterdir()) == before


def test_the_rest_is_whole_and_says_what_is_gone(log: DecisionLog, path: Path) -> None:
    remove(log, plan(log, 2))
    found = log.verify()
    assert (found.problem, found.start.count, found.head.count) == ("", 3, 6)
    assert [record.sequence for record in log.records()] == [4, 5, 6]
    assert not path.with_name("decisions.jsonl.1").exists()


def test_a_log_goes_on_behind_a_removal_with_new_numbers(log: DecisionLog, path: Path, numbered: Numbered) -> None:
    remove(log, plan(log, 0))
    path.rename(path.with_name("decisions.jsonl.6"))  # as after a crash between two files
    remove(log, plan(log, 0))
    assert log.append(numbered(7)).sequence == 7
    assert log.append(numbered(8)).sequence == 8
    assert path.with_name("decisions.jsonl.7").exists()
    assert log.verify().problem == "" and log.verify().head.count == 8


def test_a_file_that_is_taken_away_by_hand_is_missed(log: DecisionLog, path: Path) -> None:
    remove(log, plan(log, 2))
    path.with_name("decisions.jsonl.4").unlink()
    assert "record 5 where 4 is next" in log.verify().problem


def test_a_removal_that_nobody_noted_is_missed(log: DecisionLog, path: Path) -> None:
    remove(log, plan(log, 2))
    note_of(path).unlink()
    assert "record 4 where 1 is next" in log.verify().problem


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"time":"x","through":3,"count":3,"digest":"sha256:00"}', "\xff"])
def test_a_note_that_cant_be_read_stops_everything(log: DecisionLog, path: Path, numbered: Numbered, text: str) -> None:
    note_of(path).write_text(text + "\n", "latin-1")
    for act in (log.verify, lambda: log.append(numbered(7)), lambda: list(log.records())):
        with pytest.raises(LogError, match=r"decisions\.jsonl\.removed:1: the line does not say what was removed"):
            act()


def test_anchors_of_what_stays_are_met_and_those_of_what_is_gone_are_not(log: DecisionLog) -> None:
    anchors = {record.sequence: f"{record.sequence}:{record.digest}" for record in log.records()}
    remove(log, plan(log, 2))
    for count in (3, 4, 5, 6):  # the last one that is gone is what the rest follows
        assert not log.verify(parse_anchor(anchors[count])).problem
    problem = log.verify(parse_anchor(anchors[2])).problem
    assert problem.endswith("the anchor is record 2, and records 1 to 3 were removed (give a later anchor)")


def test_what_is_anchored_stays_with_all_that_follows(log: DecisionLog) -> None:
    second = next(record for record in log.records() if record.sequence == 2)
    for text in (f"2:{second.digest}", second.digest):
        found = plan(log, 0, anchors=[parse_anchor(text)])
        assert goes(found) == [1]
        assert found.stay[0].needed == ("record 2 is anchored",) and len(found.stay) == 4


def test_what_is_held_stays(log: DecisionLog) -> None:
    held = {next(log.records()).inputs.transcript.digest: "legal"}
    found = plan(log, 0, held=held)
    assert not found.go and found.stay[0].needed[0].endswith("…, held for legal")


def test_what_is_needed_goes_where_that_is_said_and_is_named(log: DecisionLog) -> None:
    found = plan(log, 3, anchors=[parse_anchor("2:sha256:" + "a" * 64)], needed_too=True)
    assert goes(found) == [1, 2] and found.go[1].needed == ("record 2 is anchored",)


def test_nothing_is_removed_from_a_log_that_is_not_whole(log: DecisionLog, path: Path) -> None:
    last = path.read_bytes()
    path.write_bytes(last.replace(b'"number":"6"', b'"number":"7"'))
    with pytest.raises(LogError, match=r"the record was changed.*; nothing is removed from a log that is not whole"):
        plan(log, 0)


def test_a_crash_in_the_middle_of_a_removal_is_made_good_by_the_next(
    log: DecisionLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = plan(log, 2)
    monkeypatch.setattr(Path, "unlink", _fail)
    with pytest.raises(LogError, match=r"i/o error"):
        remove(log, found)
    monkeypatch.undo()
    assert path.with_name("decisions.jsonl.1").exists()
    assert log.verify().problem == "" and log.verify().start.count == 3
    remove(log, plan(log, 1))
    assert not path.with_name("decisions.jsonl.1").exists() and log.verify().start.count == 4


def test_a_database_has_no_files_to_remove(tmp_path: Path, numbered: Numbered) -> None:
    log = DecisionLog.open(tmp_path / "log.db")
    log.append(numbered(1))
    with pytest.raises(LogError, match="the log is a database"):
        plan(log, 0)


def test_a_file_of_anchors_has_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "anchors.txt"
    digest = "sha256:" + "a" * 64
    file.write_text(f"# quarterly\n\n12:{digest} 2026-03-31\n{digest}\n")
    assert [(anchor.count, anchor.digest) for anchor in read_anchors(file)] == [(12, digest), (None, digest)]
    file.write_text("twelve\n")
    with pytest.raises(LogError, match=r"anchors\.txt:1: `twelve` is no anchor"):
        read_anchors(file)


def _fail(path: Path) -> None:
    raise OSError(5, "I/O error")


@pytest.mark.parametrize(("name", "problem"), [("Missing", "no such file or directory"), ("Latin", "not UTF-8")])
def test_a_file_of_anchors_that_cant_be_read_is_named_as_it_is(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "Latin").write_bytes(b"\xff")
    with pytest.raises(LogError) as caught:
        read_anchors(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: can't be read ({problem})"
