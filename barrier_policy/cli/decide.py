"""`barrier-policy decide`: decide on files one after another."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec

from barrier_policy.cli.console import clean, err, indented, out, show, write_bytes
from barrier_policy.cli.guard import OK, REFUSED, report
from barrier_policy.cli.log_access import LoggedSession
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import STDIN, Session
from barrier_policy.cli.table import print_decision
from barrier_policy.decision.excerpts import with_excerpts
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.walk import Analysis

LONG_WORK = 1_000_000
"""From this many bytes on, or for several files, a terminal shows which file is being worked on."""


def decide_files(request: Request, files: Sequence[str], *, format: OutputFormat, fold: bool, excerpts: bool) -> int:
    """Decide on each file, log it where there is a log, and print it; one that can't be read does not stop the others. Returns the highest exit code.

    Raises BarrierPolicyError where what is asked for does not go together.
    """
    if format is OutputFormat.JSON and len(files) > 1:
        raise BarrierPolicyError("--format json prints the object of one file (use --format jsonl for several)")
    if excerpts and format is OutputFormat.TABLE:
        raise BarrierPolicyError("--excerpts adds to the JSON (use --format json or jsonl; tables show the words anyway)")
    session = Session(request)
    logged = LoggedSession(session)
    code = OK
    for number, name in enumerate(files):
        try:
            with _progress(name, number, len(files)):
                analysis = logged.analyse(name)
        except BarrierPolicyError as error:
            report(error)
            code = max(code, error.exit_code)
            continue
        if format is OutputFormat.TABLE:
            console = out()
            if number:
                show(console)
            print_decision(console, name, analysis, session.decider.counter, fold=fold)
        else:
            write_bytes(_json(name, analysis, format, excerpts=excerpts))
        if analysis.decision.outcome == "refuse":
            code = max(code, REFUSED)
    return code


def _json(name: str, analysis: Analysis, format: OutputFormat, *, excerpts: bool) -> bytes:
    """The decision; on a line of many it is preceded by the file that it is about."""
    decision = analysis.decision
    if excerpts:
        decision = with_excerpts(decision, analysis.join, analysis.masker)
    line = decision.to_json()
    if format is OutputFormat.JSON:
        return indented(line)
    path = msgspec.json.encode(name.encode("utf-8", "backslashreplace").decode())
    return b'{"path":' + path + b"," + line[1:] + b"\n"


def _progress(name: str, number: int, files: int) -> AbstractContextManager[object]:
    """A spinner on standard error while long work goes on; nothing where that is no terminal."""
    console = err()
    if not console.is_terminal or (files == 1 and _size(name) < LONG_WORK):
        return nullcontext()
    return console.status(f"{number + 1}/{files} {clean(name)}" if files > 1 else clean(name))


def _size(name: str) -> int:
    try:
        return 0 if name == STDIN else Path(name).stat().st_size
    except (OSError, ValueError):
        return 0
