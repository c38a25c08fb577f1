"""The tables of docs/policies.md and of editors have what conditions may use, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barrier_policy.policy.cel.subset import CALLS, LOOPS, METHODS, parse_expression
from barrier_policy.policy.lint import editor

PAGE = Path(__file__).parents[2] / "docs" / "policies.md"


OPERATORS = {
    "!": "!span.id",
    "? :": "true ? 1 : 2",
    "in": "1 in [1]",
    **{sign: f"span.a {sign} span.b" for sign in ("&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
}
"""All that CEL has, each as it is used."""


def row(name: str) -> set[str]:
    """The words of a row of the table of what is allowed."""
    line = re.search(rf"^\| {name} \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert line is not None
    return {word.replace("\\|", "|") for word in re.findall("`([^`]+)`", line[1])}


def known(expression: str) -> set[str]:
    """What the message about an unknown function says is known."""
    _, (problem,) = parse_expression(expression)
    found = re.search(r"\(known: (.*)\)", problem.message)
    assert found is not None
    return set(found[1].split(", "))


def test_the_documented_functions_are_those_that_messages_call_known() -> None:
    assert row("functions") | row("loops") == known("upper(span.id)") | known("span.id.zzz()")


def test_the_documented_rows_are_what_the_parser_takes() -> None:
    assert row("loops") == set(LOOPS)
    assert row("functions") == {*CALLS, *METHODS}
    assert row("operators") == OPERATORS.keys()


@pytest.mark.parametrize("expression", OPERATORS.values())
def test_every_documented_operator_is_taken(expression: str) -> None:
    assert parse_expression(expression)[1] == ()


def test_editors_complete_and_explain_every_function_and_loop() -> None:
    assert set(editor.LOOPS) == set(LOOPS)
    assert set(editor.FUNCTIONS) == {*CALLS, "span", "variables"}
    assert set(editor.METHODS) == set(METHODS) - {"size"}
