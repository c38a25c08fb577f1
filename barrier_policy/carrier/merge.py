"""The carrier of a further compaction: what still holds of the records before, and the new ones, as one (design sections 5 and 9).

Merged records are one for each thing that has a line, and one for all exact values that no line shows. Merging is stable: records that
are merged once more with nothing show the same. With themselves they do too, save for receipts, which count what was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from barrier_policy.carrier.record import CarrierRecord, Draft
from barrier_policy.carrier.shelf import Dropped, Shelf


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one carrier, and the earlier lines that newer ones took the place of."""

    records: tuple[CarrierRecord, ...]
    dropped: tuple[Dropped, ...]


def merge_records(earlier: Sequence[CarrierRecord], new: Iterable[CarrierRecord | Draft]) -> Merged:
    """One carrier of the records of earlier compactions and of new ones, written down or not; linear in both.

    No line is shown twice; a newer state of a subject takes the place of an older one, as its next version; a value that a line shows is
    not repeated in the list of values. Nothing else is dropped: `retire` says what of the earlier records has ended.
    """
    shelf = Shelf()
    for record in earlier:
        shelf.put_earlier(record)
    for draft in new:
        shelf.put(draft)
    return Merged(records=shelf.records(), dropped=tuple(shelf.dropped))
