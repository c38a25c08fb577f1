"""Carrier records: what a repair writes so that an item survives verbatim (design sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from barrier_policy.carrier.record import CarrierRecord, Source, digest_of
from barrier_policy.ledger.model import Family, Item, Ledger
from barrier_policy.transcript.model import Message

RECORD_KIND = {Family.OBLIGATION: "obligation", Family.EFFECT: "receipt", Family.CONSTRAINT: "constraint"}
MAX_COMPARED = 40
"""Lines of a span in which other items are looked for; more would make the cost of a span quadratic."""
WORD_OF_STATE = {"confirmed": "done", "failed_clean": "failed"}
REQUIRED_FIELDS = {
    "obligation": ("id", "text", "state", "debtor", "creditor"),
    "receipt": ("id", "tool", "state", "text"),
    "constraint": ("id", "text", "polarity", "state", "origin"),
    "gate": ("id", "text", "polarity", "state", "origin"),
    "evidence_index": ("id", "type", "text"),
    "evidence": ("id", "text"),
}


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """An item and the item of the same span whose line shows it: itself, or one whose words contain its words."""

    item: Item
    holder: Item

    @property
    def shows(self) -> bool:
        """Whether the item has a line of its own."""
        return self.item is self.holder


def place(items: Sequence[Item]) -> tuple[Placement, ...]:
    """Where the items of one span are shown: nothing is written twice."""
    longest: list[Item] = []
    holders: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: (-len(item.text), item.kind == "request")):
        holder = next((other for other in longest if item.text in other.text and _may_hold(other, item)), item)
        holders[item.id] = holder
        if holder is item and len(longest) < MAX_COMPARED:
            longest.append(item)
    return tuple(Placement(item=item, holder=holders[item.id]) for item in items)


def _may_hold(holder: Item, item: Item) -> bool:
    """Values and notes are shown by another item's line, and a request by that of a rule; all others speak for themselves."""
    return item.family is Family.BINDING or (item.kind == "request" and holder.family is Family.CONSTRAINT)


def is_shared(item: Item) -> bool:
    """Whether an item goes into a record of what consumes it, together with items of other spans, and not into one of its own span."""
    return record_kind(item) == "evidence_index" or bool(item.attributes.get("serves"))


def write_records(
    span: str, placed: Iterable[Placement], ledger: Ledger, messages: Sequence[Message]
) -> list[CarrierRecord]:
    """Records for the items of one span that are not shown by a shared one: one per kind, in the order of the walk."""
    by_kind: dict[str, list[Placement]] = {}
    for found in placed:
        if not is_shared(found.holder):
            by_kind.setdefault(record_kind(found.holder), []).append(found)
    return [_record(kind, span, found, ledger, messages) for kind, found in by_kind.items()]


def write_shared(
    placed: Iterable[Placement], ledger: Ledger, messages: Sequence[Message], at_hand: int
) -> list[CarrierRecord]:
    """Records by what consumes them: findings by the request that they serve, exact values by the turn at hand.

    Subject and source is the message of the consumer; each item has its own place in `fields`.
    """
    by_consumer: dict[tuple[int, str], list[Placement]] = {}
    for found in placed:
        serves = found.holder.attributes.get("serves")
        by_consumer.setdefault((int(serves) if serves else at_hand, record_kind(found.holder)), []).append(found)
    return [
        _record(kind, f"turn:{consumer}", found, ledger, messages, at=consumer)
        for (consumer, kind), found in sorted(by_consumer.items(), key=lambda entry: entry[0])
    ]


def record_kind(item: Item) -> str:
    """The kind of record that holds an item."""
    if item.family is Family.CONSTRAINT and item.attributes.get("gate"):
        return "gate"
    if item.family is Family.BINDING:
        return "evidence" if item.kind in ("note", "row") else "evidence_index"
    return RECORD_KIND.get(item.family, "evidence")


def _record(
    kind: str, span: str, placed: Sequence[Placement], ledger: Ledger, messages: Sequence[Message], at: int | None = None
) -> CarrierRecord:
    fields = {"items": [_fields(found.item, ledger) for found in placed]}
    first = placed[0].item
    subject = (first.subject if at is None else "") or span
    pointer = messages[first.message].parts[first.part].pointer if at is None else messages[at].pointer
    record = CarrierRecord(
        id=f"{kind}:{span}",
        kind=kind,
        subject=subject,
        version=1,
        fields=fields,
        text=_text(kind, [found.item for found in placed if found.shows], ledger),
        digest="",
        source=Source(message=first.message if at is None else at, pointer=pointer),
    )
    return msgspec.structs.replace(record, digest=digest_of(record))


def _fields(item: Item, ledger: Ledger) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": item.id, "state": ledger.state(item), "text": item.text, "message": item.message}
    if item.family is Family.CONSTRAINT:
        fields["polarity"] = item.kind
    if item.family is Family.BINDING:
        fields["type"] = item.kind
    required = REQUIRED_FIELDS[record_kind(item)]
    fields.update((name, value) for name, value in sorted(item.attributes.items()) if value or name in required)
    return fields


def _text(kind: str, items: Sequence[Item], ledger: Ledger) -> str:
    texts = list(dict.fromkeys(item.text for item in items))
    if kind == "evidence_index":
        lines: dict[int, list[str]] = {}
        for item in items:
            lines.setdefault(item.message, []).append(item.text)
        return "seen:\n" + "\n".join(" ".join(dict.fromkeys(values)) for values in lines.values())
    if kind == "receipt":
        states = [WORD_OF_STATE.get(ledger.state(item), ledger.state(item)) for item in items]
        return "\n".join(f"{state}: {item.text}" for state, item in zip(states, items, strict=True))
    head = {"constraint": "rule", "gate": "gate", "obligation": "owed"}.get(kind)
    return f"{head}: " + "\n".join(texts) if head else "\n".join(texts)


def covers(record: CarrierRecord, item: Item, ledger: Ledger) -> bool:
    """Whether a record holds an item: same id, current state and words, the fields that its kind requires, and a digest that matches."""
    if digest_of(record) != record.digest or item.text not in record.text:
        return False
    current = {"id": item.id, "state": ledger.state(item), "text": item.text}
    return any(
        fields.items() >= current.items() and fields.keys() >= set(REQUIRED_FIELDS[record_kind(item)])
        for fields in record.fields["items"]
    )
