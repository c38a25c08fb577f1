"""Which of what is gone is missed: proof from how the conversation went on, or from what is still open (design section 2: a consumer).

A summary of a foreign runtime leaves out hundreds of exact values, and nobody misses most of them. What decides is a consumer: a later call
that uses the value after a tool had to show it once more, or, where nothing came later, something open that the value belongs to. A value
that the agent goes on using without being shown it is known to it from elsewhere, and was not lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from barrier_policy.audit.items import Known
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Need, Unproven
from barrier_policy.audit.witness import Fate
from barrier_policy.facts.json_leaves import is_json, json_leaves
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import Family
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

IDS = frozenset({"resource_id", "idempotency_key", "hash"})
MANY_DIGITS, LONG_ID = 3, 6
"""Digits and characters from which an id is not met by chance."""
LONG_PATH = 8
DEVICES = "/dev/"
UNDER_WAY = frozenset({"started", "partial"})
SOME_WORDS = 0.5
"""New text with this share of the words of a call, wherever, tells it in general."""
MAX_ARGUMENT = 500
"""A longer argument is a text that a call writes; what stands in it is not asked for by its name."""


class Consumers:
    """What needs a value that is gone. `later` is how the conversation went on, () where nothing is known of that."""

    def __init__(self, known: Sequence[Known], before: Sequence[Message], later: Sequence[Message]) -> None:
        self._before = before
        self._calls = {(part.name, part.text): place_of(message, n) for message in reversed(later) for n, part in _calls(message)}
        self._later = {message.index: message for message in later}
        self._used, self._shown = TokenIndex(), TokenIndex()
        for message in later:
            for part in message.parts if message.kind is MessageKind.MESSAGE else ():
                for argument in _arguments(part):
                    self._used.add(message.index, argument)
                if part.type is not PartType.TOOL_CALL:
                    self._shown.add(message.index, part.text)
        self._owners = [k for k in known if k.protected and k.item.family is not Family.BINDING and k.state != "failed_clean"]
        self._owned = TokenIndex()
        for number, owner in enumerate(self._owners):
            self._owned.add(number, owner.item.text)

    @property
    def is_sequel_known(self) -> bool:
        """Whether anything came later."""
        return bool(self._later)

    def need_of(self, value: Known) -> Need | None:
        """Where it is used in a call after it had to be shown again; None where no later call asks for it."""
        if not is_particular(value.item.kind, value.item.text):
            return None
        used, shown = next(self._used.find(value.item.text), -1), next(self._shown.find(value.item.text), -1)
        if not 0 <= shown < used or not _is_result(self._later[shown]):
            return None
        return Need(used=place_of(self._later[used]), shown=place_of(self._later[shown]))

    def repeat_of(self, effect: Known) -> Need | None:
        """Where the very same call is made again; None where it is not."""
        part = self._before[effect.item.message].parts[effect.item.part]
        place = self._calls.get((part.name, part.text))
        return Need(used=place) if place is not None else None

    def owners_of(self, value: Known) -> Iterator[Known]:
        """What is protected itself and names the value: owed, forbidden, under way or done."""
        return (self._owners[number] for number in self._owned.find(value.item.text))


def is_particular(kind: str, text: str) -> bool:
    """Whether a value is spelt so that nobody meets it by chance: an id with digits, an address, a path to one file."""
    if kind in IDS:
        return len(text) >= LONG_ID and sum(map(str.isdigit, text)) >= MANY_DIGITS
    if kind == "path":
        placed = text[0] in "/~" or "." in text.rsplit("/", 1)[-1]
        return "/" in text and placed and len(text) >= LONG_PATH and not text.startswith(DEVICES)
    return kind == "url"


def _calls(message: Message) -> Iterator[tuple[int, Part]]:
    return ((number, part) for number, part in enumerate(message.parts) if part.type is PartType.TOOL_CALL)


def _arguments(part: Part) -> Iterator[str]:
    """The short arguments of a call."""
    if part.type is not PartType.TOOL_CALL:
        return
    texts = (leaf.text for leaf in json_leaves(part.text)) if is_json(part.text) else iter((part.text,))
    yield from (text for text in texts if len(text) <= MAX_ARGUMENT)


def _is_result(message: Message) -> bool:
    return any(part.type is PartType.TOOL_RESULT for part in message.parts)


class Judge:
    """Says of what is gone whether it is missed, or why nothing shows that it is. `told` is the share of some words that stands in new text."""

    def __init__(
        self, consumers: Consumers, is_doubtful: Callable[[Known], bool], told: Callable[[frozenset[str]], float]
    ) -> None:
        self._consumers = consumers
        self._is_doubtful = is_doubtful
        self._told = told

    def judge(self, known: Known, fate: Fate, reported: Collection[str]) -> Need | Unproven | None:
        """The proof that it is missed, or why there is none; None where its loss needs no proof. `reported` are items that have a finding."""
        if known.item.family is Family.CONSTRAINT:
            return Unproven.NO_RULE if self._is_doubtful(known) else None
        if known.item.family is Family.EFFECT:
            return self._effect(known, fate)
        return self._binding(known, reported) if known.item.family is Family.BINDING else None

    def _effect(self, known: Known, fate: Fate) -> Need | Unproven | None:
        """What is under way is missed in any case; what was done where it is done again, or where nobody knows and nothing tells it."""
        if known.state == "failed_clean":
            return Unproven.NO_EFFECT
        words = content_words(known.item.text.partition(" → ")[0])
        if fate is Fate.MENTIONED or (words and self._told(words) >= SOME_WORDS):
            return Unproven.IN_GENERAL
        if known.state in UNDER_WAY or not self._consumers.is_sequel_known:
            return None
        return self._consumers.repeat_of(known) or Unproven.NO_USE

    def _binding(self, known: Known, reported: Collection[str]) -> Need | Unproven | None:
        """A value that nobody asks for later, or that belongs to nothing, is missed by nobody; nor is one whose owner has a finding itself."""
        if self._consumers.is_sequel_known:
            return self._consumers.need_of(known) or Unproven.NO_USE
        owners = list(self._consumers.owners_of(known))
        return None if any(owner.item.id not in reported for owner in owners) else Unproven.NO_OWNER
