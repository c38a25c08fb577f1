"""The carrier of a compaction: what the earlier one held and still holds, and the new records, written and read back (design section 5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from barrier_policy.carrier.archive import records_json
from barrier_policy.carrier.block import parse_block, render_block
from barrier_policy.carrier.earlier import Earlier
from barrier_policy.carrier.merge import merge_records
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.retire import retire
from barrier_policy.errors import CarrierError
from barrier_policy.ledger.currency.left import leaving
from barrier_policy.provenance.store import Pointer, Store
from barrier_policy.walk import Analysis


class Carrier(msgspec.Struct, frozen=True, kw_only=True):
    """The carrier message, "" where there is nothing to carry, its records, and where these are kept."""

    text: str
    records: tuple[CarrierRecord, ...]
    pointer: Pointer | None = None


def carry_on(
    earlier: Earlier, new: Sequence[CarrierRecord], analysis: Analysis, store: Store | None, *, gone: Collection[int] = ()
) -> Carrier:
    """Retire what has ended, merge, keep the typed records, write the message and read it back. Raises StoreError or CarrierError.

    `gone` are the messages that leave.
    """
    ledger, messages = analysis.join.ledger, analysis.transcript.messages
    held = retire(earlier.records, ledger, messages)
    records = merge_records(held.records, new).records
    if not records:
        return Carrier(text="", records=())
    pointer = store.put(records_json(records, leaving(ledger, messages, gone))) if store else None
    text = render_block(records, archived=pointer.uri if pointer else "")
    found = parse_block(text)
    if not found.intact or sorted(entry.text for entry in found.entries) != sorted(record.text for record in records):
        raise CarrierError("the carrier does not read back as it was written (nothing was changed; please report this)")
    return Carrier(text=text, records=records, pointer=pointer)
