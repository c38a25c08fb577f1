"""What stands in a carrier while it is put together: things that have a line, and exact values (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.carrier.items import VALUES, alone, carried, counted
from barrier_policy.carrier.record import (
    CarrierRecord,
    Draft,
    Fields,
    Source,
    kind_of,
    make_record,
    place_of,
    rank_of,
    text_of,
)
from barrier_policy.carrier.shown import Lines
from barrier_policy.carrier.unit import Said, Unit, holding, make_unit, together


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A line of an earlier carrier that is shown no more, and why."""

    kind: str
    subject: str
    text: str
    reason: str


class Shelf:
    """Things by name and exact values by their text, each at the place where it first came. All steps are linear."""

    def __init__(self) -> None:
        self.units: dict[str, Unit] = {}
        self.dropped: list[Dropped] = []
        self._said_before: dict[str, list[Said]] = {}
        """By name, what was said of the thing before the same line came once more."""
        self._values: dict[str, Fields] = {}
        self._holders: dict[str, tuple[str, str]] = {}
        """By value, the name and the line of the thing that showed it."""
        self._source: Source | None = None
        self._before: tuple[int, str] | None = None
        """Version and text of the earlier record of values."""

    def put_earlier(self, record: CarrierRecord) -> None:
        """Take all of a record of an earlier carrier, as newer than what is there."""
        if record.kind == VALUES:
            self._before = (record.version, record.text)
        self._put(record, carried(record), earlier=True)

    def put(self, record: CarrierRecord | Draft) -> None:
        """Take all of a new record, as newer than what is there."""
        self._put(record, counted(record), earlier=False)

    def _put(self, record: CarrierRecord | Draft, items: Sequence[Fields], *, earlier: bool) -> None:
        if self._source is None or record.kind == VALUES:
            self._source = record.source
        things = [item for item in items if kind_of(item, record.kind) != VALUES]
        shown = {item["id"]: item for item in things if "shown_by" not in item}
        held: dict[str, list[Fields]] = {}
        for item in things:
            if "shown_by" in item and item["shown_by"] in shown:
                held.setdefault(item["shown_by"], []).append(item)
            elif "shown_by" in item:  # by something that is not there
                self._put_unit(make_unit(record.kind, alone(item), (), record, earlier))
        units = {name: make_unit(record.kind, item, held.get(name, ()), record, earlier) for name, item in shown.items()}
        for unit in units.values():
            self._put_unit(unit)
        for item in items:
            if kind_of(item, record.kind) == VALUES:
                self._put_value(item, units.get(item.get("shown_by", "")))

    def _put_value(self, item: Fields, holder: Unit | None) -> None:
        text = item["text"]
        known = self._values.get(text)
        if known is not None and place_of(known) != place_of(item):
            item = item | {"line": place_of(known)}
        self._values[text] = alone(item)
        if holder is not None:
            self._holders[text] = (holder.name, holder.line)
        elif text in self._holders and not Lines([self._holders[text]]).showing(text):
            del self._holders[text]  # what was only asked of a look-up stands in no line; said elsewhere, it needs one

    def _put_unit(self, unit: Unit) -> None:
        name = unit.name
        old = self.units.get(name)
        if old is None:
            self.units[name] = unit
        elif old.line == unit.line:
            self._said_before.setdefault(name, []).append((old.item, *old.held))
            self.units[name] = msgspec.structs.replace(unit, version=max(old.version, unit.version))
        else:
            version = max(old.version + 1, unit.version)
            self._drop(name, f"version {version} took its place")
            self.units[name] = msgspec.structs.replace(unit, version=version)

    def remove(self, name: str, reason: str) -> None:
        """Take a thing away; what its line showed besides gets lines of its own."""
        self._drop(name, reason)

    def _drop(self, name: str, reason: str) -> None:
        unit = self.unit(name)
        del self.units[name]
        self._said_before.pop(name, None)
        self.dropped.append(Dropped(kind=unit.kind, subject=unit.subject, text=unit.line, reason=reason))
        for item in unit.held:
            kind = kind_of(item, unit.kind)
            if kind != unit.kind or item["text"] != unit.item["text"]:  # else it is the same line once more
                self._put_unit(make_unit(kind, alone(item), (), unit, unit.earlier))

    def unit(self, name: str) -> Unit:
        """A thing with all that was said of it."""
        return together(self.units[name], self._said_before.get(name, ()))

    def values(self) -> dict[str, str]:
        """By exact value that no line is known to show, the head up to which its record was last found to hold."""
        head = self._source.head if self._source else ""
        return dict.fromkeys((text for text in self._values if not self._former_holder(text, self.units)), head)

    def value(self, text: str) -> Fields:
        """What is known of an exact value."""
        return self._values[text]

    def rewrite(self, name: str, item: Fields, reason: str) -> None:
        """Let a thing say something else, under the name that it has."""
        unit = self.units[name]
        self.dropped.append(Dropped(kind=unit.kind, subject=unit.subject, text=unit.line, reason=reason))
        self.units[name] = msgspec.structs.replace(unit, item=item)

    def note(self, name: str, field: str, value: int) -> None:
        """Note something in the record of a thing; its line stays as it is."""
        unit = self.units[name]
        self.units[name] = msgspec.structs.replace(unit, item=unit.item | {field: value})

    def remove_value(self, text: str, reason: str) -> None:
        """Take an exact value away."""
        del self._values[text]
        self.dropped.append(Dropped(kind=VALUES, subject="values", text=text, reason=reason))

    def heard(self, head: str) -> None:
        """Note that all that is here has outlived what was said up to the message with this digest."""
        for name, unit in self.units.items():
            self.units[name] = msgspec.structs.replace(unit, source=msgspec.structs.replace(unit.source, head=head))
        if self._source is not None:
            self._source = msgspec.structs.replace(self._source, head=head)

    def records(self) -> tuple[CarrierRecord, ...]:
        """Records of the things, in the order in which they came, then one of the values that none of their lines shows.

        Takes the things off the shelf: most items are written anew, and both together would be a good part of what a decision holds.
        """
        for name in [*self._said_before]:
            self.units[name] = self.unit(name)
            del self._said_before[name]
        units = self._without_repeated_lines()
        held, rest = self._placed_values(units)
        of_values = self._record_of_values(_shown_once(rest))
        return (*(_record(unit, held.get(name, ())) for name, unit in units.items()), *of_values)

    def _without_repeated_lines(self) -> dict[str, Unit]:
        """The things; one whose line is that of a thing of another kind is held by that."""
        first: dict[str, str] = {}
        for name, unit in sorted(self.units.items(), key=lambda entry: rank_of(entry[1].kind)):
            first.setdefault(unit.line, name)
        others: dict[str, list[tuple[str, Said]]] = {}
        for name in [name for name, unit in self.units.items() if first[unit.line] != name]:
            unit = self.units.pop(name)
            others.setdefault(first[unit.line], []).append((unit.kind, (unit.item, *unit.held)))
        return {name: holding(self.units.pop(name), others.pop(name, ())) for name in [*self.units]}

    def _placed_values(self, units: dict[str, Unit]) -> tuple[dict[str, list[Fields]], dict[str, Fields]]:
        """Values by the thing whose line shows them, and the others by their text."""
        lines = Lines((name, unit.item["text"]) for name, unit in units.items() if self._values)
        held: dict[str, list[Fields]] = {}
        rest: dict[str, Fields] = {}
        for text, item in self._values.items():
            name = self._former_holder(text, units) or lines.showing(text)
            if name:
                held.setdefault(name, []).append(item | {"kind": VALUES, "shown_by": units[name].item["id"]})
            else:
                rest[text] = item
        return held, rest

    def _former_holder(self, text: str, units: Mapping[str, Unit]) -> str:
        name, line = self._holders.get(text, ("", ""))
        return name if name in units and units[name].line == line else ""

    def _record_of_values(self, items: Sequence[Fields]) -> Iterator[CarrierRecord]:
        if not items or self._source is None:
            return
        version, text = self._before or (1, text_of(VALUES, items))
        if text != text_of(VALUES, items):
            version += 1
        yield make_record(
            id=f"{VALUES}:values", kind=VALUES, subject="values", items=items, source=self._source, version=version
        )


def _shown_once(values: Mapping[str, Fields]) -> list[Fields]:
    """Values by their text as a list; one that a longer one shows is not shown again."""
    longest = Lines((text, text) for text in sorted(values, key=lambda text: (-len(text), text)))
    holders = ((item, longest.showing(text, besides=text)) for text, item in values.items())
    return [item | {"shown_by": values[holder]["id"]} if holder else item for item, holder in holders]


def _record(unit: Unit, values: Sequence[Fields]) -> CarrierRecord:
    return make_record(
        id=unit.name,
        kind=unit.kind,
        subject=unit.subject,
        items=[unit.item, *unit.held, *values],
        source=unit.source,
        version=unit.version,
    )
