"""Runs the cases of policies: `x_test.yaml` beside `x.yaml`, each a partial span record and what one rule says about it.

Fields that a case leaves out take their empty value. A field of a wrong type is only allowed in a case marked
`malformed: true`, to show that a rule binds when it can't be evaluated; a field that does not exist is never allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.errors import Issue, PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.check import ROOT, article, element
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.document import API_VERSION
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.loader import TEST_SUFFIX, read_document
from barrier_policy.policy.model import Policy, PolicySet, Rule
from barrier_policy.policy.shape import ShapeReader, kind
from barrier_policy.policy.verdict import Outcome, Verdict, VerdictKind
from barrier_policy.policy.yaml import Node

EMPTY: dict[str, Any] = {"string": "", "int": 0, "bool": False}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `verdict` and `evidence` are None where the case says nothing about them."""

    file: str
    line: int
    column: int
    name: str
    policy: str
    rule: str
    record: dict[str, Any]
    outcome: Outcome
    verdict: VerdictKind | None = None
    evidence: tuple[str, ...] | None = None


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a case went. `message` is empty where it passed, else what differed, with the clauses of the condition."""

    case: Case
    passed: bool
    message: str = ""


def run_cases(policies: PolicySet, engine: Engine, paths: Iterable[Path]) -> tuple[CaseResult, ...]:
    """The results of all cases of test files, or of all `*_test.yaml` in directories, in the order of the files.

    Raises PolicyError with every problem of the files themselves.
    """
    reader = _CaseReader(policies)
    issues: list[Issue] = []
    cases: list[Case] = []
    for path in paths:
        for file in sorted(path.glob("*" + TEST_SUFFIX)) if path.is_dir() else [path]:
            document = read_document(file, issues)
            if document is not None:
                cases += reader.cases(document)
    issues += reader.shape.issues
    if issues:
        raise PolicyError(issues)
    evaluator = Evaluator(policies, engine)
    rules = {rule.id: rule for _, rule in policies.rules()}
    return tuple(_run(case, rules[case.rule], evaluator) for case in cases)


def missing_cases(policies: PolicySet, results: Iterable[CaseResult]) -> tuple[Issue, ...]:
    """An issue for each rule and outcome that no passing case shows: every rule is seen true, false and in error."""
    seen = {(result.case.rule, result.case.outcome) for result in results if result.passed}
    return tuple(
        Issue(
            file=policy.file,
            line=rule.line,
            column=rule.column,
            message=f"rule `{rule.id}` has no case with outcome `{outcome}` (add one to the `{TEST_SUFFIX}` beside it)",
        )
        for policy, rule in policies.rules()
        for outcome in Outcome
        if (rule.id, outcome) not in seen
    )


def _run(case: Case, rule: Rule, evaluator: Evaluator) -> CaseResult:
    verdict = evaluator.evaluate(case.record)
    found = next(outcome for outcome in verdict.outcomes if outcome.rule == case.rule)
    differences = []
    if found.outcome is not case.outcome:
        clauses = evaluator.evaluate_clauses(rule, case.record)
        table = "; ".join(f"`{' '.join(clause.text.split())}` is {clause.outcome}" for clause in clauses)
        differences.append(f"outcome is {found.outcome}, not {case.outcome} ({found.message or table})")
    if case.verdict is not None and verdict.verdict is not case.verdict:
        differences.append(f"verdict is {verdict.verdict}, not {case.verdict} ({_deciding(verdict)})")
    cited = _cited(verdict, case.rule)
    if case.evidence is not None and cited != case.evidence:
        differences.append(f"evidence is {_names(cited)}, not {_names(case.evidence)}")
    return CaseResult(case=case, passed=not differences, message="; ".join(differences))


def _deciding(verdict: Verdict) -> str:
    rules = [reason.rule for reason in verdict.reasons] + [error.rule for error in verdict.errors]
    return f"by {', '.join(rules)}" if rules else "no permit is true"


def _cited(verdict: Verdict, rule: str) -> tuple[str, ...]:
    reasons = (*verdict.reasons, *verdict.warnings)
    return tuple(evidence.item for reason in reasons if reason.rule == rule for evidence in reason.evidence)


def _names(items: tuple[str, ...]) -> str:
    return f"[{', '.join(items)}]"


class _CaseReader:
    """Test files to cases; `shape.issues` has what is wrong with them."""

    def __init__(self, policies: PolicySet) -> None:
        self.shape = ShapeReader()
        self._policies = {policy.name: policy for policy in policies.policies}
        self._schema = policies.schema

    def cases(self, document: Node) -> list[Case]:
        fields = self.shape.fields(document, "test file", ("apiVersion", "cases", "kind", "policy"))
        self.shape.literal(fields.get("apiVersion"), API_VERSION)
        self.shape.literal(fields.get("kind"), "PolicyTest")
        name = self.shape.text(fields.get("policy"))
        policy = self._policies.get(name)
        if name and policy is None:
            self.shape.issues.append(fields["policy"].issue(f"unknown policy `{name}` {suggestion(name, self._policies)}"))
        if policy is None:
            return []
        return [self._case(node, policy) for node in self.shape.items(fields.get("cases"), "cases")]

    def _case(self, node: Node, policy: Policy) -> Case:
        fields = self.shape.fields(node, "case", ("expect", "name", "rule", "span"), ("malformed",))
        expected: dict[str, Node] = {}
        if "expect" in fields:
            expected = self.shape.fields(fields["expect"], "expectation", ("outcome",), ("evidence", "verdict"))
        rule = self.shape.text(fields.get("rule"))
        known = [rule.id for rule in policy.rules]
        if rule and rule not in known:
            self.shape.issues.append(
                fields["rule"].issue(f"policy `{policy.name}` has no rule `{rule}` {suggestion(rule, known)}")
            )
        evidence = expected.get("evidence")
        return Case(
            file=node.file,
            line=node.line,
            column=node.column,
            name=self.shape.text(fields.get("name")),
            policy=policy.name,
            rule=rule,
            record=self._record(fields.get("span"), self.shape.flag(fields.get("malformed"))),
            outcome=self._choice(expected.get("outcome"), Outcome.FALSE),
            verdict=self.shape.choice(expected["verdict"], VerdictKind, VerdictKind.BARRIER)
            if "verdict" in expected
            else None,
            evidence=tuple(self.shape.text(item) for item in self.shape.items(evidence, "names")) if evidence else None,
        )

    def _choice(self, node: Node | None, default: Outcome) -> Outcome:
        """An outcome; `true` and `false` are as good as `"true"` and `"false"`."""
        if node is not None and isinstance(node.value, bool):
            node = msgspec.structs.replace(node, value=str(node.value).lower())
        return self.shape.choice(node, Outcome, default)

    def _record(self, node: Node | None, malformed: bool) -> dict[str, Any]:
        record = _Filler(self._schema, self.shape, malformed).value(ROOT, node)
        return record if isinstance(record, dict) else {}


class _Filler:
    """Fills a partial record up to the full one of the schema."""

    def __init__(self, schema: RecordSchema, shape: ShapeReader, malformed: bool) -> None:
        self._schema = schema
        self._shape = shape
        self._malformed = malformed

    def value(self, type_name: str, node: Node | None) -> Any:
        if type_name in EMPTY:
            return EMPTY[type_name] if node is None else self._scalar(type_name, node)
        item = element(type_name)
        if item is not None:
            return self._items(type_name, item, node)
        fields = node.value if node else {}
        if not isinstance(fields, dict):
            return self._wrong(type_name, node)
        known = {field.name: field.type for field in self._schema.types[type_name].fields}
        for key, child in fields.items():
            if key not in known:
                self._shape.issues.append(child.key_issue(f"`{type_name}` has no field `{key}` {suggestion(key, known)}"))
        return {name: self.value(field_type, fields.get(name)) for name, field_type in known.items()}

    def _scalar(self, type_name: str, node: Node) -> Any:
        return node.value if type(node.value) is type(EMPTY[type_name]) else self._wrong(type_name, node)

    def _items(self, type_name: str, item: str, node: Node | None) -> Any:
        if node is None:
            return []
        if not isinstance(node.value, tuple):
            return self._wrong(type_name, node)
        return [self.value(item, child) for child in node.value]

    def _wrong(self, type_name: str, node: Node | None) -> Any:
        if node is not None and not self._malformed:
            how = "(a case that shows an error needs `malformed: true`)"
            self._shape.issues.append(node.issue(f"{kind(node)} where {article(type_name)} is needed {how}"))
        return _plain(node) if node else None


def _plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [_plain(child) for child in node.value]
    return node.value
