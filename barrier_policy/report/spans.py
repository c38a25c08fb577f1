"""One span of an analysis after another, as a report shows them: reasons, clauses, evidence, repairs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from barrier_policy.decision.assess import Assessment, record_of, repair_records
from barrier_policy.decision.model import Reason, SpanDecision
from barrier_policy.policy.verdict import Clause, Outcome, Verdict, VerdictKind
from barrier_policy.report.model import (
    ClauseView,
    ErrorView,
    EvidenceView,
    OtherRule,
    OutcomeTable,
    ReasonView,
    RecordLine,
    RepairView,
    SpanView,
)
from barrier_policy.report.rows import by_weight, plan_note, repairs_of
from barrier_policy.report.words import Words
from barrier_policy.walk import Analysis, Decider

MESSAGES_SHOWN = 12
"""Of a span; the rest is a number."""


def span_anchor(number: int) -> str:
    """The anchor of the span with this number."""
    return f"span-{number}"


class SpanViews:
    """Spans one after another; what the rules that did not decide say is kept once for all spans that share it."""

    def __init__(self, analysis: Analysis, decider: Decider, words: Words) -> None:
        self._analysis = analysis
        self._decider = decider
        self._words = words
        self._of_rules = repairs_of(analysis.policies)
        self._tables: dict[tuple[tuple[str, Outcome, tuple[Outcome, ...]], ...], int] = {}
        self._contents: list[tuple[tuple[OtherRule, ...], list[int]]] = []
        self._records = {record.id: f"record-{number}" for number, record in enumerate(analysis.decision.carrier)}

    def tables(self) -> tuple[OutcomeTable, ...]:
        """The outcome tables of all spans that were viewed, in the order of their first span."""
        return tuple(OutcomeTable(rules=rules, spans=tuple(spans)) for rules, spans in self._contents)

    def view(self, number: int) -> SpanView:
        """The span with this number."""
        found, decided = self._analysis.assessments[number], self._analysis.decision.spans[number]
        record = record_of(self._analysis.join, found)
        verdict = self._analysis.evaluator.evaluate(record, found.digest)
        clauses = self._decider.evaluator.clauses(record)
        reasons = tuple(self._reason(reason, clauses) for reason in by_weight(decided.reasons, self._of_rules))
        messages = self._analysis.transcript.messages[found.span.start : found.span.end]
        return SpanView(
            id=found.span.id,
            anchor=span_anchor(number),
            messages=(found.span.start, found.span.end),
            tokens=found.tokens,
            digest=decided.digest,
            evidential_class=decided.evidential_class,
            verdict=decided.verdict,
            action=decided.action,
            headline=self._headline(verdict, reasons),
            note=plan_note(found, decided.action, self._analysis.plan.outcome),
            reasons=reasons,
            warnings=tuple(self._reason(reason, clauses) for reason in decided.warnings),
            errors=self._errors(verdict),
            default_barrier=verdict.default_barrier,
            table=self._table(number, verdict, clauses),
            repairs=self._repairs(decided),
            records=self._own_records(found),
            present=decided.provenance.present,
            retrievable=decided.provenance.retrievable,
            uri=self._words.line(decided.provenance.uri),
            opening=tuple(self._words.opening(message) for message in messages[:MESSAGES_SHOWN]),
            more=max(0, len(messages) - MESSAGES_SHOWN),
        )

    def _headline(self, verdict: Verdict, reasons: tuple[ReasonView, ...]) -> tuple[str, str]:
        if verdict.errors and verdict.verdict is VerdictKind.BARRIER and not reasons:
            return verdict.errors[0].rule, f"the {verdict.errors[0].part} could not be evaluated"
        return (reasons[0].rule, reasons[0].explanation) if reasons else ("", "no rule permits to summarize it")

    def _reason(self, reason: Reason, clauses: Mapping[str, tuple[Clause, ...]]) -> ReasonView:
        return ReasonView(
            rule=reason.rule,
            effect=reason.effect,
            severity=reason.severity,
            explanation=self._words.line(reason.explanation),
            clauses=self._clauses(clauses[reason.rule]),
            evidence=tuple(
                EvidenceView(
                    item=self._words.item(entry.item),
                    kind=entry.kind,
                    place=self._words.place(entry.message, entry.pointer),
                    excerpt=self._words.excerpt(entry.item, entry.message, entry.pointer),
                )
                for entry in reason.evidence
            ),
            remedies=(reason.lifted_by,) if reason.lifted_by else (),
        )

    def _clauses(self, clauses: Iterable[Clause]) -> tuple[ClauseView, ...]:
        return tuple(
            ClauseView(text=self._words.line(" ".join(clause.text.split())), outcome=clause.outcome) for clause in clauses
        )

    def _errors(self, verdict: Verdict) -> tuple[ErrorView, ...]:
        return tuple(
            ErrorView(rule=error.rule, part=error.part, message=self._words.line(error.message)) for error in verdict.errors
        )

    def _table(self, number: int, verdict: Verdict, clauses: Mapping[str, tuple[Clause, ...]]) -> int:
        decided = {reason.rule for reason in verdict.reasons}
        others = [outcome for outcome in verdict.outcomes if outcome.rule not in decided]
        key = tuple((other.rule, other.outcome, tuple(clause.outcome for clause in clauses[other.rule])) for other in others)
        if key not in self._tables:
            self._tables[key] = len(self._contents)
            rules = tuple(
                OtherRule(
                    rule=other.rule,
                    effect=other.effect,
                    mode=other.mode,
                    outcome=other.outcome,
                    clauses=self._clauses(clauses[other.rule]),
                )
                for other in others
            )
            self._contents.append((rules, []))
        table = self._tables[key]
        self._contents[table][1].append(number)
        return table

    def _repairs(self, decided: SpanDecision) -> tuple[RepairView, ...]:
        return tuple(
            RepairView(kind=repair.kind, items=tuple(map(self._words.item, repair.items if repair.kind == "rebind" else ())))
            for repair in decided.repairs
        )

    def _own_records(self, found: Assessment) -> tuple[RecordLine, ...]:
        return tuple(
            RecordLine(
                id=self._words.line(record.id),
                text=self._words.whole(record.text, record.source.message),
                anchor=self._records.get(record.id, ""),
            )
            for record in repair_records(self._analysis.sources, found)
        )
