"""A report as SARIF 2.1.0 (OASIS, 2020): a result for every rule that keeps a span, at the place in the transcript that it rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec

from barrier_policy.report.model import EvidenceView, Place, ReasonView, Report, RuleView, SpanView

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
PLACES = 20
"""Locations of a result; viewers show few, and services refuse results with hundreds."""


def render_sarif(report: Report) -> bytes:
    """The log as indented JSON. A span that stays has results at its rules' level, one that the plan repairs has notes."""
    head = report.head
    run = {
        "tool": {
            "driver": {
                "name": "barrier-policy",
                **({"version": head.tool.rpartition(" ")[2]} if head.tool else {}),
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": 1 if head.outcome == "refuse" else 0,
                "toolExecutionNotifications": list(_notifications(report)),
            }
        ],
        "artifacts": [{"location": _artifact(head.file), "hashes": {"sha-256": head.digest.removeprefix("sha256:")}}],
        "results": list(_results(report)),
        "columnKind": "unicodeCodePoints",
        "properties": {
            "decision_id": head.decision_id,
            "outcome": head.outcome,
            "policy": {"name": head.policy, "digest": head.policy_digest, "engine": head.engine},
            "tokens_before": head.tokens,
            "tokens_after": head.tokens_after,
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2) + b"\n"


def _rule(rule: RuleView) -> dict[str, Any]:
    sources = "".join(f"\n\nSource: {reference}" for reference in rule.references)
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why or rule.summary},
        "help": {"text": f"{rule.why or rule.summary}\n\nCondition: {rule.condition}{sources}"},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "policy": f"{rule.policy} {rule.version}",
            "effect": rule.effect,
            "severity": rule.severity,
            "locked": rule.locked,
            "lifted_by": list(rule.repair),
        },
    }


def _results(report: Report) -> Iterator[dict[str, Any]]:
    numbers = report.rule_number()
    for span in report.spans:
        for reason in span.reasons:
            if reason.effect == "barrier":
                yield _result(report.head.file, span, reason, numbers[reason.rule])


def _result(file: str, span: SpanView, reason: ReasonView, number: int) -> dict[str, Any]:
    remedy = "; ".join(reason.remedies)
    kept = span.action != "repair"
    places = _places(file, span, reason)
    return {
        "ruleId": reason.rule,
        "ruleIndex": number,
        "level": LEVELS[reason.severity] if kept else "note",
        "message": {"text": f"span {span.id} ({span.action}): {reason.explanation}. What would lift it: {remedy}."},
        "locations": places[:1],
        **({"relatedLocations": places[1:]} if len(places) > 1 else {}),
        "partialFingerprints": {"spanAndRule/v1": _fingerprint(span, reason)},
        "properties": {
            "span": span.id,
            "messages": list(span.messages),
            "tokens": span.tokens,
            "verdict": span.verdict,
            "action": span.action,
            "items": [entry.item.id for entry in reason.evidence],
        },
    }


def _places(file: str, span: SpanView, reason: ReasonView) -> list[dict[str, Any]]:
    """Where the items of a rule stand; where it cites none, the first message of the span."""
    if not reason.evidence:
        first = span.opening[0]
        return [_place(file, Place(message=first.index, line=first.line), "")]
    return [_place(file, entry.place, _words(entry)) for entry in reason.evidence[:PLACES]]


def _words(entry: EvidenceView) -> str:
    return f"{entry.item.id} {entry.item.words}".strip()


def _place(file: str, place: Place, words: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if place.line:
        physical["region"] = {"startLine": place.line}
    logical = {
        "name": f"message {place.message}",
        "kind": "object",
        **({"fullyQualifiedName": place.pointer} if place.pointer else {}),
    }
    found: dict[str, Any] = {"physicalLocation": physical, "logicalLocations": [logical]}
    return found | ({"message": {"text": words}} if words else {})


def _artifact(file: str) -> dict[str, Any]:
    return {"uri": quote(file.replace("\\", "/"), safe="/~")}


def _fingerprint(span: SpanView, reason: ReasonView) -> str:
    """The same for the same words under the same rule, wherever in the file they have come to stand."""
    words = [f"{entry.kind} {entry.item.words}" for entry in reason.evidence] or [message.text for message in span.opening]
    return hashlib.sha256("\0".join([reason.rule, *words]).encode()).hexdigest()


def _notifications(report: Report) -> Iterator[dict[str, Any]]:
    for span in report.spans:
        for error in span.errors:
            text = f"span {span.id}: the {error.part} of {error.rule} could not be evaluated: {error.message}"
            yield {"level": "error", "message": {"text": text}, "associatedRule": {"id": error.rule}}
