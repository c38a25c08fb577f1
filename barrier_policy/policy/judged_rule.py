"""Rules and exceptions with their programs: what one of them says about one span."""

from __future__ import annotations

from functools import cached_property

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import FAILED, Engine
from barrier_policy.policy.judged_expression import JudgedEvidence, JudgedExpression, JudgedSpan, clause_of
from barrier_policy.policy.model import Policy, Rule, Waiver
from barrier_policy.policy.record import RecordReader
from barrier_policy.policy.verdict import Clause, Evidence, Outcome, Reason, RuleError, RuleOutcome


class JudgedRule:
    """A rule with its programs."""

    def __init__(self, policy: Policy, rule: Rule, reader: RecordReader, schema: RecordSchema, engine: Engine) -> None:
        self._policy = policy
        self._rule = rule
        self._engine = engine
        self.condition = JudgedExpression(rule.condition, engine)
        self._explanation = JudgedExpression(rule.explanation, engine) if rule.explanation else None
        self._is_remembered = rule.explanation is not None and reader.shows(rule.explanation.cel, rule.explanation.reads)
        self._evidence = [
            JudgedEvidence(expression, engine, reader, _label(schema, expression.item)) for expression in rule.evidence
        ]
        self._about = tuple(dict.fromkeys(path[0] for path in rule.condition.reads))
        self._settled = {value: self._outcome(Outcome.TRUE if value else Outcome.FALSE) for value in (True, False)}

    @property
    def id(self) -> str:
        """The rule's."""
        return self._rule.id

    @cached_property
    def _clauses(self) -> tuple[JudgedExpression, ...]:
        """The clauses as programs of their own, made only where somebody asks for them."""
        condition = self._rule.condition
        return tuple(JudgedExpression(clause, self._engine) for clause in condition.clauses or (condition,))

    def clauses(self, span: JudgedSpan) -> tuple[Clause, ...]:
        """What each clause of the condition says, in the order of the text."""
        return tuple(clause_of(program.expression, program.value(span)) for program in self._clauses)

    def outcome(self, span: JudgedSpan) -> RuleOutcome:
        """What the condition says."""
        value = self.condition.remembered(span)
        if value is True or value is False:
            return self._settled[value]
        return self._outcome(Outcome.ERROR, self.condition.failure(span))

    def error(self, part: str, message: str) -> RuleError:
        """Something of the rule that could not be evaluated; `part` as in `RuleError`."""
        return RuleError(policy=self._policy.name, rule=self._rule.id, part=part, message=message)

    def reason(self, span: JudgedSpan, errors: list[RuleError]) -> Reason:
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

    def _explain(self, span: JudgedSpan, errors: list[RuleError]) -> str:
        if self._explanation is None:
            return self._rule.summary
        program = self._explanation
        text = program.remembered(span) if self._is_remembered else program.value(span)
        if isinstance(text, str):
            return text
        errors.append(self.error("explanation", self._explanation.failure(span)))
        return self._rule.summary

    def _cite(self, span: JudgedSpan, errors: list[RuleError]) -> list[Evidence]:
        cited = []
        for program in self._evidence:
            items = program.items(span)
            if items is FAILED:
                errors.append(self.error("evidence", program.failure(span)))
                continue
            kind, label = program.expression.item, program.label
            cited += [Evidence(item=item[label], kind=kind, message=item["message"]) for item in items]
        return cited


class JudgedWaiver:
    """An exception with its program; `programs` has it, where there is one."""

    def __init__(self, waiver: Waiver, engine: Engine) -> None:
        self.waiver = waiver
        self.programs = [JudgedExpression(waiver.when, engine)] if waiver.when else []

    def is_open(self, now: str, transcript: str) -> bool:
        """Whether it could cover a span of a transcript at a time."""
        return self.waiver.in_force(now) and (not self.waiver.transcripts or transcript in self.waiver.transcripts)

    def covers(self, span: JudgedSpan) -> bool:
        """A `when` that can't be evaluated covers nothing."""
        return self._names(span) and all(program.value(span) is True for program in self.programs)

    def failure(self, span: JudgedSpan) -> str:
        """Why it can't be said whether it covers a span; empty if it can."""
        failed = [program for program in self.programs if program.value(span) is FAILED] if self._names(span) else []
        return f"exception `{self.waiver.name}`: {failed[0].failure(span)}" if failed else ""

    def _names(self, span: JudgedSpan) -> bool:
        return not self.waiver.spans or span.digest in self.waiver.spans


def _label(schema: RecordSchema, type_name: str) -> str:
    """The field that names an item: `id`, or the first text where the type has none (`what` of an Unknown)."""
    fields = schema.types[type_name].fields
    return next((field.name for field in fields if field.name == "id"), None) or next(
        field.name for field in fields if field.type == "string"
    )
