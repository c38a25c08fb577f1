"""The code blocks of README and docs are run, and what they show is compared with what comes out.

Each page is a script: its blocks run from top to bottom in one empty directory that holds the examples.

* `console`: a line that begins with `$ ` is run, the lines below it are its output; a line `…` stands for any number of lines.
* `python`: is run in this process.
* any block with `file=NAME` behind the language is written to that file; a `pyproject.toml` with plugins counts as installed.

`python tests/test_readme.py` writes the present output, and the declared record, into the pages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from barrier_policy.join.schema import CORE_TYPES

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECORD = re.compile(r"(<!-- record -->\n)(.*)(<!-- /record -->)", re.DOTALL)
ELIDED = "…"


class Block(NamedTuple):
    """A code block: language, file name where it has one, and the text from `start` to `end` of the page."""

    language: str
    file: str
    text: str
    start: int
    end: int


class Step(NamedTuple):
    """A command of a console block, and the output that the page shows."""

    command: str
    shown: list[str]


def blocks(page: Path) -> Iterator[Block]:
    for match in FENCE.finditer(page.read_text(encoding="utf-8")):
        file = re.search(r"file=(\S+)", match[2])
        yield Block(match[1], file[1] if file else "", match[3], match.start(3), match.end(3))


def steps(text: str) -> list[Step]:
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:], []))
        elif found:
            found[-1].shown.append(line)
    return found


def environment(folder: Path) -> dict[str, str]:
    """Commands find this interpreter's scripts, an empty store, and plugins of the page."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
    }


def run(command: str, folder: Path) -> list[str]:
    """The lines that a command prints, errors among them."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return [line.rstrip() for line in done.stdout.splitlines()]


def write(block: Block, folder: Path) -> None:
    path = folder / block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")
    if path.name == "pyproject.toml":
        install(block.text, folder)


def install(pyproject: str, folder: Path) -> None:
    """What pip would leave behind for a project whose modules lie in the folder."""
    project = tomllib.loads(pyproject)["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [f"{name} = {value}" for name, value in project["entry-points"]["barrier_policy"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[barrier_policy]", *lines, ""]))


def prepare(folder: Path) -> None:
    shutil.copytree(ROOT / "examples", folder / "examples")


def fits(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of a page, with `…` for any number of lines, are what was printed."""
    if ELIDED not in shown:
        return shown == printed
    cut = shown.index(ELIDED)
    if shown[:cut] != printed[:cut]:
        return False
    rest = shown[cut + 1 :]
    return any(fits(rest, printed[start:]) for start in range(cut, len(printed) + 1))


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_does_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for block in blocks(page):
        if block.file:
            write(block, tmp_path)
        elif block.language == "python":
            exec(compile(block.text, f"{page.name}", "exec"), {"__name__": "__main__"})
        elif block.language == "console":
            for step in steps(block.text):
                printed = run(step.command, tmp_path)
                assert fits(step.shown, printed), "\n".join([f"$ {step.command}", *printed])


def test_the_first_two_commands_of_the_readme_are_those_of_ci() -> None:
    commands = [block.text.strip() for block in blocks(ROOT / "README.md") if block.language == "sh"]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    first, second = commands[0], commands[1]
    assert first.endswith("barrier-policy decide examples/incident.json") and "pip install -e '.[fast]'" in first
    assert "pip install -e '.[fast,test]'" in second and "'.[fast,test]'" in ci
    test_command = second.rpartition(".venv/bin/")[2]
    assert f'"$bin/{test_command.partition(" ")[0]}" {test_command.partition(" ")[2]}\n' in ci


def record_tables() -> str:
    """The record that conditions see, as declared."""
    lines = []
    for record in CORE_TYPES:
        lines += ["", f"**{record.name}**: {record.doc}", "", "| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{field.name}` | {field.type} | {field.doc} |" for field in record.fields]
    return "\n".join([*lines, "", ""])


def test_the_documented_record_is_the_declared_one() -> None:
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    assert RECORD.search(page)[2] == record_tables()  # type: ignore[index]


def test_no_page_holds_marks_of_an_unfinished_merge() -> None:
    for page in PAGES:
        assert not re.search(r"^(?:<{7} |={7}$|>{7} )", page.read_text(encoding="utf-8"), re.MULTILINE), page.name


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def refreshed(step: Step, folder: Path) -> list[str]:
    """The present output. Where the page elides some of it: as many lines as now before the first `…` and after the last one,
    and between them the rows that begin as they begin now."""
    printed = run(step.command, folder)
    if ELIDED not in step.shown:
        return printed
    first = step.shown.index(ELIDED)
    last = len(step.shown) - step.shown[::-1].index(ELIDED)
    middle = [found for line in step.shown[first:last] for found in ([ELIDED] if line == ELIDED else row(printed, line))]
    return [*printed[:first], *middle, *printed[len(printed) - (len(step.shown) - last) :]]


def row(printed: list[str], shown: str) -> list[str]:
    """The line that begins with the same word, with the indented lines below it; nothing for an indented line."""
    word = shown.partition(" ")[0]
    start = next((number for number, line in enumerate(printed) if word and line.partition(" ")[0] == word), None)
    if start is None:
        return []
    end = next((number for number in range(start + 1, len(printed)) if not printed[number].startswith(" ")), len(printed))
    return printed[start:end]


def update(page: Path) -> None:
    """Write the present output of every command into a page."""
    text, shift = page.read_text(encoding="utf-8"), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for block in blocks(page):
            if block.file:
                write(block, folder)
            elif block.language == "console":
                lines = [line for step in steps(block.text) for line in (f"$ {step.command}", *refreshed(step, folder))]
                new = "\n".join(lines) + "\n"
                text = text[: block.start + shift] + new + text[block.end + shift :]
                shift += len(new) - len(block.text)
    text = RECORD.sub(lambda match: match[1] + record_tables() + match[3], text)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for found in PAGES:
        update(found)
