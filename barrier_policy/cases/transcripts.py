"""Runs the cases of policies on whole transcripts: what becomes of spans, and by which rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from barrier_policy.cases.row import RuleTable
from barrier_policy.decision.assess import record_of
from barrier_policy.decision.model import SpanDecision
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.policy.case_file import Case, ExpectedSpan, TranscriptCase
from barrier_policy.policy.model import Mode, RuleEffect
from barrier_policy.policy.verdict import VerdictKind
from barrier_policy.walk import Analysis, Decider

NOW = "2026-01-01T00:00:00Z"
"""The time of a case that names none, so that its outcome never depends on the clock."""


class TranscriptResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a case went. `message` is empty where it passed. `spans` are those of the decision, `tables` explain the ones that differ.

    `shown` are the cases on records that a case which passed amounts to: one for each rule of which it says what that says of a span.
    """

    case: TranscriptCase
    message: str = ""
    spans: tuple[SpanDecision, ...] = ()
    tables: tuple[RuleTable, ...] = ()
    shown: tuple[Case, ...] = ()


class _EmptyStore:
    """A store in which nothing is: originals can be archived, as with the store that `decide` has. Nothing is written."""

    def uri(self, digest: str) -> str:
        return f"store:{digest}"

    def read(self, digest: str) -> bytes | None:
        return None


def judge_transcripts(decider: Decider, cases: Iterable[TranscriptCase]) -> tuple[TranscriptResult, ...]:
    """The results of cases; a transcript that can't be read is a case that failed."""
    return tuple(_judge(decider, case) for case in cases)


def _judge(decider: Decider, case: TranscriptCase) -> TranscriptResult:
    try:
        analysis = decider.analyse(
            case.path or case.messages, keep_last=case.keep_last, now=case.now or NOW, store=_EmptyStore()
        )
    except BarrierPolicyError as error:
        return TranscriptResult(case=case, message=f"can't be decided: {error}")
    spans = {span.messages: (number, span) for number, span in enumerate(analysis.decision.spans)}
    messages: list[str] = []
    tables: list[RuleTable] = []
    shown: list[Case] = []
    for expected in case.expect:
        found = spans.get(expected.messages)
        if found is None:
            messages.append(f"line {expected.line}: no span has messages {_range(expected.messages)} ({_known(spans)})")
            continue
        number, span = found
        unlike = _differences(expected, span)
        if unlike:
            messages.append(f"line {expected.line}: span {_range(expected.messages)}: {', '.join(unlike)}")
            tables += _tables(decider, analysis, number, {*rules_of(span), *(expected.rules or ())})
        shown += _shown(decider, analysis, number, case, expected)
    return TranscriptResult(
        case=case,
        message="; ".join(messages),
        spans=analysis.decision.spans,
        tables=tuple(dict.fromkeys(tables)),
        shown=() if messages else tuple(shown),
    )


def _shown(
    decider: Decider, analysis: Analysis, number: int, case: TranscriptCase, expected: ExpectedSpan
) -> Iterator[Case]:
    """What an expectation that names its rules says of each of them, and of the other rules of its policy that would have been named.

    INVARIANT: a change of one of these outcomes changes the rules of the span, so the case itself would notice it.
    """
    if expected.rules is None:
        return
    record = record_of(analysis.join, analysis.assessments[number])
    verdict = decider.evaluator.evaluate(record)
    outcomes = {found.rule: found.outcome for found in verdict.outcomes}
    for policy, rule in decider.policies.rules():
        decides = rule.effect is RuleEffect.BARRIER or verdict.verdict is VerdictKind.OPPORTUNITY
        silent = policy.name == case.policy and decides and rule.mode is Mode.ENFORCE
        if rule.id in expected.rules or silent:
            yield Case(
                file=case.file,
                line=expected.line,
                column=case.column,
                name=case.name,
                policy=policy.name,
                rule=rule.id,
                record=record,
                outcome=outcomes[rule.id],
                verdict=verdict.verdict,
                rules=tuple(sorted(expected.rules)),
            )


def rules_of(span: SpanDecision) -> tuple[str, ...]:
    """The rules that made the verdict of a span, and those whose error did; each once, sorted."""
    return tuple(sorted({*(reason.rule for reason in span.reasons), *(error.rule for error in span.errors)}))


def _differences(expected: ExpectedSpan, span: SpanDecision) -> list[str]:
    unlike = []
    if span.action != expected.action:
        unlike.append(f"action is {span.action}, not {expected.action} (by {', '.join(rules_of(span)) or 'no rule'})")
    if expected.rules is not None and rules_of(span) != expected.rules:
        unlike.append(f"rules are [{', '.join(rules_of(span))}], not [{', '.join(expected.rules)}]")
    return unlike


def _tables(decider: Decider, analysis: Analysis, number: int, names: set[str]) -> list[RuleTable]:
    record = record_of(analysis.join, analysis.assessments[number])
    return [RuleTable(rule=rule, clauses=found) for rule, found in decider.evaluator.clauses(record, names).items()]


def _known(spans: Iterable[tuple[int, int]]) -> str:
    known = list(spans)
    names = ", ".join(map(_range, known[:5])) + (", …" if len(known) > 5 else "")
    return f"spans are {names}" if known else "all messages are in the tail"


def _range(messages: tuple[int, int]) -> str:
    return f"[{messages[0]}, {messages[1]}]"
