"""Reasons are sufficient and a blocking set is minimal: invariants 21 and 22 of the design, section 9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy import Decider
from barrier_policy.decision.assess import record_of
from barrier_policy.decision.plan import STUB_TOKENS
from barrier_policy.walk import Analysis

Messages = list[dict[str, Any]]
Analyse = Callable[..., Analysis]

PROPERTY = settings(settings.get_profile("properties"))
LISTS = ("obligations", "effects", "constraints", "bindings", "unknowns")


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6))
def test_without_the_items_that_it_cites_a_barrier_rule_is_false(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, decider: Decider, data: st.DataObject, keep_last: int
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last)
    naming = {rule.id for _, rule in decider.policies.rules() if rule.evidence}
    for assessment, span in zip(found.assessments, found.decision.spans, strict=True):
        cited = {(item.item, item.message) for reason in span.reasons for item in reason.evidence}
        record = record_of(found.join, assessment)
        for name in LISTS:
            record[name] = [i for i in record[name] if (i.get("id") or i.get("what"), i["message"]) not in cited]
        outcomes = {outcome.rule: outcome.outcome for outcome in decider.evaluator.evaluate(record).outcomes}
        for reason in span.reasons:
            if reason.effect == "barrier" and reason.rule in naming:
                assert outcomes[reason.rule] == "false", reason


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6))
def test_every_barrier_says_why(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int
) -> None:
    for span in analyse(data.draw(transcripts), keep_last=keep_last).decision.spans:
        assert span.reasons or span.errors
        assert {reason.effect for reason in span.reasons} == {"permit" if span.verdict == "opportunity" else "barrier"}
        for reason in span.reasons:
            assert reason.explanation and reason.references
            assert reason.evidence or reason.effect == "permit"
            assert bool(reason.lifted_by) == (reason.effect == "barrier")
            assert all(span.messages[0] <= item.message < span.messages[1] for item in reason.evidence)


def _size(found: Analysis, released: set[str]) -> int:
    """Tokens of the context if all possible repairs were made and the released spans went for nothing."""
    size, in_run = found.join.tokens_total, False
    for assessment in found.assessments:
        helps = assessment.verdict == "opportunity" or (assessment.repairable and assessment.gain >= 0)
        goes = helps or assessment.span.id in released
        if goes:
            size -= assessment.gain if helps and assessment.repairable else assessment.tokens
            size += 0 if in_run else STUB_TOKENS
        in_run = goes
    return size


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=st.integers(0, 500))
def test_a_plan_with_a_target_reaches_it_or_is_refused(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int, target: int
) -> None:
    messages = data.draw(transcripts)
    decision = analyse(messages, keep_last=keep_last, target=target).decision
    if decision.outcome == "refuse":
        assert {span.action for span in decision.spans} <= {"retain"}
        assert decision.blocking
        assert analyse(messages, keep_last=keep_last).decision.budget.tokens_after > target
    else:
        assert decision.blocking == ()
        assert decision.budget.tokens_after <= target
        assert decision.totals.tokens_retained + decision.totals.tokens_carrier <= target


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=st.integers(0, 500))
def test_no_span_of_a_blocking_set_can_be_left_out(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int, target: int
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last, target=target)
    blocked = {entry.span for entry in found.decision.blocking} - {"tail"}
    if found.decision.outcome != "refuse":
        return
    spans = {span.id: span for span in found.decision.spans}
    assert {entry.span for entry in found.decision.blocking} <= {*spans, "tail"}
    assert all(entry.item and entry.discharged_by for entry in found.decision.blocking)
    if any(entry.span == "tail" for entry in found.decision.blocking):
        assert _size(found, set(spans)) > target
        return
    assert _size(found, blocked) <= target
    for span in sorted(blocked):
        assert _size(found, blocked - {span}) > target, span
