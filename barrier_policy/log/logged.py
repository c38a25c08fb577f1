"""From an analysis to its record: everything that says where and why, nothing that says what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from barrier_policy.decision.model import Decision, Reason, SpanDecision
from barrier_policy.digest import digest_text
from barrier_policy.facts.secrets import redact
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.inputs import archive_inputs, inputs_of
from barrier_policy.log.record import (
    Asked,
    Bundle,
    Inputs,
    LoggedCarrier,
    LoggedRule,
    LoggedSpan,
    Metrics,
    Record,
    Result,
    fingerprint_of,
)
from barrier_policy.provenance.store import Store
from barrier_policy.walk import Analysis, Decider
from barrier_policy.walk import timestamp as zoned

ITEM = re.compile(r"[a-z_]+(\.[a-z_]+)?(:\d+([.-]\d+)*)?")
"""Ids of items that say only a family, or kind, and a place; any other id is logged as its digest."""

ERASED = (
    "/carrier/*/fields",
    "/carrier/*/source",
    "/carrier/*/text",
    "/blocking",
    "/spans/*/errors/*/message",
    "/spans/*/reasons/*/evidence/*/excerpt",
    "/spans/*/reasons/*/evidence/*/pointer",
    "/spans/*/reasons/*/lifted_by",
    "/spans/*/repairs",
)
"""JSON pointers into the decision, with `*` for any index: what no record has."""
EXPLANATION = "/spans/*/reasons/*/explanation"


def log_decision(
    log: DecisionLog,
    analysis: Analysis,
    decider: Decider,
    data: bytes,
    asked: Asked,
    *,
    store: Store | None,
    timestamp: str,
    timers_us: Mapping[str, int] | None = None,
) -> Record:
    """Archive what a decision was derived from, where there is a store, and add its record to a log.

    `data` are the bytes of the transcript, `store` is the one that the decision was made with. Raises StoreError or LogError: then the log
    has no such record.
    """
    decision = analysis.decision
    archive = archive_inputs(store, decider, decision, data, asked) if store is not None else ""
    record = record_of(
        analysis,
        inputs_of(decider, decision, data, asked, archive=archive),
        timestamp=timestamp,
        labels=log.spec.labels,
        include_text=log.spec.include_text,
        timers_us=timers_us,
    )
    return log.append(record)


def record_of(
    analysis: Analysis,
    inputs: Inputs,
    *,
    timestamp: str,
    labels: Mapping[str, str] | None = None,
    include_text: bool = False,
    timers_us: Mapping[str, int] | None = None,
) -> Record:
    """The record of a decision, not yet in a log.

    `timestamp` is when it was logged, ISO 8601. `include_text` keeps the explanations of rules, with secrets masked. `timers_us` are
    microseconds by stage. Raises BarrierPolicyError for a timestamp that is none.
    """
    decision = analysis.decision
    spans = tuple(_span(span, analysis, include_text) for span in decision.spans)
    shown = {redact(name): redact(value) for name, value in sorted((labels or {}).items())}
    return Record(
        decision_id=decision.decision_id,
        timestamp=zoned(timestamp),
        labels=shown,
        bundle=Bundle(name=decision.policy.name, digest=decision.policy.digest),
        inputs=inputs,
        result=_result(decision, spans),
        metrics=Metrics(timers_us=dict(sorted((timers_us or {}).items())), counts=_counts(decision)),
        erased=tuple(sorted((*ERASED, *(() if include_text else (EXPLANATION,))))),
        masked=tuple(_masked(shown, spans)),
    )


def _result(decision: Decision, spans: tuple[LoggedSpan, ...]) -> Result:
    carrier = (LoggedCarrier(id=_item(record.id), kind=record.kind, digest=record.digest) for record in decision.carrier)
    return Result(
        outcome=decision.outcome,
        decision=fingerprint_of(decision.to_json()),
        tail=decision.tail.start,
        spans=spans,
        carrier=tuple(carrier),
        blocking=len(decision.blocking),
        totals=decision.totals,
    )


def _span(span: SpanDecision, analysis: Analysis, include_text: bool) -> LoggedSpan:
    return LoggedSpan(
        id=span.id,
        messages=span.messages,
        tokens=span.tokens,
        digest=span.digest,
        verdict=span.verdict,
        action=span.action,
        rules=tuple(_rule(reason, _shown(reason, span, analysis), include_text) for reason in span.reasons),
        errors=tuple(error.rule for error in span.errors),
    )


def _shown(reason: Reason, span: SpanDecision, analysis: Analysis) -> str:
    """The explanation without secrets. Facts have none in the first place; what a rule makes of them is looked at again."""
    text = reason.explanation
    for message in sorted({span.messages[0], *(entry.message for entry in reason.evidence)}):
        text = analysis.masker.text(text, message)
    return redact(text)


def _rule(reason: Reason, shown: str, include_text: bool) -> LoggedRule:
    return LoggedRule(
        rule=reason.rule,
        version=reason.version,
        effect=reason.effect,
        severity=reason.severity,
        explanation=fingerprint_of(shown.encode("utf-8", "backslashreplace")),
        evidence=tuple(_item(entry.item) for entry in reason.evidence),
        text=shown if include_text else "",
    )


def _item(name: str) -> str:
    return name if ITEM.fullmatch(name) else digest_text(name)


def _counts(decision: Decision) -> dict[str, int]:
    actions = Counter(span.action for span in decision.spans)
    return {
        "errors": sum(len(span.errors) for span in decision.spans),
        "reasons": sum(len(span.reasons) for span in decision.spans),
        "repair": actions["repair"],
        "retain": actions["retain"],
        "summarize": actions["summarize"],
    }


def _masked(labels: Mapping[str, str], spans: Iterable[LoggedSpan]) -> Iterable[str]:
    """JSON pointers into the record, to labels and explanations in which a secret stands as `[secret …]`."""
    yield from (f"/labels/{name}" for name, value in labels.items() if "[secret " in value)
    for number, span in enumerate(spans):
        for index, rule in enumerate(span.rules):
            if "[secret " in rule.text:
                yield f"/result/spans/{number}/rules/{index}/text"
