"""The incident of "Compaction barrier" (2026-11-10): the gate refuses to summarize the span that was lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, Decision, decide
from barrier_policy.decision.model import SpanDecision
from barrier_policy.provenance.file_store import FileStore

EXAMPLE = Path(__file__).parents[2] / "examples" / "incident.json"
SPAN = (407, 466)
KEEP_LAST = 10
NOW = "2026-09-14T08:30:00Z"
KEY = "orders-v2-prd-0910-k7f3c9"
REWRITTEN = ("customer_ref", "placed_at", "currency", "total_minor")
CONSTRAINT = "must not run while ledger-export is still pinned to schema 1"
UNSETTLED = "effects.unsettled"

Messages = list[dict[str, Any]]


@pytest.fixture(scope="module")
def messages() -> Messages:
    found = json.loads(EXAMPLE.read_text(encoding="utf-8"))["messages"]
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store: the gate could archive, so only what no archive excuses stays."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def decision(store: Path) -> Decision:
    return decide(EXAMPLE, keep_last=KEEP_LAST, now=NOW, store=store)


def call_message(messages: Messages, tool: str, **arguments: object) -> int:
    """Index of the message with the first call of a tool that has these arguments."""
    for index, message in enumerate(messages):
        for call in message.get("tool_calls", ()):
            given = json.loads(call["function"]["arguments"])
            if call["function"]["name"] == tool and given.items() >= arguments.items():
                return index
    raise LookupError(tool)


def migration(messages: Messages, table: str = "orders") -> int:
    return call_message(messages, "start_migration", environment="production", table=table)


def span_of(decision: Decision, message: int) -> SpanDecision:
    return next(span for span in decision.spans if span.messages[0] <= message < span.messages[1])


def rules(span: SpanDecision) -> set[str]:
    return {reason.rule for reason in span.reasons}


def unsettled_explanations(span: SpanDecision) -> list[str]:
    return [reason.explanation for reason in span.reasons if reason.rule == UNSETTLED]


def named(decision: Decision, messages: Messages) -> Iterator[str]:
    """What the decision names of the span: explanations, evidence with the part that it points to, lines of carrier records."""
    for span in decision.spans:
        if SPAN[0] <= span.messages[0] < SPAN[1]:
            for reason in span.reasons:
                yield reason.explanation
                for evidence in reason.evidence:
                    yield f"{evidence.item} {evidence.excerpt} {resolve(messages[evidence.message], evidence.pointer)}"
    yield from carried(decision)


def carried(decision: Decision) -> Iterator[str]:
    """The lines that the model will see of the carrier."""
    for record in decision.carrier:
        yield from record.text.splitlines()


def surviving(decision: Decision, messages: Messages) -> Iterator[str]:
    """What is verbatim in the context after the compaction: messages of retained spans, the tail, carrier lines."""
    kept = [range(*span.messages) for span in decision.spans if span.action == "retain"]
    for index in [*(index for span in kept for index in span), *range(decision.tail.start, len(messages))]:
        yield json.dumps(messages[index], ensure_ascii=False)
    yield from carried(decision)


def resolve(message: dict[str, Any], pointer: str) -> str:
    """The part of a message that a pointer leads to, as text; pointers are relative to the message."""

    def step(value: Any, key: str) -> Any:
        return value[int(key)] if isinstance(value, list) else value[key]

    found = reduce(step, pointer.split("/")[1:], message) if pointer else ""
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def test_the_example_is_the_run_that_the_document_describes(messages: Messages) -> None:
    spoken = [message["role"] in ("user", "assistant") for message in messages]
    assert sum(spoken) == 340
    assert sum(spoken[slice(*SPAN)]) == 41
    assert SPAN[0] <= migration(messages) < SPAN[1]
    assert EXAMPLE.stat().st_size < 400_000
    tail = json.dumps(messages[-KEEP_LAST:])
    assert "orders migration" in tail
    assert not [value for value in (KEY, *REWRITTEN) if value in tail]


def test_the_spans_that_hold_the_migration_call_stay_verbatim_because_it_is_unsettled(
    decision: Decision, messages: Messages
) -> None:
    span = span_of(decision, migration(messages))
    assert (span.verdict, span.action) == ("barrier", "retain")
    cited = [evidence.message for reason in span.reasons if reason.rule == UNSETTLED for evidence in reason.evidence]
    assert migration(messages) in cited


def test_the_span_of_41_turns_taken_as_one_stays_verbatim(store: Path, messages: Messages) -> None:
    decided = Decider().analyse(EXAMPLE, keep_last=KEEP_LAST, now=NOW, store=FileStore(store), ranges=[SPAN]).decision
    span = span_of(decided, migration(messages))
    assert span.messages == SPAN
    assert (span.verdict, span.action) == ("barrier", "retain")
    assert UNSETTLED in rules(span)


DROPPED = [
    pytest.param((KEY,), id="the-idempotency-key"),
    pytest.param((*REWRITTEN, "rewritten"), id="the-set-of-columns-already-rewritten"),
    pytest.param((CONSTRAINT,), id="the-constraint-on-the-downstream-consumer"),
]


@pytest.mark.parametrize("dropped", DROPPED)
def test_the_decision_names_what_the_summary_had_dropped(
    decision: Decision, messages: Messages, dropped: tuple[str, ...]
) -> None:
    assert any(all(value in text for value in dropped) for text in named(decision, messages))


@pytest.mark.parametrize("dropped", DROPPED)
def test_what_the_summary_had_dropped_survives_verbatim(
    decision: Decision, messages: Messages, dropped: tuple[str, ...]
) -> None:
    assert any(all(value in text for value in dropped) for text in surviving(decision, messages))


def test_the_decision_names_the_missing_confirmation(decision: Decision, messages: Messages) -> None:
    explanations = unsettled_explanations(span_of(decision, migration(messages)))
    assert any(re.search(r"start_migration .* nothing (confirms|shows)", text) for text in explanations)


def test_the_last_look_up_leaves_the_migration_partial(decision: Decision, messages: Messages) -> None:
    explanations = unsettled_explanations(span_of(decision, migration(messages)))
    assert any(re.search(r"start_migration \(message \d+\) is partial: done only in part", text) for text in explanations)


def test_a_target_out_of_reach_is_refused_and_what_blocks_it_names_the_migration_and_its_discharge(
    store: Path, messages: Messages
) -> None:
    refused = decide(EXAMPLE, keep_last=KEEP_LAST, now=NOW, store=store, target_tokens=400)
    assert refused.outcome == "refuse"
    assert {span.action for span in refused.spans} == {"retain"}
    effect = f"effect:{migration(messages)}.0"
    discharges = [entry.discharged_by for entry in refused.blocking if entry.item == effect]
    assert discharges
    assert all("confirmed" in text for text in discharges)


@pytest.mark.parametrize("target", [400, 4_000, 12_000, 25_000, 10_000_000])
def test_no_budget_changes_a_verdict(decision: Decision, store: Path, messages: Messages, target: int) -> None:
    other = decide(EXAMPLE, keep_last=KEEP_LAST, now=NOW, store=store, target_tokens=target)
    assert [(span.verdict, rules(span)) for span in other.spans] == [(span.verdict, rules(span)) for span in decision.spans]
    assert span_of(other, migration(messages)).action == "retain"


def test_the_rest_of_the_run_is_reclaimed(decision: Decision) -> None:
    assert decision.outcome == "compact"
    assert decision.totals.tokens_reclaimed > decision.totals.tokens_before / 2


def test_the_finished_migration_of_customers_holds_nothing_back(decision: Decision, messages: Messages) -> None:
    span = span_of(decision, migration(messages, "customers"))
    assert UNSETTLED not in rules(span)
    assert {repair.kind for repair in span.repairs} == {"rebind", "archive"}
    assert any("customers-v2-prd-0903" in text for text in surviving(decision, messages))


def test_once_a_look_up_confirms_the_migration_the_span_may_go_with_a_receipt_that_has_the_key(
    store: Path, messages: Messages
) -> None:
    confirmed = json.dumps({"migration_id": "mig_2240", "environment": "production", "state": "completed", "verified": True})
    look_up = {"name": "get_migration", "arguments": '{"migration_id": "mig_2240"}'}
    finish: Messages = [
        {"role": "user", "content": "Tobias has moved to 2 and the service has gone on by itself. Is it through?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "call_fin", "type": "function", "function": look_up}]},
        {"role": "tool", "tool_call_id": "call_fin", "content": confirmed},
        {"role": "assistant", "content": "Yes, it is completed and verified."},
    ]
    settled = (
        Decider()
        .analyse(
            [*messages[:-KEEP_LAST], *finish, *messages[-KEEP_LAST:]],
            keep_last=KEEP_LAST,
            now=NOW,
            store=FileStore(store),
            ranges=[SPAN],
        )
        .decision
    )
    span = span_of(settled, migration(messages))
    assert (span.messages, span.verdict, span.action) == (SPAN, "barrier", "repair")
    assert UNSETTLED not in rules(span)
    assert [record for record in settled.carrier if record.kind == "receipt" and KEY in record.text]
    assert [line for line in carried(settled) if CONSTRAINT in line]
