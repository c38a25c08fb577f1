"""Mistakes of users end in one line and an exit code, never in a traceback."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.walk import Decider

Runner = Callable[..., Any]
COMMAND = (sys.executable, "-m", "barrier_policy.cli")

UNREADABLE = {
    "empty": b"",
    "blank": b" \n\n",
    "truncated": b'[{"role": "user", "content": "hel',
    "no transcript": b'{"answer": 42}',
    "a number": b"7",
    "no JSON": b"hello world\n",
    "latin-1": '[{"role": "user", "content": "é"}]'.encode("latin-1"),
    "half of UTF-16": "[]".encode("utf-16")[:-1],
    "NUL bytes": b"\x00" * 64,
    "deep": b"[" * 100_000,
    "deep and closed": b"[" * 5_000 + b"]" * 5_000,
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_input_is_named_on_one_line(run: Runner, tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.json").write_bytes(UNREADABLE[name])
    for command in (("decide",), ("facts",), ("ledger",)):
        done = run(*command, "bad.json")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("bad.json:")
        assert len(done.err.splitlines()) == 1
    assert run("explain", "bad.json", "0").code == 2


@pytest.mark.parametrize("name", ["missing.json", ".", "a\0b", "x" * 5000])
def test_a_path_that_can_not_be_read_is_named(run: Runner, name: str) -> None:
    done = run("decide", name)
    assert done.code == 2
    assert "can't be read" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--now", "tomorrow"), "--now: `tomorrow` is no time"),
        (("--range", "3"), "--range: `3` is no range"),
        (("--range", "3:99"), "3:99: no range of messages within 0:9"),
        (("--range", "5:3"), "5:3: no range of messages within 0:9"),
        (("--policies", "nowhere"), "--policies: `nowhere` is no folder"),
        (("--profile", "nowhere.yaml"), "nowhere.yaml: can't be read"),
        (("--format", "json", "talk.json"), "--format json prints the object of one file"),
        (("--format", "xml"), "--format: `xml` is unknown (known: json, jsonl, table)\n"),
        (("--format=jsn",), "--format: `jsn` is unknown (did you mean `json`?)\n"),
        (("--engine", "rust"), "--engine: `rust` is unknown (known: auto, fast, python)\n"),
        (("--keep-last", "-1"), "--keep-last: `-1` is too small (give a whole number, 0 or more)\n"),
        (("--keep-last", "few"), "--keep-last: `few` is no whole number (give one, 0 or more)\n"),
        (("--keep-lost", "1"), "barrier-policy decide: no option `--keep-lost` (did you mean `--keep-last`?)\n"),
        (("--excerpts",), "--excerpts adds to the JSON (use --format json or jsonl; tables show the words anyway)\n"),
    ],
)
def test_wrong_usage_is_code_two(run: Runner, talk: str, arguments: tuple[str, ...], words: str) -> None:
    done = run("decide", talk, *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("decide",), "FILE is missing (usage: barrier-policy decide [OPTIONS] FILE...)"),
        (("explain", "talk.json"), "SPAN is missing (usage: barrier-policy explain [OPTIONS] FILE SPAN)"),
        (("decid", "talk.json"), "no such command `decid`. Did you mean `decide`?"),
        (("facts", "talk.json", "--message", "9"), "--message: no message `9` in talk.json (messages are 0 to 8)"),
        (("decide", "talk.json", "--store", "tape://x"), "--store: no plugin opens a store of kind `tape`"),
        (("decide", "talk.json", "--policies", "."), "--policies: `.` has no policy files (give a folder with `*.yaml`)"),
        (
            ("policy", "diff", "shipped", "shipped", "talk.json", "--jobs", "0"),
            "--jobs: `0` is too small (give a whole number, 1",
        ),
        (("policy", "test", "--fail-under", "101"), "--fail-under: `101` is too large (give 100"),
        (("policy", "new", "rul", "x"), "KIND: `rul` is unknown (did you mean `rule`?)"),
        (("policy", "show", "nowhere"), "`nowhere` is no folder (give a folder of policy files, or a bundle)"),
        (("policy", "diff", "shipped+", "shipped", "talk.json"), "`shipped+` has an empty part (give `shipped`, a folder"),
        (("policy", "diff", "", "shipped", "talk.json"), "`` has an empty part (give `shipped`, a folder"),
        (
            ("policy", "diff", "shipped", "shipped", "talk.json", "--acknowledgements", "no.yaml"),
            "--acknowledgements: `no.yaml` is no file (give a file of kind Acknowledgements)",
        ),
        (("policy", "bundle", "sign", "no.bundle", "--key", "talk.json"), "no.bundle: can't be read (no such file"),
        (("policy", "bundle", "sign", "no.bundle", "--key", "no.key"), "no.key: can't be read (no such file"),
        (
            ("policy", "bundle", "sign", "no.bundle", "--key", "a", "--key-env", "B"),
            "`--key` and `--key-env` are both given (give one of both)",
        ),
        (("policy", "bundle", "verify", "no.bundle", "--keys", "nokeys"), "no.bundle: can't be read (no such file"),
        (("compact", "", "-o", "out.json"), ": can't be read (no such file or directory)"),
        (("compact", "talk.json", "-o", "out.json", "--in-place"), "`--output` and `--in-place` are both given"),
        (("explain", "talk.json", "1-2"), "no span or message `1-2` (message 1 stands in span 1)"),
    ],
)
def test_a_mistake_is_one_line_that_says_how_to_see_it_right(
    run: Runner, talk: str, arguments: tuple[str, ...], line: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert line in done.err and len(done.err.splitlines()) == 1


def test_a_fault_of_ours_is_one_line_without_the_transcript(run: Runner, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise RuntimeError("You help with the garden")

    monkeypatch.setattr(Decider, "analyse", fail)
    done = run("decide", talk)
    assert done.code == 70
    assert done.err == "barrier-policy: internal error: RuntimeError (set BARRIER_POLICY_DEBUG=1 for the traceback)\n"
    monkeypatch.setenv("BARRIER_POLICY_DEBUG", "1")
    assert "Traceback" in run("decide", talk).err


def test_a_broken_plugin_is_refused_by_name(run: Runner, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value, dist = "team_paths", "team.paths", None

        def load(self) -> object:
            raise ImportError("no module named `team`")

    monkeypatch.setattr("barrier_policy.plugins.metadata.entry_points", lambda group: [Point()])
    done = run("decide", talk)
    assert (done.code, done.out) == (2, "")
    assert done.err == "team.paths: plugin `team_paths` 0: no module named `team`\n"


def test_a_reader_of_the_output_that_goes_away_is_no_error(talk: str) -> None:
    command = [*COMMAND, "decide", *[talk] * 40]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert complaint == b""


def test_output_can_be_written_to_an_ascii_terminal(chat: Runner) -> None:
    call = {"id": "c", "function": {"name": "deploy_shop", "arguments": json.dumps({"Gärtchen": "🌹"}, ensure_ascii=False)}}
    name = chat(("user", "Ja."), {"role": "assistant", "tool_calls": [call]})
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run([*COMMAND, "ledger", name], capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"G\\xe4rtchen" in done.stdout


def test_an_interrupt_while_the_commands_are_imported_is_as_quiet_as_a_later_one() -> None:
    script = """
import sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from barrier_policy.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_file_that_the_system_refuses_unexpectedly_is_named(
    run: Runner, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "secret/folder")

    monkeypatch.setattr(Decider, "analyse", refuse)
    done = run("decide", talk)
    assert (done.code, done.err) == (2, "secret/folder: permission denied\n")
