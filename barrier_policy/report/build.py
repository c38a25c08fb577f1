"""An analysis as a report (model.py). Pure: no clock, files or environment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from barrier_policy.join.join import Join
from barrier_policy.ledger.model import Item, is_live
from barrier_policy.policy.model import PolicySet
from barrier_policy.report.model import (
    BlockingView,
    EventView,
    Head,
    LedgerItem,
    RecordView,
    Report,
    RuleView,
    SpanView,
)
from barrier_policy.report.rows import action_totals, blocked
from barrier_policy.report.spans import SpanViews, span_anchor
from barrier_policy.report.words import Words
from barrier_policy.walk import Analysis, Decider


def build_report(analysis: Analysis, decider: Decider, *, file: str, now: str = "", tool: str = "") -> Report:
    """The report of an analysis that `decider` made.

    `file` names the transcript, `tool` is the name and version that the report is signed with. `now` is the time of the decision where
    somebody gave one, else "": the same inputs give the same report whatever the clock says.
    """
    anchors = {item.id: f"item-{number}" for number, item in enumerate(analysis.join.ledger.items)}
    rules = {f"rule:{rule.id}": f"rule-{number}" for number, (_, rule) in enumerate(decider.policies.rules())}
    words = Words(analysis, anchors | rules)
    spans = SpanViews(analysis, decider, words)
    views = tuple(spans.view(number) for number in range(len(analysis.assessments)))
    totals = action_totals(analysis)
    homes = _homes(analysis.join)
    return Report(
        head=_head(analysis, words, file=file, now=now, tool=tool),
        totals=totals,
        tail_tokens=totals[-1].tokens,
        blocking=tuple(_blocking(analysis, words)),
        spans=views,
        records=tuple(_records(analysis, words, homes)),
        ledger=tuple(_ledger(analysis, words, anchors, homes)),
        rules=tuple(_rules(decider.policies, words, views)),
        tables=spans.tables(),
    )


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


def _blocking(analysis: Analysis, words: Words) -> Iterator[BlockingView]:
    numbers = {found.span.id: number for number, found in enumerate(analysis.assessments)}
    for entry in blocked(analysis):
        yield BlockingView(
            span=entry.span,
            anchor=span_anchor(numbers[entry.span]) if entry.span in numbers else "",
            items=tuple(words.item(item) for item in entry.items),
            discharged_by=words.line(entry.discharged_by),
        )


def _homes(join: Join) -> dict[str, str]:
    """The anchor of the span that introduced an item, by item; those of the tail have none."""
    homes = {item.id: span_anchor(number) for number, items in enumerate(join.items) for item in items}
    homes.update((name, span_anchor(number)) for number, facts in enumerate(join.extensions) for name, _ in facts)
    return homes


def _records(analysis: Analysis, words: Words, homes: Mapping[str, str]) -> Iterator[RecordView]:
    for number, record in enumerate(analysis.decision.carrier):
        message = record.source.message
        # What a turn shares cites its message; all other records cite a part of theirs.
        whole = record.source.pointer == analysis.transcript.messages[message].pointer
        yield RecordView(
            anchor=f"record-{number}",
            id=words.line(record.id, message),
            kind=words.line(record.kind),
            subject=words.line(record.subject, message),
            version=record.version,
            text=words.whole(record.text, message),
            digest=record.digest,
            place=words.place(message, "" if whole else record.source.pointer),
            spans=tuple(dict.fromkeys(homes[item["id"]] for item in record.fields["items"] if item["id"] in homes)),
        )


def _ledger(analysis: Analysis, words: Words, anchors: Mapping[str, str], homes: Mapping[str, str]) -> Iterator[LedgerItem]:
    ledger = analysis.join.ledger
    events: dict[str, list[EventView]] = {}
    for event in ledger.events:
        shown = EventView(message=event.message, state=event.state, reason=words.line(event.reason, event.message, 160))
        events.setdefault(event.item, []).append(shown)
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
            span=homes.get(item.id, ""),
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
