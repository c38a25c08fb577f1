"""Items whose words no longer hold as they stand, because somebody corrected them or the same look-up answered otherwise since (design section 5).

What is told anew as a whole is superseded, and nothing protects it. A statement that holds but for a value stays, and its line says which
value holds now. Effects are history and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from barrier_policy.ledger.conversation.turns import Call, Conversation, opens_turn, speaks
from barrier_policy.ledger.currency.corrections import (
    DIGIT,
    OWN_ERROR,
    Replaced,
    Statement,
    find_replaced,
    may_correct,
    may_correct_itself,
    told_as_replaced,
    values_in,
)
from barrier_policy.ledger.currency.looked_again import changed_cells, look_up_name
from barrier_policy.ledger.model import Answer, Correction, Event, Family, Item
from barrier_policy.transcript.model import Message, PartType
from barrier_policy.transcript.pairing import PartRef

MAX_STATEMENT = 1_500
"""Characters of a message that states something; a longer one is pasted or composed."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
FAILED = frozenset({"failed", "rejected", "unknown"})
PROSE = frozenset({"note", "row"})
"""Kinds of bindings that are words and no single values."""


def find_corrections(conversation: Conversation) -> tuple[Correction, ...]:
    """The sentences that may put a value in the place of another, in order: those of users, and those in which the agent corrects itself."""
    found: list[Correction] = []
    for message in conversation.messages:
        if opens_turn(message):
            found += [Correction(message=message.index, text=text) for text in _sentences(message) if may_correct(text)]
        elif speaks(message):
            own = [text for text in _with_the_one_before(_sentences(message)) if may_correct_itself(text)]
            found += [Correction(message=message.index, text=text, by_user=False) for text in own]
    return tuple(found)


def supersede(
    conversation: Conversation, items: Sequence[Item], corrections: Sequence[Correction], left: Sequence[Correction] = ()
) -> tuple[list[Item], list[Event]]:
    """The items, with what in them was replaced, and the events of those that are superseded as a whole. Linear in the conversation.

    `left` are corrections that left before, at their places.
    """
    replaced = _within_authority(_replaced(conversation.messages, corrections, left), conversation.messages)
    look_ups = _LookUps(conversation)
    shown: dict[int, dict[str, None]] = {}
    for item in items:
        if item.kind == "row":
            shown.setdefault(item.message, {})[item.text] = None
    found: list[Item] = []
    events: list[Event] = []
    for item in items:
        call = look_ups.of(item)
        if call is not None:
            name = look_up_name(call.part.name, call.part.text)
            new, event = _looked_again(
                msgspec.structs.replace(item, subject=name), look_ups.newest[name], shown, conversation
            )
        else:
            new, event = _corrected(item, replaced)
        found.append(new)
        events += [event] if event else []
    return found, events


# look-ups -----------------------------------------------------------------------------------------------------------


def newest_answers(conversation: Conversation) -> dict[str, Answer]:
    """By the name of a look-up, its newest answer."""
    return _LookUps(conversation).newest


class _LookUps:
    """The look-ups of a conversation: which one a line is of, and the newest answer of each."""

    def __init__(self, conversation: Conversation) -> None:
        self._calls: dict[PartRef, Call] = {}
        self.newest: dict[str, Answer] = {}
        """By the name of a look-up."""
        for turn in conversation.turns:
            for call in turn.calls:
                if call.reads and call.results:
                    self._learn(call)

    def _learn(self, call: Call) -> None:
        last = call.results[-1]
        self._calls.update((result.ref, call) for result in call.results)
        if last.fact is None or str(last.fact.get("state", "")) not in FAILED:
            self.newest[look_up_name(call.part.name, call.part.text)] = Answer(message=last.ref.message, text=last.part.text)

    def of(self, item: Item) -> Call | None:
        """The look-up whose answer a line is of, where it has a newest one."""
        call = self._calls.get(PartRef(item.message, item.part)) if item.kind == "row" else None
        return call if call is not None and look_up_name(call.part.name, call.part.text) in self.newest else None


def _looked_again(
    item: Item, newest: Answer, shown: Mapping[int, Iterable[str]], conversation: Conversation
) -> tuple[Item, Event | None]:
    """A line of an answer: superseded where the newest answer says all of it otherwise and stays in sight, else with what it says otherwise."""
    changed, whole = changed_cells(item.text, newest.text) if newest.message > item.message else ({}, False)
    if not changed:
        return item, None
    seen = newest.message >= conversation.present or any(
        all(value in text for value in changed.values()) for text in shown.get(newest.message, ())
    )
    if not whole or not seen:
        return _marked(item, changed), None
    attributes = item.attributes | {"newer": "\n".join(changed.values()), "replaced": told_as_replaced(changed)}
    event = Event(newest.message, item.id, "superseded", f"looked up anew at message {newest.message}")
    return msgspec.structs.replace(item, attributes=attributes), event


