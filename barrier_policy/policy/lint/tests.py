"""Lint rules about the cases of policies (`*_test.yaml`)."""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.lint.model import Hit, Level, at, lint_rule
from barrier_policy.policy.lint.source import Sources, fields_of, items_of, text_of
from barrier_policy.policy.yaml import Node

OUTCOMES = ("true", "false", "error")


def _cases(sources: Sources) -> Iterator[tuple[str, dict[str, Node]]]:
    """Every case with the name of its policy."""
    for file in sources.files:
        if file.kind == "PolicyTest":
            policy = text_of(file.fields.get("policy"))
            yield from ((policy, fields_of(node)) for node in items_of(file.fields.get("cases")))


def _outcome(case: dict[str, Node]) -> str:
    node = fields_of(case.get("expect")).get("outcome")
    return str(node.value).lower() if node is not None else ""


@lint_rule("missing-case", Level.WARNING)
def missing_case(sources: Sources) -> Iterator[Hit]:
    """No case shows a rule true, false or in error.

    Why: A rule that nobody has seen to fire may not fire. Error is an outcome too: it binds, and that is worth seeing once.
    Bad:
        id: example.keep-untested
        #   ^
    Good:
        id: example.keep-something
    """
    shown = {(text_of(case.get("rule")), _outcome(case)) for _, case in _cases(sources)}
    for _, rule in sources.rules():
        absent = [outcome for outcome in OUTCOMES if (rule.id, outcome) not in shown]
        if rule.id and absent:
            yield at(rule.place, f"no case shows `{rule.id}` with outcome {', '.join(absent)} (add one to the `_test.yaml`)")


@lint_rule("unknown-rule", Level.ERROR)
def unknown_rule(sources: Sources) -> Iterator[Hit]:
    """A case, an exception or a patch is about a rule or policy that does not exist.

    Why: It shows nothing, and the rule that it was written for has perhaps been renamed without it.
    Bad:
        apiVersion: barrier-policy/v1
        kind: PolicyTest
        policy: example
        cases:
          - name: a_payment_stays
            rule: example.keep-payment
        #         ^
            span: {}
            expect: {outcome: "false"}
    Good:
        apiVersion: barrier-policy/v1
        kind: PolicyTest
        policy: example
        cases:
          - name: a_payment_stays
            rule: example.keep-something
            span: {}
            expect: {outcome: "false"}
    """
    yield from _changed_rules(sources)
    if any(file.document is None for file in sources.files):  # the rules of a file that can't be read are not known
        return
    rules = [rule.id for _, rule in sources.all_rules()]
    policies = [
        text_of(fields_of(file.fields.get("metadata")).get("name")) for file in sources.files if file.kind == "Policy"
    ]
    for file in sources.linted("PolicyTest"):
        policy = file.fields.get("policy")
        if policy is not None and policy.value not in policies:
            yield at(policy, f"unknown policy `{policy.value}` {suggestion(str(policy.value), policies)}")
        for case in items_of(file.fields.get("cases")):
            rule = fields_of(case).get("rule")
            if rule is not None and rule.value not in rules:
                yield at(rule, f"unknown rule `{rule.value}` {suggestion(str(rule.value), rules)}")


def _changed_rules(sources: Sources) -> Iterator[Hit]:
    """The unknown rules of exceptions, which may be of any folder, and of patches, which may not be of a later one."""
    for file in sources.linted():
        name = file.fields.get("rule")
        if file.kind not in ("Exception", "Patch") or name is None or not text_of(name):
            continue
        patch = file.kind == "Patch"
        of_files = [below for below in sources.files if not patch or below.layer <= file.layer]
        known = [rule.id for below in of_files for rule in below.rules]
        if all(below.document is not None for below in of_files) and name.value not in known:
            what = "no folder below has a rule" if patch else "unknown rule"
            yield at(name, f"{what} `{name.value}` {suggestion(str(name.value), known)}")


@lint_rule("duplicate-case", Level.WARNING)
def duplicate_case(sources: Sources) -> Iterator[Hit]:
    """Two cases of one file have the same name.

    Why: A report names the case that failed; a reader would open the wrong one.
    Bad:
        apiVersion: barrier-policy/v1
        kind: PolicyTest
        policy: example
        cases:
          - {name: nothing, rule: example.keep-something, span: {}, expect: {outcome: "false"}}
          - {name: nothing, rule: example.keep-something, span: {tokens: 3}, expect: {outcome: "false"}}
        #          ^
    Good:
        apiVersion: barrier-policy/v1
        kind: PolicyTest
        policy: example
        cases:
          - {name: nothing, rule: example.keep-something, span: {}, expect: {outcome: "false"}}
          - {name: talk, rule: example.keep-something, span: {tokens: 3}, expect: {outcome: "false"}}
    """
    for file in sources.linted("PolicyTest"):
        seen: dict[str, Node] = {}
        for case in items_of(file.fields.get("cases")):
            name = fields_of(case).get("name")
            if name is not None and isinstance(name.value, str):
                earlier = seen.setdefault(name.value, name)
                if earlier is not name:
                    yield at(name, f"case `{name.value}` already stands at line {earlier.line}")


RULES = (missing_case, unknown_rule, duplicate_case)
