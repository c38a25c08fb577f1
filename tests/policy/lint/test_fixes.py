"""What `--fix` writes lints clean and means the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.lint.model import LintRule
from barrier_policy.policy.lint.records import generate
from barrier_policy.policy.lint.run import RULES, fix, lint
from barrier_policy.policy.lint.source import Sources
from barrier_policy.policy.loader import load_policies
from barrier_policy.policy.model import PolicySet

from .example import HEAD, policy_file

Read = Callable[..., Sources]
FIXABLE = [rule for rule in RULES if rule.fix]


@pytest.fixture
def fixed(sources: Read) -> Callable[..., str]:
    """The text of a file after all rounds of fixes."""

    def run(text: str, *select: str) -> str:
        for _ in range(5):
            read = sources({"example.yaml": text}, alone=True)
            (file,) = read.linted()
            text, before = fix(file, lint(read, select=select)), text
            if text == before:
                break
        return text

    return run


@pytest.fixture
def loaded(tmp_path: Path, schema: RecordSchema, any_engine: Engine) -> Callable[[str], PolicySet]:
    def load(text: str) -> PolicySet:
        path = tmp_path / "loaded.yaml"
        path.write_bytes(text.encode("utf-8"))
        return load_policies([path], schema, any_engine)

    return load


def test_three_rules_have_a_fix() -> None:
    assert [rule.id for rule in FIXABLE] == ["redundant-comparison", "untidy-layout", "unused-variable"]


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.id)
def test_the_bad_example_of_a_rule_with_a_fix_lints_clean_afterwards(
    rule: LintRule, sources: Read, fixed: Callable[..., str]
) -> None:
    text = fixed(policy_file(rule.bad))
    assert text != policy_file(rule.bad)
    assert lint(sources({"example.yaml": text}, alone=True), ignore=["missing-case"]) == ()


@pytest.mark.parametrize(
    "text",
    [
        policy_file(next(rule.bad for rule in RULES if rule.id == "unused-variable")),
        policy_file("severity: high").replace("\n", "\r\n"),
        policy_file("severity: high").replace("\n", "  \n").rstrip(),
        policy_file("severity: high").replace("rules:", "# a comment \t\nrules:\n\n  \n"),
    ],
)
def test_a_change_of_layout_keeps_the_digest(
    text: str, fixed: Callable[..., str], loaded: Callable[[str], PolicySet]
) -> None:
    assert fixed(text) != text
    assert loaded(fixed(text)).digest == loaded(text).digest


def test_blanks_that_are_part_of_a_text_stay(fixed: Callable[..., str], loaded: Callable[[str], PolicySet]) -> None:
    text = (
        policy_file("severity: high")
        .replace("why: The", "why: |\n      Two blanks:  \n      The")
        .replace("id: ex", "id:   ex")
    )
    text = text.replace("effect: barrier", "effect: barrier   ")
    assert "Two blanks:  \n" in fixed(text)
    assert "barrier   " not in fixed(text)
    assert loaded(fixed(text)).digest == loaded(text).digest


def test_no_fix_is_promised_for_blanks_that_stay(sources: Read, fixed: Callable[..., str]) -> None:
    text = policy_file("severity: high").replace("why: The", "why: |\n      Two blanks:  \n      The")
    text = text.replace("effect: barrier", "effect: barrier   ")
    blanks, part = lint(sources({"example.yaml": text}, alone=True), select=["untidy-layout"])
    assert blanks.edits and not part.edits and part.message.endswith("(it may be a part of a text: `--fix` leaves it)")
    left = lint(sources({"example.yaml": fixed(text)}, alone=True), select=["untidy-layout"])
    assert [found.edits for found in left] == [()]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"span.fidelity.audited == true"', '"span.fidelity.audited"'),
        ('"span.fidelity.audited == false"', '"!span.fidelity.audited"'),
        ('"span.fidelity.audited != true && span.tokens > 3"', '"!span.fidelity.audited && span.tokens > 3"'),
        ('"span.fidelity.audited != false"', '"span.fidelity.audited"'),
        ("'(span.tokens > 3) == false'", "'!(span.tokens > 3)'"),
        ('"span.tokens > 3 == true"', '"span.tokens > 3"'),
        ("span.fidelity.audited == true", "span.fidelity.audited"),
        ("span.fidelity.audited == false", "span.fidelity.audited == false"),
    ],
)
def test_a_comparison_with_a_boolean_becomes_the_boolean(
    written: str,
    expected: str,
    sources: Read,
    fixed: Callable[..., str],
    loaded: Callable[[str], PolicySet],
    any_engine: Engine,
) -> None:
    before = policy_file(f"condition: {written}\nevidence:")
    after = fixed(before, "redundant-comparison")
    assert f"condition: {expected}\n" in after
    read = sources({"example.yaml": before}, alone=True)
    ((file, rule),) = read.rules()
    old, new = (Evaluator(loaded(text), any_engine) for text in (before, after))
    records = list(generate(rule.expressions, file.variables, read.schema))
    assert len(records) > 1
    assert [old.evaluate(record).outcomes for record in records] == [new.evaluate(record).outcomes for record in records]


def test_of_several_variables_only_the_unused_ones_go(fixed: Callable[..., str]) -> None:
    variables = (
        "variables:\n"
        '  - name: first\n    expression: "span.tokens > 1"\n'
        '  - {name: second, expression: "span.tokens > 2"}\n'
        '  - name: third\n    expression: "variables.second"\n'
        '  - {name: fourth, expression: "variables.first"}\n'
    )
    text = fixed(policy_file(variables + 'condition: "variables.third"'), "unused-variable")
    assert "name: second" in text and "name: third" in text
    assert "first" not in text and "fourth" not in text


@pytest.mark.parametrize(
    ("used", "kept", "gone"),
    [("second", ("second one", "the rules"), ("first one",)), ("first", ("first one", "the rules"), ("second one",))],
)
def test_a_variable_goes_with_its_own_comment_and_with_no_other(
    fixed: Callable[..., str], used: str, kept: tuple[str, ...], gone: tuple[str, ...]
) -> None:
    variables = (
        "variables:\n"
        "  # the first one\n  # in two lines\n"
        '  - name: first\n    expression: "span.tokens > 1"\n    # still of the first one\n'
        "  # the second one\n"
        '  - {name: second, expression: "span.tokens > 2"}\n'
    )
    before = policy_file(variables + f'condition: "variables.{used}"').replace("rules:", "# the rules\nrules:")
    after = fixed(before, "unused-variable")
    assert all(words in after for words in kept) and not any(words in after for words in gone)


def test_what_can_not_be_put_right_safely_stays(fixed: Callable[..., str]) -> None:
    text = HEAD + "variables: [{name: large, expression: span.tokens > 4000}]\nrules: []\n"
    assert fixed(text) == text
