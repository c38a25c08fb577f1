"""What earlier carriers hold and what no longer holds as it stands there: values that a user corrected, look-ups that answer otherwise now.

A line that still holds but for a value says which one holds instead; a value or an answer that is told anew as a whole leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.carrier.record import Fields, with_mark
from barrier_policy.carrier.shelf import Shelf
from barrier_policy.carrier.unit import Unit
from barrier_policy.ledger.currency.amended import later_in, later_words, with_later
from barrier_policy.ledger.currency.corrections import (
    Replaced,
    Statement,
    find_replaced,
    replaced_in,
    told_as_replaced,
    values_in,
)
from barrier_policy.ledger.currency.looked_again import changed_cells
from barrier_policy.ledger.currency.superseded import find_statements
from barrier_policy.ledger.model import Ledger
from barrier_policy.transcript.model import Message, Origin

SAYS = frozenset({"constraint", "gate", "obligation", "plan_item", "statement", "evidence"})
"""Kinds of records that say something; receipts are history, and a job or setting has one state at a time."""
VALUE = "value:"


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that is shown with what holds instead, or no more: then with the `reason`."""

    name: str
    item: Fields | None = None
    reason: str = ""


def find_replacements(
    shelf: Shelf, ledger: Ledger, messages: Sequence[Message], places: Mapping[str, int]
) -> Iterator[Replacement]:
    """What of earlier carriers was corrected or looked up anew; values are named `value:` and their text. Linear in all.

    `places` gives the index of a message by its digest: what a record outlived when it was last looked at can't replace anything in it.
    """
    for unit in shelf.units.values():
        since = places.get(unit.source.head)
        if since is not None and (found := _looked_again(unit, since, ledger)) is not None:
            yield found
    if ledger.corrections:
        carried = list(_carried(shelf, places))
        spoken = [statement for statement in find_statements(messages) if statement.by_user]
        statements = sorted([*carried, *spoken], key=lambda statement: statement.message)
        yield from _corrected(shelf, find_replaced(statements, ledger.corrections))


def _carried(shelf: Shelf, places: Mapping[str, int]) -> Iterator[Statement]:
    """What carried lines and values say, each as last said where the record was last looked at."""
    for name, unit in shelf.units.items():
        since = places.get(unit.source.head)
        if since is not None and unit.kind in SAYS and "subject" not in unit.item:
            text = with_mark(unit.item["text"], str(unit.item.get("replaced", "")))
            by_user = unit.item.get("origin", Origin.USER) == Origin.USER
            yield Statement(key=name, message=since, text=text, by_user=by_user)
    for text, head in shelf.values().items():
        if (since := places.get(head)) is not None:
            name = str(shelf.value(text).get("name", ""))
            yield Statement(key=VALUE + text, message=since, text=f"{name} {text}")


def _corrected(shelf: Shelf, replaced: Sequence[Replaced]) -> Iterator[Replacement]:
    told: dict[str, dict[str, str]] = {}
    for entry in replaced:
        for key in sorted(entry.statements):
            if key.startswith(VALUE) and len(values_in(key.removeprefix(VALUE))) == 1 and entry.everywhere:
                yield Replacement(name=key, reason=f"message {entry.message} says {entry.new} instead")
            elif key in shelf.units:
                told.setdefault(key, {})[entry.told[0]] = entry.told[1]
    for name, new in told.items():
        item = shelf.units[name].item
        if (marked := _marked(item, new)) != item:
            yield Replacement(name=name, item=marked)


def _marked(item: Fields, new: Mapping[str, str]) -> Fields:
    """An item with what holds instead of its values; what replaced one before may have been replaced itself."""
    before = replaced_in(str(item.get("replaced", "")))
    text = item["text"]
    now = {old: new.get(value, value) for old, value in before.items()}
    now |= {old: value for old, value in new.items() if _holds(text, old) and not _holds(text, value)}
    told = told_as_replaced(now)
    return item | {"replaced": with_later(told, later_in(str(item.get("replaced", ""))))} if told else item


def _holds(text: str, told: str) -> bool:
    """Whether a text has a value, or a value with its name."""
    return told in values_in(text) or (" " in told and told in text)


def find_later(shelf: Shelf, ledger: Ledger, places: Mapping[str, int]) -> Iterator[Replacement]:
    """Carried rules with what was said later and may change them, where anything was; `places` is as above."""
    for name, unit in shelf.units.items():
        since, origin = places.get(unit.source.head), str(unit.item.get("origin", ""))
        if since is None or unit.kind not in ("constraint", "gate") or origin not in set(Origin):
            continue
        rule = str(unit.item.get("rule") or unit.item["text"])
        later = later_words(rule, origin, since, ledger.amendments)
        replaced = with_later(str(unit.item.get("replaced", "")), later)
        if later and replaced != unit.item.get("replaced"):
            yield Replacement(name=name, item=unit.item | {"replaced": replaced})


def _looked_again(unit: Unit, since: int, ledger: Ledger) -> Replacement | None:
    """A carried answer whose look-up answers otherwise now: gone where the new answer has a line of its own."""
    name = str(unit.item.get("subject", ""))
    newest = ledger.answers.get(name) if unit.kind == "evidence" else None
    if newest is None or newest.message <= since:
        return None
    changed, whole = changed_cells(unit.item["text"], newest.text)
    if not changed:
        return None
    if whole and any(item.subject == name and item.message == newest.message for item in ledger.items):
        return Replacement(name=unit.name, reason=f"looked up anew at message {newest.message}")
    told = told_as_replaced(changed)
    return Replacement(name=unit.name, item=unit.item | {"replaced": told}) if told else None
