from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cases import run_cases
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.coverage import measure
from barrier_policy.policy.loader import load_policies
from barrier_policy.policy.model import Mode, PolicySet

SHOP = Path(__file__).parent / "data" / "shop"
HEAD = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: side-effects\ncases:\n"


@pytest.fixture
def shop(schema: RecordSchema, engine: Engine) -> PolicySet:
    return load_policies([SHOP], schema, engine)


def case(name: str, span: str, expect: str, more: str = "", rule: str = "effects.keep-unsettled") -> str:
    return f"  - {{name: {name}, rule: {rule}, span: {span}, expect: {expect}{more}}}\n"


def test_the_cases_beside_the_policies_pass_in_both_engines(shop: PolicySet, engine: Engine) -> None:
    results = run_cases(shop, engine, [SHOP])
    assert [result.message for result in results if not result.passed] == []
    assert len(results) == 9
    assert {result.case.policy for result in results} == {"side-effects"}


def test_every_rule_must_be_shown_true_false_and_in_error(shop: PolicySet, engine: Engine) -> None:
    missing = measure(shop.rules(), run_cases(shop, engine, [SHOP / "side-effects_test.yaml"])).missing()
    assert [issue.message for issue in missing if "keep-unknown` has no case with outcome" in issue.message] == [
        f"rule `evidence.keep-unknown` has no case with outcome `{outcome}` (add one to the `_test.yaml` beside it)"
        for outcome in ("error", "false", "true")
    ]
    assert {issue.file for issue in missing} == {f"{SHOP}/evidence.yaml"}
    assert {issue.message.split("`")[1].split(".")[0] for issue in missing} == {"evidence"}


@pytest.mark.parametrize(
    ("span", "expect", "message"),
    [
        (
            "{effects: [{unsettled: true}]}",
            "{outcome: false}",
            "outcome is true, not false",
        ),
        ("{effects: []}", "{outcome: true}", "outcome is false, not true"),
        (
            "{effects: [{id: a, unsettled: true}, {id: b, unsettled: true}]}",
            "{outcome: true, evidence: [b, a]}",
            "evidence is [a, b], not [b, a]",
        ),
        ("{}", "{outcome: false, verdict: opportunity}", "verdict is barrier, not opportunity (no permit is true)"),
        (
            "{effects: [{id: a, unsettled: true}]}",
            "{outcome: true, verdict: opportunity}",
            "verdict is barrier, not opportunity (by effects.keep-unsettled)",
        ),
    ],
)
def test_a_case_that_fails_says_what_differs(
    write: Callable[..., Path], shop: PolicySet, engine: Engine, span: str, expect: str, message: str
) -> None:
    path = write(HEAD + case("c", span, expect), "x_test.yaml")
    (result,) = run_cases(shop, engine, [path])
    assert (result.passed, result.message, result.case.line) == (False, message, 5)


@pytest.mark.parametrize(("mode", "cites"), [(Mode.SHADOW, "[]"), (Mode.WARN, "[a]")])
def test_a_case_of_a_rule_that_counts_for_nothing_says_in_which_mode_it_is(
    write: Callable[..., Path], shop: PolicySet, engine: Engine, mode: Mode, cites: str
) -> None:
    policies = tuple(
        replace(policy, rules=tuple(replace(rule, mode=mode) for rule in policy.rules)) for policy in shop.policies
    )
    expect = "{outcome: true, verdict: opportunity, evidence: [b]}"
    path = write(HEAD + case("c", "{effects: [{id: a, unsettled: true}]}", expect), "x_test.yaml")
    (result,) = run_cases(replace(shop, policies=policies), engine, [path])
    rule = f"`effects.keep-unsettled` is in mode {mode} and counts for nothing"
    assert result.message.endswith(f"evidence is {cites}, not [b]; {rule}")


def test_a_malformed_case_says_why_the_rule_errs(write: Callable[..., Path], shop: PolicySet, engine: Engine) -> None:
    path = write(HEAD + case("c", "{effects: many}", "{outcome: false}", ", malformed: true"), "x_test.yaml")
    (result,) = run_cases(shop, engine, [path])
    assert result.message == "outcome is error, not false (`span.effects` is not a list(Effect) of at most 1,000 items)"


