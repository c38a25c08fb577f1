"""A span that a caller asked for: what of a decision is about it, and the barrier where it must stay (design section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.decision.model import Decision, SpanDecision
from barrier_policy.digest import digest_value
from barrier_policy.errors import BarrierPolicyError, CompactionBarrierError
from barrier_policy.gate.refusal import Seen, again


def check_span(span: Any) -> None:
    """Raises BarrierPolicyError for what is no pair of message indices."""
    if span is not None and not (
        isinstance(span, (tuple, list)) and len(span) == 2 and all(type(index) is int for index in span)
    ):
        raise BarrierPolicyError(
            f"`span` is `{span!r:.80}` (give two message indices: the first, and the one behind the last)"
        )


def within(decision: Decision, span: tuple[int, int], recall: Callable[[str], Seen]) -> Decision:
    """The decision about messages `[start, end)`: all others stay. `recall` counts a refusal by the digest of its reasons.

    Raises CompactionBarrierError where some of these must stay too.
    """
    start, end = span
    wanted = [found for found in decision.spans if found.messages[0] < end and found.messages[1] > start]
    held = [found for found in wanted if found.action == "retain"]
    if held or not wanted:
        seen = recall(_reasons_digest(held, span, decision))
        lines = [line for found in held for line in _lines(found)] or [
            f"messages {start}:{end} are in the tail, which stays (shorten the tail)"
        ]
        raise CompactionBarrierError("\n".join([*lines, *again(seen)]), decision=decision, seen=seen.count - 1)
    inside = {found.id for found in wanted}
    spans = (found if found.id in inside else msgspec.structs.replace(found, action="retain") for found in decision.spans)
    return msgspec.structs.replace(decision, spans=tuple(spans))


def _reasons_digest(held: Sequence[SpanDecision], span: tuple[int, int], decision: Decision) -> str:
    """The same for two refusals of the same spans for the same reasons, however much the transcript has grown behind them."""
    reasons = [
        [found.digest, reason.rule, [entry.item for entry in reason.evidence]]
        for found in held
        for reason in found.reasons
        if reason.effect == "barrier"
    ]
    errors = [[found.digest, error.rule] for found in held for error in found.errors]
    place = [] if held else [decision.transcript.digest, *span]
    return digest_value(["span", [found.digest for found in held], reasons, errors, place])


def _lines(held: SpanDecision) -> Iterator[str]:
    """Why a span stays, each reason on one line: an explanation may quote the transcript."""
    told = [
        f"{reason.rule}: {' '.join(reason.explanation.split())}" for reason in held.reasons if reason.effect == "barrier"
    ]
    told += [f"{error.rule} could not be evaluated" for error in held.errors]
    for why in told or ["no rule permits it to be summarized"]:
        yield f"span {held.id} is a compaction barrier: {why}"
