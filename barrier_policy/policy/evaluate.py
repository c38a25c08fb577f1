"""The evaluator: one span record × policies → one verdict, the same for the same input whichever engine evaluates.

Pure: no clock, files, environment, logging or plugins. Every rule is evaluated, never only up to the first answer. What
conditions say is remembered by what they can see of a record, because that is the same for most spans.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import msgspec

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import FAILED, Engine, Failed, Value
from barrier_policy.policy.cel.scope import Path
from barrier_policy.policy.model import Expression, Mode, Policy, PolicySet, Rule, Waiver
from barrier_policy.policy.record import Reading, RecordReader
from barrier_policy.policy.verdict import (
    AppliedException,
    Clause,
    Evidence,
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

MEMO_ENTRIES = 200
MEMO_KEY_BYTES = 4_000
T = TypeVar("T")
CAUSES = "(an index out of range, a division by zero or an overflow)"


class Evaluator:
    """Judges span records by one policy set. No exception is in force until `at` says when it is."""

    def __init__(self, policies: PolicySet, engine: Engine) -> None:
        self._engine = engine
        self._schema = policies.schema
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
            _JudgedRule(policy, rule, self._reader, policies.schema, engine) for policy, rule in policies.rules()
        )
        self._waivers = tuple(_JudgedWaiver(waiver, engine) for waiver in policies.exceptions)
        self._in_force: Mapping[str, tuple[_JudgedWaiver, ...]] = {}
        self._memo: dict[tuple[Hashable, ...], _Judged] = {}

    def at(self, now: str, *, transcript: str = "") -> Evaluator:
        """This evaluator with the exceptions that are in force at a time (ISO 8601, UTC) for a transcript, given by its digest."""
        found = copy(self)
        found._in_force = _by_rule(judged for judged in self._waivers if judged.is_open(now, transcript))
        return found

    def judge(self, record: Mapping[str, Any], digest: str = "") -> VerdictKind:
        """The verdict alone, without its reasons. `digest` is that of the span's original, which exceptions may name."""
        span = _Span(self._reader.read(record), self._engine, digest)
        return self._judged(span).verdict

    def exceptions(self, record: Mapping[str, Any], digest: str = "") -> tuple[AppliedException, ...]:
        """The exceptions that keep true barriers from binding a span."""
        if not self._in_force:
            return ()
        span = _Span(self._reader.read(record), self._engine, digest)
        return self._applied(self._judged(span).outcomes)

    def evaluate(self, record: Mapping[str, Any], digest: str = "") -> Verdict:
        """The verdict of one span record, a dict with the fields of `Span`. What fails is an outcome, not an exception."""
        span = _Span(self._reader.read(record), self._engine, digest)
        judged = self._judged(span)
        reasons: list[Reason] = []
        warnings: list[Reason] = []
        errors: list[RuleError] = []
        for rule, found in judged.speaking:
            if found.outcome is Outcome.ERROR:
                errors.append(rule.error("condition", found.message))
            else:
                (warnings if found.mode is Mode.WARN else reasons).append(rule.reason(span, errors))
                if bars(found):
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

    def _judged(self, span: _Span) -> _Judged:
        """What every rule says, and what follows. The one place where exceptions are applied."""
        sights = span.reading.sights
        key = tuple([sights[path] for path in self._seen])
        found = self._memo.get(key)
        if found is None:
            found = self._conclude(tuple(rule.outcome(span) for rule in self._rules))
            _remember(self._memo, key, found, span, self._seen)
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

    def _excepted(self, found: RuleOutcome, span: _Span) -> RuleOutcome:
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

    def _failures(self, rule: str, span: _Span) -> list[str]:
        return [text for judged in self._in_force.get(rule, ()) if (text := judged.failure(span))]

    def clauses(self, record: Mapping[str, Any]) -> dict[str, tuple[Clause, ...]]:
        """What each clause of every rule's condition says about a record, by rule id: `evaluate_clauses` for all at once."""
        span = _Span(self._reader.read(record), self._engine)
        return {rule.id: rule.clauses(span) for rule in self._rules}

    def evaluate_clauses(self, rule: Rule, record: Mapping[str, Any]) -> tuple[Clause, ...]:
        """What each clause of a rule's condition says about a record, in the order of the text."""
        clauses = rule.condition.clauses or (rule.condition,)
        reader = RecordReader(self._schema, (path for clause in clauses for path in clause.reads))
        span = _Span(reader.read(record), self._engine)
        return tuple(_clause(clause, span) for clause in clauses)


