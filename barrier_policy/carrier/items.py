"""Items of a record as they come into a further carrier: under names that every round gives them (design section 5)."""

from __future__ import annotations

from barrier_policy.carrier.record import CarrierRecord, Draft, Fields, kind_of, line_of, place_of
from barrier_policy.digest import digest_text

VALUES = "binding"
"""The kind of exact values."""
CARRIED = "carried:"
"""How items of earlier carriers are named."""


def counted(record: CarrierRecord | Draft) -> list[Fields]:
    """The items of a record; receipts with the names of the calls that they speak of, so that equal ones can be counted.

    A call is named by its place in the transcript that it was recorded from, which is known by its last message.
    """
    head = record.source.head[7:15]
    return [
        {"calls": [f"{item['id'].partition(':')[2]}@{head}"]} | item if kind_of(item, record.kind) == "receipt" else item
        for item in record.items
    ]


def carried(record: CarrierRecord) -> list[Fields]:
    """Items of an earlier record under names that no longer depend on where they once stood; what was one line is one item.

    So do the places of values: message 6 of another transcript is not message 6 of this one.
    """
    items = counted(record)
    written = digest_text(record.text)[7:15]
    names = {
        item["id"]: f"{CARRIED}{digest_text(kind_of(item, record.kind) + line_of(record.kind, item))[7:23]}"
        for item in items
    }
    found: dict[str, Fields] = {}
    calls: dict[str, list[str]] = {}
    for item in items:
        renamed = item | {"id": names[item["id"]]}
        calls.setdefault(renamed["id"], []).extend(item.get("calls", ()))
        if "shown_by" in item:
            renamed["shown_by"] = names.get(item["shown_by"], item["shown_by"])
        if kind_of(item, record.kind) == VALUES and not isinstance(place_of(item), str):
            renamed["line"] = f"{place_of(item)}@{written}"
        if renamed.get("shown_by") != renamed["id"]:
            found.setdefault(renamed["id"], renamed)
    return [item | {"calls": calls[name]} if calls[name] else item for name, item in found.items()]


def alone(item: Fields) -> Fields:
    """The item as one that no other line shows."""
    if "shown_by" not in item and "kind" not in item:
        return item
    return {name: value for name, value in item.items() if name not in ("shown_by", "kind")}
