"""Carrier records: what a repair writes so that an item survives verbatim (design sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from barrier_policy.carrier.record import REQUIRED_FIELDS, CarrierRecord, Draft, Fields, Source, digest_of, line_of
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.ledger.model import Family, Item, Ledger, state_in
from barrier_policy.transcript.elements import part_pointers
from barrier_policy.transcript.identity import message_digest
from barrier_policy.transcript.model import Message, Origin

KIND_OF_BINDING = {"note": "evidence", "row": "evidence", "environment": "environment"}
RECORD_KIND = {Family.OBLIGATION: "obligation", Family.EFFECT: "receipt", Family.CONSTRAINT: "constraint"}
PREFIX = "sha256:"
MAX_COMPARED = 40
"""Lines of a span in which other items are looked for; more would make the cost of a span quadratic."""


class Placement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item and the item of the same span whose line shows it: itself, or one whose words contain its words."""

    item: Item
    holder: Item

    @property
    def shows(self) -> bool:
        """Whether the item has a line of its own."""
        return self.item is self.holder


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """All that records say of the transcript that they stem from: what they are made of when the transcript itself is let go.

    By message index: `digests` of the messages that are named (as bytes, for there are many; of others empty), `pointers` of the parts of
    each message, `records` that consumers stand in. `at_hand` is the message that opens the turn at hand.
    """

    states: Mapping[str, str]
    head: str
    at_hand: int
    digests: Sequence[bytes]
    pointers: Sequence[Sequence[str]]
    records: Mapping[int, str]

    def state(self, item: Item) -> str:
        """As `Ledger.state`."""
        return state_in(self.states, item)

    def digest(self, message: int) -> str:
        """The digest of a message, which is named."""
        return PREFIX + self.digests[message].hex()


def find_sources(items: Iterable[Item], ledger: Ledger, messages: Sequence[Message]) -> Sources:
    """The sources of the records that hold some items."""
    at_hand = max((message.index for message in messages if opens_turn(message)), default=0)
    digests = [b""] * len(messages)
    records: dict[int, str] = {}
    for item in items:
        consumer = int(item.attributes.get("serves") or at_hand)
        records[consumer] = messages[consumer].pointer
        for index in (item.message, consumer):
            if not digests[index]:
                digests[index] = bytes.fromhex(message_digest(messages[index]).removeprefix(PREFIX))
    return Sources(
        states=ledger.states,
        head=ledger.head,
        at_hand=at_hand,
        digests=digests,
        pointers=part_pointers(messages),
        records=records,
    )


def place(items: Sequence[Item]) -> tuple[Placement, ...]:
    """Where the items of one span are shown: nothing is written twice."""
    if len(items) == 1:
        return (Placement(item=items[0], holder=items[0]),)
    longest: list[Item] = []
    holders: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: (-len(item.text), item.kind == "request")):
        holder = next((other for other in _may_hold(longest, item) if item.text in other.text), item)
        holders[item.id] = holder
        if holder is item and len(longest) < MAX_COMPARED:
            longest.append(item)
    return tuple(Placement(item=item, holder=holders[item.id]) for item in items)


def _may_hold(items: Iterable[Item], item: Item) -> Iterable[Item]:
    """Values and notes are shown by another item's line, and a request by that of a rule; all others speak for themselves."""
    if item.family is Family.BINDING:
        return items
    return (other for other in items if other.family is Family.CONSTRAINT) if item.kind == "request" else ()


def is_shared(item: Item) -> bool:
    """Whether an item goes into a record of what consumes it, together with items of other spans, and not into one of its own span."""
    return record_kind(item) == "binding" or bool(item.attributes.get("serves"))


def draft_records(span: str, placed: Iterable[Placement], sources: Sources) -> list[Draft]:
    """Records for the items of one span that are not shown by a shared one: one per kind, in the order of the walk."""
    return [_draft(kind, span, found, sources) for kind, found in _by_kind(placed).items()]


def shown_texts(placed: Iterable[Placement], ledger: Ledger) -> list[str]:
    """The texts of the records of `draft_records`.

    Without what they say of replaced values: that must not make a statement dearer to carry than to leave where it stands as if it held.
    """
    return [
        "\n".join(
            dict.fromkeys(
                line_of(kind, {"text": held.item.text, "state": ledger.state(held.item)}) for held in found if held.shows
            )
        )
        for kind, found in _by_kind(placed).items()
    ]