# spoken corrections -------------------------------------------------------------------------------------------------


def _sentences(message: Message) -> Iterator[str]:
    """The sentences of texts that have a digit, as every value has."""
    for part in message.parts:
        if part.type is PartType.TEXT and len(part.text) <= MAX_STATEMENT and DIGIT.search(part.text) is not None:
            yield from sentences_of(part.text)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences and lines of a text."""
    return (sentence.strip() for sentence in SENTENCE_END.split(text) if sentence.strip())


def _with_the_one_before(sentences: Iterable[str]) -> Iterator[str]:
    """Each sentence behind the one before it where only that owns up to an error: "Sorry, I misread that. It is 5433, not 5432."."""
    before = ""
    for sentence in sentences:
        owned = bool(values_in(sentence)) and not may_correct_itself(sentence) and OWN_ERROR.search(before) is not None
        yield f"{before} {sentence}" if owned and not values_in(before) else sentence
        before = sentence


def _replaced(messages: Sequence[Message], corrections: Sequence[Correction], left: Sequence[Correction]) -> list[Replaced]:
    """What was replaced. Several corrections that left can have one place, between two messages: each was said after the one before."""
    if not corrections and not left:
        return []
    between = len(left) + 1
    said = [msgspec.structs.replace(s, message=s.message * between) for s in find_statements(messages)]
    spoken = [msgspec.structs.replace(c, message=c.message * between) for c in corrections]
    for number, correction in enumerate(left, 1):
        place = (correction.message - 1) * between + number
        spoken.append(msgspec.structs.replace(correction, message=place))
        said.append(Statement(key=f"left:{number}", message=place, text=correction.text))
    found = find_replaced(sorted(said, key=_place), sorted(spoken, key=_place))
    return [msgspec.structs.replace(entry, message=-(-entry.message // between)) for entry in found]


def _place(said: Statement | Correction) -> int:
    return said.message


def _within_authority(replaced: Sequence[Replaced], messages: Sequence[Message]) -> list[Replaced]:
    """Replacements by the agent hold for the value itself only where nothing but its own words has that; one look at the messages."""
    olds = {entry.old for entry in replaced if not entry.by_user}
    if not olds:
        return list(replaced)
    others: set[str] = set()
    for message in messages:
        for part in message.parts:
            if part.type is not PartType.TEXT or not speaks(message):
                others.update(olds.intersection(values_in(part.text)))
    return [
        msgspec.structs.replace(entry, everywhere=False) if not entry.by_user and entry.old in others else entry
        for entry in replaced
    ]


def find_statements(messages: Iterable[Message]) -> list[Statement]:
    """What users and the agent have said with a value in it, each known by its message."""
    return [
        Statement(key=str(message.index), message=message.index, text=sentence, by_user=opens_turn(message))
        for message in messages
        if opens_turn(message) or speaks(message)
        for sentence in _sentences(message)
        if values_in(sentence)
    ]


def _corrected(item: Item, replaced: Sequence[Replaced]) -> tuple[Item, Event | None]:
    """An item with what was replaced in it; a single value that was is superseded. A correction says what it replaces, wherever that stands."""
    if item.family is Family.EFFECT or item.kind == "environment" or not replaced:
        return item, None
    values = values_in(item.text)
    hits = [entry for entry in replaced if entry.old in values and item.message <= entry.message]
    if item.family is Family.BINDING and item.kind not in PROSE:
        last = next((entry for entry in hits if entry.everywhere and len(values) == 1 and not item.attributes["held"]), None)
        if last is None:
            return item, None
        attributes = item.attributes | {"newer": last.new}
        reason = f"message {last.message} says {last.new} instead"
        return msgspec.structs.replace(item, attributes=attributes), Event(last.message, item.id, "superseded", reason)
    told = {
        entry.told[0]: entry.told[1] for entry in hits if str(item.message) in entry.statements and entry.new not in values
    }
    own = {e.told[0]: e.told[1] for e in replaced if e.message == item.message and e.new in values and e.old not in values}
    return _marked(item, told | own), None


def _marked(item: Item, replaced: Mapping[str, str]) -> Item:
    """An item whose line says which of its values no longer hold."""
    told = told_as_replaced(replaced)
    return msgspec.structs.replace(item, attributes=item.attributes | {"replaced": told}) if told else item
