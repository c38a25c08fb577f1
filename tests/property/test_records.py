"""What a carrier record covers, and what is left without it: invariants 4 and 5 of the design, section 9."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy import Decider
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.write import REQUIRED_FIELDS, covers
from barrier_policy.decision.assess import Assessment, record_of
from barrier_policy.digest import digest_value
from barrier_policy.join.join import Coverage, Provenance, build_record, repair_record
from barrier_policy.ledger.model import Item, Ledger
from barrier_policy.walk import Analysis

Messages = list[dict[str, Any]]
Analyse = Callable[..., Analysis]

PROPERTY = settings(settings.get_profile("properties"))


def _repaired(found: Analysis) -> Iterator[Assessment]:
    for assessment, action in zip(found.assessments, found.plan.actions, strict=True):
        if action == "repair":
            yield assessment


def _judged_with(found: Analysis, decider: Decider, assessment: Assessment, carried: set[str]) -> str:
    coverage = Coverage(carried=frozenset(carried), values=assessment.coverage.values)
    provenance = Provenance(present=True, retrievable=True) if assessment.archive else assessment.provenance
    return decider.evaluator.judge(build_record(found.join, found.join.number_of(assessment.span), coverage, provenance))


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), archived=st.booleans())
def test_a_repaired_record_is_the_one_that_is_built_with_the_repairs(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int, archived: bool
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last)
    for assessment in found.assessments:
        carried = frozenset(item.id for item in found.join.items[found.join.number_of(assessment.span)][::2])
        record = record_of(found.join, assessment)
        repair_record(record, carried, archived=archived)
        provenance = Provenance(present=True, retrievable=True) if archived else assessment.provenance
        coverage = Coverage(carried=carried, values=assessment.coverage.values)
        assert record == build_record(found.join, found.join.number_of(assessment.span), coverage, provenance)


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6))
def test_a_planned_repair_records_every_item_that_it_names(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last)
    for assessment in _repaired(found):
        for item in assessment.rebind:
            holders = [record for record in found.decision.carrier if covers(record, item, found.join.ledger)]
            assert len(holders) == 1, (item, holders)


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6))
def test_without_any_one_of_its_items_on_record_the_span_is_a_barrier_again(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, decider: Decider, data: st.DataObject, keep_last: int
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last)
    for assessment in _repaired(found):
        every = {item.id for item in assessment.rebind}
        assert _judged_with(found, decider, assessment, every) == "opportunity"
        for missing in sorted(every):
            assert _judged_with(found, decider, assessment, every - {missing}) == "barrier", missing


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6))
def test_without_any_one_record_the_spans_that_it_held_are_barriers_again(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, decider: Decider, data: st.DataObject, keep_last: int
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last)
    ledger, carrier = found.join.ledger, found.decision.carrier
    for lost in carrier:
        rest = [record for record in carrier if record is not lost]
        held = [a for a in _repaired(found) if any(covers(lost, item, ledger) for item in a.rebind)]
        assert held, lost
        for assessment in held:
            left = {item.id for item in assessment.rebind if any(covers(record, item, ledger) for record in rest)}
            assert _judged_with(found, decider, assessment, left) == "barrier"


# One record of each kind, and all the ways in which it can be wrong ---------------------------------------------------

DONE = {"role": "tool", "tool_call_id": "c", "content": '{"status": "done"}'}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "send_email", "arguments": '{"to": "ada@example.test"}'}}],
}
READ = {"name": "get_order", "arguments": '{"order": "idem-7f3c9k2-prd"}'}
PLAN = {"name": "todo_write", "arguments": '{"todos": [{"content": "tell the people of omega", "status": "pending"}]}'}
SWITCH = {"name": "bash", "arguments": '{"command": "git switch fix/limits"}'}
EVERY_KIND: Messages = [
    {"role": "user", "content": "RULE: never touch the nightly backup of zeta"},
    {"role": "user", "content": "GATE: wait for my word on schema changes in tau"},
    {"role": "user", "content": "DO: write to ada about ord-81723-qx"},
    CALL,
    DONE,
    {"role": "assistant", "content": "SAW: found ord-81723-qx\nWILL: look at the ledger export of sigma later"},
    {"role": "user", "content": "FIX: it is /srv/app/conf/main.yaml and not the other"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "r", "function": READ}]},
    {
        "role": "tool",
        "tool_call_id": "r",
        "content": "seven green doors, said at some length so that nobody notes it down " * 4,
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "s", "function": SWITCH}]},
    {"role": "tool", "tool_call_id": "s", "content": "Switched to branch 'fix/limits'"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "p", "function": PLAN}]},
    {"role": "tool", "tool_call_id": "p", "content": "ok"},
    {"role": "assistant", "content": "Sounds good."},
    {"role": "user", "content": "thanks a lot"},
    {"role": "assistant", "content": "Sounds good."},
]
KINDS = sorted({*REQUIRED_FIELDS} - {"job"})
"""A job in flight keeps its call unsettled, and with it the span, unless a registry lists it: tests/carrier has its record."""


@pytest.fixture(scope="module")
def whole(analyse: Analyse) -> Analysis:
    return analyse(EVERY_KIND)


def _held(whole: Analysis, kind: str) -> tuple[CarrierRecord, Item, Ledger]:
    """The first record of a kind with the first item that it holds."""
    record = next(record for record in whole.decision.carrier if record.kind == kind)
    items = {item.id: item for item in whole.join.ledger.items}
    return record, items[record.fields["items"][0]["id"]], whole.join.ledger


def _sealed(record: CarrierRecord, **changes: Any) -> CarrierRecord:
    """A record with other content and the digest that belongs to it, as somebody would write it who knows how."""
    record = msgspec.structs.replace(record, **changes)
    names = ("kind", "subject", "version", "fields", "text")
    return msgspec.structs.replace(record, digest=digest_value({name: getattr(record, name) for name in names}))


@pytest.mark.parametrize("kind", KINDS)
def test_an_untouched_record_covers_its_item_and_no_other(whole: Analysis, kind: str) -> None:
    record, item, ledger = _held(whole, kind)
    assert covers(record, item, ledger)
    held = {fields["id"] for fields in record.fields["items"]}
    assert not any(covers(record, other, ledger) for other in ledger.items if other.id not in held)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subject", "somebody else"),
        ("version", 2),
        ("fields", {"items": []}),
        ("text", "nothing of note"),
        ("digest", "sha256:" + "0" * 64),
    ],
)
def test_an_altered_record_covers_nothing(whole: Analysis, kind: str, name: str, value: Any) -> None:
    record, item, ledger = _held(whole, kind)
    assert not covers(msgspec.structs.replace(record, **{name: value}), item, ledger)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["state", "text", "id"])
def test_a_record_that_says_something_else_covers_nothing_though_its_digest_fits(
    whole: Analysis, kind: str, name: str
) -> None:
    record, item, ledger = _held(whole, kind)
    first, *others = record.fields["items"]
    assert not covers(_sealed(record, fields={"items": [first | {name: "other"}, *others]}), item, ledger)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in REQUIRED_FIELDS[kind]])
def test_a_record_without_a_field_that_its_kind_requires_covers_nothing(whole: Analysis, kind: str, name: str) -> None:
    record, item, ledger = _held(whole, kind)
    first, *others = record.fields["items"]
    less = {key: value for key, value in first.items() if key != name}
    assert not covers(_sealed(record, fields={"items": [less, *others]}), item, ledger)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_is_stale_once_its_item_has_another_state(whole: Analysis, kind: str) -> None:
    record, item, ledger = _held(whole, kind)
    later = msgspec.structs.replace(ledger, states=ledger.states | {item.id: "superseded"})
    assert not covers(record, item, later)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_whose_line_does_not_show_the_item_covers_nothing_though_its_digest_fits(
    whole: Analysis, kind: str
) -> None:
    record, item, ledger = _held(whole, kind)
    assert not covers(_sealed(record, text=record.text.replace(item.text, "")), item, ledger)
