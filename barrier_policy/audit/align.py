"""Which message of the result is which message of before: equal in origin and parts, in order, linear in both transcripts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from itertools import pairwise

import msgspec

from barrier_policy.transcript.model import Message


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """`before_of[n]` is the index in before of message n of the result, `after_of` the other way round; -1: none.

    `moved` are messages of the result that stand in another order than before.
    """

    before_of: tuple[int, ...]
    after_of: tuple[int, ...]
    moved: frozenset[int]


def message_key(message: Message) -> Hashable:
    """What makes two messages the same. Pointers and lines are places, and call ids that a reader made up are no content."""
    return (
        message.origin,
        tuple(
            (
                part.type,
                part.text,
                part.name,
                "" if part.call_id[:1] == "#" else part.call_id,
                part.is_error,
                part.media_type,
            )
            for part in message.parts
        ),
    )


def align(before: Sequence[Message], after: Sequence[Message]) -> Alignment:
    """Match messages: those that are unique in both first, then their equal neighbours, then what is left between them in order."""
    keys_before, keys_after = [message_key(m) for m in before], [message_key(m) for m in after]
    places_before, places_after = _places(keys_before), _places(keys_after)
    matched = [-1] * len(after)
    for key, places in places_after.items():
        if len(places) == 1 and len(places_before.get(key, ())) == 1:
            matched[places[0]] = places_before[key][0]
    in_order = _rising([(n, m) for n, m in enumerate(matched) if m >= 0])
    moved = {n for n, m in enumerate(matched) if m >= 0} - set(in_order)
    taken = {m for m in matched if m >= 0}
    ends = [-1, *in_order, len(after)]
    for left, right in pairwise(ends):
        low = matched[left] if left >= 0 else -1
        high = matched[right] if right < len(after) else len(before)
        _fill(keys_before, keys_after, places_before, matched, taken, (left, right), (low, high))
    after_of = [-1] * len(before)
    for n, m in enumerate(matched):
        if m >= 0:
            after_of[m] = n
    return Alignment(before_of=tuple(matched), after_of=tuple(after_of), moved=frozenset(moved))


def _places(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return places


def _rising(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The longest run of pairs whose second numbers rise, as first numbers (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    back: dict[int, int] = {}
    for n, m in pairs:
        pile = bisect_left(tops, m)
        if pile == len(tops):
            tops.append(m)
            ends.append(n)
        else:
            tops[pile], ends[pile] = m, n
        back[n] = ends[pile - 1] if pile else -1
    run: list[int] = []
    step = ends[-1] if ends else -1
    while step >= 0:
        run.append(step)
        step = back[step]
    return run[::-1]


def _fill(
    keys_before: Sequence[Hashable],
    keys_after: Sequence[Hashable],
    places_before: dict[Hashable, list[int]],
    matched: list[int],
    taken: set[int],
    gap_after: tuple[int, int],
    gap_before: tuple[int, int],
) -> None:
    """Match what is left between two anchors: runs that touch the later one, then the earlier one, then the rest in order."""
    (left, right), (low, high) = gap_after, gap_before
    while right - 1 > left and high - 1 > low and keys_after[right - 1] == keys_before[high - 1] and high - 1 not in taken:
        right, high = right - 1, high - 1
        matched[right] = high
        taken.add(high)
    while left + 1 < right and low + 1 < high and keys_after[left + 1] == keys_before[low + 1] and low + 1 not in taken:
        left, low = left + 1, low + 1
        matched[left] = low
        taken.add(low)
    for n in range(left + 1, right):
        places = places_before.get(keys_after[n], ()) if matched[n] < 0 else ()
        at = bisect_right(places, low)
        if at < len(places) and places[at] < high and places[at] not in taken:
            low = places[at]
            matched[n] = low
            taken.add(low)