BROKEN = """\
apiVersion: barrier-policy/v1
kind: PolicyTest
policy: side-effects
cases:
  - name: misspelt
    rule: effects.keep-unsetled
    span: {efects: [], effects: [{stat: started}], provenance: {url: x}}
    expect: {outcome: maybe, verdict: free, evidence: e1}
  - name: mistyped
    rule: effects.keep-unsettled
    span: {tokens: many, effects: {}, fidelity: {preserve: [1]}, provenance: 3}
    expect: {outcome: "true"}
  - name: incomplete
    expects: {}
  - name: unknown fields are refused in a malformed case too
    rule: effects.keep-unsettled
    malformed: true
    span: {efects: 1}
    expect: {outcome: error}
"""


def test_all_mistakes_in_cases_are_reported_at_once_each_at_its_place(
    write: Callable[..., Path], shop: PolicySet, engine: Engine
) -> None:
    path = write(BROKEN, "broken_test.yaml")
    with pytest.raises(PolicyError) as caught:
        run_cases(shop, engine, [path])
    how = "(a case that shows an error needs `malformed: true`)"
    needed = "(needed: expect, name, rule, span)"
    assert str(caught.value).splitlines() == [
        f"{path}:{line}"
        for line in [
            "6:11: policy `side-effects` has no rule `effects.keep-unsetled` (did you mean `effects.keep-unsettled`?)",
            "7:12: `Span` has no field `efects` (did you mean `effects`?)",
            "7:35: `Effect` has no field `stat` (did you mean `state`?)",
            "7:65: `Provenance` has no field `url` (known: present, retrievable, uri)",
            "8:23: `maybe` where one of error, false, true is needed",
            "8:39: `free` where one of barrier, opportunity is needed",
            "8:55: a text where a list of names is needed",
            f"11:20: a text where an int is needed {how}",
            f"11:35: a mapping where a list(Effect) is needed {how}",
            f"11:61: the number 1 where a string is needed {how}",
            f"11:78: the number 3 where a Provenance is needed {how}",
            f"13:5: the case has no `expect` {needed}",
            f"13:5: the case has no `rule` {needed}",
            f"13:5: the case has no `span` {needed}",
            "14:5: unknown key `expects` (did you mean `expect`?)",
            "18:12: `Span` has no field `efects` (did you mean `effects`?)",
        ]
    ]


def test_an_unknown_policy_and_a_file_that_is_no_test_are_issues(
    write: Callable[..., Path], shop: PolicySet, engine: Engine
) -> None:
    unknown = write("apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: side-effect\ncases: []\n", "a_test.yaml")
    other = write("apiVersion: barrier-policy/v1\nkind: Policy\npolicy: evidence\ncases: []\n", "b_test.yaml")
    with pytest.raises(PolicyError) as caught:
        run_cases(shop, engine, [unknown.parent, unknown.parent / "c_test.yaml"])
    assert str(caught.value).splitlines() == [
        f"{unknown}:3:9: unknown policy `side-effect` (did you mean `side-effects`?)",
        f"{other}:2:7: `Policy` where `PolicyTest` is needed",
        f"{unknown.parent}/c_test.yaml: can't be read (no such file or directory)",
    ]


def test_fields_that_a_case_leaves_out_are_empty_and_not_missing(
    write: Callable[..., Path], load: Callable[..., PolicySet], rule: Callable[..., str], python_engine: Engine
) -> None:
    empty = "span.tokens == 0 && span.id == '' && !span.provenance.present && size(span.fidelity.preserve) == 0 && span.effects[0].key == ''"
    policies = load(rule("a.b", empty))
    text = """\
        apiVersion: barrier-policy/v1
        kind: PolicyTest
        policy: sample
        cases: [{name: empty, rule: a.b, span: {effects: [{}]}, expect: {outcome: true}}]
    """
    (result,) = run_cases(policies, python_engine, [write(dedent(text), "x_test.yaml")])
    assert result.passed, result.message
