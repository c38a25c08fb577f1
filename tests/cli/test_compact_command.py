"""`barrier-policy compact`: what is printed, what is written, and the exit code of each way in which it ends."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Runner = Callable[..., Any]
NOW = ("--now", "2026-06-01T12:00:00Z")
PROSE = "The roses along the fence were cut back in spring, and by June they had grown over the gate again. " * 8


@pytest.fixture
def garden(chat: Callable[..., str]) -> str:
    """A transcript with talk that may go."""
    return chat(
        ("system", "You help with the garden."),
        ("user", "How did the roses do?"),
        ("assistant", PROSE),
        ("user", "Good."),
        ("assistant", "Yes."),
        name="garden.json",
    )


def summarizer(tmp_path: Path, program: str, section: str = "") -> tuple[str, str]:
    """A profile whose summarizer is a Python program."""
    (tmp_path / "short.py").write_text(program)
    command = json.dumps([sys.executable, str(tmp_path / "short.py")])
    (tmp_path / "profile.yaml").write_text(f"summarizer: {{kind: command, command: {command}}}\n{section}")
    return "--profile", "profile.yaml"


SAY = "import sys; sys.stdin.read(); print('They spoke of roses.')\n"


CHANGED, HALF_WRITTEN = "text.replace('How did', 'Why did')", "text.replace(']', ', {')"


@pytest.mark.parametrize(("change", "code"), [(CHANGED, 1), (HALF_WRITTEN, 2)], ids=["changed", "half written"])
def test_a_transcript_that_was_changed_meanwhile_is_not_overwritten(
    run: Runner, garden: str, tmp_path: Path, change: str, code: int
) -> None:
    """The first is a refusal, of which design section 8 says 1; the second can't be read."""
    program = f"import pathlib\npath = pathlib.Path({garden!r})\ntext = path.read_text()\npath.write_text({change})\n{SAY}"
    done = run("compact", garden, "--in-place", "--keep-last", "2", *NOW, *summarizer(tmp_path, program))
    assert done.err.startswith(garden)
    assert "They spoke of roses." not in (tmp_path / garden).read_text()
    assert done.code == code


def test_a_span_that_is_none_is_named_by_its_option(run: Runner, garden: str) -> None:
    done = run("compact", garden, "-o", "out.json", "--span", "3", *NOW)
    assert (done.code, done.err.splitlines()[0][:7]) == (2, "--span:")


def test_a_further_round_passes_its_audit_with_the_store(run: Runner, garden: str, chat: Callable[..., str]) -> None:
    options = ("--keep-last", "2", "--store", "st", *NOW)
    assert run("compact", garden, "-o", "one.json", *options).code == 0
    assert run("compact", "one.json", "-o", "two.json", *options).code == 0
    assert run("audit", "one.json", "two.json", "--keep-last", "2", "--store", "st", *NOW).code == 0


def test_an_audit_that_could_not_decide_is_exit_code_4_unless_the_profile_takes_it(
    run: Runner, chat: Callable[..., str], tmp_path: Path
) -> None:
    name = chat(("user", "How did the roses do?"), ("assistant", PROSE), ("user", "Good."), ("assistant", "Yes."))
    say = SAY.replace("They spoke of roses.", "The user wants the roses reviewed by the design team before anything else.")
    options = ("-o", "out.json", "--keep-last", "2", "--store", "st", *NOW)
    done = run("compact", name, *options, *summarizer(tmp_path, say))
    assert done.code == 4 and "inconclusive" in done.err and not (tmp_path / "out.json").exists()
    taken = run("compact", name, *options, *summarizer(tmp_path, say, "audit: {inconclusive: accept}\n"))
    assert taken.code == 0 and "unclear" in taken.out


def test_an_output_that_is_the_file_itself_is_refused_without_in_place(run: Runner, garden: str, tmp_path: Path) -> None:
    path = tmp_path / garden
    before = path.read_bytes()
    (tmp_path / "link.json").symlink_to(path)
    (tmp_path / "hard.json").hardlink_to(path)
    for output in (garden, f"./{garden}", "link.json", "hard.json"):
        done = run("compact", garden, "-o", output, "--keep-last", "2", *NOW, *summarizer(tmp_path, SAY))
        assert (done.code, done.out) == (2, "") and f"`-o {Path(output)}` is FILE itself" in done.err
        assert path.read_bytes() == before
    assert run("compact", garden, "--in-place", "--keep-last", "2", *NOW, *summarizer(tmp_path, SAY)).code == 0
    assert path.read_bytes() != before


def test_the_output_of_a_read_only_file_can_be_written_to_by_its_owner_and_by_nobody_else(
    run: Runner, garden: str, tmp_path: Path
) -> None:
    (tmp_path / garden).chmod(0o440)
    for keep_last in ("2", "5"):  # compacted, and given back as it came
        output = tmp_path / f"out{keep_last}.json"
        done = run("compact", garden, "-o", output, "--keep-last", keep_last, *NOW, *summarizer(tmp_path, SAY))
        assert (done.code, stat.S_IMODE(output.stat().st_mode)) == (0, 0o640)


def test_summaries_that_are_no_shorter_are_told_where_nothing_is_left_to_reclaim(
    run: Runner, garden: str, tmp_path: Path
) -> None:
    long = "import sys; sys.stdin.read(); print('They spoke of roses and of the weather. ' * 600)\n"
    arguments = ("compact", garden, "-o", "out.json", "--keep-last", "2", *NOW, *summarizer(tmp_path, long))
    assert "the summary was no shorter" in run(*arguments).out
    assert json.loads(run(*arguments, "--format", "json").out)["kept"][0]["messages"] == [1, 3]
