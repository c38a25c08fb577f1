"""An analysis as a report (model.py). Pure: no clock, files or environment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from barrier_policy.decision.assess import DISCHARGE, Assessment, record_of
from barrier_policy.decision.model import SpanDecision
from barrier_policy.ledger.model import Item, is_live
from barrier_policy.policy.model import PolicySet
from barrier_policy.policy.verdict import Clause, Outcome, Reason, Verdict, VerdictKind
from barrier_policy.report.model import (
    ActionTotal,
    BlockingView,
    ClauseView,
    ErrorView,
    EventView,
    EvidenceView,
    Head,
    LedgerItem,
    OtherRule,
    OutcomeTable,
    ReasonView,
    RecordLine,
    RecordView,
    RepairView,
    Report,
    RuleView,
    SpanView,
)
from barrier_policy.report.rows import GATE_REPAIRS, blocked, by_weight, plan_note
from barrier_policy.report.words import Words
from barrier_policy.walk import Analysis, Decider

ACTIONS = ("summarize", "repair", "retain")
MESSAGES_SHOWN = 12
"""Of a span; the rest is a number."""


def build_report(analysis: Analysis, decider: Decider, *, file: str, now: str = "", tool: str = "") -> Report:
    """The report of an analysis that `decider` made.

    `file` names the transcript, `tool` is the name and version that the report is signed with. `now` is the time of the decision where
    somebody gave one, else "": the same inputs give the same report whatever the clock says.
    """
    anchors = {item.id: f"item-{number}" for number, item in enumerate(analysis.join.ledger.items)}
    rules = {f"rule:{rule.id}": f"rule-{number}" for number, (_, rule) in enumerate(decider.policies.rules())}
    words = Words(analysis, anchors | rules)
    spans = _Spans(analysis, decider, words)
    views = tuple(spans.view(number) for number in range(len(analysis.assessments)))
    return Report(
        head=_head(analysis, words, file=file, now=now, tool=tool),
        totals=_totals(analysis),
        tail_tokens=_tail_tokens(analysis),
        blocking=tuple(_blocking(analysis, words)),
        spans=views,
        records=tuple(_records(analysis, words)),
        ledger=tuple(_ledger(analysis, words, anchors)),
        rules=tuple(_rules(decider.policies, words, views)),
        tables=spans.tables(),
    )


def span_anchor(number: int) -> str:
    """The anchor of the span with this number."""
    return f"span-{number}"


class _Spans:
    """Spans one after another; what the rules that did not decide say is kept once for all spans that share it."""

    def __init__(self, analysis: Analysis, decider: Decider, words: Words) -> None:
        self._analysis = analysis
        self._decider = decider
        self._words = words
        self._rules = {rule.id: rule for _, rule in decider.policies.rules()}
        self._tables: dict[tuple[tuple[str, Outcome, tuple[Outcome, ...]], ...], int] = {}
        self._contents: list[tuple[tuple[OtherRule, ...], list[int]]] = []
        self._records = {record.id: f"record-{number}" for number, record in enumerate(analysis.decision.carrier)}

    def tables(self) -> tuple[OutcomeTable, ...]:
        return tuple(OutcomeTable(rules=rules, spans=tuple(spans)) for rules, spans in self._contents)

    def view(self, number: int) -> SpanView:
        found, decided = self._analysis.assessments[number], self._analysis.decision.spans[number]
        record = record_of(self._analysis.join, found)
        verdict = self._decider.evaluator.evaluate(record)
        clauses = self._decider.evaluator.clauses(record)
        cited = _cited(decided)
        reasons = tuple(self._reason(reason, clauses, cited) for reason in by_weight(verdict.reasons))
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
            warnings=tuple(self._reason(reason, clauses, cited) for reason in verdict.warnings),
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

    def _reason(
        self, reason: Reason, clauses: Mapping[str, tuple[Clause, ...]], cited: Mapping[tuple[str, int], str]
    ) -> ReasonView:
        return ReasonView(
            rule=reason.rule,
            effect=reason.effect,
            severity=reason.severity,
            explanation=self._words.line(reason.explanation),
            clauses=self._clauses(clauses[reason.rule]),
            evidence=tuple(
                EvidenceView(
                    item=self._words.item(entry.item),
                    kind=entry.item.partition(":")[0],
                    place=self._words.place(entry.message, cited.get((entry.item, entry.message), "")),
                    excerpt=self._words.excerpt(entry.item, entry.message, cited.get((entry.item, entry.message), "")),
                )
                for entry in reason.evidence
            ),
            remedies=tuple(_remedies(reason)),
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
            for record in found.records
        )


def _cited(decided: SpanDecision) -> dict[tuple[str, int], str]:
    """The pointer of each cited item."""
    return {(entry.item, entry.message): entry.pointer for reason in decided.reasons for entry in reason.evidence}


def _remedies(reason: Reason) -> Iterator[str]:
    """What would lift a barrier."""
    if reason.effect != "barrier":
        return
    if not reason.repair:
        yield "nothing, such a span always stays"
    elif GATE_REPAIRS.issuperset(reason.repair):
        yield f"{' and '.join(reason.repair)}, which the gate does itself"
    else:
        remedy = " or ".join(reason.repair)
        families = [entry.item.partition(":")[0] for entry in reason.evidence]
        yield from dict.fromkeys(DISCHARGE.get(family, remedy) for family in families or [""])


def _head(analysis: Analysis, words: Words, *, file: str, now: str, tool: str) -> Head:
    decision, about = analysis.decision, analysis.decision.transcript
    return Head(
        file=words.line(file),
        format=about.format,
        digest=about.digest,
        messages=about.messages,
        turns=about.turns,
        tokens=about.tokens,
        outcome=decision.outcome,
        decision_id=decision.decision_id,
        policy=words.line(decision.policy.name),
        policy_digest=decision.policy.digest,
        engine=decision.policy.engine,
        plugins=tuple((words.line(plugin.name), words.line(plugin.version)) for plugin in decision.plugins),
        target_tokens=decision.budget.target_tokens,
        tokens_after=decision.budget.tokens_after,
        tokens_carrier=decision.totals.tokens_carrier,
        preserve=tuple(words.line(name) for name in decision.fidelity.preserve),
        audited=decision.fidelity.audited,
        tail_start=decision.tail.start,
        skipped=tuple((words.line(entry.what), entry.count) for entry in analysis.transcript.skipped),
        now=now,
        tool=tool,
    )


def _tail_tokens(analysis: Analysis) -> int:
    return analysis.decision.transcript.tokens - sum(span.tokens for span in analysis.decision.spans)


def _totals(analysis: Analysis) -> tuple[ActionTotal, ...]:
    about, spans = analysis.decision.transcript, analysis.decision.spans
    found = []
    for action in ACTIONS:
        chosen = [span for span in spans if span.action == action]
        messages = sum(span.messages[1] - span.messages[0] for span in chosen)
        found.append((action, len(chosen), messages, sum(span.tokens for span in chosen)))
    found.append(("tail", 0, about.messages - analysis.decision.tail.start, _tail_tokens(analysis)))
    return tuple(
        ActionTotal(
            action=action, spans=count, messages=messages, tokens=tokens, share=round(1000 * tokens / max(1, about.tokens))
        )
        for action, count, messages, tokens in found
    )


def _blocking(analysis: Analysis, words: Words) -> Iterator[BlockingView]:
    numbers = {found.span.id: number for number, found in enumerate(analysis.assessments)}
    for entry in blocked(analysis):
        yield BlockingView(
            span=entry.span,
            anchor=span_anchor(numbers[entry.span]) if entry.span in numbers else "",
            items=tuple(words.item(item) for item in entry.items),
            discharged_by=words.line(entry.discharged_by),
        )


def _records(analysis: Analysis, words: Words) -> Iterator[RecordView]:
    for number, record in enumerate(analysis.decision.carrier):
        message = record.source.message
        whole = (
            record.source.pointer == analysis.transcript.messages[message].pointer
        )  # what a turn shares cites the message
        yield RecordView(
            anchor=f"record-{number}",
            id=words.line(record.id, message),
            kind=words.line(record.kind),
            subject=words.line(record.subject, message),
            version=record.version,
            text=words.whole(record.text, message),
            digest=record.digest,
            place=words.place(message, "" if whole else record.source.pointer),
        )


def _ledger(analysis: Analysis, words: Words, anchors: Mapping[str, str]) -> Iterator[LedgerItem]:
    ledger = analysis.join.ledger
    events: dict[str, list[EventView]] = {}
    for event in ledger.events:
        shown = EventView(message=event.message, state=event.state, reason=words.line(event.reason, event.message, 160))
        events.setdefault(event.item, []).append(shown)
    home = {item.id: span_anchor(number) for number, items in enumerate(analysis.join.items) for item in items}
    for item in ledger.items:
        state = ledger.state(item)
        yield LedgerItem(
            anchor=anchors[item.id],
            id=words.line(item.id, item.message),
            family=item.family,
            kind=words.line(item.kind),
            state=state,
            live=is_live(item, state),
            message=item.message,
            span=home.get(item.id, ""),
            words=words.line(item.text, item.message),
            attributes=tuple(_attributes(item, words)),
            events=tuple(events.get(item.id, ())),
        )


def _attributes(item: Item, words: Words) -> Iterator[tuple[str, str]]:
    for name, value in sorted(item.attributes.items()):
        if value:
            yield words.line(name, item.message, 60), words.line(value, item.message, 160)


def _rules(policies: PolicySet, words: Words, spans: Iterable[SpanView]) -> Iterator[RuleView]:
    decided = Counter(reason.rule for span in spans for reason in span.reasons)
    for number, (policy, rule) in enumerate(policies.rules()):
        yield RuleView(
            number=number,
            id=rule.id,
            policy=words.line(policy.name),
            version=words.line(policy.version),
            file=words.line(policy.file.replace("\\", "/").rpartition("/")[2]),  # where it lies differs between machines
            line=rule.line,
            effect=rule.effect,
            severity=rule.severity,
            mode=rule.mode,
            locked=rule.locked,
            summary=words.line(rule.summary),
            why=words.whole(" ".join(rule.why.split())),
            references=tuple(words.line(reference) for reference in rule.references),
            condition=words.whole(rule.condition.text.strip()),
            repair=tuple(rule.repair),
            decided=decided[rule.id],
        )
