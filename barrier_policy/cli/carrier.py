"""`barrier-policy carrier show`: the carriers of a transcript, or the one that would be written, record by record with their cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.table import Table

from barrier_policy.carrier.archive import Typed, check_intact, typed_records
from barrier_policy.carrier.block import Entry, in_order, parse_block
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.cli.console import cell, clean, clip, emit, make_table, out, show
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import Session
from barrier_policy.errors import CarrierError
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.model import Message, MessageKind, PartType

TEXT_LENGTH = 300
Shown = dict[str, Any]


def show_carrier(request: Request, file: str, *, planned: bool, format: OutputFormat) -> int:
    """Print the carriers of a transcript, or with `planned` the records that a compaction of it would write now."""
    session = Session(request)
    if planned:
        found = [_planned(session, file)]
    else:
        store = session.store if request.store is not None else None
        messages = session.read(file).messages
        found = [carrier for message in messages for carrier in _carriers(message, store, session)]
    _print(found, format, file)
    return OK


def _planned(session: Session, file: str) -> Shown:
    decision = session.analyse(file).decision
    records = _records(decision.carrier, session)
    return {"message": None, "state": "planned", "problem": "", "digest": "", "uri": "", **records}


def _carriers(message: Message, store: Store | None, session: Session) -> Iterator[Shown]:
    if message.kind is not MessageKind.CARRIER:
        return
    for part in message.parts:
        if part.type is PartType.TEXT:
            yield {"message": message.index, **_carrier(part.text, store, session)}


def _carrier(text: str, store: Store | None, session: Session) -> Shown:
    """What one carrier message holds; one that was changed is shown as it stands, and said to be so."""
    try:
        block = parse_block(text)
    except CarrierError as error:
        return {"state": "unreadable", "problem": str(error), "digest": "", "uri": "", **_records((), session)}
    head = {"digest": block.digest, "uri": block.records}
    try:
        check_intact(block)
    except CarrierError as error:
        return {"state": "changed", "problem": str(error), **head, **_records(block.entries, session)}
    found = typed_records(block, store.read) if store else Typed()
    return {
        "state": "intact",
        "problem": f"{found.problem} (only their lines are known)" if found.problem else "",
        **head,
        **_records(found.records or block.entries, session),
    }


def _records(records: Sequence[CarrierRecord | Entry], session: Session) -> Shown:
    """Records by kind, each with its tokens; typed ones with all that they say."""
    by_text = {(record.kind, record.text): record for record in records if isinstance(record, CarrierRecord)}
    count = session.decider.counter
    found: list[Shown] = []
    for entry in in_order(records):
        typed = by_text.get((entry.kind, entry.text))
        more = (
            {name: value for name, value in msgspec.to_builtins(typed).items() if name not in ("kind", "text")}
            if typed
            else {}
        )
        found.append({"kind": entry.kind, "tokens": count(entry.text), "text": entry.text, **more})
    return {"tokens": sum(record["tokens"] for record in found), "records": found}


def _print(carriers: Sequence[Shown], format: OutputFormat, file: str) -> None:
    if format is OutputFormat.TABLE:
        _print_tables(carriers, file)
        return
    lines = ({"message": carrier["message"], **record} for carrier in carriers for record in carrier["records"])
    emit({"carriers": carriers}, format, Table, lines=lines)


def _print_tables(carriers: Sequence[Shown], file: str) -> None:
    if not carriers:
        show(out(), clean(f"{file} holds no carrier (--planned shows the records that a compaction would write)"))
    for number, carrier in enumerate(carriers):
        if number:
            show(out())
        show(out(), clean(_headline(carrier)))
        if carrier["problem"]:
            show(out(), clean(carrier["problem"]))
        if carrier["records"]:
            show(out())
            show(out(), _table(carrier["records"]))
            show(out())
            show(out(), _sums(carrier["records"]))


def _headline(carrier: Shown) -> str:
    place = (
        "planned carrier" if carrier["message"] is None else f"carrier in message {carrier['message']}, {carrier['state']}"
    )
    return f"{place}: {len(carrier['records'])} records, {carrier['tokens']:,} tokens"


def _table(records: Sequence[Shown]) -> Table:
    typed = any("version" in record for record in records)
    names = ("kind", "tokens", *(("version", "items") if typed else ()), "text")
    table = make_table(*names, right=("tokens", "version", "items"), wide="text")
    for record in records:
        items = record.get("fields", {}).get("items", ())
        more = (str(record.get("version", "")), str(len(items))) if typed else ()
        table.add_row(cell(record["kind"]), str(record["tokens"]), *more, cell(clip(record["text"], TEXT_LENGTH)))
    return table


def _sums(records: Sequence[Shown]) -> Table:
    """Records and tokens of each kind."""
    table = make_table("kind", "records", "tokens", "tokens a record", right=("records", "tokens", "tokens a record"))
    for kind in dict.fromkeys(record["kind"] for record in records):
        sizes = [record["tokens"] for record in records if record["kind"] == kind]
        table.add_row(cell(kind), str(len(sizes)), f"{sum(sizes):,}", f"{sum(sizes) / len(sizes):.1f}")
    return table
