"""A span that a caller asked for: what of a decision is about it, and the barrier where it must stay (design section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from barrier_policy.decision.model import Decision, Reason, SpanDecision
from barrier_policy.errors import BarrierPolicyError, CompactionBarrierError


def check_span(span: Any) -> None:
    """Raises BarrierPolicyError for what is no pair of message indices."""
    if span is not None and not (
        isinstance(span, (tuple, list)) and len(span) == 2 and all(type(index) is int for index in span)
    ):
        raise BarrierPolicyError(
            f"`span` is `{span!r:.80}` (give two message indices: the first, and the one behind the last)"
        )


def within(decision: Decision, span: tuple[int, int]) -> Decision:
    """The decision about messages `[start, end)`: all others stay. Raises CompactionBarrierError where some of these must."""
    start, end = span
    wanted = [found for found in decision.spans if found.messages[0] < end and found.messages[1] > start]
    held = [found for found in wanted if found.action == "retain"]
    if held or not wanted:
        raise _barrier(held, span, decision)
    inside = {found.id for found in wanted}
    spans = (found if found.id in inside else msgspec.structs.replace(found, action="retain") for found in decision.spans)
    return msgspec.structs.replace(decision, spans=tuple(spans))


def _barrier(held: Sequence[SpanDecision], span: tuple[int, int], decision: Decision) -> CompactionBarrierError:
    if not held:
        return CompactionBarrierError(
            f"messages {span[0]}:{span[1]} are in the tail, which stays (shorten the tail)", decision=decision
        )
    lines = []
    for found in held:
        barriers = [reason for reason in found.reasons if reason.effect == "barrier"]
        lines += [f"span {found.id} is a compaction barrier: {_told(reason)}" for reason in barriers]
        lines += [f"span {found.id} is a compaction barrier: {error.rule} could not be evaluated" for error in found.errors]
        if not barriers and not found.errors:
            lines.append(f"span {found.id} is a compaction barrier: no rule permits it to be summarized")
    return CompactionBarrierError("\n".join(lines), decision=decision)


def _told(reason: Reason) -> str:
    """A reason on one line: its explanation may quote the transcript."""
    return f"{reason.rule}: {' '.join(reason.explanation.split())}"
