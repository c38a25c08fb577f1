"""What may follow in an expression that is being written, and what its words stand for."""

from __future__ import annotations

import pytest

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.lint.editor import LOOPS, Words, expression_before


@pytest.fixture
def words(schema: RecordSchema) -> Words:
    return Words(schema, {"open": "list(Effect)", "large": "bool"})


@pytest.mark.parametrize(
    ("before", "some"),
    [
        ("span.", {"tokens", "effects", "provenance"}),
        ("size(span.", {"tokens"}),
        ("span.tokens > 3 && span.provenance.", {"present", "retrievable", "uri"}),
        ("span.provenance.retr", {"retrievable"}),
        ("variables.", {"open", "large"}),
        ("variables.open.", set(LOOPS)),
        ("variables.open[0].", {"tool", "state"}),
        ("span.effects.exists(e, e.", {"unsettled", "class"}),
        ("span.effects.exists(e, e.unsettled && e.", {"unsettled"}),
        ("span.bindings.exists(b, b.open) && span.effects.all(b, b.", {"receipt_needed"}),
        ("variables.open.filter(o, o.", {"target"}),
        ("span.effects[0].tool.", {"startsWith", "contains"}),
        ("span.effects.exists(e, ", {"e", "span", "variables", "size"}),
        ("", {"span", "variables"}),
        ("span.unknowns[variables.open[0].", {"tool"}),
    ],
)
def test_what_may_follow_is_what_the_record_has(words: Words, before: str, some: set[str]) -> None:
    found = {field.name for field in words.completions(before)}
    assert some <= found
    assert all(field.doc for field in words.completions(before))


@pytest.mark.parametrize("before", ["span.tokens.", "span.nothing.", "x.", "variables.none.", "3."])
def test_nothing_follows_what_has_no_fields(words: Words, before: str) -> None:
    assert words.completions(before) == ()


@pytest.mark.parametrize(
    ("before", "kind", "doc"),
    [
        ("span.effects", "list(Effect)", "effects of the span's calls"),
        ("span.effects.exists(e, e.state", "string", "intended, started"),
        ("span.effects.exists(e, e", "Effect", "an item of type Effect"),
        ("variables.open", "list(Effect)", "a variable"),
        ("variables.open[0].tool", "string", "the tool's name"),
        ("span", "Span", "the span"),
        ("span.effects[0].tool.startsWith", "", "begins with"),
        ("has", "", "whether a field is there"),
        ("span.effects.exists", "", "whether the condition holds of some item"),
    ],
)
def test_a_word_stands_for_what_the_record_says_of_it(words: Words, before: str, kind: str, doc: str) -> None:
    found = words.meaning(before)
    assert found is not None and found.type == kind and doc in found.doc


@pytest.mark.parametrize("before", ["", "span.", "nothing", "span.tokenz", "'text", "x.y"])
def test_other_words_stand_for_nothing(words: Words, before: str) -> None:
    assert words.meaning(before) is None


FILE = """\
metadata: {name: x}
variables:
  - {name: open, expression: "span.effects"}
rules:
  - id: a.b
    summary: span.
    condition: |
      size(variables.open) > 0
        && span.tokens

    evidence:
      - span.effects
    explanation: "'x'"
""".splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [
        (2, 42, ' "span.effects'),
        (2, 20, None),
        (5, 18, None),
        (7, 10, " |\n      size"),
        (8, 22, " |\n      size(variables.open) > 0\n        && span.tokens"),
        (11, 13, "\n      - span."),
        (12, 20, " \"'x"),
        (0, 3, None),
        (99, 0, None),
    ],
)
def test_an_expression_is_found_where_it_is_written(line: int, character: int, expected: str | None) -> None:
    assert expression_before(FILE, line, character) == expected


def test_long_lines_cost_no_time(words: Words) -> None:
    for text in ("a." * 500_000, "a[" * 500_000, "(" * 500_000, "x.exists(e," * 100_000, "[0]" * 300_000):
        words.completions(text)
        words.meaning(text)
