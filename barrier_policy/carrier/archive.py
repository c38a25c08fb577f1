"""Typed records as they are archived, and how the records of a carrier message are found again (design section 5, carrier record)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from barrier_policy.carrier.block import Block, Entry, in_order
from barrier_policy.carrier.items import CARRIED
from barrier_policy.carrier.record import (
    WORD_OF_STATE,
    CarrierRecord,
    Fields,
    Source,
    check_record,
    make_record,
    read_receipt,
)
from barrier_policy.digest import DIGEST, digest_bytes, digest_text, stable_json
from barrier_policy.errors import CarrierError
from barrier_policy.ledger.model import Left

SCHEMA = "barrier_policy/carrier/v1"
_STATES = {word: state for state, word in WORD_OF_STATE.items()}
_LIVE = {"constraint": "active", "gate": "active", "obligation": "detached", "plan_item": "detached", "job": "detached"}
_UNKNOWN = {"obligation": ("type",), "job": ("subject",), "receipt": ("tool",), "binding": ("type",)}


class Archive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is archived of a carrier: its records, and words that left with what it stands for, and came after something that stayed."""

    schema: str
    records: tuple[CarrierRecord, ...]
    left: tuple[Left, ...] = ()


def records_json(records: Sequence[CarrierRecord], left: Sequence[Left] = ()) -> bytes:
    """Typed records as one JSON object with sorted keys, the same bytes for the same records."""
    return stable_json(Archive(schema=SCHEMA, records=tuple(records), left=tuple(left)))


def load_records(data: bytes) -> tuple[CarrierRecord, ...]:
    """The records that `records_json` wrote, as `load_archive`."""
    return load_archive(data).records


def load_archive(data: bytes) -> Archive:
    """Read what `records_json` wrote. Raises CarrierError, naming the record that is damaged or incomplete."""
    try:
        archive = msgspec.json.decode(data, type=Archive)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CarrierError(f"no archived carrier records ({type(error).__name__}; the store holds something else)") from None
    if archive.schema != SCHEMA:
        raise CarrierError(f"carrier records of schema `{archive.schema[:80]}` (this release reads `{SCHEMA}`)")
    for record in archive.records:
        check_record(record)
    return archive


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """The typed records of a carrier message, or why there are none, "" where it names none or has nothing to record."""

    records: tuple[CarrierRecord, ...] = ()
    left: tuple[Left, ...] = ()
    problem: str = ""


def records_of_block(block: Block, read: Callable[[str], bytes | None] | None) -> Typed:
    """The records of a carrier message, never fewer lines than it shows, and why they are not the typed ones that it names.

    `read` gives the bytes of an object of the store by digest, None where there is none (`Store.read`); None where no store is asked. Typed
    records count where the object has the digest that the message names and shows line by line the same; else records are made of the lines
    themselves: such a record has no source, and nothing that is said can end it. Raises CarrierError for a message that is not as it was
    written.
    """
    check_intact(block)
    found = typed_records(block, read) if read is not None else Typed()
    return found if found.records else Typed(records=tuple(map(_shown, block.entries)), problem=found.problem)


def check_intact(block: Block) -> None:
    """Raises CarrierError for a carrier message that is not as it was written."""
    if not block.intact:
        raise CarrierError(
            f"the carrier {block.digest} was changed since it was written (its text does not have that digest; "
            "restore the message, or decide from the original transcript)"
        )


def typed_records(block: Block, read: Callable[[str], bytes | None]) -> Typed:
    """The typed records that a carrier message names, where they have the digest that it names and show line by line the same."""
    found = DIGEST.search(block.records)
    if found is None or not block.entries:
        return Typed()
    data = read(found.group())
    if data is None:
        return Typed(problem=f"the store does not have its typed records {found.group()}")
    if digest_bytes(data) != found.group():
        return Typed(problem=f"its typed records {found.group()} are damaged in the store")
    try:
        archive = load_archive(data)
    except CarrierError as error:
        return Typed(problem=str(error))
    if in_order(archive.records) != block.entries:
        return Typed(problem=f"the typed records {found.group()} are not those that it shows")
    return Typed(records=archive.records, left=archive.left)


def _shown(entry: Entry) -> CarrierRecord:
    """A record of a line as it is shown. What is not known of it is what protects most."""
    texts = entry.text.split("\n") if entry.kind == "binding" else [entry.text]
    items = [_item(entry.kind, text) | ({"line": number} if len(texts) > 1 else {}) for number, text in enumerate(texts)]
    name = f"{entry.kind}:{digest_text(entry.text)[7:23]}"
    return make_record(
        id=name,
        kind=entry.kind,
        subject=f"line:{digest_text(entry.text)[7:23]}",
        items=items,
        source=Source(message=-1, pointer=""),
    )


def _item(kind: str, text: str) -> Fields:
    state, times, text = _state(kind, text)
    name = digest_text(text)[7:23]
    item: dict[str, Any] = {"id": f"{CARRIED}{name}", "state": state, "text": text, "message": -1}
    if times > 1:
        item["calls"] = [f"{name}#{number}" for number in range(times)]
    if kind == "environment":
        item["name"] = text.partition(": ")[0]
    if kind in ("constraint", "gate"):
        item |= {"origin": "system", "polarity": "only_if" if kind == "gate" else "must"}
    if kind in ("obligation", "plan_item"):
        item |= {"creditor": "system", "debtor": "agent"}
    return item | dict.fromkeys(_UNKNOWN.get(kind, ()), "")


def _state(kind: str, text: str) -> tuple[str, int, str]:
    """The state that the line of a receipt begins with, and how often; all else is shown only while it is live."""
    if kind != "receipt":
        return _LIVE.get(kind, "open"), 1, text
    word, times, said = read_receipt(text)
    return _STATES.get(word, word) or "unknown", times, said
