"""Coverage and mutants: what cases show of rules, and which changes of a rule none of them notices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.cases.run import case_row
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.case_file import read_test_files
from barrier_policy.policy.cases import judge_cases
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.coverage import Coverage, measure
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.model import PolicySet
from barrier_policy.policy.mutants import Mutation, mutants_of, run_mutants

HEAD = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: sample\n"
LARGE = "span.tokens > 10 && !span.provenance.present"


@pytest.fixture
def large(load: Callable[..., PolicySet], rule: Callable[..., str]) -> PolicySet:
    return load(rule("a.large", LARGE))


def cases(*lines: str) -> str:
    return HEAD + "cases:\n" + "".join(f"  - {{name: c{n}, rule: a.large, {line}}}\n" for n, line in enumerate(lines))


ENOUGH = (
    "span: {tokens: 11}, expect: {outcome: true}",
    "span: {tokens: 10}, expect: {outcome: false}",
    "span: {tokens: 11, provenance: {present: true}}, expect: {outcome: false}",
    "malformed: true, span: {tokens: many}, expect: {outcome: error}",
)


def covered(policies: PolicySet, engine: Engine, path: Path) -> Coverage:
    found = read_test_files(policies, [path]).cases
    return measure(policies.rules(), judge_cases(Evaluator(policies, engine), found))


def mutated(policies: PolicySet, engine: Engine, path: Path) -> Mutation:
    files = read_test_files(policies, [path])
    return run_mutants(policies, policies.rules(), engine, files.cases, files.explained)


def test_each_rule_is_to_be_seen_true_false_and_in_error_and_each_clause_both_ways(
    write: Callable[..., Path], large: PolicySet, engine: Engine
) -> None:
    coverage = covered(large, engine, write(cases(*ENOUGH[:2]), "x_test.yaml"))
    assert (coverage.shown, coverage.points) == (5, 7)
    assert [issue.message for issue in coverage.missing()] == [
        "rule `a.large` has no case with outcome `error` (add one to the `_test.yaml` beside it)",
        "rule `a.large` has no case where `!span.provenance.present` is false",
    ]
    place = coverage.missing()[1]
    line = Path(place.file).read_text().splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith("!span.provenance.present")
    assert covered(large, engine, write(cases(*ENOUGH), "x_test.yaml")).percent == 100


def test_a_case_that_fails_shows_nothing(write: Callable[..., Path], large: PolicySet, engine: Engine) -> None:
    failing = cases("span: {tokens: 9}, expect: {outcome: true}")
    assert covered(large, engine, write(failing, "x_test.yaml")).shown == 0


def test_the_mutants_of_a_rule_differ_in_one_thing_each(large: PolicySet, schema: RecordSchema) -> None:
    ((policy, rule),) = large.rules()
    assert {mutant.mutation: mutant.rule.condition.cel for mutant in mutants_of(policy, rule, schema)} == {
        "drop `span.tokens > 10`": "((!span.provenance.present))",
        "drop `!span.provenance.present`": "((span.tokens > 10))",
        "negate `span.tokens > 10`": "!(span.tokens > 10) && !span.provenance.present",
        "negate `!span.provenance.present`": "span.tokens > 10 && !(!span.provenance.present)",
        f"`&&` to `||` in `{LARGE}`": "((span.tokens > 10) || (!span.provenance.present))",
        "`>` to `>=` in `span.tokens > 10`": "((span.tokens) >= (10)) && !span.provenance.present",
        "effect barrier to permit": LARGE,
        "mode enforce to shadow": LARGE,
    }


def test_clauses_inside_loops_are_mutated_and_loops_too(
    load: Callable[..., PolicySet], rule: Callable[..., str], schema: RecordSchema
) -> None:
    policies = load(rule("a.loop", "span.effects.exists(e, e.unsettled && e.tool == 'x') || span.bindings.all(b, b.open)"))
    ((policy, found),) = policies.rules()
    names = [mutant.mutation for mutant in mutants_of(policy, found, schema)]
    assert [name for name in names if name.startswith("drop")] == [
        "drop `span.effects.exists(e, e.unsettled && e.tool == 'x')`",
        "drop `span.bindings.all(b, b.open)`",
        "drop `e.unsettled`",
        "drop `e.tool == 'x'`",
    ]
    assert "`exists` to `all` in `span.effects.exists(e, e.unsettled && e.tool == 'x')`" in names
    assert "`all` to `exists` in `span.bindings.all(b, b.open)`" in names
    assert "negate `b.open`" in names


def test_equal_changes_at_two_places_have_two_names(
    load: Callable[..., PolicySet], rule: Callable[..., str], schema: RecordSchema
) -> None:
    policies = load(rule("a.twice", "(span.tokens == 1 && span.start == 1) || (span.tokens == 1 && span.end == 1)"))
    ((policy, found),) = policies.rules()
    names = [mutant.mutation for mutant in mutants_of(policy, found, schema)]
    assert len(set(names)) == len(names)
    assert {"drop `span.tokens == 1`", "drop `span.tokens == 1` #2"} <= set(names)


def test_what_no_case_notices_survives(write: Callable[..., Path], large: PolicySet, engine: Engine) -> None:
    found = mutated(large, engine, write(cases(*ENOUGH), "x_test.yaml"))
    assert found.mutants == 8
    assert [survivor.mutation for survivor in found.survivors] == ["effect barrier to permit", "mode enforce to shadow"]
    assert found.unexplained == found.survivors
    fewer = mutated(large, engine, write(cases(*ENOUGH[:1]), "x_test.yaml"))
    assert "drop `!span.provenance.present`" in [survivor.mutation for survivor in fewer.survivors]


def test_a_survivor_may_be_explained_and_an_explanation_of_none_is_stale(
    write: Callable[..., Path], large: PolicySet, engine: Engine
) -> None:
    explained = (
        "explained:\n"
        "  - {rule: a.large, mutation: effect barrier to permit, why: no permit is in this set}\n"
        "  - {rule: a.large, mutation: drop it all, why: a slip}\n"
    )
    found = mutated(large, engine, write(cases(*ENOUGH) + explained, "x_test.yaml"))
    assert [survivor.mutation for survivor in found.unexplained] == ["mode enforce to shadow"]
    assert found.survivors[0].why == "no permit is in this set"
    assert [entry.mutation for entry in found.stale] == ["drop it all"]


def test_a_condition_that_is_too_long_to_be_read_again_is_named(
    write: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    terms = " || ".join(f"span.id == '{'x' * 80}{number}'" for number in range(18))
    policies = load_policies([write(_long(terms), "long.yaml")], schema, python_engine)
    found = run_mutants(policies, policies.rules(), python_engine, (), ())
    assert (found.mutants, found.too_long) == (2, ("a.large",))


def _long(terms: str) -> str:
    return (
        "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: sample, version: 1.0.0, owner: platform}\n"
        f'variables: [{{name: long, expression: "{terms}"}}]\n'
        "rules:\n  - {id: a.large, effect: barrier, severity: low, summary: s, why: w, references: [r], "
        'condition: "variables.long || variables.long || span.tokens > 1"}\n'
    )


def test_the_shipped_policies_are_fully_covered_and_every_mutant_is_noticed_or_explained(
    schema: RecordSchema, engine: Engine
) -> None:
    folder = shipped_policies()
    policies = load_policies([folder], schema, engine)
    assert [str(issue) for issue in covered(policies, engine, folder).missing()] == []
    found = mutated(policies, engine, folder)
    assert found.mutants > 100
    assert [(survivor.rule, survivor.mutation) for survivor in found.unexplained] == []
    assert (found.stale, found.too_long) == ((), ())


def test_engines_that_disagree_are_a_failure(
    write: Callable[..., Path], load: Callable[..., PolicySet], rule: Callable[..., str], python_engine: Engine
) -> None:
    path = write(cases("span: {tokens: 11}, expect: {outcome: true}"), "x_test.yaml")
    told = []
    for condition in (LARGE, "span.tokens > 11"):  # what two engines would have to see differently
        policies = load(rule("a.large", condition))
        (case,) = read_test_files(policies, [path]).cases
        told += judge_cases(Evaluator(policies, python_engine), [case])
    assert case_row((told[0], told[0])).message == ""
    assert case_row((told[0], told[1])).message == "the engines disagree: as expected / outcome is false, not true"
