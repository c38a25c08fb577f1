"""One transcript, two policy sets: what is established once is judged twice, and the spans that differ are named. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from barrier_policy.decision.assess import Assessment
from barrier_policy.diff.model import Change, SpanChange
from barrier_policy.policy.verdict import Verdict, bars, permits

LEVELS = ("retain", "repair", "summarize")
"""What may happen to a span, least first."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy set says of each span, and how its verdict with all rules is found: of an assessment only the reasons are kept."""

    assessments: tuple[Assessment, ...]
    verdict: Callable[[Assessment], Verdict]


def compare_spans(transcript: str, base: Judged, head: Judged, edited: frozenset[str]) -> Iterator[SpanChange]:
    """The spans that differ. `edited` are the rules whose content differs, which are to blame where nothing else is."""
    for before, after in zip(base.assessments, head.assessments, strict=True):
        dropped, added = _dropped(before, after), _dropped(after, before)
        erring = _errors(after) - _errors(before)
        change = _change(before, after, dropped, added)
        if change is None and erring:
            change = Change.ERRING
        if change is None and _rules(before) != _rules(after):
            change = Change.REASON
        if change is None:
            continue
        blamed = erring
        if change is not Change.ERRING:
            blamed = _to_blame(base.verdict(before), head.verdict(after), change, edited)
        yield SpanChange(
            transcript=transcript,
            span=before.span.id,
            messages=(before.span.start, before.span.end),
            tokens=before.tokens,
            change=change,
            base=level(before),
            head=level(after),
            rules=tuple(sorted(blamed)),
            erring=tuple(sorted(erring)),
            dropped=tuple(sorted(dropped)) if change is Change.LOOSENED and level(after) == "repair" else (),
        )


def level(found: Assessment) -> str:
    """What may happen to a span, whatever the budget is."""
    if found.verdict == "opportunity":
        return "summarize"
    return "repair" if found.repairable else "retain"


def _change(before: Assessment, after: Assessment, dropped: set[str], added: set[str]) -> Change | None:
    """Loosened or tightened, None where the same may happen to the span.

    A value that another span keeps verbatim needs no record: a span is not loosened because its neighbour was tightened.
    """
    if level(before) == level(after):
        if level(before) != "repair":
            return None
        return Change.LOOSENED if dropped else Change.TIGHTENED if added else None
    looser = LEVELS.index(level(after)) > LEVELS.index(level(before))
    if {level(before), level(after)} == {"repair", "summarize"} and not (dropped if looser else added):
        return None
    return Change.LOOSENED if looser else Change.TIGHTENED


def _dropped(before: Assessment, after: Assessment) -> set[str]:
    """What a repair would keep before and not after, left out what then stays in another span; `archive` for the original."""
    kept = {item.id for item in after.rebind}
    items = {item.id for item in before.rebind if item.id not in kept and item.text not in after.coverage.values}
    return items | ({"archive"} if before.archive and not after.archive else set())


def _to_blame(before: Verdict, after: Verdict, change: Change, edited: frozenset[str]) -> set[str]:
    """The rules that made a change: barriers that bind on one side only, else permits, else what was edited of the deciding ones."""
    barred, bars_now = _binding(before), _binding(after)
    permitted, permits_now = _permitting(before), _permitting(after)
    if change is Change.LOOSENED:
        found = (barred - bars_now) | (set() if permitted else permits_now)
    elif change is Change.TIGHTENED:
        found = (bars_now - barred) | (set() if permits_now else permitted)
    else:
        found = _rules(before) ^ _rules(after)
    deciding = _rules(before) | _rules(after)
    return found or set(edited & deciding) or deciding


def _binding(result: Verdict) -> set[str]:
    return {found.rule for found in result.outcomes if bars(found)}


def _permitting(result: Verdict) -> set[str]:
    return {found.rule for found in result.outcomes if permits(found)}


def _rules(result: Verdict | Assessment) -> set[str]:
    return {reason.rule for reason in result.reasons}


def _errors(result: Assessment) -> set[str]:
    return {error.rule for error in result.errors}
