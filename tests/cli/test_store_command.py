"""`barrier-policy store`: originals read back, verified, collected and held."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import object_name
from barrier_policy.provenance.store import default_store

Runner = Callable[..., Any]
NOW = "2026-03-01T08:00:00Z"
LATE = ("--now", "2200-01-01T00:00:00Z")
ONE, TWO = digest_bytes(b"one\n"), digest_bytes(b"two\xff")


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store `originals` with two objects, of which a document names the first."""
    store = FileStore(tmp_path / "originals")
    store.put(b"one\n")
    store.put(b"two\xff")
    store.append_document("journal/a.jsonl", ONE.encode())
    return store


AT = ("--store", "originals")


@pytest.mark.parametrize("name", [ONE, f"store:{ONE}"])
def test_an_object_is_written_as_it_is(run: Runner, store: FileStore, tmp_path: Path, name: str) -> None:
    assert run("store", "get", name, *AT) == (0, "one\n", "")
    assert run("store", "get", TWO, "-o", "two.bin", *AT) == (0, "", "")
    assert (tmp_path / "two.bin").read_bytes() == b"two\xff"


def test_what_can_not_be_got_writes_nothing_and_is_code_four_where_it_is_damaged(
    run: Runner, store: FileStore, tmp_path: Path
) -> None:
    (store.root / "objects" / object_name(TWO)).write_bytes(b"twO\xff")
    for code, name, words in (
        (4, TWO, f"object {TWO} is damaged"),
        (2, digest_bytes(b""), "no object sha256:e3b0c44"),
        (2, "../../etc/passwd", "`../../etc/passwd` is no digest"),
        (2, "store:\x1b[2J", "`\\x1b[2J` is no digest"),
    ):
        done = run("store", "get", name, "-o", "out", *AT)
        assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)
        assert words in done.err
    assert not (tmp_path / "out").exists()
    done = run("store", "get", ONE, "-o", "nowhere/out", *AT)
    assert (done.code, done.err) == (2, "nowhere/out: can't be written (no such file or directory)\n")


def test_a_damaged_store_is_code_four(run: Runner, store: FileStore) -> None:
    assert run("store", "verify", *AT).code == 0
    (store.root / "objects" / object_name(TWO)).write_bytes(b"twO\xff")
    done = run("store", "verify", *AT)
    assert done.code == 4
    assert TWO in done.out and ONE not in done.out
    done = run("store", "verify", "--format", "json", *AT)
    assert done.code == 4
    assert json.loads(done.out) == {"objects": 2, "bytes": 8, "damaged": [TWO], "missing": []}


def test_garbage_is_removed_with_apply_only(run: Runner, store: FileStore) -> None:
    assert json.loads(run("store", "gc", "--format", "json", *AT).out)["young"]["number"] == 1
    for arguments in (("gc",), ("gc", "--dry-run")):
        assert "objects that nothing names (would be removed)       1      4" in run("store", *arguments, *LATE, *AT).out
    assert list(store.digests()) == sorted([ONE, TWO])
    done = run("store", "gc", "--apply", "--format", "json", *LATE, *AT)
    assert (done.code, json.loads(done.out)["digests"]) == (0, [TWO])
    assert list(store.digests()) == [ONE]


@pytest.mark.parametrize("order", [("--dry-run", "--apply"), ("--apply", "--dry-run")])
def test_whoever_says_both_to_remove_and_not_to_removes_nothing(
    run: Runner, store: FileStore, order: tuple[str, str]
) -> None:
    for command in (("store", "gc", *LATE), ("log", "prune", "--keep-files", "0")):
        done = run(*command, *order, *AT)
        assert (done.code, done.out) == (2, "") and done.err.startswith("--apply, --dry-run: ")
    assert list(store.digests()) == sorted([ONE, TWO])


def test_the_grace_period_is_in_hours(run: Runner, store: FileStore) -> None:
    now = store.stat(TWO)
    assert now is not None and now.modified is not None
    at = ("--now", now.modified.replace(year=now.modified.year + 1).isoformat())
    assert "objects put in the last 99999 h" in run("store", "gc", "--grace-hours", "99999", *at, *AT).out
    counts = [
        json.loads(run("store", "gc", "--grace-hours", hours, "--format", "json", *at, *AT).out)["young"]["number"]
        for hours in ("8000", "9000")
    ]
    assert counts == [0, 1]
    assert run("store", "gc", "--grace-hours", "-1", *AT).code == 2


