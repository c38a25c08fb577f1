"""What an earlier carrier held: all of it that is still due stands in the result's, and nothing that has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from barrier_policy.audit.lines import Line
from barrier_policy.audit.model import Outcome
from barrier_policy.audit.notebook import Notebook
from barrier_policy.carrier.block import Entry
from barrier_policy.carrier.merge import merge_records
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.retire import retire
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.walk import Analysis


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What a carrier of before has become: the `rows` that ought to stand, those of them that hold on, and what has `ended` and why."""

    rows: frozenset[str]
    rewritten: tuple[tuple[str, str], ...]
    ended: dict[str, str]


def held_words(records: Sequence[CarrierRecord]) -> Iterator[str]:
    """The words of all items of earlier records, also of those that another line shows."""
    for record in records:
        for item in record.fields.get("items", ()):
            yield str(item.get("text", ""))


def still_due(before: Analysis, earlier: Sequence[CarrierRecord]) -> Due:
    """What the carrier that before ought to get holds: its earlier records without what has ended, and the newest state of each thing."""
    held = retire(earlier, before.join.ledger, before.join.messages)
    merged = merge_records(held.records, before.decision.carrier)
    return Due(
        rows=frozenset(row for record in merged.records for row in record.text.split("\n")),
        rewritten=tuple((record.kind, row) for record in held.records for row in record.text.split("\n")),
        ended={gone.text: gone.reason for gone in (*held.dropped, *merged.dropped)},
    )


def check_carried(carried: Sequence[Entry], lines: Sequence[Line], due: Due, notes: Notebook, *, opaque: bool) -> None:
    """What the carrier of before held and what still holds must stand in that of the result, line by line, and nothing that has ended."""
    kept = {(line.kind, row) for line in lines for row in line.text.split("\n")}
    values = {line.text for line in lines}
    shown = TokenIndex()
    for line in lines:
        shown.add(0, line.text)
    had = [(number, entry.kind, row) for number, entry in enumerate(carried) for row in entry.text.split("\n")]
    there = {row for _, _, row in had}
    had += [(-1, kind, row) for kind, row in due.rewritten if row not in there]
    for number, kind, row in had:
        notes.count("carried")
        if (kind, row) in kept or values.issuperset(row.split(" ")) or row not in due.rows or shown.holds(row):
            continue
        outcome = Outcome.INCONCLUSIVE if opaque else None
        notes.add("audit.severed", "carried", f"carried:{number}", kind, expected=row, outcome=outcome)
    for line in lines:
        if line.carried and line.text in due.ended and line.text not in due.rows:
            reason, item = due.ended[line.text], f"line:{line.entry}"
            notes.add("audit.stale", "carried", item, line.kind, after=line.place, expected=reason, found=line.text)
