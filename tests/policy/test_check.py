"""The subset and the type check, as one table of expressions and what is said about them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.facts.model import Attribute, FactKind
from barrier_policy.join.schema import RecordSchema, build_schema
from barrier_policy.policy.cel.check import MAX_CEL_LENGTH, MAX_DEPTH, MAX_LOOPS, check
from barrier_policy.policy.cel.scope import Scope, Variable
from barrier_policy.policy.cel.subset import MAX_LENGTH, parse_expression
from barrier_policy.policy.cel.syntax import clauses


def typed(text: str, scope: Scope) -> Variable | list[str]:
    """The checked expression, or its problems as `line:column: message`."""
    node, problems = parse_expression(text)
    checked = None
    if node is not None:
        checked, more = check(text, node, scope)
        problems = [*problems, *more]
    if problems:
        return [f"{_place(text, problem.offset)}: {problem.message}" for problem in sorted(problems)]
    assert checked is not None
    return checked


def _place(text: str, offset: int) -> str:
    """An offset as `line:column`, both from 1."""
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


@pytest.mark.parametrize(
    ("text", "type_name"),
    [
        ("true", "bool"),
        ("span.tokens", "int"),
        ("-span.tokens + 2 * 3 - 4 / 5 % 6", "int"),
        ("'a' + span.id + string(span.tokens)", "string"),
        ("span.provenance", "Provenance"),
        ("span.provenance.retrievable", "bool"),
        ("span.effects", "list(Effect)"),
        ("span.effects[0].class", "string"),
        ("span.effects.filter(e, e.unsettled && e.state in ['started', 'partial'])", "list(Effect)"),
        ("span.effects.map(e, e.id)", "list(string)"),
        ("span.effects.map(e, e)", "list(Effect)"),
        ("span.effects.exists(e, e.held) || span.bindings.all(b, b.open)", "bool"),
        ("span.bindings.exists_one(b, b.name == 'port')", "bool"),
        ("size(span.effects) > 0 ? 'some' : 'none'", "string"),
        ("span.id.matches('^s[0-9]+$') && 'é' < span.id", "bool"),
        ("'decisions' in span.fidelity.preserve", "bool"),
        ("has(span.zone) && !has(span.provenance.uri)", "bool"),
        ("span.effects // trailing words\n.size() == 0", "bool"),
        ("(span.effects).exists(e, ((e.held)))", "bool"),
        ("[true, false][1]", "bool"),
        (r"'it\'s' + '\\d' + '\n'", "string"),
    ],
)
def test_a_good_expression_has_a_type(schema: RecordSchema, text: str, type_name: str) -> None:
    checked = typed(text, Scope(schema))
    assert isinstance(checked, Variable), checked
    assert checked.type == type_name


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("span.tokns > 1", ["1:6: `Span` has no field `tokns` (did you mean `tokens`?)"]),
        ("span.effects.exists(e, e.sate == 'x')", ["1:26: `Effect` has no field `sate` (did you mean `state`?)"]),
        ("span.effects.state", ["1:14: `span.effects` is a list(Effect) and has no field `state` (use exists, all, filter or an index)"]),
        ("span.id.size", ["1:9: `span.id` is a string and has no field `size` (only records have fields)"]),
        ("spam.id == 'x'", ["1:1: unknown name `spam` (did you mean `span`?)"]),
        ("span == 1", ["1:1: `span` can't stand alone (write `span.` and a field)"]),
        ("variables", ["1:1: `variables` can't stand alone (write `variables.` and a field)"]),
        ("span.tokens == 'x'", ["1:1: `==` joins an int and a string (both sides must have the same type)"]),
        ("span.effects == span.effects", ["1:1: `==` does not work on a list(Effect) (it works on bool, int, string)"]),
        ("span.provenance == span.provenance", ["1:1: `==` does not work on a Provenance (it works on bool, int, string)"]),
        ("true < false", ["1:1: `<` does not work on a bool (it works on int, string)"]),
        ("span.effects + span.effects", ["1:1: `+` does not work on a list(Effect) (it works on int, string)"]),
        ("'a' - 'b'", ["1:1: `-` does not work on a string (it works on int)"]),
        ("-'a'", ["1:1: `-` does not work on a string (it works on int)"]),
        ("!span.tokens", ["1:2: `span.tokens` is an int (it must be a bool)"]),
        ("span.tokens && span.id", ["1:1: `span.tokens` is an int (it must be a bool)", "1:16: `span.id` is a string (it must be a bool)"]),
        ("true ? 1 : 'x'", ["1:1: `?:` joins an int and a string (both sides must have the same type)"]),
        ("span.id ? 1 : 2", ["1:1: `span.id` is a string (it must be a bool)"]),
        ("1 in ['a']", ["1:1: `in` looks for an int in a list(string)"]),
        ("'x' in span.effects", ["1:8: `span.effects` is a list(Effect) (`in` needs a list of strings, ints or bools)"]),
        ("'x' in span.id", ["1:8: `span.id` is a string (`in` needs a list of strings, ints or bools)"]),
        ("[1, 'a']", ["1:1: the list mixes int, string (all must be strings, or ints, or bools)"]),
        ("[]", ["1:1: an empty list has no type (compare `size` with 0)"]),
        ("span.effects.exists(e, e.id)", ["1:24: the body of `exists` is a string (it must be a bool)"]),
        ("span.effects.map(e, [1])", ["1:21: `map` can't make lists of lists"]),
        ("span.id.exists(e, true)", ["1:1: `span.id` is a string (`exists` needs a list)"]),
        ("span.effects.exists(span, true)", ["1:21: `span` can't name an item (use a short lower-case name)"]),
        ("span.effects.exists(for, true)", ["1:21: `for` can't name an item (use a short lower-case name)"]),
        ("span.effects.exists(e.x, true)", ["1:21: `e.x` can't name an item (use a short lower-case name)"]),
        ("span.effects.exists(e)", ["1:1: `exists` takes a variable and an expression"]),
        ("span.effects.map(e, e.held, e.id)", ["1:1: `map` takes a variable and an expression"]),
        (
            "span.effects.exists(e, span.bindings.exists(b, b.id == e.key))",
            ["1:1: a loop inside a loop is not allowed (use `in`, or a field that the record already has joined)"],
        ),
        ("span.effects[-1].id == 'a'", ["1:14: an index must be a whole number from 0 (use exists, all or filter to search)"]),
        ("span.effects[span.start].id == 'a'", ["1:14: an index must be a whole number from 0 (use exists, all or filter to search)"]),
        ("span['id'] == 'a'", ["1:1: `span` can't stand alone (write `span.` and a field)", "1:6: an index must be a whole number from 0 (use exists, all or filter to search)"]),
        ("span.id[0]", ["1:1: `span.id` is a string (only lists have an index)"]),
        ("size(span.tokens)", ["1:1: `size` of an int (it needs a string or a list)"]),
        ("size()", ["1:1: `size` has the wrong number of arguments (write `size(x)`)"]),
        ("span.id.contains('a', 'b')", ["1:1: `contains` has the wrong number of arguments (write `x.contains(y)`)"]),
        ("span.tokens.contains('a')", ["1:1: `span.tokens` is an int (it must be a string)"]),
        ("string(true)", ["1:1: `string` of a bool (it needs an int; a bool can be spelt out with `? :`)"]),
        ("contains(span.id, 'a')", ["1:1: unknown function `contains` (write it after its value: `x.contains(…)`)"]),
        ("int('1') > 0", ["1:1: unknown function `int` (known: has, size, string)"]),
        ("span.id.reduce(a, b, 1, 2)", ["1:9: unknown function `reduce` (known: all, contains, endsWith, exists, exists_one, filter, map, matches, size, startsWith)"]),
        ("span.id.matches(span.zone)", ["1:17: the pattern of `matches` must be a string in quotes"]),
        ("span.id.matches('(')", ["1:17: `(` is no RE2 pattern"]),
        ("has(span)", ["1:1: `has` takes a field, as in `has(span.id)`"]),
        ("1.5 > 1", ["1:1: fractions are not allowed (use whole numbers)"]),
        ("1u > 1", ["1:1: unsigned numbers are not allowed (leave out the `u`)"]),
        ("0x10 > 1", ["1:1: `0x10` is no decimal whole number of 64 bits"]),
        ("9223372036854775808 > 1", ["1:1: `9223372036854775808` is no decimal whole number of 64 bits"]),
        ("span.id == null", ['1:12: null is not allowed (absent values are `""`, 0, false or an empty list)']),
        ("{'a': 1}.a == 1", ["1:1: maps are not allowed (use the fields of the record)"]),
        ("Effect{id: 'x'}.id == 'x'", ["1:1: message literals are not allowed"]),
        (".span.id == 'x'", ["1:1: a leading `.` is not allowed"]),
        ("b'a' == b'b'", ["1:1: bytes are not allowed (use a string)", "1:9: bytes are not allowed (use a string)"]),
        ("r'a' == 'b'", ["1:1: raw strings are not allowed (double each `\\`)"]),
        ("'''a''' == 'b'", ["1:1: triple quotes are not allowed (use a string in single or double quotes)"]),
        (r"'\d' == 'b'", [r"1:2: unknown escape `\d` (known: \\ \' \" \n \r \t)"]),
        ("span.tokens >", ["1:13: syntax error (this is no CEL expression)"]),
        ("a payment", ["1:3: syntax error (this is no CEL expression; a text needs quotes)"]),
        ("it's one, and a second.", ["1:3: syntax error (this is no CEL expression; a text needs quotes)"]),
        ("span.tokens = 3", ["1:13: syntax error (compare with `==`)"]),
        ("span.fidelity.audited and true", ["1:23: syntax error (write `&&`)"]),
        ("true or false", ["1:6: syntax error (write `||`)"]),
        ("not span.fidelity.audited", ["1:5: syntax error (write `!`)"]),
        ("span.id == “x”", ["1:12: syntax error (use straight quotes)"]),
        ("'not' + 'and' (", ["1:15: syntax error (this is no CEL expression)"]),
        ("'x' + span.tokens", ["1:1: `+` joins a string and an int (`string(x)` makes a number a text)"]),
        ("true\n  && &&", ["2:6: syntax error (this is no CEL expression)"]),
        ("a.for == 1", ["1:1: unknown name `a` (known: span, variables; a text needs quotes)"]),
        ("", ["1:1: the expression is empty"]),
        ("  // nothing", ["1:1: syntax error (this is no CEL expression)"]),
        ("true" + " " * MAX_LENGTH, [f"1:1: the expression has {MAX_LENGTH + 4:,} characters (at most {MAX_LENGTH:,})"]),
        ("(" * 500 + "true" + ")" * 500, ["1:1: the expression is nested too deeply (split it into variables)"]),
        ("(" * MAX_DEPTH + "true" + ")" * MAX_DEPTH, [f"1:1: the expression is nested {MAX_DEPTH + 1} deep with its variables (at most {MAX_DEPTH})"]),
        (
            " || ".join(["span.effects.exists(e, e.held)"] * (MAX_LOOPS + 1)),
            [f"1:1: the expression has {MAX_LOOPS + 1} loops with its variables (at most {MAX_LOOPS})"],
        ),
    ],
)  # fmt: skip
def test_what_is_not_in_the_subset_or_has_no_type_is_refused_with_its_place(
    schema: RecordSchema, text: str, problems: list[str]
) -> None:
    assert typed(text, Scope(schema)) == problems


def test_one_mistake_is_one_message_however_much_stands_around_it(schema: RecordSchema) -> None:
    text = "size(span.efects.filter(e, e.foo == 1).map(e, e.bar)) + 1 > 2 && !span.x ? 'a' : string(span.y)"
    problems = typed(text, Scope(schema))
    assert isinstance(problems, list)
    assert [problem.split(": ")[1].split(" (")[0] for problem in problems] == [
        "`Span` has no field `efects`",
        "`Span` has no field `x`",
        "`Span` has no field `y`",
    ]


def test_variables_are_written_out_and_bring_their_reads_depth_and_loops(schema: RecordSchema) -> None:
    first = typed("span.effects.filter(e, e.held) // the held ones", Scope(schema))
    assert isinstance(first, Variable)
    checked = typed("size(variables.held) > span.tokens", Scope(schema, {"held": first}))
    assert isinstance(checked, Variable)
    assert checked.cel == "size((span.effects.filter(e, e.held)\n)) > span.tokens"
    assert checked.reads == (("effects",), ("tokens",))
    assert (checked.loops, checked.depth) == (1, first.depth + 3)


def test_a_variable_with_a_loop_can_not_hide_a_loop_inside_a_loop(schema: RecordSchema) -> None:
    held = typed("span.effects.exists(e, e.held)", Scope(schema))
    assert isinstance(held, Variable)
    problems = typed("span.bindings.exists(b, variables.held)", Scope(schema, {"held": held}))
    assert problems == ["1:1: a loop inside a loop is not allowed (use `in`, or a field that the record already has joined)"]


def test_variables_can_not_grow_an_expression_without_limit(schema: RecordSchema) -> None:
    variables: dict[str, Variable] = {}
    text = "span.tokens"
    for number in range(40):
        checked = typed(text, Scope(schema, dict(variables)))
        if isinstance(checked, list):
            break
        assert len(checked.cel) <= MAX_CEL_LENGTH
        variables[f"v{number}"] = checked
        text = f"variables.v{number} + variables.v{number}"
    else:
        pytest.fail("doubling variables were never refused")


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("span.provenance.uri == 'x'", [("provenance", "uri")]),
        ("has(span.provenance.uri)", [("provenance", "uri")]),
        ("span.effects.exists(e, e.provenance == span.id)", None),
        ("span.effects.exists(e, e.tool == span.id)", [("effects",), ("id",)]),
        ("span.effects[0].id == 'x'", [("effects",)]),
        ("(true ? span.provenance : span.provenance).uri == 'x'", [("provenance",)]),
        ("span.fidelity.preserve.exists(p, p == 'x')", [("fidelity", "preserve")]),
        ("1 > 0", []),
    ],
)
def test_what_an_expression_reads_is_known_as_deep_as_records_go(
    schema: RecordSchema, text: str, reads: list[tuple[str, ...]] | None
) -> None:
    checked = typed(text, Scope(schema))
    assert (None if isinstance(checked, list) else list(checked.reads)) == reads


def test_the_schema_of_a_plugin_namespace_is_checked_like_ours() -> None:
    kind = FactKind(name="build.red_run", doc="d", attributes=(Attribute(name="jobs", type="list(string)", doc="d"),))
    scope = Scope(build_schema([kind]))
    good = typed("span.build.red_run.exists(r, 'lint' in r.jobs && !r.held)", scope)
    assert isinstance(good, Variable)
    assert good.reads == (("build", "red_run"),)
    assert typed("span.build.red_runs.exists(r, true)", scope) == [
        "1:12: `span.build` has no field `red_runs` (did you mean `red_run`?)"
    ]
    assert typed("span.build.red_run.exists(r, 'lint' in r.job)", scope) == [
        "1:42: `span.build.red_run` has no field `job` (did you mean `jobs`?)"
    ]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("span.tokens > 1", ["span.tokens > 1"]),
        ("true && (span.tokens > 1 || !(false && true))", ["true", "span.tokens > 1", "!(false && true)"]),
        ("(true == false) && true", ["(true == false)", "true"]),
        ("((true || false))", ["true", "false"]),
        ("true ? true : false", ["true ? true : false"]),
    ],
)
def test_a_condition_falls_into_the_clauses_of_its_outermost_logic(text: str, pieces: list[str]) -> None:
    node, problems = parse_expression(text)
    assert node is not None and not problems
    assert [text[clause.start : clause.end] for clause in clauses(node)] == pieces


TOKENS = [
    "span", ".", "effects", "tokens", "id", "exists", "map", "has", "size", "matches", "variables", "e", "true", "false", "null", "in",
    "(", ")", "[", "]", "{", "}", ",", ":", "?", "!", "-", "+", "*", "/", "%", "&&", "||", "==", "<", "0", "1", "1.5", "2u", "0x1",
    "'a'", '"b"', "'it\\'s'", "r'\\'", "b'x'", "'''q'''", "'(", "//c", "\n", " ", "é", "\0", "for",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(words=st.lists(st.sampled_from(TOKENS), max_size=14))
def test_any_text_gives_a_type_or_problems_inside_the_text_and_never_an_exception(
    schema: RecordSchema, words: list[str]
) -> None:
    text = "".join(words)
    node, problems = parse_expression(text)
    if node is not None:
        checked, more = check(text, node, Scope(schema))
        problems = [*problems, *more]
        assert checked is not None or problems
    assert node is not None or problems
    assert all(0 <= problem.offset <= len(text) for problem in problems), problems
