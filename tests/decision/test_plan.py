"""What a target does: which repairs are made, when a compaction is refused, and what is named then (design sections 2 and 7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decision, decide
from barrier_policy.decision.assess import Assessment
from barrier_policy.decision.plan import STUB_TOKENS, make_plan
from barrier_policy.join.join import Coverage, Provenance
from barrier_policy.ledger.model import Family, Item
from barrier_policy.spans.model import Span

NOW = "2026-06-01T12:00:00Z"
Messages = list[dict[str, Any]]


def step(number: int, answer: str, tool: str = "send_email") -> Messages:
    arguments = json.dumps({"to": f"guest{number}@example.test", "body": "The pool opens late this week. " * number})
    calls = [{"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{number}", "content": answer},
    ]


DONE = '{"status": "done"}'
PENDING = '{"status": "pending"}'
MESSAGES: Messages = [
    {"role": "system", "content": "You write mails to hotel guests. " * 4},
    {"role": "user", "content": "Please write to all guests about the pool."},
    *step(40, DONE),
    *step(20, DONE),
    *step(30, PENDING),
    *step(10, DONE),
    {"role": "user", "content": "Thanks."},
    {"role": "assistant", "content": "You're welcome."},
]


@pytest.fixture
def at(tmp_path: Path) -> Callable[[int | None], Decision]:
    """Decides for a target, with an empty store: the gate could archive."""
    return lambda target: decide(MESSAGES, keep_last=2, target_tokens=target, now=NOW, store=tmp_path)


def actions(decision: Decision) -> dict[int, str]:
    return {span.messages[0]: span.action for span in decision.spans}


def test_without_a_target_all_repairs_are_planned(at: Callable[[int | None], Decision]) -> None:
    decision = at(None)
    assert decision.outcome == "compact"
    assert [actions(decision)[start] for start in (2, 4, 6, 8)] == ["repair", "repair", "retain", "repair"]


def test_with_a_target_the_largest_gain_comes_first_and_no_more_is_repaired_than_it_takes(
    at: Callable[[int | None], Decision],
) -> None:
    full, whole = at(None), at(None).totals.tokens_before
    decision = at(whole - 100)
    assert [actions(decision)[start] for start in (2, 4, 8)] == ["repair", "retain", "retain"]
    assert full.budget.tokens_after < decision.budget.tokens_after <= whole - 100


@pytest.mark.parametrize("slack", [0, 1, STUB_TOKENS])
def test_every_target_that_all_repairs_reach_is_reached(at: Callable[[int | None], Decision], slack: int) -> None:
    best = at(None).budget.tokens_after
    assert at(best + slack).outcome == "compact"
    assert at(best - 1).outcome == "refuse"


def test_a_refused_compaction_changes_nothing_and_names_what_would_reach_the_target(
    at: Callable[[int | None], Decision],
) -> None:
    best = at(None).budget.tokens_after
    decision = at(best - 1)
    assert set(actions(decision).values()) == {"retain"}
    assert decision.carrier == () and decision.totals.tokens_reclaimed == 0
    assert {entry.span for entry in decision.blocking} == {"6-7"}
    assert any(entry.item == "effect:6.0" and "confirmed" in entry.discharged_by for entry in decision.blocking)


def test_a_span_that_is_kept_by_a_rule_without_items_is_named_by_the_rule(at: Callable[[int | None], Decision]) -> None:
    blocking = at(0).blocking
    assert ("rule:zones.instructions", "0", "nothing, such a span always stays") in {
        (entry.item, entry.span, entry.discharged_by) for entry in blocking
    }
    assert blocking[-1].span == "tail" and "a shorter tail" in blocking[-1].discharged_by


def test_verdicts_and_reasons_are_those_without_a_target(at: Callable[[int | None], Decision]) -> None:
    assert [(span.verdict, span.reasons, span.repairs) for span in at(0).spans] == [
        (span.verdict, span.reasons, span.repairs) for span in at(None).spans
    ]


@pytest.mark.parametrize(("words", "outcome"), [(4_000, "nothing_to_reclaim"), (40, "compact")])
def test_there_is_nothing_to_reclaim_where_the_stand_ins_are_no_smaller_than_what_goes(words: int, outcome: str) -> None:
    messages: Messages = [
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "Sure."},
        {"role": "user", "content": "Tell me a story."},
        {"role": "assistant", "content": "Once upon a time " * (words // 4)},
    ]
    decision = decide(messages, keep_last=2, now=NOW, store=None)
    assert decision.outcome == outcome
    assert (decision.budget.tokens_after == decision.totals.tokens_before) is (outcome == "nothing_to_reclaim")


def found(number: int, *, free: bool, gain: int = 0, secret: str = "") -> Assessment:
    """An assessment of a span of 20 tokens, as far as a plan looks at it."""
    item = Item(id=f"note:{number}", family=Family.BINDING, kind="note", message=number, text=f"noted {secret}")
    return Assessment(
        span=Span(start=number, end=number + 1),
        tokens=20,
        coverage=Coverage(),
        provenance=Provenance(),
        verdict="opportunity" if free else "barrier",
        default_barrier=False,
        reasons=(),
        errors=(),
        repairable=not free,
        rebind=() if free else (item,),
        gain=gain,
    )


@pytest.mark.parametrize(
    ("neighbours", "gain", "secret", "expected"),
    [
        (True, -4, "", "repair"),
        (True, -STUB_TOKENS, "", "retain"),
        (False, -4, "", "retain"),
        (True, -4, "[secret password hmac:01]", "retain"),
    ],
)
def test_records_longer_than_their_span_pay_off_where_they_spare_a_stub(
    neighbours: bool, gain: int, secret: str, expected: str
) -> None:
    spans = [found(0, free=True), found(1, free=False, gain=gain, secret=secret)]
    spans += [found(2, free=True)] if neighbours else [found(2, free=False, gain=-400)]
    plan = make_plan(spans, lambda assessment: (), tokens_total=60, target_tokens=None)
    assert plan.actions[1] == expected
    kept = 20 if expected == "retain" else 20 - gain
    assert not neighbours or plan.tokens_after == kept + STUB_TOKENS * (2 if expected == "retain" else 1)
