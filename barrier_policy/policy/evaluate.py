"""The evaluator: one span record × policies → one verdict, the same for the same input whichever engine evaluates.

Pure: no clock, files, environment, logging or plugins. Every rule is evaluated, never only up to the first answer.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from copy import copy
from typing import Any, NamedTuple

import msgspec

from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.judged_expression import JudgedSpan, remember
from barrier_policy.policy.judged_rule import JudgedRule, JudgedWaiver
from barrier_policy.policy.model import Expression, Mode, PolicySet, Rule, Waiver
from barrier_policy.policy.record import RecordReader
from barrier_policy.policy.verdict import (
    AppliedException,
    Clause,
    Outcome,
    Reason,
    RuleError,
    RuleOutcome,
    Verdict,
    VerdictKind,
    bars,
    combine,
    permits,
)


class Evaluator:
    """Judges span records by one policy set. No exception is in force until `at` says when it is."""

    def __init__(self, policies: PolicySet, engine: Engine) -> None:
        self._engine = engine
        rules = [rule for _, rule in policies.rules()]
        expressions = [expression for rule in rules for expression in _expressions(rule)]
        expressions += [waiver.when for waiver in policies.exceptions if waiver.when]
        self._seen = sorted({path for rule in rules for path in rule.condition.reads})
        self._reader = RecordReader(
            policies.schema,
            (path for expression in expressions for path in expression.reads),
            (rule.condition.cel for rule in rules),
        )
        self._rules = tuple(
            JudgedRule(policy, rule, self._reader, policies.schema, engine) for policy, rule in policies.rules()
        )
        self._waivers = tuple(JudgedWaiver(waiver, engine) for waiver in policies.exceptions)
        self._in_force: Mapping[str, tuple[JudgedWaiver, ...]] = {}
        self._memo: dict[tuple[Hashable, ...], _Judged] = {}

    def at(self, now: str, *, transcript: str = "") -> Evaluator:
        """This evaluator with the exceptions that are in force at a time (ISO 8601, UTC) for a transcript, given by its digest."""
        found = copy(self)
        found._in_force = _by_rule(judged for judged in self._waivers if judged.is_open(now, transcript))
        return found

    def judge(self, record: Mapping[str, Any], digest: str = "") -> VerdictKind:
        """The verdict alone, without its reasons. `digest` is that of the span's original, which exceptions may name."""
        span = JudgedSpan(self._reader.read(record), self._engine, digest)
        return self._judged(span).verdict

    def exceptions(self, record: Mapping[str, Any], digest: str = "") -> tuple[AppliedException, ...]:
        """The exceptions that keep true barriers from binding a span."""
        if not self._in_force:
            return ()
        span = JudgedSpan(self._reader.read(record), self._engine, digest)
        return self._applied(self._judged(span).outcomes)

    def evaluate(self, record: Mapping[str, Any], digest: str = "") -> Verdict:
        """The verdict of one span record, a dict with the fields of `Span`. What fails is an outcome, not an exception."""
        span = JudgedSpan(self._reader.read(record), self._engine, digest)
        judged = self._judged(span)
        reasons: list[Reason] = []
        warnings: list[Reason] = []
        errors: list[RuleError] = []
        for rule, found in judged.speaking:
            if found.outcome is Outcome.ERROR:
                errors.append(rule.error("condition", found.message))
            else:
                (warnings if found.mode is Mode.WARN else reasons).append(rule.reason(span, errors))
                if self._in_force and bars(found):
                    errors += [rule.error("exception", text) for text in self._failures(found.rule, span)]
        return Verdict(
            verdict=judged.verdict,
            default_barrier=judged.is_default,
            reasons=tuple(reasons),
            warnings=tuple(warnings),
            errors=tuple(errors),
            exceptions=self._applied(judged.outcomes),
            outcomes=judged.outcomes,
        )

    def _judged(self, span: JudgedSpan) -> _Judged:
        """What every rule says, and what follows. The one place where exceptions are applied."""
        sights = span.reading.sights
        key = tuple([sights[path] for path in self._seen])
        found = self._memo.get(key)
        if found is None:
            found = self._conclude(tuple(rule.outcome(span) for rule in self._rules))
            remember(self._memo, key, found, span, self._seen)
        if self._in_force:
            return self._conclude(tuple(self._excepted(outcome, span) for outcome in found.outcomes))
        return found

    def _conclude(self, outcomes: tuple[RuleOutcome, ...]) -> _Judged:
        verdict, is_default = combine(outcomes)
        decides = permits if verdict is VerdictKind.OPPORTUNITY else bars
        speaking = tuple(
            (rule, found)
            for rule, found in zip(self._rules, outcomes, strict=True)
            if (found.outcome is Outcome.ERROR and found.mode is Mode.ENFORCE)
            or (found.outcome is Outcome.TRUE and (decides(found) or found.mode is Mode.WARN))
        )
        return _Judged(outcomes, verdict, is_default, speaking)

    def _excepted(self, found: RuleOutcome, span: JudgedSpan) -> RuleOutcome:
        """A true barrier that an exception covers no longer binds. One in error does: unknown protects."""
        if found.outcome is Outcome.TRUE and bars(found):
            for judged in self._in_force.get(found.rule, ()):
                if judged.covers(span):
                    return msgspec.structs.replace(found, exception=judged.waiver.name)
        return found

    def _applied(self, outcomes: Iterable[RuleOutcome]) -> tuple[AppliedException, ...]:
        return tuple(
            _applied(judged.waiver)
            for found in outcomes
            if found.exception
            for judged in self._in_force[found.rule]
            if judged.waiver.name == found.exception
        )

    def _failures(self, rule: str, span: JudgedSpan) -> list[str]:
        return [text for judged in self._in_force.get(rule, ()) if (text := judged.failure(span))]

    def clauses(self, record: Mapping[str, Any], rules: Collection[str] | None = None) -> dict[str, tuple[Clause, ...]]:
        """What each clause of a condition says about a record, in the order of the text, by rule id: for all rules, or for those in `rules`."""
        span = JudgedSpan(self._reader.read(record), self._engine)
        return {rule.id: rule.clauses(span) for rule in self._rules if rules is None or rule.id in rules}


class _Judged(NamedTuple):
    """What all rules say about a span, and what follows: its verdict, and the rules that are heard, as reason, warning or error."""

    outcomes: tuple[RuleOutcome, ...]
    verdict: VerdictKind
    is_default: bool
    speaking: tuple[tuple[JudgedRule, RuleOutcome], ...]


def _by_rule(waivers: Iterable[JudgedWaiver]) -> dict[str, tuple[JudgedWaiver, ...]]:
    found: dict[str, tuple[JudgedWaiver, ...]] = {}
    for judged in waivers:
        found[judged.waiver.rule] = (*found.get(judged.waiver.rule, ()), judged)
    return found


def _applied(waiver: Waiver) -> AppliedException:
    return AppliedException(
        name=waiver.name, rule=waiver.rule, owner=waiver.owner, reason=waiver.reason, expires=waiver.expires
    )


def _expressions(rule: Rule) -> Iterable[Expression]:
    return (rule.condition, *((rule.explanation,) if rule.explanation else ()), *rule.evidence)
