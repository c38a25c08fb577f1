"""One thing that has a line in a carrier, and what was said of it (design section 5).

A thing is known by what it is about where that has only one state at a time (a file that was written, a job, a part of the environment),
else by its own words; never by a message index, which every compaction changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from barrier_policy.carrier.items import CARRIED
from barrier_policy.carrier.record import CarrierRecord, Draft, Fields, Source, kind_of, line_of
from barrier_policy.digest import digest_text
from barrier_policy.transcript.model import Origin

Said = tuple[Fields, ...]
"""What was said of a thing at one time: the item that its line shows, and items that the same line shows besides."""


class Unit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that has a line: the item that it shows, and items that the same line shows besides. `earlier`: of a carrier before."""

    kind: str
    subject: str
    item: Fields
    held: Said
    version: int
    source: Source
    earlier: bool

    @property
    def name(self) -> str:
        """What it is known by in every round."""
        return f"{self.kind}:{digest_text(self.subject)[7:23]}"

    @property
    def line(self) -> str:
        """What is shown of it."""
        return line_of(self.kind, self.item)


def subject_of(kind: str, item: Fields) -> str:
    """What an item is about, where that has one state at a time; else its line."""
    about = item.get("subject", "") if kind == "job" or (kind == "receipt" and _is_edit(item)) else ""
    about = item.get("name", "") if kind == "environment" else about
    return about or f"line:{digest_text(line_of(kind, item))[7:23]}"


def _is_edit(receipt: Fields) -> bool:
    """Whether a file has been written: the next time that takes its place. One that failed says nothing of the file."""
    return bool(receipt.get("edits")) and receipt["state"] == "confirmed"


def make_unit(kind: str, item: Fields, held: Sequence[Fields], of: CarrierRecord | Draft | Unit, earlier: bool) -> Unit:
    """The thing that an item is about; `held` are items that its line shows besides, `of` is what both come from."""
    kind = kind_of(item, kind)
    version = of.version if "shown_by" not in item else 1
    if "kind" in item:
        item = {name: value for name, value in item.items() if name != "kind"}
    return Unit(
        kind=kind,
        subject=subject_of(kind, item),
        item=item,
        held=tuple(held),
        version=version,
        source=of.source,
        earlier=earlier,
    )


def together(unit: Unit, before: Sequence[Said]) -> Unit:
    """A thing with what was said of it before, when the same line came: all its consumers, and the highest origin."""
    if not before:
        return unit
    item, held = dict(unit.item), unit.held
    if serves := {consumer for of in (unit.item, *(said[0] for said in before)) for consumer in of.get("serves", ())}:
        item["serves"] = sorted(serves)
    if "calls" in item:
        item["calls"] = [call for said in (*before, (item, *held)) for call in _calls(unit.kind, said)]
        held, before = _without_calls(held), [_without_calls(said) for said in before]
    if "origin" in item:
        item["origin"] = min(
            (of.get("origin", item["origin"]) for of in (item, *(said[0] for said in before))), key=_authority
        )
    return holding(msgspec.structs.replace(unit, item=item, held=held), [(unit.kind, said) for said in before])


def _calls(kind: str, said: Said) -> Iterator[str]:
    """The calls that the line of a receipt counts."""
    for item in said:
        if kind_of(item, kind) == kind and line_of(kind, item) == line_of(kind, said[0]):
            yield from item.get("calls", ())


def _without_calls(items: Said) -> Said:
    """Receipts that count nothing themselves, because another one counts for them."""
    return tuple(item | {"calls": []} if "calls" in item else item for item in items)


def holding(unit: Unit, others: Sequence[tuple[str, Said]]) -> Unit:
    """A thing that shows others of the given kinds as well. What was carried before is left out where something new says the same."""
    if not others:
        return unit
    every = {unit.item["id"]: (unit.kind, unit.item)}
    for of, items in ((unit.kind, unit.held), *others):
        for item in items:
            every.setdefault(item["id"], (kind_of(item, of), item))
    said = {(kind, item["text"]) for identifier, (kind, item) in every.items() if not identifier.startswith(CARRIED)}
    said.add((unit.kind, unit.item["text"]))
    held = [
        _held(item, unit, kind)
        for identifier, (kind, item) in list(every.items())[1:]
        if not identifier.startswith(CARRIED) or (kind, item["text"]) not in said
    ]
    return msgspec.structs.replace(unit, held=tuple(held))


def _held(item: Fields, unit: Unit, kind: str) -> Fields:
    """An item of some kind as one that the line of a thing shows."""
    held = {name: value for name, value in item.items() if name not in ("shown_by", "kind")}
    if kind != unit.kind:
        held["kind"] = kind
    held["shown_by"] = unit.item["id"]
    return held


def _authority(origin: str) -> int:
    return Origin(origin).rank if origin in set(Origin) else -1
