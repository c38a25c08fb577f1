"""Cutting a transcript into spans of whole groups: a call is never separated from its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from barrier_policy.errors import Issue, TranscriptError
from barrier_policy.spans.model import Segmentation, Span
from barrier_policy.transcript.model import Message, Origin
from barrier_policy.transcript.pairing import Pairs, PartRef

FAR = 16
"""A result further than this many messages from its call does not glue the messages between into one span."""


class Strategy(StrEnum):
    """How spans are cut: one per step (the default), or one per user turn."""

    STEPS = "steps"
    TURNS = "turns"


def segment(
    messages: Sequence[Message],
    pairs: Pairs,
    *,
    keep_last: int,
    strategy: Strategy = Strategy.STEPS,
    ranges: Iterable[tuple[int, int]] = (),
) -> Segmentation:
    """Cut `messages[:-keep_last]` into spans.

    The tail grows backwards where it would begin with the results of a call. Explicit `ranges` ([start, end) in message
    indices) replace the strategy inside them and are widened to whole groups; the rest is cut by the strategy. A span
    whose call is answered far away, or in the tail, is marked as not closed, and so is the span with that answer.
    """
    tail_start = _tail_start(messages, pairs, max(0, len(messages) - keep_last))
    reach, split = _reach(messages, pairs, tail_start)
    cuts = _with_ranges(_cuts(messages, strategy, tail_start), ranges, len(messages), tail_start)
    spans = []
    start = held_to = 0
    for index in [message.index for message in messages[1:tail_start]] + [tail_start] * (tail_start > 0):
        held_to = max(held_to, reach[index - 1])
        if index == tail_start or (index in cuts and index >= held_to):
            closed = not any(i in split for i in range(start, index))
            spans.append(Span(start=start, end=index, closed=closed))
            start = index
    return Segmentation(spans=tuple(spans), tail_start=tail_start)


def _tail_start(messages: Sequence[Message], pairs: Pairs, start: int) -> int:
    """Move the start of the tail back while it begins with an answer to an earlier call."""
    while 0 < start < len(messages) and _answers_earlier(messages[start], pairs):
        start -= 1
    return start


def _answers_earlier(message: Message, pairs: Pairs) -> bool:
    calls = (pairs.call_of.get(PartRef(message.index, part)) for part in range(len(message.parts)))
    return any(call is not None and message.index - FAR <= call.message < message.index for call in calls)


def _reach(messages: Sequence[Message], pairs: Pairs, tail_start: int) -> tuple[list[int], set[int]]:
    """For each message the end of its group, and the messages whose pair is split because it is far or in the tail."""
    reach = [index + 1 for index in range(len(messages))]
    split: set[int] = set()
    for result, call in pairs.call_of.items():
        first, last = sorted((result.message, call.message))
        if last < tail_start and last - first <= FAR:
            reach[first] = max(reach[first], last + 1)
        else:
            split.update((call.message, result.message))
    return reach, split


def _cuts(messages: Sequence[Message], strategy: Strategy, tail_start: int) -> set[int]:
    """Indices at which a span may begin."""
    if strategy is Strategy.STEPS:
        return {index for index in range(tail_start) if messages[index].origin is not Origin.TOOL}
    return {
        index
        for index in range(tail_start)
        if messages[index].origin.rank <= Origin.USER.rank
        or (index > 0 and messages[index - 1].origin.rank < Origin.USER.rank)
    }


def _with_ranges(cuts: set[int], ranges: Iterable[tuple[int, int]], length: int, tail_start: int) -> set[int]:
    for start, end in ranges:
        if not 0 <= start < end <= length:
            message = f"no range of messages within 0:{length} (give START:END in message indices, START before END)"
            raise TranscriptError([Issue(file=f"range {start}:{end}", message=message)])
        cuts = {cut for cut in cuts if not start < cut < end} | {cut for cut in (start, end) if cut < tail_start}
    return cuts
