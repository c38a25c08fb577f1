"""`barrier-policy audit`: one pair of transcripts, or every compaction that a session's log records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import msgspec
from rich.console import Console

from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Finding, Need, Outcome, Place, Unproven
from barrier_policy.cli.console import cell, clean, clip, make_table, out, show, write_bytes, write_json
from barrier_policy.cli.guard import FAILED, OK
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import Session
from barrier_policy.digest import stable_json
from barrier_policy.gate.rounds import Round, find_rounds
from barrier_policy.transcript.reader import MAX_COMPACTIONS, Compaction

TEXT = 110
SHORT = 40
SOME = 3
"""So many values of one message are named."""
LONG = 12
"""So many lines of one rule are shown of a folded list."""
SEVERITIES = ("critical", "high", "medium", "low")
PASSED = {Outcome.PASS: "pass", Outcome.FAIL: "FAIL", Outcome.INCONCLUSIVE: "INCONCLUSIVE"}

Audited = tuple[str, int, AuditReport]
"""What was compacted, the line of the log that marks the compaction (0 for a pair of files), and its report."""


def audit_files(
    request: Request,
    files: Sequence[str],
    *,
    format: OutputFormat,
    fold: bool,
    allow_inconclusive: bool,
    exact: bool,
) -> int:
    """Audit and print. Returns 4 unless every audit passes. Raises BarrierPolicyError."""
    session = Session(msgspec.structs.replace(request, no_store=request.store is None))  # the user's own store is not asked
    clause = True if exact else None
    found = _recorded(session, files[0], clause) if len(files) == 1 else _rounds(session, files, clause)
    reports: list[Audited] = []
    for name, line, report in found:
        reports.append((name, line, report))
        if format is OutputFormat.TABLE:
            _print(out(), name, report, fold=fold, first=len(reports) == 1)
        elif format is OutputFormat.JSONL:
            write_bytes(stable_json(_record(line, report)) + b"\n")
    if format is OutputFormat.JSON:
        write_json(_whole(files, reports))
    elif format is OutputFormat.TABLE and len(files) == 1:
        _print_sum(out(), files[0], reports)
    accepted = {Outcome.PASS, Outcome.INCONCLUSIVE} if allow_inconclusive else {Outcome.PASS}
    return OK if all(report.outcome in accepted for _, _, report in reports) else FAILED


def _rounds(session: Session, files: Sequence[str], exact: bool | None) -> Iterator[Audited]:
    """Each transcript against the one that it was made of: those that were given, and between two of them those that the store knows."""
    for before, after in pairwise(files):
        rounds = find_rounds(session.store, session.read(before), session.read(after), session.decider.plugins)
        for number, found in enumerate(rounds, 1):
            of = f", round {number} of {len(rounds)}" if len(rounds) > 1 else ""
            yield f"{before} → {after}{of}", 0, _audit(session, found, exact)


def _recorded(session: Session, name: str, exact: bool | None) -> Iterator[Audited]:
    for found in session.compactions(name):
        report = _audit(session, Round(before=found.before, after=found.after), exact, found)
        yield f"{name}:{found.line}", found.line, report


def _whole(files: Sequence[str], reports: Sequence[Audited]) -> Any:
    if len(files) == 1:
        return {"compactions": [_record(line, report) for _, line, report in reports]}
    return reports[0][2] if len(reports) == 1 else {"rounds": [report for _, _, report in reports]}


def _audit(session: Session, found: Round, exact: bool | None, recorded: Compaction | None = None) -> AuditReport:
    read = session.store.read if session.store is not None else None
    asked = session.request.keep_last
    keep_last = found.keep_last if asked is None else asked
    return audit(
        found.before,
        found.after,
        keep_last=keep_last,
        now=session.now,
        decider=session.decider,
        read=read,
        recorded=recorded,
        exact=exact,
    )


def _record(line: int, report: AuditReport) -> dict[str, Any]:
    return {"line": line, **report.to_dict()} if line else report.to_dict()


# --- for people


def _print(console: Console, name: str, report: AuditReport, *, fold: bool, first: bool) -> None:
    if not first:
        show(console)
    told = report.witnesses
    show(console, cell(f"{name}: {report.before.messages:,} messages became {report.after.messages:,}"))
    show(
        console,
        cell(
            f"{PASSED[report.outcome]}: {report.protected:,} protected, of these {told.verbatim:,} kept word for word, "
            f"{told.carrier:,} in the carrier, {told.text:,} in new text"
        ),
    )
    for rule in sorted(report.rules, key=lambda rule: SEVERITIES.index(rule.severity)):
        chosen = [finding for finding in report.findings if finding.rule == rule.id]
        show(console)
        show(console, cell(f"{rule.id} ({rule.severity}): {rule.summary}"))
        show(console, cell(f"  to make it right: {rule.remedy}"))
        lines = [text for _, group in groupby(chosen, key=_group) for text in _lines(list(group), fold=fold)]
        shown = lines[:LONG] if fold and len(lines) > LONG + 1 else lines
        for text in shown:
            show(console, cell(f"  {text}"))
        if len(shown) < len(lines):
            show(console, cell(f"  … {len(lines) - len(shown):,} further lines, see --all"))
    _print_reclaimed(console, report)
    show(console)
    _print_checks(console, report)


def _print_reclaimed(console: Console, report: AuditReport) -> None:
    """What is gone as well and is counted only, by the reason."""
    if not report.reclaimed:
        return
    show(console)
    show(console, cell("gone as well, and nothing shows that anybody misses it (all of it: --exact)"))
    for reason in Unproven:
        kinds = [f"{entry.count:,} {entry.kind}" for entry in report.reclaimed if entry.reason is reason]
        if kinds:
            show(console, cell(f"  {reason}: {', '.join(kinds)}"))


def _group(finding: Finding) -> tuple[str, int, str, Outcome, Need | None]:
    """Values of one message that are gone, and are missed at the same place, are told on one line."""
    if finding.rule != "audit.value-severed" or finding.before is None:
        return finding.item, -1, finding.found, finding.outcome, finding.need
    return "", finding.before.message, "", finding.outcome, finding.need


def _missed(need: Need | None) -> str:
    """Where it was missed, in messages of the conversation as it went on."""
    if need is None:
        return ""
    return (
        f" (shown again in message {need.shown.message} and used in {need.used.message})"
        if need.shown
        else (f" (done again in message {need.used.message})")
    )


def _lines(findings: Sequence[Finding], *, fold: bool) -> Iterator[str]:
    first = findings[0]
    unclear = "unclear: " if first.outcome is Outcome.INCONCLUSIVE and first.rule != "audit.opaque" else ""
    where = _where(first)
    if len(findings) > 1 and first.rule == "audit.value-severed":
        shown = findings[:SOME] if fold else findings
        more = f" +{len(findings) - len(shown)}" if len(findings) > len(shown) else ""
        place = f"message {first.before.message}" if first.before else ""
        yield f"{unclear}{place}: {', '.join(f'`{clip(f.expected, SHORT)}`' for f in shown)}{more}{_missed(first.need)}"
        return
    for finding in findings:
        expected = f"`{clip(finding.expected, TEXT)}`" if finding.expected else ""
        found = f"`{clip(finding.found, TEXT)}`" if finding.found else ""
        yield (
            f"{unclear}{where}: {finding.kind}: "
            + (f"{expected} became {found}" if expected and found else expected or found)
            + _missed(finding.need)
        )


def _where(finding: Finding) -> str:
    before, after = _place("message", finding.before), _place("message", finding.after)
    if before and after:
        return f"{before} → {after}"
    return f"{before} → nowhere" if before else f"new {after}" if after else "the carrier of before"


def _place(word: str, place: Place | None) -> str:
    if place is None:
        return ""
    return f"{word} {place.message}" + (f" ({clean(place.pointer)})" if place.pointer else "")


def _print_checks(console: Console, report: AuditReport) -> None:
    numbers = ("looked at", "failed", "unclear", *(("counted",) if report.reclaimed else ()))
    table = make_table("check", "outcome", *numbers, right=numbers)
    for check in report.checks:
        counts = (check.checked, check.failed, check.inconclusive, check.unproven)
        if any(counts):
            table.add_row(check.name, str(check.outcome), *(f"{count:,}" for count in counts[: len(numbers)]))
    show(console, table)


def _print_sum(console: Console, name: str, reports: Sequence[Audited]) -> None:
    if not reports:
        show(console, cell(f"{name}: the log records no compaction, so there is nothing to audit"))
        return
    counts = {outcome: sum(report.outcome is outcome for _, _, report in reports) for outcome in Outcome}
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    limit = " (the first of them; more are not looked at)" if len(reports) == MAX_COMPACTIONS else ""
    show(console)
    show(console, cell(f"{name}: {len(reports)} compactions{limit}: {told}"))