def test_a_held_object_survives_until_it_is_released(run: Runner, store: FileStore) -> None:
    hold = ("--owner", "legal", "--reason", "case 17", "--now", NOW)
    done = run("store", "hold", "add", TWO, *hold, *AT)
    assert done == (0, f"{TWO} held for legal, {NOW}: case 17\n", "")
    listed = json.loads(run("store", "hold", "list", "--format", "json", *AT).out)
    assert listed == [{"digest": TWO, "owner": "legal", "reason": "case 17", "time": NOW}]
    assert "legal" in run("store", "hold", "list", *AT).out
    assert run("store", "hold", "list", "--format", "jsonl", *AT).out.count("\n") == 1
    run("store", "gc", "--apply", *LATE, *AT)
    assert store.read(TWO) is not None
    assert run("store", "hold", "release", TWO, "--owner", "legal", "--reason", "closed", "--now", NOW, *AT).code == 0
    run("store", "gc", "--apply", *LATE, *AT)
    assert store.read(TWO) is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", ONE, "--owner", "a"), "--reason"),
        (("add", ONE, "--reason", "a"), "--owner"),
        (("add", ONE, "--owner", " ", "--reason", "a"), "a hold needs an owner"),
        (("add", "sha256:1", "--owner", "a", "--reason", "b"), "is no digest"),
        (("add", digest_bytes(b""), "--owner", "a", "--reason", "b"), "no object"),
        (("release", ONE, "--owner", "a", "--reason", "b"), "`a` holds no object"),
        (("add", ONE, "--owner", "a", "--reason", "b", "--now", "soon"), "--now: `soon` is no time"),
    ],
)
def test_a_hold_that_makes_no_sense_is_code_two(
    run: Runner, store: FileStore, arguments: tuple[str, ...], words: str
) -> None:
    done = run("store", "hold", *arguments, *AT)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_what_a_hold_says_can_not_move_the_terminal(run: Runner, store: FileStore) -> None:
    done = run("store", "hold", "add", ONE, "--owner", "a\x1b[2J", "--reason", "b\nc", *AT)
    assert "\x1b" not in done.out and len(done.out.splitlines()) == 1
    assert "\x1b" not in run("store", "hold", "list", *AT).out


COMMANDS = (
    ("get", ONE),
    ("verify",),
    ("gc",),
    ("hold", "list"),
    ("hold", "add", ONE, "--owner", "a", "--reason", "b"),
    ("hold", "release", ONE, "--owner", "a", "--reason", "b"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--store", "misspelt"), "misspelt: no store there"),
        (("--store", "s4x://bucket"), "no plugin opens a store of kind `s4x`"),
        (("--profile", "none.yaml"), "the profile says `store: none`"),
    ],
)
def test_a_store_that_is_not_there_is_named(
    run: Runner, tmp_path: Path, command: tuple[str, ...], arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "none.yaml").write_text("store: none\n")
    done = run("store", *command, *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err and len(done.err.splitlines()) == 1
    assert not (tmp_path / "misspelt").exists()


def test_the_store_is_the_profiles_or_the_default_one(run: Runner, store: FileStore, tmp_path: Path) -> None:
    FileStore(default_store()).put(b"in the default store")
    assert json.loads(run("store", "verify", "--format", "json").out)["bytes"] == 20
    (tmp_path / "barrier-policy.yaml").write_text("store: originals\n")
    assert json.loads(run("store", "verify", "--format", "json").out)["bytes"] == 8
    (tmp_path / "barrier-policy.yaml").write_text("store: memory://verified\n")
    assert json.loads(run("store", "verify", "--format", "json").out)["objects"] == 0


def test_a_missing_extra_names_the_install_command(run: Runner, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "s3fs", None)
    for command in (("decide", talk), ("store", "verify")):
        done = run(*command, "--store", "s3://bucket/x")
        assert done.code == 2
        assert done.err.startswith(
            "s3://bucket/x: the file system of `s3` is not installed (pip install 'barrier-policy[s3]')"
        )
