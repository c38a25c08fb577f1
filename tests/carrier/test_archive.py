"""Typed records in the store, and the records of a carrier message when the store has them or has not."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings

from barrier_policy.carrier.archive import load_records, records_json, records_of_block
from barrier_policy.carrier.block import Entry, in_order, parse_block, render_block
from barrier_policy.carrier.merge import merge_records
from barrier_policy.carrier.record import REQUIRED_FIELDS, CarrierRecord, check_record, make_record
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import CarrierError

from .conftest import item, one, record, records

PROPERTY = settings(settings.get_profile("carrier"))
FOUND = (one("constraint", "never on Fridays"), one("receipt", "paid 418", 1), one("binding", "k-1", 2))


def reading(data: bytes | None) -> Callable[[str], bytes | None]:
    """A store that has one object, whatever digest is asked for."""
    return lambda digest: data


def block_of(found: tuple[CarrierRecord, ...], data: bytes):
    return parse_block(render_block(found, archived=f"store:{digest_bytes(data)}"))


@PROPERTY
@given(new=records())
def test_archived_records_come_back_as_they_were(new: tuple[CarrierRecord, ...]) -> None:
    found = merge_records((), new).records
    if any("\ud800" <= sign <= "\udfff" for record in found for sign in record.text):
        return  # no JSON has them; such records are rebuilt from their lines
    data = records_json(found)
    assert load_records(data) == found
    assert records_json(load_records(data)) == data
    back = records_of_block(block_of(found, data), reading(data)).records
    assert sorted(back, key=lambda record: record.id) == sorted(found, key=lambda record: record.id)


@PROPERTY
@given(new=records())
def test_without_the_store_the_records_show_the_same_lines(new: tuple[CarrierRecord, ...]) -> None:
    text = render_block(merge_records((), new).records)
    rebuilt = records_of_block(parse_block(text), reading(None)).records
    for found in rebuilt:
        check_record(found)
    assert render_block(rebuilt) == text
    again = merge_records(rebuilt, ()).records
    assert {line for record in again for line in record.text.split("\n")} == {
        line for record in rebuilt for line in record.text.split("\n")
    }


def test_typed_records_count_only_where_they_show_the_same_lines() -> None:
    data = records_json(FOUND)
    block = block_of((*FOUND[:2], one("binding", "k-2", 2)), data)
    assert [found.text for found in records_of_block(block, reading(data)).records] == [
        "never on Fridays",
        "done: paid 418",
        "k-2",
    ]


@pytest.mark.parametrize(
    "data", [None, b"", b"{}", b"\xff", b"[" * 100_000, records_json(FOUND)[:-1], b'{"schema":"x","records":[]}']
)
def test_a_store_that_lost_or_damaged_them_changes_no_line(data: bytes | None) -> None:
    block = parse_block(render_block(FOUND, archived=f"store:{digest_bytes(data or b'')}"))
    assert [found.text for found in records_of_block(block, reading(data)).records] == [found.text for found in FOUND]


def test_an_object_with_another_digest_is_not_taken() -> None:
    data = records_json(FOUND)
    block = parse_block(render_block(FOUND, archived="store:sha256:" + "0" * 64))
    assert not records_of_block(block, reading(data)).records[0].source.pointer


def test_what_is_not_known_of_a_line_is_what_protects_most() -> None:
    rule = records_of_block(parse_block(render_block(FOUND)), reading(None)).records[0]
    assert rule.fields["items"][0]["origin"] == "system"


def test_how_often_something_was_done_is_known_without_the_store() -> None:
    paid = merge_records((), [one("receipt", "pay 418: now", 1), one("receipt", "pay 418: now", 5)]).records
    block = parse_block(render_block(paid))
    found = records_of_block(block, reading(None)).records
    assert [record.text for record in found] == ["done 2 times: pay 418: now"]
    merged = merge_records(found, [one("receipt", "pay 418: now", 9)]).records
    assert [record.text for record in merged] == ["done 3 times: pay 418: now"]


def test_a_changed_carrier_is_named_by_its_digest() -> None:
    text = render_block(FOUND)
    block = parse_block(text.replace("418", "419"))
    with pytest.raises(CarrierError, match=f"the carrier {block.digest} was changed"):
        records_of_block(block, reading(None)).records


@pytest.mark.parametrize("name", ["kind", "subject", "version", "text", "digest"])
def test_a_damaged_record_is_named(name: str) -> None:
    archive = json.loads(records_json(FOUND))
    archive["records"][1][name] = 7 if name == "version" else "other"
    with pytest.raises(CarrierError, match="carrier record `receipt:1`: its digest does not fit"):
        load_records(json.dumps(archive).encode())


REQUIRED = [(kind, name) for kind in sorted(REQUIRED_FIELDS) for name in REQUIRED_FIELDS[kind]]


@pytest.mark.parametrize(("kind", "name"), REQUIRED)
def test_a_record_that_lacks_what_its_kind_requires_is_refused(kind: str, name: str) -> None:
    whole = item(kind, "x")
    check_record(record(kind, whole))
    good = record(kind, whole)
    fields = {"items": [{key: value for key, value in whole.items() if key != name}]}
    bare = msgspec.structs.replace(good, fields=fields)
    problem = "it holds no items" if name in ("id", "text") else f"`{kind}:0.0` has no {name}"
    with pytest.raises(CarrierError, match=problem):
        check_record(bare)


def test_a_record_whose_text_is_not_what_its_items_say_is_refused() -> None:
    good = one("receipt", "paid 418")
    with pytest.raises(CarrierError, match="its text is not what its items say"):
        check_record(msgspec.structs.replace(good, text="done: paid 419"))


def test_a_line_of_an_outside_kind_needs_an_id_and_words_only() -> None:
    check_record(
        make_record(id="x", kind="shop.order", subject="x", items=[{"id": "x", "text": "y"}], source=FOUND[0].source)
    )


def test_entries_stand_by_kind_and_else_in_their_order() -> None:
    found = [Entry(kind=kind, text=text) for kind, text in [("evidence", "b"), ("zz", "c"), ("constraint", "a"), ("evidence", "a")]]  # fmt: skip
    assert [(entry.kind, entry.text) for entry in in_order(found)] == [
        ("constraint", "a"),
        ("evidence", "b"),
        ("evidence", "a"),
        ("zz", "c"),
    ]
