"""The names that kinds of facts may not take are those of the span record, whatever is added to it."""

from __future__ import annotations

from barrier_policy.facts.kinds import ITEM_FIELDS, SPAN_FIELDS
from barrier_policy.facts.model import FactKind
from barrier_policy.join.schema import SPAN, build_schema


def test_no_field_of_the_span_is_free_for_a_namespace() -> None:
    assert {field.name for field in SPAN.fields} == SPAN_FIELDS


def test_the_fields_of_every_record_of_a_fact_are_kept() -> None:
    record = build_schema([FactKind(name="acme.kind", doc="x")]).types["AcmeKind"]
    assert {field.name for field in record.fields} == ITEM_FIELDS
