"""The carrier of a further compaction: what is merged, what takes the place of what, and that rounds change nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.carrier.block import render_block
from barrier_policy.carrier.merge import merge_records
from barrier_policy.carrier.record import CarrierRecord, check_record

from .conftest import item, one, record, records

PROPERTY = settings(settings.get_profile("carrier"))
FILE = {"edits": "true", "subject": "write_file /etc/app.yaml"}
Lines = list[tuple[str, str]]


def shown(found: tuple[CarrierRecord, ...]) -> Lines:
    return [(record.kind, record.text) for record in found]


EARLIER_NEW_SHOWN: dict[str, tuple[list[CarrierRecord], list[CarrierRecord], Lines]] = {
    "the same line is shown once": (
        [one("constraint", "never on Fridays")],
        [one("constraint", "never on Fridays", 9)],
        [("constraint", "never on Fridays")],
    ),
    "the same line of two kinds is shown by the stronger one": (
        [one("evidence", "never on Fridays")],
        [one("constraint", "never on Fridays", 9)],
        [("constraint", "never on Fridays")],
    ),
    "a file has its last state": (
        [one("receipt", "write_file v1", **FILE)],
        [one("receipt", "write_file v2", 9, **FILE)],
        [("receipt", "done: write_file v2")],
    ),
    "what was done again is counted": (
        [one("receipt", "pay 418 → ok", 1)],
        [one("receipt", "pay 418 → ok", 9)],
        [("receipt", "done 2 times: pay 418 → ok")],
    ),
    "what failed and then went through is told apart": (
        [one("receipt", "pay 418", 1, state="failed_clean")],
        [one("receipt", "pay 418", 9)],
        [("receipt", "failed: pay 418"), ("receipt", "done: pay 418")],
    ),
    "an edit that failed says nothing of the file": (
        [one("receipt", "write_file v1", **FILE)],
        [one("receipt", "write_file v2", 9, **FILE | {"state": "failed_clean"})],
        [("receipt", "done: write_file v1"), ("receipt", "failed: write_file v2")],
    ),
    "two tickets of one project are two": (
        [one("receipt", "create_ticket PLAT-1", subject="create_ticket PLAT")],
        [one("receipt", "create_ticket PLAT-2", 9, subject="create_ticket PLAT")],
        [("receipt", "done: create_ticket PLAT-1"), ("receipt", "done: create_ticket PLAT-2")],
    ),
    "message 6 of an earlier transcript is not message 6 of this one": (
        [one("binding", "ord-77120", 6)],
        [record("binding", item("binding", "rf-9a8b", 6), item("binding", "rf-1f2e", 6))],
        [("binding", "ord-77120\nrf-9a8b rf-1f2e")],
    ),
    "a part of the environment has its last state": (
        [one("environment", "branch: a", name="branch"), one("environment", "mode: plan", 2, name="mode")],
        [one("environment", "branch: b", 9, name="branch")],
        [("environment", "mode: plan"), ("environment", "branch: b")],
    ),
    "a job has its last state": (
        [one("job", "build b-1 half", subject="b-1")],
        [one("job", "build b-1 nearly", 9, subject="b-1")],
        [("job", "build b-1 nearly")],
    ),
    "a value that a line shows is not repeated": (
        [one("binding", "PLAT-611")],
        [one("receipt", "create_ticket → PLAT-611", 9)],
        [("receipt", "done: create_ticket → PLAT-611")],
    ),
    "a value that is part of a longer one is shown": (
        [one("binding", "418")],
        [one("receipt", "count → 418230", 9)],
        [("receipt", "done: count → 418230"), ("binding", "418")],
    ),
    "a value within another value is shown by that": (
        [one("binding", "x=418 y")],
        [one("binding", "418", 9)],
        [("binding", "x=418 y")],
    ),
    "a value keeps its place": (
        [record("binding", item("binding", "k-1", 1), item("binding", "k-2", 2, message=1), item("binding", "k-3", 3))],
        [record("binding", item("binding", "k-2", 8), item("binding", "k-4", 9), number=9)],
        [("binding", "k-1 k-2\nk-3\nk-4")],
    ),
    "what an older state showed besides is shown by itself": (
        [record("receipt", item("receipt", "wrote k-1", **FILE), item("binding", "k-1", 5) | {"kind": "binding", "shown_by": "receipt:0.0"})],
        [one("receipt", "wrote k-2", 9, **FILE)],
        [("receipt", "done: wrote k-2"), ("binding", "k-1")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", EARLIER_NEW_SHOWN)
def test_what_is_shown_of_earlier_and_new_records(case: str) -> None:
    earlier, new, expected = EARLIER_NEW_SHOWN[case]
    assert shown(merge_records(earlier, new).records) == expected


def test_a_newer_state_is_the_next_version_and_the_older_one_is_named() -> None:
    merged = merge_records([one("receipt", "write_file v1", **FILE)], [one("receipt", "write_file v2", 9, **FILE)])
    (found,) = merged.records
    assert (found.subject, found.version) == ("write_file /etc/app.yaml", 2)
    assert [(gone.text, gone.reason) for gone in merged.dropped] == [("done: write_file v1", "version 2 took its place")]
    again = merge_records(merged.records, [one("receipt", "write_file v3", 9, **FILE)])
    assert [(found.version, found.text) for found in again.records] == [(3, "done: write_file v3")]


def test_the_higher_origin_of_a_rule_is_kept() -> None:
    merged = merge_records([one("constraint", "never", origin="system")], [one("constraint", "never", 9, origin="user")])
    assert merged.records[0].fields["items"][0]["origin"] == "system"


def test_every_item_of_the_new_records_can_still_be_found_by_its_id() -> None:
    new = [one("constraint", "never", 1), one("constraint", "never", 2), one("evidence", "never", 3)]
    found = {fields["id"] for record in merge_records((), new).records for fields in record.fields["items"]}
    assert found == {"constraint:1.0", "constraint:2.0", "evidence:3.0"}


def test_equal_calls_are_counted_over_rounds_and_each_has_its_place() -> None:
    carrier: tuple[CarrierRecord, ...] = ()
    for head in ("sha256:" + "a" * 64, "sha256:" + "b" * 64):
        calls = [item("receipt", "pay 418", number) for number in (1, 5)]
        carrier = merge_records(carrier, [record("receipt", *calls, head=head)]).records
    (found,) = carrier
    assert found.text == "done 4 times: pay 418"
    calls_of = found.fields["items"][0]["calls"]
    assert calls_of == ["1.0@aaaaaaaa", "5.0@aaaaaaaa", "1.0@bbbbbbbb", "5.0@bbbbbbbb"]
    assert merge_records(carrier, ()).records[0].text == found.text


@PROPERTY
@given(earlier=records(), new=records())
def test_no_line_is_lost_or_shown_twice(earlier: tuple[CarrierRecord, ...], new: tuple[CarrierRecord, ...]) -> None:
    merged = merge_records(earlier, new)
    lines = [record.text for record in merged.records]
    assert len(lines) == len(set(lines))
    superseded = {gone.text for gone in merged.dropped}
    whole = "\n".join(lines)
    for fields in (fields for held in (*earlier, *new) for fields in held.fields["items"]):
        assert fields["text"] in whole or any(fields["text"] in text for text in superseded)


@PROPERTY
@given(earlier=records(), new=records())
def test_merged_records_are_whole(earlier: tuple[CarrierRecord, ...], new: tuple[CarrierRecord, ...]) -> None:
    for found in merge_records(earlier, new).records:
        check_record(found)


@PROPERTY
@given(rounds=st.lists(records(), min_size=1, max_size=3))
def test_ten_further_rounds_change_no_byte(rounds: list[tuple[CarrierRecord, ...]]) -> None:
    carrier: tuple[CarrierRecord, ...] = ()
    for new in rounds:
        carrier = merge_records(carrier, new).records
    shown_first = render_block(carrier)
    typed = merge_records(carrier, ()).records
    for _ in range(10):
        merged = merge_records(carrier, ())
        carrier = merged.records
        assert (render_block(carrier), carrier, merged.dropped) == (shown_first, typed, ())


@PROPERTY
@given(new=records())
def test_saying_the_same_again_round_after_round_adds_nothing(new: tuple[CarrierRecord, ...]) -> None:
    carrier = merge_records(merge_records((), new).records, new).records
    sizes = [len(record.fields["items"]) for record in carrier]
    for _ in range(10):
        carrier = merge_records(carrier, new).records
        assert [len(record.fields["items"]) for record in carrier] == sizes


@PROPERTY
@given(before=records(), versions=st.integers(2, 6))
def test_a_superseded_state_is_never_shown(before: tuple[CarrierRecord, ...], versions: int) -> None:
    carrier = before
    for version in range(versions):
        state = one("receipt", f"write_file state-{version}-of-it", version, **FILE)
        carrier = merge_records(carrier, (state,)).records
    text = render_block(carrier)
    assert f"state-{versions - 1}-of-it" in text
    assert not any(f"state-{version}-of-it" in text for version in range(versions - 1))
