"""`barrier-policy report`: a decision for reviewers (a page) and for their tools (SARIF, JUnit)."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from barrier_policy.cli.console import write_output
from barrier_policy.cli.guard import OK, REFUSED
from barrier_policy.cli.options import ReportFormat, Request
from barrier_policy.cli.session import STDIN, Session
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.report.build import build_report
from barrier_policy.report.model import Report


def report_file(request: Request, file: str, output: str, format: ReportFormat) -> int:
    """Decide on a file and write the report to `output`, or to standard output where it is empty. Returns the decision's exit code."""
    _check_output(file, output)
    session = Session(request)
    analysis = session.analyse(file)
    report = build_report(
        analysis,
        session.decider,
        file=file,
        now=session.now if request.now else "",
        tool=f"barrier-policy {version('barrier-policy')}",
    )
    write_output(_renderer(format)(report), Path(output) if output and output != STDIN else None)
    return REFUSED if analysis.decision.outcome == "refuse" else OK


def _renderer(format: ReportFormat) -> Callable[[Report], bytes]:
    """Imported where it is used: each has libraries of its own."""
    if format is ReportFormat.SARIF:
        from barrier_policy.report.sarif import render_sarif

        return render_sarif
    if format is ReportFormat.JUNIT:
        from barrier_policy.report.junit import render_junit

        return render_junit
    from barrier_policy.report.html import render_html

    return render_html


def _check_output(file: str, output: str) -> None:
    """Refuse to write the report over the transcript that it is about."""
    try:
        same = bool(output) and file != STDIN and os.path.samefile(file, output)
    except (OSError, ValueError):
        return
    if same:
        raise BarrierPolicyError(f"-o: `{output}` is the transcript itself (name another file)")
