"""Summaries that the audit finds at fault: what they stand for stays, and the rest may go (design section 4, gate)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from barrier_policy.audit.model import AuditReport, Finding
from barrier_policy.audit.rules import RULES
from barrier_policy.gate.assemble import Run
from barrier_policy.transcript.model import MessageKind
from barrier_policy.transcript.writer import Inserted, Piece

MAX_TOLD = 8


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A run that stays because of what its summary said, and the first finding about that, as it is told."""

    run: Run
    why: str


def refused(report: AuditReport, pieces: Sequence[Piece], runs: Collection[Run]) -> tuple[Refused, ...]:
    """The runs to whose summaries findings point; `pieces` are the messages that were audited, with a summary for each of `runs`."""
    places = [n for n, piece in enumerate(pieces) if isinstance(piece, Inserted) and piece.kind is MessageKind.SUMMARY]
    run_of = dict(zip(places, sorted(runs, key=lambda run: run.start), strict=True))
    found: dict[int, Refused] = {}
    for finding in report.findings:
        place = finding.after.message if finding.after else -1
        if place in run_of:
            found.setdefault(place, Refused(run=run_of[place], why=_told(finding)))
    return tuple(found[place] for place in sorted(found))


def told(report: AuditReport) -> str:
    """The findings of a report, a line each, the first ones of many."""
    lines = [f"  {_told(found)}{_way_out(found.rule)}" for found in report.findings[:MAX_TOLD]]
    if len(report.findings) > MAX_TOLD:
        lines.append(f"  and {len(report.findings) - MAX_TOLD} more")
    return "\n".join(lines)


def _told(found: Finding) -> str:
    return f"{found.rule}: {' '.join((found.expected or found.found or found.item).split())}"


def _way_out(rule: str) -> str:
    """What to do where the finding is about the carrier itself: no item of the conversation says it."""
    return f" ({RULES[rule].remedy})" if rule == "audit.carrier-damaged" else ""
