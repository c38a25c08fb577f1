"""`barrier-policy report`: where it writes, and what it says by its exit code."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Runner = Callable[..., Any]


def test_the_page_is_written_to_the_file_that_was_named(run: Runner, deploy: str) -> None:
    done = run("report", deploy, "-o", "out.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert Path("out.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert sorted(os.listdir()) == ["deploy.json", "out.html"]


def test_without_a_file_it_goes_to_standard_output(run: Runner, deploy: str) -> None:
    run("report", deploy, "-o", "out.html")
    assert run("report", deploy).out == Path("out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("form", "begins"), [("sarif", "{"), ("junit", "<?xml")])
def test_it_is_written_for_ci_too(run: Runner, deploy: str, form: str, begins: str) -> None:
    assert run("report", deploy, "--format", form).out.startswith(begins)


def test_a_refusal_is_written_and_ends_with_code_one(run: Runner, deploy: str) -> None:
    assert run("report", deploy, "-o", "out.sarif", "--format", "sarif", "--target-tokens", "10").code == 1
    log = json.loads(Path("out.sarif").read_bytes())
    assert log["runs"][0]["properties"]["outcome"] == "refuse"


def test_the_transcript_is_never_overwritten(run: Runner, deploy: str) -> None:
    before = Path(deploy).read_bytes()
    Path("link.html").symlink_to(deploy)
    for name in (deploy, f"./{deploy}", "link.html"):
        done = run("report", deploy, "-o", name)
        assert done.code == 2 and "is the transcript itself" in done.err
    assert Path(deploy).read_bytes() == before


def test_a_file_that_can_not_be_written_is_one_line(run: Runner, deploy: str) -> None:
    done = run("report", deploy, "-o", "no/such/folder.html")
    assert done.code == 2
    assert done.err == "no/such/folder.html: can't be written (no such file or directory)\n"


def test_what_stood_there_stays_until_the_report_is_whole(run: Runner, deploy: str) -> None:
    Path("out.html").write_text("before")
    assert run("report", "missing.json", "-o", "out.html").code == 2
    assert Path("out.html").read_text() == "before"


@pytest.mark.parametrize("command", [("report", "deploy.json"), ("policy", "docs")])
def test_a_link_stays_a_link_and_a_file_keeps_its_mode(run: Runner, deploy: str, command: tuple[str, ...]) -> None:
    Path("page").write_text("before")
    Path("page").chmod(0o640)
    Path("link").symlink_to("page")
    assert run(*command, "-o", "link").code == 0
    assert Path("link").is_symlink() and Path("page").read_text() != "before"
    assert stat.S_IMODE(Path("page").stat().st_mode) == 0o640
    assert sorted(os.listdir()) == ["deploy.json", "link", "page"]


def test_the_time_stands_in_it_only_where_it_was_given(run: Runner, talk: str) -> None:
    assert "Decided as of" not in run("report", talk).out
    assert "2026-06-01T00:00:00Z" in run("report", talk, "--now", "2026-06-01").out


@pytest.mark.parametrize("form", ["html", "sarif", "junit"])
def test_the_bytes_do_not_depend_on_hash_seed_zone_or_locale(deploy: str, form: str) -> None:
    command = [sys.executable, "-m", "barrier_policy.cli", "report", deploy, "--format", form]
    changes = (
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
    )
    first, second = (
        subprocess.run(command, env=os.environ | change, capture_output=True, check=True).stdout for change in changes
    )
    assert first == second and first
