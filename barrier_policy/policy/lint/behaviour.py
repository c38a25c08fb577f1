"""What a rule does on the records that it can tell apart: whether it can hold, fail and err, and which clauses count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from barrier_policy.policy.cel.engine import FAILED, Engine, Failed, Program, Value
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.cel.syntax import LOGIC, Node
from barrier_policy.policy.lint.records import MAX_RECORDS, Records, generate
from barrier_policy.policy.lint.source import Behaviour, SourceExpression, SourceFile, SourceRule, Sources

MAX_CLAUSES = 16
"""Of one condition that are tried; each costs an evaluation on every record until it was seen to count."""

_CAN_ERR = {"index", "/", "%", "*", "+", "-", "negate"}


def observe(file: SourceFile, rule: SourceRule, sources: Sources) -> Behaviour | None:
    """The behaviour of a rule; None where its expressions are not right. The same for both engines and every run."""
    key = (file.name, rule.node.path)
    if key not in sources.behaviours:
        sources.behaviours[key] = _observe(file, rule, sources) if rule.is_checked else None
    return sources.behaviours[key]


def observe_when(file: SourceFile, sources: Sources) -> Behaviour | None:
    """The behaviour of the `when` of an exception; None where it has none, or it is not right."""
    when = file.when
    if when is None or when.checked is None or when.checked.type != "bool":
        return None
    condition = msgspec.structs.replace(when, key="condition")
    return observe(file, SourceRule(id="", node=when.node, fields={}, expressions=(condition,), scope=when.scope), sources)


def always_true(seen: Behaviour) -> bool:
    """Whether a condition is true on every record that it can tell apart."""
    return seen.is_complete and seen.holds and not seen.fails and not seen.errs


def _observe(file: SourceFile, rule: SourceRule, sources: Sources) -> Behaviour:
    records = generate(rule.expressions, file.variables, sources.schema)
    return _Observer(rule, sources.engine, records).behaviour()


class _Observer:
    def __init__(self, rule: SourceRule, engine: Engine, records: Records) -> None:
        self.engine = engine
        self.records = records
        self.condition = next(found for found in rule.expressions if found.key == "condition")
        explanation = rule.expression("explanation")
        self.evidence = [_program(engine, found) for found in rule.expressions if found.key == "evidence"]
        self.explanation = _program(engine, explanation) if explanation and can_err(explanation) else None

    def behaviour(self) -> Behaviour:
        run = _program(self.engine, self.condition)
        active = list(islice(_without_clause(self.engine, self.condition), MAX_CLAUSES))
        seen: set[Value | Failed] = set()
        explanation_errs = cites_nothing = False
        for record in self.records:
            bound = self.engine.bind(record)
            value = run(bound)
            assert not isinstance(value, list)
            seen.add(value)
            active = [(clause, other) for clause, other in active if other(bound) == value]
            if value is True:
                explanation_errs = explanation_errs or (self.explanation is not None and self.explanation(bound) is FAILED)
                cites_nothing = cites_nothing or (bool(self.evidence) and self._cites_nothing(bound))
        return Behaviour(
            records=min(self.records.total, MAX_RECORDS),
            is_complete=self.records.is_complete,
            holds=True in seen,
            fails=False in seen,
            errs=FAILED in seen,
            explanation_errs=explanation_errs,
            cites_nothing=cites_nothing,
            idle=tuple(clause for clause, _ in active),
        )

    def _cites_nothing(self, bound: Any) -> bool:
        return not any(isinstance(found, list) and found for found in (run(bound) for run in self.evidence))


def can_err(expression: SourceExpression) -> bool:
    """Whether an expression has an operator that can fail on a valid record, itself or in a variable that it uses."""
    if any(node.op in _CAN_ERR for node in expression.walk()):
        return True
    return bool(expression.checked and "[" in expression.checked.cel)


def _program(engine: Engine, expression: SourceExpression) -> Program:
    assert expression.checked is not None
    return engine.compile(expression.checked.cel)


def _without_clause(engine: Engine, condition: SourceExpression) -> Iterator[tuple[Node, Program]]:
    """Each operand of an `&&` or `||`, with the condition as it would be without it."""
    for connective in condition.walk():
        for clause in connective.args if connective.op in LOGIC else ():
            neutral = "true" if connective.op == "&&" else "false"
            text = condition.text[: clause.start] + neutral + condition.text[clause.end :]
            tree, problems = parse_expression(text)
            if tree is not None and not problems:
                yield clause, engine.compile(condition.scope.write_out(text, tree))


def words(expression: SourceExpression, node: Node) -> str:
    """A piece of an expression, on one line."""
    return " ".join(expression.text[node.start : node.end].split())
