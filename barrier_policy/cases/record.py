"""Makes cases from decisions: what a rule said about a span of a real transcript, as the smallest record on which it says so again.

INVARIANT: a case has only the fields that the rule reads, and no secret. Ids and places of what is cited are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from barrier_policy.decision.assess import record_of
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.facts.secrets import redact
from barrier_policy.join.schema import EMPTY, ROOT, RecordSchema, element
from barrier_policy.policy.cases import cited_items
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.model import Rule
from barrier_policy.policy.verdict import Outcome, Verdict
from barrier_policy.walk import Analysis, Decider

NAMING = frozenset({"id", "what", "message"})
"""Fields by which an item is cited; kept whether or not the rule reads them."""


def record_case(decider: Decider, analysis: Analysis, number: int, rule_id: str) -> str:
    """A YAML case of a rule on one span of an analysis, to be put below `cases:` of the test file beside the rule.

    Raises BarrierPolicyError for an unknown rule, and where only a secret or something malformed made it say so.
    """
    rules = {rule.id: (policy, rule) for policy, rule in decider.policies.rules()}
    if rule_id not in rules:
        raise BarrierPolicyError(f"--rule: unknown rule `{rule_id}` {suggestion(rule_id, rules)}")
    policy, rule = rules[rule_id]
    whole = record_of(analysis.join, analysis.assessments[number])
    verdict = decider.evaluator.evaluate(whole)
    record = _without_secrets(_Reader(decider.policies.schema, rule).record(whole), analysis)
    record = _fewest_items(record, rule_id, verdict, decider)
    again = decider.evaluator.evaluate(decider.policies.schema.filled(record))
    if _said(again, rule_id) != _said(verdict, rule_id):
        raise BarrierPolicyError(f"rule `{rule_id}` rests on a secret or an unreadable field here (no case can show it)")
    span = analysis.assessments[number].span
    head = f"# policy: {policy.name}; from messages {span.start} to {span.end - 1}, decision {analysis.decision.decision_id}"
    return "\n".join([head, *_lines(_name(rule_id, again, span.start), rule_id, record, verdict, again)]) + "\n"


def _name(rule: str, verdict: Verdict, start: int) -> str:
    return f"{re.sub('[^a-z0-9]+', '_', rule)}_is_{_said(verdict, rule)[0]}_at_message_{start}"


def _said(verdict: Verdict, rule: str) -> tuple[Outcome, tuple[str, ...]]:
    """What a rule says: its outcome and what it cites."""
    outcome = next(found.outcome for found in verdict.outcomes if found.rule == rule)
    return outcome, cited_items(verdict, rule)


class _Reader:
    """Takes from records what a rule's condition and evidence read."""

    def __init__(self, schema: RecordSchema, rule: Rule) -> None:
        expressions = (rule.condition, *rule.evidence)
        self._schema = schema
        self._paths = sorted({path for expression in expressions for path in expression.reads})
        trees = (parse_expression(expression.cel)[0] for expression in expressions)
        nodes = (node for tree in trees if tree for node in tree.walk())
        self._fields = NAMING | {str(node.value) for node in nodes if node.op in ("has", "select")}

    def record(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a record, without empty values."""
        found: dict[str, Any] = {}
        for path in self._paths:
            value, type_name = _at(self._schema, whole, path)
            value = self._value(type_name, value)
            if value in ("", 0, [], {}, None):
                continue
            holder = found
            for name in path[:-1]:
                holder = holder.setdefault(name, {})
            holder[path[-1]] = value
        return found

    def _value(self, type_name: str, value: Any) -> Any:
        item = element(type_name)
        if item is not None:
            return [self._value(item, entry) for entry in value]
        if type_name in EMPTY:
            return value
        fields = {field.name: field.type for field in self._schema.types[type_name].fields}
        kept = {name: self._value(fields[name], value[name]) for name in fields if name in self._fields and name in value}
        return {name: entry for name, entry in kept.items() if entry not in ("", 0, [], {})}


def _at(schema: RecordSchema, record: Mapping[str, Any], path: Iterable[str]) -> tuple[Any, str]:
    """The value at a path, and its type."""
    value: Any = record
    type_name = ROOT
    for name in path:
        value = value.get(name)
        type_name = next(field.type for field in schema.types[type_name].fields if field.name == name)
        if value is None:
            return None if type_name in EMPTY else [] if element(type_name) else {}, type_name
    return value, type_name


def _fewest_items(record: dict[str, Any], rule: str, verdict: Verdict, decider: Decider) -> dict[str, Any]:
    """The record with only the cited items, where the rule says the same of it; else as it is."""
    said = _said(verdict, rule)
    if not said[1]:
        return record
    fewer = {name: _cited(value, said[1]) if isinstance(value, list) else value for name, value in record.items()}
    fewer = {name: value for name, value in fewer.items() if value != []}
    again = decider.evaluator.evaluate(decider.policies.schema.filled(fewer))
    return fewer if _said(again, rule) == said else record


def _cited(items: list[Any], names: tuple[str, ...]) -> list[Any]:
    return [item for item in items if not isinstance(item, dict) or {item.get("id"), item.get("what")} & {*names}]


def _without_secrets(record: dict[str, Any], analysis: Analysis) -> dict[str, Any]:
    def mask(value: Any, message: int) -> Any:
        if isinstance(value, str):
            return redact(analysis.masker.text(value, message))
        if isinstance(value, dict):
            place = value.get("message", message)
            return {name: mask(entry, place) for name, entry in value.items()}
        return [mask(entry, message) for entry in value] if isinstance(value, list) else value

    masked = mask(record, -1)
    assert isinstance(masked, dict)
    return masked


def _lines(name: str, rule: str, record: Mapping[str, Any], verdict: Verdict, again: Verdict) -> Iterator[str]:
    outcome, cited = _said(again, rule)
    expect: dict[str, Any] = {"outcome": str(outcome)}
    if again.verdict is verdict.verdict:
        expect["verdict"] = str(verdict.verdict)
    if cited:
        expect["evidence"] = list(cited)
    yield f"  - name: {name}"
    yield f"    rule: {rule}"
    yield "    span:" if record else "    span: {}"
    for field, value in record.items():
        if isinstance(value, list) and isinstance(value[0], dict):
            yield f"      {field}:"
            yield from (f"        - {flow(item)}" for item in value)
        else:
            yield f"      {field}: {flow(value)}"
    yield f"    expect: {flow(expect)}"


def flow(value: Any) -> str:
    """A value in YAML's flow style; every text in quotes, so that none is taken for something else."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {flow(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """A text in double quotes. What can't be printed is an escape of YAML's, which knows more of them than JSON."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else _escape(ord(char)) for char in escaped) + '"'


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