def _by_kind(placed: Iterable[Placement]) -> dict[str, list[Placement]]:
    by_kind: dict[str, list[Placement]] = {}
    for found in placed:
        if not is_shared(found.holder):
            by_kind.setdefault(record_kind(found.holder), []).append(found)
    return by_kind


def draft_shared(placed: Iterable[Placement], sources: Sources) -> list[Draft]:
    """Records by what consumes them: findings by the request that they serve, exact values by the turn at hand.

    Subject and source is the message of the consumer; each item has its own place in `fields`.
    """
    by_consumer: dict[tuple[int, str], list[Placement]] = {}
    for found in placed:
        serves = found.holder.attributes.get("serves")
        by_consumer.setdefault((int(serves) if serves else sources.at_hand, record_kind(found.holder)), []).append(found)
    return [
        _draft(kind, f"turn:{consumer}", found, sources, at=consumer)
        for (consumer, kind), found in sorted(by_consumer.items(), key=lambda entry: entry[0])
    ]


def record_kind(item: Item) -> str:
    """The kind of record that holds an item."""
    if item.family is Family.CONSTRAINT and item.attributes.get("gate"):
        return "gate"
    if item.family is Family.OBLIGATION and item.subject:
        return "plan_item" if item.subject == "plan" else "job"
    if item.family is Family.BINDING and item.attributes.get("said_by") == Origin.USER:
        return "statement"
    if item.family is Family.BINDING:
        return KIND_OF_BINDING.get(item.kind, "binding")
    return RECORD_KIND.get(item.family, "evidence")


def _draft(kind: str, span: str, placed: Sequence[Placement], sources: Sources, at: int | None = None) -> Draft:
    first = placed[0].item
    message = first.message if at is None else at
    digest = sources.digest(message)
    return Draft(
        id=f"{kind}:{span}",
        kind=kind,
        subject=(first.subject if at is None else f"turn:{digest[7:23]}") or span,
        items=_once(kind, [_fields(kind, found, sources) for found in placed]),
        source=Source(
            message=message,
            pointer=sources.pointers[message][first.part] if at is None else sources.records[message],
            digest=digest,
            head=sources.head,
        ),
    )


def _once(kind: str, items: Iterable[Fields]) -> list[Fields]:
    """Items of which none says again what another one has said."""
    found: list[Fields] = []
    first: dict[tuple[str, str], str] = {}
    for item in items:
        line = (item["text"], item["state"] if kind == "receipt" else "")
        if "shown_by" not in item and first.setdefault(line, item["id"]) != item["id"]:
            item = item | {"shown_by": first[line]}
        found.append(item)
    return found


def _fields(record: str, placed: Placement, sources: Sources) -> Fields:
    item, kind = placed.item, record_kind(placed.item)
    fields: Fields = {"id": item.id, "state": sources.state(item), "text": item.text, "message": item.message}
    if kind != record:
        fields["kind"] = kind
    if not placed.shows:
        fields["shown_by"] = placed.holder.id
    if item.subject:
        fields["subject"] = item.subject
    if item.family is Family.CONSTRAINT:
        fields["polarity"] = item.kind
    if item.family in (Family.BINDING, Family.OBLIGATION):
        fields["type"] = item.kind
    if item.kind == "request":
        fields["asked_in"] = sources.digest(item.message)
    required = REQUIRED_FIELDS[kind]
    fields.update((name, value) for name, value in sorted(item.attributes.items()) if value or name in required)
    if serves := fields.pop("serves", ""):
        fields["serves"] = [sources.digest(int(serves))]
    return fields


def covers(record: CarrierRecord, item: Item, ledger: Ledger) -> bool:
    """Whether a record holds an item: same id, current state and words, the fields that its kind requires, and a digest that matches."""
    if digest_of(record) != record.digest or item.text not in record.text:
        return False
    current = {"id": item.id, "state": ledger.state(item), "text": item.text}
    if replaced := item.attributes.get("replaced"):
        current["replaced"] = replaced
    return any(_holds(fields, current, record_kind(item)) for fields in record.fields["items"])


def _holds(fields: Mapping[str, object], current: Mapping[str, object], kind: str) -> bool:
    return fields.items() >= current.items() and fields.keys() >= set(REQUIRED_FIELDS[kind])
