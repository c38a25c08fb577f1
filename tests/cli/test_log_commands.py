"""`decide --log`, the commands below `log`, and `replay`."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.record import GENESIS

Run = Callable[..., object]


@pytest.fixture(params=["d.jsonl", "d.db"])
def log(request: pytest.FixtureRequest, run: Run, talk: str, deploy: str) -> str:
    """A log of three decisions: a compaction, nothing to reclaim, and a refusal."""
    name: str = request.param
    for arguments in ((talk,), (deploy,), (deploy, "--target-tokens", "1")):
        run("decide", *arguments, "--store", "store", "--log", name)
    return name


def ids(run: Run, log: str) -> list[str]:
    return [json.loads(line)["decision_id"] for line in run("log", "show", log, "--format", "jsonl").out.splitlines()]


def damage(log: str, *changes: tuple[bytes, bytes]) -> None:
    data = Path(log).read_bytes()
    for old, new in changes:
        assert old in data and len(old) == len(new)
        data = data.replace(old, new, 1)
    Path(log).write_bytes(data)


def test_decide_says_the_same_with_and_without_a_log(run: Run, talk: str) -> None:
    assert run("decide", talk, "--no-store").out == run("decide", talk, "--no-store", "--log", "x.jsonl").out
    assert len(Path("x.jsonl").read_bytes().splitlines()) == 1


def test_decide_without_a_log_writes_nothing(run: Run, talk: str) -> None:
    before = sorted(Path().rglob("*"))
    run("decide", talk)
    assert sorted(Path().rglob("*")) == before


def test_the_profile_names_a_log_and_its_labels(run: Run, talk: str) -> None:
    Path("barrier-policy.yaml").write_text("log: {path: own.jsonl, labels: {team: shop}}\n")
    run("decide", talk)
    assert "team=shop" in run("log", "show").out
    run("decide", talk, "--log", "other.jsonl")
    assert json.loads(Path("other.jsonl").read_bytes())["labels"] == {"team": "shop"}
    assert run("log", "verify").code == 0


def test_a_profile_without_a_path_has_settings_for_the_log_that_is_named(run: Run, talk: str) -> None:
    Path("barrier-policy.yaml").write_text("log: {labels: {team: payments}}")
    assert run("decide", talk, "--log", "d.jsonl").code == 0
    (line,) = run("log", "show", "d.jsonl", "--format", "jsonl").out.splitlines()
    assert json.loads(line)["labels"] == {"team": "payments"}
    assert run("explain", talk, "0").code == 0
    for command in (("decide", talk), ("log", "show")):
        done = run(*command)
        assert (done.code, done.out) == (2, "")
        assert done.err == "the log has no path (give `--log PATH`, or `path` in section `log` of the profile)\n"


def test_a_decision_that_cant_be_logged_is_not_given_out(run: Run, talk: str) -> None:
    done = run("decide", talk, "--log", "nowhere/d.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "nowhere/d.jsonl: no such file or directory" in done.err


def test_show_lists_what_was_decided(run: Run, log: str) -> None:
    lines = run("log", "show", log).out.splitlines()
    assert [line.split()[3] for line in lines[1:]] == ["compact", "nothing_to_reclaim", "refuse"]
    assert len(run("log", "show", log, "--outcome", "refuse").out.splitlines()) == 2
    assert len(run("log", "show", log, "--since", "2999-01-01T00:00:00Z").out.splitlines()) == 1
    assert len(run("log", "show", log, "--since", "2001-01-01T00:00:00Z").out.splitlines()) == 4


def test_show_opens_one_decision_span_by_span(run: Run, log: str) -> None:
    wanted = ids(run, log)[1]
    shown = run("log", "show", log, "--decision", wanted[7:15]).out
    assert wanted in shown and "archived      sha256:" in shown
    assert "effects.unsettled (1)" in shown


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--outcome", "refused"), "--outcome: no outcome `refused` (did you mean `refuse`?)"),
        (("--since", "noon"), "--since: `noon` is no time (give ISO 8601, e.g. 2026-06-01T12:00:00Z)"),
        (("--decision", "zz"), "`zz` is no decision id (give sha256:<64 hex digits>, or the first 6 or more)"),
    ],
)
def test_mistakes_are_told_in_one_line(run: Run, log: str, arguments: tuple[str, str], problem: str) -> None:
    done = run("log", "show", log, *arguments)
    assert (done.code, done.err) == (2, problem + "\n")


@pytest.mark.parametrize("command", ["show", "verify", "anchor", "export"])
def test_a_log_has_to_be_named_and_to_be_there(run: Run, command: str) -> None:
    assert run("log", command).err == "no log is named (give its path, or `log: {path: …}` in the profile)\n"
    done = run("log", command, "none.jsonl")
    assert (done.code, done.err) == (2, "none.jsonl: there is no such log\n")


def test_verify_finds_a_log_good(run: Run, log: str) -> None:
    done = run("log", "verify", log)
    assert done.code == 0 and done.out.startswith("3 records, each as it was written; head 3:sha256:")


def test_verify_names_the_first_bad_line(run: Run, log: str) -> None:
    damage(log, (b'"outcome":"refuse"', b'"outcome":"refusa"'))
    done = run("log", "verify", log)
    assert (done.code, done.out) == (4, "good before that: 2 records\n")
    assert done.err == f"{log}:3: the record was changed (it does not have the digest that it names)\n"


def test_an_anchor_shows_that_the_end_was_cut_off(run: Run, log: str) -> None:
    noted = run("log", "anchor", log).out.strip()
    assert run("log", "verify", log, "--head", noted).code == 0
    cut = "cut.jsonl"
    lines = [line + "\n" for line in run("log", "export", log).out.splitlines()]
    Path(cut).write_text("".join(lines[:2]))
    assert run("log", "verify", cut).code == 0
    done = run("log", "verify", cut, "--head", noted)
    assert done.code == 4
    assert (
        done.err
        == f"{cut}: it ends after record 2, and the anchor is record 3 (the end was cut off, or it is another log)\n"
    )
    assert run("log", "verify", cut, "--head", "0:" + GENESIS).code == 0


@pytest.mark.parametrize("command", ["anchor", "export"])
def test_nothing_is_taken_from_a_log_that_is_not_whole(run: Run, log: str, command: str) -> None:
    damage(log, (b'"outcome":"refuse"', b'"outcome":"refusa"'))
    done = run("log", command, log)
    assert (done.code, done.out) == (4, "")
    assert "the record was changed" in done.err


@pytest.mark.parametrize(
    "arguments", [(), ("--format", "jsonl"), ("--outcome", "refuse"), ("--since", "2001-01-01T00:00:00Z")]
)
def test_show_says_that_a_log_is_not_whole_and_shows_it_all_the_same(run: Run, log: str, arguments: tuple[str, ...]) -> None:
    good = run("log", "show", log, *arguments)
    damage(log, (b'"format":"openai', b'"format":"openbi'))
    done = run("log", "show", log, *arguments)
    assert done.code == 4 and len(done.out.splitlines()) == len(good.out.splitlines())
    assert done.err == f"{log}:1: the record was changed (it does not have the digest that it names)\n"


def test_a_record_that_is_gone_is_told_by_show_and_replay(run: Run, log: str) -> None:
    wanted = ids(run, log)[2]
    lines = run("log", "export", log).out.splitlines(keepends=True)
    Path("gap.jsonl").write_text(lines[0] + lines[2])
    for arguments in (("log", "show", "gap.jsonl"), ("replay", wanted, "--log", "gap.jsonl", "--store", "store")):
        done = run(*arguments)
        assert done.code == 4
        assert "gap.jsonl:2: record 3 where 2 is next (records are missing, added or in another order)\n" in done.err
    assert done.out.startswith("same: ")


def test_a_case_is_not_made_from_a_log_that_is_not_whole(run: Run, log: str) -> None:
    wanted = ids(run, log)[1]
    damage(log, (b'"outcome":"refuse"', b'"outcome":"refusa"'))
    done = run("policy", "test", "record", wanted, "0", "--log", log, "--store", "store")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"{log}:3: the record was changed (it does not have the digest that it names)\n"


def test_an_export_is_a_log_again(run: Run, log: str) -> None:
    Path("copy.jsonl").write_text(run("log", "export", log).out)
    assert run("log", "anchor", "copy.jsonl").out == run("log", "anchor", log).out


def test_a_csv_export_has_a_row_for_each_decision(run: Run, log: str) -> None:
    rows = list(csv.DictReader(io.StringIO(run("log", "export", log, "--format", "csv").out)))
    assert [row["decision_id"] for row in rows] == ids(run, log)
    assert [row["outcome"] for row in rows][2] == "refuse"
    assert rows[1]["retain"] == "2" and "effects.unsettled" in rows[1]["rules"]


def test_no_cell_of_a_csv_export_is_a_formula(run: Run, talk: str) -> None:
    Path("barrier-policy.yaml").write_text("log: {path: own.jsonl, labels: {team: '=1+1'}}\n")
    run("decide", talk)
    cells = next(csv.DictReader(io.StringIO(run("log", "export", "--format", "csv").out)))
    assert cells["labels"] == "team==1+1" and not [cell for cell in cells.values() if cell.startswith(("=", "+", "@"))]


def test_replay_prints_the_bytes_of_the_decision(run: Run, log: str, deploy: str) -> None:
    wanted = ids(run, log)[1]
    done = run("replay", wanted, "--log", log, "--store", "store", "--format", "jsonl")
    (record,) = [
        line
        for line in map(json.loads, run("log", "export", log, "--format", "jsonl").out.splitlines())
        if line["decision_id"] == wanted
    ]
    assert f"sha256:{hashlib.sha256(done.out[:-1].encode()).hexdigest()}" == record["result"]["decision"]["digest"]
    assert (
        run("replay", wanted[7:20], "--log", log, "--store", "store").out == f"same: {len(done.out) - 1:,} bytes, {wanted}\n"
    )


def test_replay_as_json_prints_what_decide_printed(run: Run, log: str, deploy: str) -> None:
    decided = run("decide", deploy, "--store", "store", "--format", "json")
    done = run("replay", ids(run, log)[1], "--log", log, "--store", "store", "--format", "json")
    assert (done.code, done.out) == (0, decided.out)


def test_replay_names_what_is_missing(run: Run, log: str) -> None:
    wanted = ids(run, log)[0]
    done = run("replay", wanted, "--log", log, "--store", "elsewhere")
    assert (done.code, done.out) == (4, "can't be derived\n")
    assert done.err.startswith("record 1: archived inputs: sha256:") and "is not in the store" in done.err
    assert run("replay", "abcdef0", "--log", log).code == 2


def test_replay_finds_the_record_that_has_its_inputs(run: Run, talk: str) -> None:
    for arguments in (("--store", "store"), ("--no-store",), ("--store", "store"), ("--no-store",)):
        run("decide", talk, "--log", "d.jsonl", *arguments)
    with_store, without = ids(run, "d.jsonl")[:2]
    assert run("replay", with_store, "--log", "d.jsonl", "--store", "store").code == 0
    if without != with_store:
        assert "logged without a store" in run("replay", without, "--log", "d.jsonl", "--store", "store").err


def test_replay_reads_every_record_of_the_decision_that_says_something_else(run: Run, talk: str) -> None:
    for arguments in (("--store", "store"), ("--no-store",), ("--store", "store")):
        run("decide", talk, "--log", "d.jsonl", *arguments)
    wanted = ids(run, "d.jsonl")[0]
    records = tuple(DecisionLog.open("d.jsonl").records())
    with DecisionLog.open("forged.jsonl") as log:
        for number, record in enumerate(records):
            outcome = record.result.outcome if number else "refuse"
            log.append(msgspec.structs.replace(record, result=msgspec.structs.replace(record.result, outcome=outcome)))
    assert run("log", "verify", "forged.jsonl").code == 0
    done = run("replay", wanted, "--log", "forged.jsonl", "--store", "store")
    assert (done.code, done.out) == (4, "differs\n")
    assert done.err == "record 1: record: `result.outcome` is `refuse`, `compact` when it is derived\n"


@pytest.fixture
def files(run: Run, talk: str) -> str:
    """A log of four files of one decision each, made as rotation makes them."""
    for number in range(1, 5):
        run("decide", talk, "--store", "store", "--log", "d.jsonl")
        if number < 4:
            Path("d.jsonl").rename(f"d.jsonl.{number}")
    return "d.jsonl"


def test_prune_says_what_would_go_and_removes_it_when_it_is_told(run: Run, files: str) -> None:
    done = run("log", "prune", files, "--keep-files", "1", "--store", "store")
    assert done.code == 0 and done.out.splitlines()[-1] == "2 files would be removed (see --apply)"
    assert Path("d.jsonl.1").exists()
    done = run("log", "prune", files, "--keep-files", "1", "--store", "store", "--apply")
    assert done.code == 0 and done.out.splitlines()[-1] == "2 files removed"
    assert not Path("d.jsonl.1").exists() and not Path("d.jsonl.2").exists()
    lines = run("log", "verify", files).out.splitlines()
    assert lines[0].startswith("2 records, each as it was written") and lines[1].startswith("records 1 to 2 were removed;")


def test_prune_leaves_what_is_anchored_or_held_unless_it_is_told(run: Run, files: str, talk: str) -> None:
    Path("cut.jsonl").write_bytes(Path("d.jsonl.1").read_bytes() + Path("d.jsonl.2").read_bytes())
    Path("anchors.txt").write_text(run("log", "anchor", "cut.jsonl").out)
    done = run("log", "prune", files, "--keep-days", "0", "--anchors", "anchors.txt", "--store", "store", "--apply")
    assert "stays: record 2 is anchored" in done.out and "stays: it follows one that is needed" in done.out
    assert done.out.splitlines()[-1] == "1 file removed"
    archive = json.loads(Path("d.jsonl.2").read_bytes())["inputs"]["archive"]
    run("store", "hold", "add", archive, "--owner", "legal", "--reason", "case 7", "--store", "store")
    done = run("log", "prune", files, "--keep-days", "0", "--store", "store", "--apply")
    assert "held for legal" in done.out and done.out.splitlines()[-1] == "0 files removed"
    done = run("log", "prune", files, "--keep-days", "0", "--store", "store", "--apply", "--needed-too")
    assert "removed, although record 2 names" in done.out and done.out.splitlines()[-1] == "2 files removed"


def test_prune_takes_its_limits_from_the_profile(run: Run, files: str) -> None:
    done = run("log", "prune", files)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("nothing says how much stays (give --keep-files or --keep-days")
    Path("barrier-policy.yaml").write_text("log: {path: d.jsonl, keep_files: 2}\nstore: store\n")
    assert run("log", "prune").out.splitlines()[-1] == "1 file would be removed (see --apply)"