class _Judged(NamedTuple):
    """What all rules say about a span, and what follows: its verdict, and the rules that are heard, as reason, warning or error."""

    outcomes: tuple[RuleOutcome, ...]
    verdict: VerdictKind
    is_default: bool
    speaking: tuple[tuple[_JudgedRule, RuleOutcome], ...]


class _Span:
    """One record while it is judged; handed to the engine only if some value is not remembered."""

    def __init__(self, reading: Reading, engine: Engine, digest: str = "") -> None:
        self.reading = reading
        self.engine = engine
        self.digest = digest

    @cached_property
    def activation(self) -> Any:
        return self.engine.bind(self.reading.span())


class _Program:
    """One expression. It can remember what it said before, if all that it can see of a record is in `Reading.sights`."""

    def __init__(self, expression: Expression, engine: Engine) -> None:
        self.expression = expression
        self._run = engine.compile(expression.cel)
        self._memo: dict[tuple[Hashable, ...], Value | Failed] = {}

    def value(self, span: _Span) -> Value | Failed:
        return FAILED if span.reading.problem(self.expression.reads) else self._run(span.activation)

    def remembered(self, span: _Span) -> Value | Failed:
        sights = span.reading.sights
        key = tuple([sights[path] for path in self.expression.reads])
        found = self._memo.get(key)
        if found is None:
            found = self.value(span)
            _remember(self._memo, key, found, span, self.expression.reads)
        return found

    def failure(self, span: _Span) -> str:
        """Why the value is FAILED, in words that do not depend on the engine."""
        problem = span.reading.problem(self.expression.reads)
        if problem:
            return problem
        clauses = (_clause(clause, span) for clause in self.expression.clauses)
        failed = next((clause.text for clause in clauses if clause.outcome is Outcome.ERROR), self.expression.text)
        return f"`{' '.join(failed.split())}` could not be evaluated {CAUSES}"


class _JudgedRule:
    """A rule with its programs."""

    def __init__(self, policy: Policy, rule: Rule, reader: RecordReader, schema: RecordSchema, engine: Engine) -> None:
        self._policy = policy
        self._rule = rule
        self._engine = engine
        self.condition = _Program(rule.condition, engine)
        self._explanation = _Program(rule.explanation, engine) if rule.explanation else None
        self._is_remembered = rule.explanation is not None and reader.shows(rule.explanation.cel, rule.explanation.reads)
        self._evidence = [(_Program(expression, engine), _label(schema, expression.item)) for expression in rule.evidence]
        self._about = tuple(dict.fromkeys(path[0] for path in rule.condition.reads))
        self._settled = {value: self._outcome(Outcome.TRUE if value else Outcome.FALSE) for value in (True, False)}

    @property
    def id(self) -> str:
        return self._rule.id

    @cached_property
    def _clauses(self) -> tuple[_Program, ...]:
        """The clauses as programs of their own, made only where somebody asks for them."""
        condition = self._rule.condition
        return tuple(_Program(clause, self._engine) for clause in condition.clauses or (condition,))

    def clauses(self, span: _Span) -> tuple[Clause, ...]:
        return tuple(_clause_of(program.expression, program.value(span)) for program in self._clauses)

    def outcome(self, span: _Span) -> RuleOutcome:
        value = self.condition.remembered(span)
        if value is True or value is False:
            return self._settled[value]
        return self._outcome(Outcome.ERROR, self.condition.failure(span))

    def error(self, part: str, message: str) -> RuleError:
        return RuleError(policy=self._policy.name, rule=self._rule.id, part=part, message=message)

    def reason(self, span: _Span, errors: list[RuleError]) -> Reason:
        """The rule as a reason. A broken explanation or evidence never changes the verdict: it is noted in `errors`."""
        return Reason(
            policy=self._policy.name,
            version=self._policy.version,
            rule=self._rule.id,
            effect=self._rule.effect,
            severity=self._rule.severity,
            explanation=self._explain(span, errors),
            references=self._rule.references,
            evidence=tuple(dict.fromkeys(self._cite(span, errors))),
            repair=self._rule.repair,
            about=self._about,
        )

    def _outcome(self, outcome: Outcome, message: str = "") -> RuleOutcome:
        rule = self._rule
        return RuleOutcome(
            policy=self._policy.name, rule=rule.id, effect=rule.effect, mode=rule.mode, outcome=outcome, message=message
        )

    def _explain(self, span: _Span, errors: list[RuleError]) -> str:
        if self._explanation is None:
            return self._rule.summary
        program = self._explanation
        text = program.remembered(span) if self._is_remembered else program.value(span)
        if isinstance(text, str):
            return text
        errors.append(self.error("explanation", self._explanation.failure(span)))
        return self._rule.summary

    def _cite(self, span: _Span, errors: list[RuleError]) -> list[Evidence]:
        cited = []
        for program, label in self._evidence:
            items = program.value(span)
            if isinstance(items, list):
                kind = program.expression.item
                cited += [Evidence(item=item[label], kind=kind, message=item["message"]) for item in items]
            else:
                errors.append(self.error("evidence", program.failure(span)))
        return cited


