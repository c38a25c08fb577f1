"""The records on which conditions are tried: valid, the same in every run, and complete where they say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier_policy.join.schema import CORE_TYPES, ROOT, Field, RecordSchema
from barrier_policy.policy.lint.records import MAX_RECORDS, Records, documented_values, generate
from barrier_policy.policy.lint.source import Sources
from barrier_policy.policy.record import RecordReader

from .example import policy_file


@pytest.fixture
def records(sources: Callable[..., Sources]) -> Callable[..., Records]:
    """The records of one condition."""

    def make(condition: str) -> Records:
        read = sources({"a.yaml": policy_file(f'condition: "{condition}"\nevidence:')})
        ((file, rule),) = read.rules()
        return generate(rule.expressions, file.variables, read.schema)

    return make


def test_an_explanation_may_compare_texts_of_an_item_that_it_takes(sources: Callable[..., Sources]) -> None:
    text = "span.effects.filter(e, e.unsettled).map(e, e.state == 'partial' ? 'half' : 'not known')[0]"
    read = sources({"a.yaml": policy_file(f'condition: "true"\nexplanation: "{text}"\nevidence:')})
    ((file, rule),) = read.rules()
    lengths = {len(record["effects"]) for record in generate(rule.expressions, file.variables, read.schema)}
    assert {0, 1} <= lengths


def test_the_documented_values_of_the_record_are_these() -> None:
    found = {
        f"{record.name}.{field.name}": documented_values(field)
        for record in CORE_TYPES
        for field in record.fields
        if documented_values(field)
    }
    assert sorted(found) == [
        "Binding.state",
        "Binding.type",
        "Constraint.polarity",
        "Constraint.state",
        "Constraint.strength",
        "Effect.class",
        "Effect.state",
        "Obligation.kind",
        "Obligation.state",
        "Span.evidential_class",
        "Span.origin",
        "Span.zone",
        "Unknown.what",
    ]
    assert found["Constraint.strength"] == ("hard", "soft")
    assert found["Span.zone"] == ("instructions", "carrier", "split_pair", "")
    assert found["Span.origin"] == ("system", "developer", "user", "agent", "tool_result", "retrieved_content")
    assert found["Effect.state"][-1] == "quarantined"


@pytest.mark.parametrize("doc", ["the tool's name", "", "its name, or nothing", "one", "a or b, perhaps"])
def test_prose_is_no_list_of_values(doc: str) -> None:
    assert documented_values(Field("x", "string", doc)) == ()
    assert documented_values(Field("x", "int", "a, b or c")) == ()


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("span.fidelity.audited", 2),
        ("span.tokens > 3", 5),
        ("span.zone == 'carrier'", 2),
        ("span.effects.exists(e, e.unsettled)", 4),
        ("span.fidelity.audited && span.workload.evidence_demand", 4),
    ],
)
def test_a_record_for_every_combination_of_what_a_condition_looks_at(
    records: Callable[..., Records], condition: str, count: int
) -> None:
    made = records(condition)
    found = [repr(record) for record in made]
    assert (made.total, made.is_complete, len(found), len(set(found))) == (count, True, count, count)


@pytest.mark.parametrize(
    "condition",
    [
        "span.id.matches('a+')",
        "span.tokens / 3 > 4",
        "span.id < 'm'",
        "span.start < span.end",
        "size(span.effects) > 400",
        "span.effects.exists(e, e.id == 'a' && e.tool == 'b' && e.key == 'c' && e.target == 'd' && e.class == 'keyed' && e.held)",
    ],
)
def test_where_not_every_combination_is_tried_the_records_say_so(records: Callable[..., Records], condition: str) -> None:
    made = records(condition)
    assert not made.is_complete
    assert len(list(made)) <= MAX_RECORDS


def test_every_record_is_a_valid_one(records: Callable[..., Records], schema: RecordSchema) -> None:
    made = records(
        "span.effects.exists(e, e.state == 'started' && e.message > 3) && 'x' in span.fidelity.preserve && span.id != 'a'"
    )
    paths = [(field.name,) for field in schema.types[ROOT].fields if field.type not in schema.types]
    reader = RecordReader(schema, paths)
    assert {reader.read(record).problem(paths) for record in made} == {""}


def test_the_records_come_in_the_same_order_in_every_run(records: Callable[..., Records]) -> None:
    condition = "span.effects.exists(e, e.state in ['started', 'partial']) || span.zone == 'carrier'"
    assert list(records(condition)) == list(records(condition))
