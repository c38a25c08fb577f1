"""Which of what is gone is missed: proof from how the conversation went on, or from what is still open (design section 2: a consumer).

A summary of a foreign runtime leaves out hundreds of exact values, and nobody misses most of them. What decides is a consumer: a later call
that uses the value after a tool had to show it once more, or, where nothing came later, something open that the value belongs to. A value
that the agent goes on using without being shown it is known to it from elsewhere, and was not lost.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from barrier_policy.audit.claim_words import WAITS, WITHOUT
from barrier_policy.audit.items import Known
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Need, Unproven
from barrier_policy.audit.text import NewText
from barrier_policy.audit.witness import Fate
from barrier_policy.facts.json_leaves import is_json, json_leaves
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import Family, Item
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

IDS = frozenset({"resource_id", "idempotency_key", "hash"})
MANY_DIGITS, LONG_ID = 3, 6
"""Digits and characters from which an id is not met by chance."""
ALGORITHM = re.compile(r"(?:sha|md|base|utf)-?\d+", re.IGNORECASE)
STAND_IN = re.compile(r"^\d+:\d+$|abc-?1|1234|^\d{4}-\d\d-\d\d-?$|test|example|foo|dead-?beef", re.IGNORECASE)
"""Places in a text, plain dates, and what people write where any value would do."""
MASKED = re.compile(r"REDACTED|\bMASKED\b|X{5,}|\*{3,}|\[…\]|<[a-z_ -]+>", re.IGNORECASE)
"""What stands instead of something that a log may not show: two of these are not the same thing."""
RELATIVE = ("./", "../")
"""How code names its neighbours, from each file anew."""
LONG_PATH = 8
DEVICES = "/dev/"
TAG = re.compile(r"</?[a-z-]+>")
"""What a runtime puts around the words of a command."""
ON_A_PAGE = re.compile(r"(?:browser|page|screen)_|(?:^|_)(?:click|hover|scroll|drag)")
"""Acts on a page that is shown: they are over with the page, and are done again at will."""
UNDER_WAY = frozenset({"started", "partial"})
FEWEST = 2
"""Words of content of something that somebody asks for."""
SOME_WORDS = 0.5
"""New text with this share of the words of a call, wherever, tells it in general."""
WRITTEN = ("string", "_str", "content", "text", "description", "prompt", "message", "body", "summary", "comment")
"""Endings of the names of arguments that are written down somewhere, and ask for nothing."""
MAX_ARGUMENT = 500
"""A longer argument is a text that a call writes; what stands in it is not asked for by its name."""


class Consumers:
    """What needs a value that is gone. `later` is how the conversation went on, () where nothing is known of that."""

    def __init__(self, known: Sequence[Known], before: Sequence[Message], later: Sequence[Message]) -> None:
        self._before = before
        self._calls = {
            (part.name, part.text): place_of(message, n) for message in reversed(later) for n, part in _calls(message)
        }
        self._worked_on = TokenIndex()
        for message in before:
            for part in message.parts:
                for argument in _arguments(part):
                    self._worked_on.add(message.index, argument)
        self._promises = [k.item for k in known if k.protected and k.item.kind == "commitment"]
        self._ends = list(_ends_of_turns(before))
        self._later = {message.index: message for message in later}
        self._used, self._shown = TokenIndex(), TokenIndex()
        for message in later:
            for part in message.parts if message.kind is MessageKind.MESSAGE else ():
                for argument in _arguments(part):
                    self._used.add(message.index, argument)
                if part.type is not PartType.TOOL_CALL:
                    self._shown.add(message.index, part.text)
        self._owners = [
            k for k in known if k.protected and k.item.family is not Family.BINDING and k.state != "failed_clean"
        ]
        self._owned = TokenIndex()
        for number, owner in enumerate(self._owners):
            self._owned.add(number, owner.item.text)

    @property
    def is_sequel_known(self) -> bool:
        """Whether anything came later."""
        return bool(self._later)

    def need_of(self, value: Known) -> Need | None:
        """Where it is used in a call after it had to be shown again; None where no later call asks for it."""
        text = value.item.text
        if not is_particular(value.item.kind, text) or (value.item.kind == "path" and not self._worked_on.holds(text)):
            return None  # a file that was only listed is found by listing again
        used, shown = next(self._used.find(text), -1), next(self._shown.find(text), -1)
        if not 0 <= shown < used or not _is_result(self._later[shown]):
            return None
        return Need(used=place_of(self._later[used]), shown=place_of(self._later[shown]))

    def repeat_of(self, effect: Known) -> Need | None:
        """Where the very same call is made again and does the thing twice; None where it is not."""
        if effect.item.kind == "idempotent":
            return None
        part = self._before[effect.item.message].parts[effect.item.part]
        place = self._calls.get((part.name, part.text))
        return Need(used=place) if place is not None else None

    def went_on(self, item: Item) -> bool:
        """Whether the agent ended the turn of what was asked or done, promised none of what was asked, and the user went on after that."""
        at = bisect_right(self._ends, item.message)
        if at == len(self._ends):
            return False
        words, turn = content_words(item.text), range(item.message, self._ends[at] + 1)
        promised = (promise for promise in self._promises if promise.message in turn and item.family is not Family.EFFECT)
        return not any(content_words(promise.text) & words for promise in promised)

    def owners_of(self, value: Known) -> Iterator[Known]:
        """What is protected itself and names the value: owed, forbidden, under way or done."""
        return (self._owners[number] for number in self._owned.find(value.item.text))


def is_particular(kind: str, text: str) -> bool:
    """Whether a value is spelt so that nobody meets it by chance: an id with digits, an address, a path to one file."""
    if kind in IDS and not MASKED.search(text):
        digits = sum(map(str.isdigit, ALGORITHM.sub("", text)))
        return len(text) >= LONG_ID and digits >= MANY_DIGITS and not STAND_IN.search(text)
    if kind == "path":
        named = "." in text.rsplit("/", 1)[-1] and not text.startswith(RELATIVE) and not MASKED.search(text)
        return named and text.strip("/").count("/") > 0 and len(text) >= LONG_PATH and not text.startswith(DEVICES)
    return kind == "url"


def _calls(message: Message) -> Iterator[tuple[int, Part]]:
    return ((number, part) for number, part in enumerate(message.parts) if part.type is PartType.TOOL_CALL)


def _arguments(part: Part) -> Iterator[str]:
    """The short arguments by which a call asks for something."""
    if part.type is PartType.TOOL_CALL:
        yield from (text for text in arguments_of(part)[0] if len(text) <= MAX_ARGUMENT)


def arguments_of(call: Part) -> tuple[list[str], list[str]]:
    """The arguments by which a call asks for something, and those that it only writes down somewhere."""
    if not is_json(call.text):
        return [call.text], []
    leaves = list(json_leaves(call.text))
    asked = [leaf.text for leaf in leaves if not leaf.key.endswith(WRITTEN)]
    return asked, [leaf.text for leaf in leaves if leaf.key.endswith(WRITTEN)]


def _ends_of_turns(messages: Sequence[Message]) -> Iterator[int]:
    """The messages with which the agent ends a turn: words without a call, and then a user speaks."""
    spoken = [message for message in messages if message.kind is MessageKind.MESSAGE]
    for message, following in pairwise(spoken):
        types = {part.type for part in message.parts}
        ends = message.origin is Origin.AGENT and PartType.TEXT in types and PartType.TOOL_CALL not in types
        if ends and following.origin is Origin.USER:
            yield message.index


def _is_result(message: Message) -> bool:
    return any(part.type is PartType.TOOL_RESULT for part in message.parts)


class Judge:
    """Says of what is gone whether it is missed, or why nothing shows that it is."""

    def __init__(self, consumers: Consumers, is_doubtful: Callable[[Known], bool], new: NewText) -> None:
        self._consumers = consumers
        self._is_doubtful = is_doubtful
        self._new = new
        self._found: list[str] = []

    def judge(self, known: Known, fate: Fate, reported: Collection[str]) -> Need | Unproven | None:
        """The proof that it is missed, or why there is none; None where its loss needs no proof. `reported` are items that have a finding."""
        match known.item.family:
            case Family.CONSTRAINT:
                return self._rule(known, fate)
            case Family.OBLIGATION:
                return self._owed(known)
            case Family.EFFECT:
                return self._effect(known, fate)
            case Family.BINDING:
                return self._binding(known, reported)
        return None

    def _rule(self, known: Known, fate: Fate) -> Unproven | None:
        """What may be no rule, and a requirement that is told in general."""
        if self._is_doubtful(known):
            return Unproven.NO_RULE
        if fate is Fate.GONE and self._new.is_in_another_script(known.item.text):
            return Unproven.OTHER_SCRIPT
        if _is_request(known) and self._consumers.went_on(known.item):
            return Unproven.WENT_ON
        general = fate is not Fate.CONTRADICTED and known.item.kind == "must" and self._tells(known.item.text)
        return Unproven.IN_GENERAL if general else None

    def _owed(self, known: Known) -> Unproven | None:
        """What a user asked for is missed unless new text tells most of its words; what the agent meant to do, where nobody knows the sequel."""
        if self._new.is_in_another_script(known.item.text):
            return Unproven.OTHER_SCRIPT
        if self._tells(known.item.text):
            return Unproven.IN_GENERAL
        if known.item.kind != "request":
            return Unproven.NO_USE if self._consumers.is_sequel_known else None
        return Unproven.WENT_ON if self._consumers.went_on(known.item) else None

    def _tells(self, text: str) -> bool:
        """Whether new text has most of the words. What has hardly any (`Ok, go.`) nobody can find there, or miss."""
        words = content_words(TAG.sub(" ", text))
        return len(words) < FEWEST or self._new.share(words) >= SOME_WORDS

    def _effect(self, known: Known, fate: Fate) -> Need | Unproven | None:
        """What is under way is missed until the user went on to other things; what was done where it is done again, or where nobody knows and
        nothing tells it."""
        if known.state == "failed_clean":
            return Unproven.NO_EFFECT
        if fate is Fate.MENTIONED or self._tells(known.item.text.partition(" → ")[0]):
            return Unproven.IN_GENERAL
        if not self._consumers.is_sequel_known:
            return None
        if known.item.attributes.get("assumed") or ON_A_PAGE.search(known.item.attributes.get("operation", "")):
            return Unproven.NO_USE
        if known.state in UNDER_WAY:
            return Unproven.WENT_ON if self._consumers.went_on(known.item) else None
        return self._consumers.repeat_of(known) or Unproven.NO_USE

    def _binding(self, known: Known, reported: Collection[str]) -> Need | Unproven | None:
        """A value that nobody asks for later, or that belongs to nothing, is missed by nobody; nor is one whose owner has a finding itself."""
        if self._consumers.is_sequel_known:
            return self._asked_for(known) or Unproven.NO_USE
        owners = list(self._consumers.owners_of(known))
        if any(owner.item.id not in reported for owner in owners):
            return None
        return Unproven.TOLD_WITH if owners else Unproven.NO_OWNER

    def _asked_for(self, value: Known) -> Need | None:
        """The proof that it was looked up again; none for a file or page that has one under a longer name, which is judged first."""
        text = value.item.text
        if any(found.endswith(f"/{text.lstrip('/')}") or found.startswith(f"{text.rstrip('/')}/") for found in self._found):
            return None
        need = self._consumers.need_of(value)
        if need is not None and value.item.kind in ("path", "url"):
            self._found.append(text)
        return need


def _is_request(rule: Known) -> bool:
    """Whether what looks like a gate only asks for a proposal: it names nothing that has to wait for it."""
    return bool(rule.item.attributes.get("gate")) and not (WAITS.search(rule.item.text) or WITHOUT.search(rule.item.text))
