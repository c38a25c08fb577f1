"""Which result answers which call. Call ids are not unique in real files: by position first, then by id."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from barrier_policy.transcript.model import Message, PartType


class PartRef(msgspec.Struct, frozen=True, order=True, gc=False):
    """A part by message index and part index."""

    message: int
    part: int


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """`call_of` leads from a result to its call, `results_of` from a call to its results, in order."""

    call_of: dict[PartRef, PartRef]
    results_of: dict[PartRef, tuple[PartRef, ...]]


class PairingState:
    """Pairs parts as messages arrive, one by one.

    A result goes to an unanswered call with its id, in the latest message that has one; a result whose id is known but answered
    goes to the latest call with that id (a second answer); a result without an id goes to the oldest unanswered call.
    """

    def __init__(self) -> None:
        self._open: dict[str, list[deque[PartRef]]] = {}
        self._last: dict[str, PartRef] = {}
        self._unanswered: dict[PartRef, str] = {}
        self._orphans: dict[str, PartRef] = {}
        self.call_of: dict[PartRef, PartRef] = {}
        self.results_of: dict[PartRef, list[PartRef]] = {}

    def add(self, message: Message) -> None:
        """Take the next message."""
        for index, part in enumerate(message.parts):
            ref = PartRef(message.index, index)
            if part.type is PartType.TOOL_CALL:
                self._wait(part.call_id, ref)
                self._last[part.call_id] = ref
                self._unanswered[ref] = part.call_id
                self.results_of[ref] = []
            elif part.type is PartType.TOOL_RESULT:
                call = self._take(part.call_id)
                if call is not None:
                    self.call_of[ref] = call
                    self.results_of[call].append(ref)
                elif part.call_id:
                    self._orphans.setdefault(part.call_id, ref)

    def _wait(self, call_id: str, call: PartRef) -> None:
        """Queue a call: one queue for each message that calls with this id."""
        waiting = self._open.setdefault(call_id, [])
        if waiting and waiting[-1][0].message == call.message:
            waiting[-1].append(call)
        else:
            waiting.append(deque((call,)))

    def _take(self, call_id: str) -> PartRef | None:
        if not call_id:
            return self._answer(next(iter(self._unanswered), None))
        waiting = self._open.get(call_id)
        if not waiting:
            return self._last.get(call_id)
        # a re-used id belongs to the latest message that calls with it; within a message, to its first open call
        return self._answer(waiting[-1][0])

    def _answer(self, call: PartRef | None) -> PartRef | None:
        if call is None:
            return None
        waiting = self._open[self._unanswered.pop(call)]
        place = -1 if waiting[-1][0] == call else next(n for n, queue in enumerate(waiting) if call in queue)
        waiting[place].remove(call)
        if not waiting[place]:
            del waiting[place]
        return call

    def pairs(self) -> Pairs:
        """The pairs so far. A result that stands before its call in the file is paired with it here."""
        call_of = dict(self.call_of)
        results_of = {call: tuple(results) for call, results in self.results_of.items()}
        for call, call_id in self._unanswered.items():
            early = self._orphans.get(call_id)
            if call_id and early is not None and early not in call_of:
                call_of[early] = call
                results_of[call] = (early,)
        return Pairs(call_of=call_of, results_of=results_of)


def pair_calls(messages: Iterable[Message]) -> Pairs:
    """Pair all calls and results of a transcript."""
    state = PairingState()
    for message in messages:
        state.add(message)
    return state.pairs()
