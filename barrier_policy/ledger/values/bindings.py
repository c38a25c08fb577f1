"""Bindings: exact values that more than one place depends on (design section 5).

Every value has one home: the last place before the tail where it stands. Earlier places rely on the home, the home on nobody, so no
two spans are ever each other's only witness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from sys import intern

import msgspec

from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact
from barrier_policy.ledger.model import Event, Family, Item
from barrier_policy.ledger.values.overwritten import find_overwritten
from barrier_policy.ledger.values.readings import Readings, find_readings
from barrier_policy.printable import counted
from barrier_policy.transcript.model import Message, Origin, PartType
from barrier_policy.transcript.pairing import Pairs, PartRef

NAMED_LEAVES = (
    "id",
    "uid",
    "uuid",
    "key",
    "ref",
    "number",
    "no",
    "code",
    "token",
    "handle",
    "sha",
    "hash",
    "digest",
    "etag",
    "version",
)
"""Endings of JSON keys whose value names something."""

ID_TYPES = frozenset({"resource_id", "idempotency_key", "hash"})
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
DEEP = 6
"""A path this deep was not guessed, and is not written down anywhere else."""
MAX_LISTING = 12_000
MAX_STATEMENT = 1_500
"""A longer message of a user is pasted; its values count where they are used."""
REPLACED = frozenset({"old_string", "old_str", "old_text", "oldString", "oldStr", "oldText"})
"""Names of the argument that an edit replaces by another."""
WORDS = frozenset({"literal", "symbol", "sequence"})
SAYS_OF = WORDS | {"column_set", "quantity", "amount"}
"""Types that name no thing but say something of one: tools may say so often, and nobody depends on it who has not said it."""
MAX_VALUE = 300


class _Sighting(msgspec.Struct, gc=False):
    """Where one exact value was seen, and what that says of it. `home` is -1 where it stands in the tail alone."""

    type: str
    name: str
    home: int = -1
    part: int = 0
    groups: int = 0
    last_group: int = -1
    in_argument: bool = False
    named: bool = False
    stated: bool = False
    spoken: bool = False
    tail: bool = False


def find_bindings(
    messages: Sequence[Message], facts: Facts, pairs: Pairs, group_of: Sequence[int]
) -> tuple[list[Item], list[Event]]:
    """One item for each typed value that is open: used in a call, said again elsewhere, or naming something a later call can ask for.

    One that a later reading superseded is an item in any case, and not open. `group_of` gives the span of each message before the tail.
    """
    readings = find_readings(messages, facts, pairs)
    items: list[Item] = []
    events: list[Event] = []
    shared: dict[tuple[str, str, str], dict[str, str]] = {}
    unread = bool(facts.failures)  # then any value may stand in what nobody could read
    overwritten = find_overwritten(messages, facts, pairs)
    for number, (value, seen) in enumerate(_sighted(messages, facts, group_of, overwritten).items()):
        if seen.home < 0 or not (_is_open(value, seen, unread) or value in readings.superseded):
            continue
        item = _read(_item(value, seen, number, shared), readings)
        items.append(item)
        events.append(Event(seen.home, item.id, "open", intern(f"stands in {counted(seen.groups, 'place')}")))
        if later := readings.superseded.get(value):
            events.append(Event(later.message, item.id, "superseded", f"read anew at message {later.message}"))
    return items, events


def _read(item: Item, readings: Readings) -> Item:
    """The item with what it is a reading of, and with the newer value where there is one."""
    subject = readings.subjects.get(item.text, "")
    if not subject:
        return item
    later = readings.superseded.get(item.text)
    attributes = item.attributes | {"newer": later.newer} if later else item.attributes
    return msgspec.structs.replace(item, subject=subject, attributes=attributes)


def _sighted(
    messages: Sequence[Message], facts: Facts, group_of: Sequence[int], overwritten: Set[PartRef]
) -> dict[str, _Sighting]:
    """The exact values of a transcript, in the order in which they turn up; those that a call wrote into a file and that are `overwritten` hold no longer."""
    values: dict[str, _Sighting] = {}
    for found in facts.by_message:
        questions: dict[int, list[Fact]] = {}
        for fact in found:
            if fact.kind == "question":
                questions.setdefault(fact.part, []).append(fact)
        for fact in found:
            if fact.kind == "value" and len(fact.text) <= MAX_VALUE and PartRef(fact.message, fact.part) not in overwritten:
                _see(values, fact, messages[fact.message], group_of, questions.get(fact.part, ()))
    return values


def _is_asked(fact: Fact, questions: Sequence[Fact]) -> bool:
    """Whether a value is a bare number in a question of its part: who asks for `day 3` states nothing by it."""
    return fact.text.isdigit() and any(asked.start <= fact.start < asked.end for asked in questions)


def _see(
    values: dict[str, _Sighting], fact: Fact, message: Message, group_of: Sequence[int], questions: Sequence[Fact]
) -> None:
    if fact.get("name") in REPLACED and message.parts[fact.part].type is PartType.TOOL_CALL:
        return  # what a call takes out of a file holds no longer
    seen = values.get(fact.text)
    if seen is None:
        seen = values[fact.text] = _Sighting(type=str(fact.get("type", "")), name=str(fact.get("name", "")))
    if fact.message >= len(group_of):
        seen.tail = True
        return
    group = group_of[fact.message]
    if group != seen.last_group:
        seen.groups += 1
        seen.last_group = group
    seen.home = fact.message
    seen.part = fact.part
    seen.name = seen.name or str(fact.get("name", ""))
    part = message.parts[fact.part]
    seen.spoken = seen.spoken or part.type is not PartType.TOOL_RESULT
    seen.in_argument = seen.in_argument or part.type is PartType.TOOL_CALL
    if part.type is PartType.TOOL_RESULT:
        located = seen.type == "path" and fact.text.count("/") >= DEEP and len(part.text) <= MAX_LISTING
        seen.named = seen.named or located or _names(str(fact.get("leaf", "")), seen.type)
    told = message.origin is Origin.USER and part.type is PartType.TEXT and len(part.text) <= MAX_STATEMENT
    seen.stated = seen.stated or (told and not _is_asked(fact, questions)) or COLOUR.fullmatch(fact.text) is not None


def _names(leaf: str, type: str) -> bool:
    """Whether a leaf of a JSON payload names something: an id by its form, or any value under a key that is one. Of a list, each item does."""
    return bool(leaf) and type != "sequence" and (type in ID_TYPES or leaf.casefold().rstrip("s").endswith(NAMED_LEAVES))


def _is_open(value: str, seen: _Sighting, unread: bool) -> bool:
    if seen.type in WORDS and not any(character.isdigit() or character in "/@." for character in value):
        return False  # a plain word is written again as easily as it was written
    repeated = seen.groups > 1 and (seen.spoken or seen.type not in SAYS_OF)
    return seen.in_argument or seen.named or seen.stated or repeated or unread


def _item(value: str, seen: _Sighting, number: int, shared: dict[tuple[str, str, str], dict[str, str]]) -> Item:
    """The item of a value; most values have the same attributes as many others, so these are `shared`."""
    name, consumers, held = seen.name, str(max(0, seen.groups - 1) + seen.tail), "true" if seen.tail else ""
    attributes = shared.setdefault((name, consumers, held), {"name": name, "consumers": consumers, "held": held})
    return Item(
        id=f"binding:{seen.home}.{seen.part}.{number}",
        family=Family.BINDING,
        kind=seen.type,
        message=seen.home,
        part=seen.part,
        text=value,
        attributes=attributes,
    )