class _JudgedWaiver:
    """An exception with its program; `programs` has it, where there is one."""

    def __init__(self, waiver: Waiver, engine: Engine) -> None:
        self.waiver = waiver
        self.programs = [_Program(waiver.when, engine)] if waiver.when else []

    def is_open(self, now: str, transcript: str) -> bool:
        """Whether it could cover a span of a transcript at a time."""
        return self.waiver.in_force(now) and (not self.waiver.transcripts or transcript in self.waiver.transcripts)

    def covers(self, span: _Span) -> bool:
        """A `when` that can't be evaluated covers nothing."""
        return self._names(span) and all(program.value(span) is True for program in self.programs)

    def failure(self, span: _Span) -> str:
        """Why it can't be said whether it covers a span; empty if it can."""
        failed = [program for program in self.programs if program.value(span) is FAILED] if self._names(span) else []
        return f"exception `{self.waiver.name}`: {failed[0].failure(span)}" if failed else ""

    def _names(self, span: _Span) -> bool:
        return not self.waiver.spans or span.digest in self.waiver.spans


def _remember(
    memo: dict[tuple[Hashable, ...], T], key: tuple[Hashable, ...], value: T, span: _Span, paths: Iterable[Path]
) -> None:
    """Long keys are not kept, they hardly ever come back."""
    if sum(len(span.reading.keys[path]) for path in paths) <= MEMO_KEY_BYTES:
        if len(memo) >= MEMO_ENTRIES:
            memo.clear()
        memo[key] = value


def _by_rule(waivers: Iterable[_JudgedWaiver]) -> dict[str, tuple[_JudgedWaiver, ...]]:
    found: dict[str, tuple[_JudgedWaiver, ...]] = {}
    for judged in waivers:
        found[judged.waiver.rule] = (*found.get(judged.waiver.rule, ()), judged)
    return found


def _applied(waiver: Waiver) -> AppliedException:
    return AppliedException(
        name=waiver.name, rule=waiver.rule, owner=waiver.owner, reason=waiver.reason, expires=waiver.expires
    )


def _expressions(rule: Rule) -> Iterable[Expression]:
    return (rule.condition, *((rule.explanation,) if rule.explanation else ()), *rule.evidence)


def _label(schema: RecordSchema, type_name: str) -> str:
    """The field that names an item: `id`, or the first text where the type has none (`what` of an Unknown)."""
    fields = schema.types[type_name].fields
    return next((field.name for field in fields if field.name == "id"), None) or next(
        field.name for field in fields if field.type == "string"
    )


def _clause(clause: Expression, span: _Span) -> Clause:
    value: Value | Failed = FAILED
    if not span.reading.problem(clause.reads):
        value = span.engine.compile(clause.cel)(span.activation)
    return _clause_of(clause, value)


def _clause_of(clause: Expression, value: Value | Failed) -> Clause:
    outcome = {True: Outcome.TRUE, False: Outcome.FALSE}[value] if isinstance(value, bool) else Outcome.ERROR
    return Clause(text=clause.text, outcome=outcome, line=clause.line, column=clause.column)
