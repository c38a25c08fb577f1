"""Each lint rule finds what its page shows as bad, at the place that the page points at, and nothing in what it shows as good."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.lint.behaviour import observe
from barrier_policy.policy.lint.model import Finding, Level, LintRule, lint_rule
from barrier_policy.policy.lint.run import RULES, lint, read_sources
from barrier_policy.policy.lint.source import Sources
from barrier_policy.policy.loader import shipped_policies

from .example import HEAD, cases_file, pointed_at, policy_file

Lint = Callable[[str], list[Finding]]
Read = Callable[..., Sources]
ids = {"ids": lambda rule: rule.id}


@pytest.mark.parametrize("rule", RULES, **ids)
def test_the_bad_example_is_reported_once_at_its_place_and_nothing_else_is(rule: LintRule, lint_example: Lint) -> None:
    found = lint_example(rule.bad)
    assert [(one.rule, one.level, (one.line, one.column)) for one in found] == [(rule.id, rule.level, pointed_at(rule.bad))]


@pytest.mark.parametrize("rule", RULES, **ids)
def test_the_good_example_is_not_reported(rule: LintRule, lint_example: Lint) -> None:
    assert lint_example(rule.good) == []


@pytest.mark.parametrize("rule", RULES, **ids)
def test_a_rule_has_a_kebab_id_and_says_what_and_why_in_sentences(rule: LintRule) -> None:
    assert re.fullmatch("[a-z]+(-[a-z]+)+", rule.id)
    assert rule.summary.endswith(".") and rule.why.endswith((".", ")."))


def test_ids_are_unique_and_sorted() -> None:
    names = [rule.id for rule in RULES]
    assert names == sorted(set(names))
    assert len(names) >= 25


def test_a_rule_without_examples_is_refused() -> None:
    def check(sources: Sources) -> None:
        """Nothing.

        Why: Because.
        """

    with pytest.raises(ValueError, match="has no bad, good"):
        lint_rule("some-rule", Level.INFO)(check)  # type: ignore[arg-type]


def test_the_shipped_policies_lint_clean(schema: object, any_engine: Engine) -> None:
    found = lint(read_sources([shipped_policies()], schema, any_engine, today="2026-01-01"))  # type: ignore[arg-type]
    assert [str(one) for one in found] == []


def test_three_mistakes_in_three_rules_are_reported_in_one_run(sources: Read) -> None:
    text = HEAD + "rules:\n" + "".join(
        f"  - id: example.{name}\n    effect: barrier\n    severity: high\n    summary: A.\n    why: B.\n"
        f"    references: [c]\n    since: 1.0.0\n    condition: {condition}\n    explanation: \"'d'\"\n"
        for name, condition in (
            ("one", "span.tokns > 3"),
            ("two", "'span.tokens > \"3\"'"),
            ("three", "span.id.begins('a')"),
        )
    )  # fmt: skip
    found = lint(sources({"a.yaml": text}), ignore=["missing-case"])
    assert [(one.line, one.column, one.rule, one.message) for one in found] == [
        (12, 21, "unknown-fact", "`Span` has no field `tokns` (did you mean `tokens`?)"),
        (21, 17, "type-mismatch", "`>` joins an int and a string (both sides must have the same type)"),
        (
            30,
            24,
            "outside-subset",
            "unknown function `begins` (known: all, contains, endsWith, exists, exists_one, filter, map, matches, size, startsWith)",
        ),
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("span.tokens > 5 && span.tokens < 3", "contradictory-condition"),
        ("span.tokens > 5 && span.tokens < 7", None),
        ("span.tokens < 0", "contradictory-condition"),
        ("span.tokens >= 3 || span.tokens < 3", "always-true-barrier"),
        ("size(span.unknowns) > 3 && size(span.unknowns) < 5", None),
        ("size(span.unknowns) > 3 && size(span.unknowns) < 4", "contradictory-condition"),
        ("span.zone == 'carrier' && span.zone == 'instructions'", "contradictory-condition"),
        ("span.zone in ['carrier', 'instructions'] && span.zone != 'carrier'", None),
        ("span.id.startsWith('ab') && span.id.endsWith('cd')", None),
        ("span.id.startsWith('ab') && span.id.contains('cd') && span.zone == 'carrier'", None),
        ("span.id.matches('^x[0-9]{4}$')", None),
        ("span.tokens * 7 == 21", None),
        ("span.end - span.start > 40", None),
        ("span.effects.exists(e, e.tool == 'a') && span.effects.exists(e, e.tool == 'b')", None),
        ("span.effects.exists_one(e, e.unsettled) && span.effects.exists(e, !e.unsettled)", None),
        ("span.effects.all(e, e.unsettled) && span.effects.exists(e, !e.unsettled)", "contradictory-condition"),
        ("span.effects.exists(e, e.unsettled || e.held && e.unsettled)", "unreachable-clause"),
        ("span.effects.exists(e, e.unsettled) && size(span.effects) > 0", "unreachable-clause"),
        ("span.tokens > 50 || span.tokens > 100", "unreachable-clause"),
        ("span.tokens > 50 || span.zone == 'carrier'", None),
        ("size(span.unknowns) > 0 && span.unknowns[0].what == 'orphan_result'", None),
        ("span.unknowns.exists(u, u.what == 'orphan_result') && span.unknowns[1].detail == 'x'", "unguarded-index"),
        ("'bindings' in span.fidelity.preserve && !('decisions' in span.fidelity.preserve)", None),
        ("10 / span.tokens > 2", "unguarded-index"),
    ],
)
def test_what_a_condition_does_is_tried_on_records_that_it_can_tell_apart(
    sources: Read, condition: str, expected: str | None
) -> None:
    text = policy_file(f'condition: "{condition}"\nevidence:')
    about = {"contradictory-condition", "always-true-barrier", "unreachable-clause", "unguarded-index"}
    found = [one for one in lint(sources({"a.yaml": text})) if one.rule in about]
    assert sorted({one.rule for one in found}) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("span.unknowns[0].what == 'orphan_result'", "guard it with `size(…) > n &&`"),
        ("10 / span.tokens > 2", "guard it with `… != 0 &&`"),
        ("10 % span.tokens > 2", "guard it with `… != 0 &&`"),
        ("variables.share > 2", "guard its variables, and keep its numbers small"),
    ],
)
def test_what_can_err_is_told_with_the_guard_that_it_needs(sources: Read, condition: str, hint: str) -> None:
    variables = 'variables:\n  - {name: share, expression: "10 / span.tokens"}\n'
    text = policy_file(f'{variables}condition: "{condition}"\nevidence:')
    (found,) = lint(sources({"a.yaml": text}), select=["unguarded-index"])
    assert found.message.endswith(f"({hint})")


def test_a_value_of_a_variable_is_seen_through(sources: Read) -> None:
    variables = "variables:\n  - {name: bad, expression: \"span.effects.filter(e, e.state == 'partial' && e.held)\"}\n"
    condition = "condition: \"variables.bad.exists(e, e.state == 'started')\"\nevidence: variables.bad"
    found = lint(sources({"a.yaml": policy_file(variables + condition)}), select=["contradictory-condition"])
    assert len(found) == 1


@pytest.mark.parametrize("rule", RULES, **ids)
def test_both_engines_see_the_same(rule: LintRule, sources: Read, python_engine: Engine, fast_engine: Engine) -> None:
    text = policy_file(rule.bad)
    seen = []
    for engine in (python_engine, fast_engine):
        read = sources({"example.yaml": text}, engine=engine)
        seen.append([observe(file, found, read) for file, found in read.rules()])
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: [",
        "7",
        "kind: Policy",
        "apiVersion: barrier-policy/v2\nkind: Policy\nmetadata: {}\nrules: {}\n",
        HEAD + "rules: [3]\n",
        HEAD + "variables: [{name: 3, expression: span.id}]\nrules: []\n",
        HEAD + "rules: []\nmore: 1\n",
        policy_file("condition: true"),
        policy_file("condition: >\n  span.tokens > 3"),
        policy_file("severity: worst"),
        policy_file("evidence: span.id"),
    ],
)
def test_what_the_loader_refuses_the_linter_reports(sources: Read, text: str) -> None:
    read = sources({"a.yaml": text})
    assert [one for one in lint(read) if one.level is Level.ERROR]


def test_a_file_that_is_no_text_is_reported_and_does_not_stop_the_others(sources: Read, tmp_path: Path) -> None:
    sources({"b.yaml": policy_file("condition: span.tokns > 3")})
    (tmp_path / "team" / "a.yaml").write_bytes(b"\xff\xfe")
    found = lint(sources({}), ignore=["missing-case"])
    assert [(Path(one.file).name, one.rule) for one in found] == [("a.yaml", "invalid-policy"), ("b.yaml", "unknown-fact")]


def test_a_comment_excuses_its_line_or_the_next_one_from_one_rule(sources: Read) -> None:
    bad = 'condition: "span.tokens < 0"'
    text = policy_file(bad)
    after = text.replace(bad, f"{bad}  # lint-ignore: contradictory-condition (a place-holder)")
    above = text.replace(bad, f"# lint-ignore: missing-case, contradictory-condition\n    {bad}")
    other = text.replace(bad, f"{bad}  # lint-ignore: unknown-fact")
    counts = [len(lint(sources({"a.yaml": one}), select=["contradictory-condition"])) for one in (text, after, above, other)]
    assert counts == [1, 0, 0, 1]


def test_files_below_are_known_and_not_linted(sources: Read) -> None:
    text = policy_file("id: effects.unsettled")
    assert [one.rule for one in lint(sources({"a.yaml": text}), ignore=["missing-case"])] == ["loosens-locked-rule"]
    assert lint(sources({"a.yaml": text, "a_test.yaml": cases_file(text)}, alone=True)) == ()


def test_select_and_ignore_choose_rules(sources: Read) -> None:
    read = sources({"a.yaml": policy_file("since:\nexplanation:")})
    assert {one.rule for one in lint(read)} == {"missing-since", "missing-explanation", "missing-case"}
    assert {one.rule for one in lint(read, select=["missing-since", "missing-case"], ignore=["missing-case"])} == {
        "missing-since"
    }
