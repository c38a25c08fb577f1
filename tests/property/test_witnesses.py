"""What is protected survives every plan: invariants 1, 2, 6 and 13 of the design, section 9."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Family, Item
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.walk import Analysis

Messages = list[dict[str, Any]]
Analyse = Callable[..., Analysis]
Kept = Callable[[Analysis], set[int]]

PROPERTY = settings(settings.get_profile("properties"))
TARGETS = st.sampled_from([None, 0, 60, 120, 250, 10_000])
UNKEYED = frozenset({"write_file", "send_email", "delete_database", "start_job", "frobnicate"})


def _text(found: Analysis, kept: set[int]) -> str:
    """The context after the plan: what is kept and the lines of the records."""
    parts = [part.text for message in found.join.messages if message.index in kept for part in message.parts]
    return "\n".join([*parts, *(record.text for record in found.decision.carrier)])


def _is_protected(item: Item, state: str) -> bool:
    if item.family is Family.BINDING:
        return state == "open"
    if item.family is Family.CONSTRAINT:
        return state not in TERMINAL
    return item.family is Family.EFFECT and (state in UNSETTLED or not item.attributes.get("merged"))


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=TARGETS)
def test_no_plan_removes_the_last_witness_of_a_protected_item(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    kept_messages: Kept,
    data: st.DataObject,
    keep_last: int,
    target: int | None,
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last, target=target)
    kept = kept_messages(found)
    text = _text(found, kept)
    recorded = {fields["id"] for record in found.decision.carrier for fields in record.fields["items"]}
    for item in found.join.ledger.items:
        state = found.join.ledger.states[item.id]
        if item.message in kept or not _is_protected(item, state):
            continue
        assert item.text in text, item
        if item.family is not Family.BINDING:
            assert item.id in recorded, item


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=TARGETS)
def test_no_value_that_a_call_was_given_is_lost(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    kept_messages: Kept,
    data: st.DataObject,
    keep_last: int,
    target: int | None,
) -> None:
    """The same from outside, without the ledger's word for what is protected."""
    messages = data.draw(transcripts)
    found = analyse(messages, keep_last=keep_last, target=target)
    text = _text(found, kept_messages(found))
    for message in messages:
        for call in message.get("tool_calls", ()):
            arguments = json.loads(call["function"]["arguments"])
            exact = arguments.get("target") or arguments["idempotency_key"]
            assert exact in text


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=TARGETS)
def test_no_span_with_an_unsettled_effect_is_ever_reclaimed(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    kept_messages: Kept,
    data: st.DataObject,
    keep_last: int,
    target: int | None,
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last, target=target)
    kept = kept_messages(found)
    ledger = found.join.ledger
    unsettled = [item for item in ledger.items if item.family is Family.EFFECT and ledger.states[item.id] in UNSETTLED]
    assert [item for item in unsettled if item.message not in kept] == []
    # from outside: a change that was called for, that nothing can look up and that nothing answered
    pairs = pair_calls(found.join.messages)
    for ref, results in pairs.results_of.items():
        if not results and found.join.messages[ref.message].parts[ref.part].name in UNKEYED:
            assert ref.message in kept


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 6), target=TARGETS)
def test_what_is_kept_is_closed_under_calls_and_results(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    kept_messages: Kept,
    data: st.DataObject,
    keep_last: int,
    target: int | None,
) -> None:
    found = analyse(data.draw(transcripts), keep_last=keep_last, target=target)
    kept = kept_messages(found)
    for result, call in pair_calls(found.join.messages).call_of.items():
        assert (result.message in kept) == (call.message in kept), (call, result)


@PROPERTY
@given(data=st.data(), keep_last=st.integers(0, 8))
def test_spans_partition_what_stands_before_the_tail(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject, keep_last: int
) -> None:
    messages = data.draw(transcripts)
    decision = analyse(messages, keep_last=keep_last).decision
    assert [i for span in decision.spans for i in range(*span.messages)] == list(range(decision.tail.start))
    assert decision.tail.start <= max(0, len(messages) - keep_last)
    assert all(span.messages[0] < span.messages[1] for span in decision.spans)


EXACT = "ord-81723-qx"
TELLS = {"role": "assistant", "content": f"SAW: found {EXACT}"}
ASKS = {"role": "user", "content": f"ASK: where is {EXACT}?"}
CHAT = [{"role": "user", "content": "thanks a lot"}, {"role": "assistant", "content": "Sounds good."}]
TWO_WITNESSES = {
    "the agent twice": [TELLS, *CHAT, TELLS],
    "the user twice": [ASKS, *CHAT, ASKS],
    "the agent, then the user": [TELLS, *CHAT, ASKS],
    "the user, then the agent": [ASKS, *CHAT, TELLS],
    "side by side": [TELLS, ASKS],
    "three times": [TELLS, ASKS, TELLS],
}


@pytest.mark.parametrize("witnesses", TWO_WITNESSES.values(), ids=TWO_WITNESSES)
def test_spans_that_are_each_others_only_witness_never_both_go(
    analyse: Analyse, kept_messages: Kept, witnesses: Messages
) -> None:
    found = analyse([*CHAT, *witnesses, *CHAT, *CHAT])
    assert EXACT in _text(found, kept_messages(found))
    actions = [span.action for span in found.decision.spans if EXACT in str(found.join.messages[slice(*span.messages)])]
    assert actions.count("summarize") < len(actions)
