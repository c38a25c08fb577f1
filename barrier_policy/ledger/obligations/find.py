"""Obligations: requests, promises, questions, calls without an answer, work in flight (design section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from barrier_policy.ledger.conversation.turns import Call, Conversation
from barrier_policy.ledger.model import Event, Item
from barrier_policy.ledger.obligations.asked import asked_by_message
from barrier_policy.ledger.obligations.in_flight import half_done, jobs, open_calls
from barrier_policy.ledger.obligations.promises import commitments, plan_items
from barrier_policy.ledger.obligations.questions import questions
from barrier_policy.ledger.obligations.requests import requests
from barrier_policy.ledger.obligations.waiting import awaited_answers, inconclusive_look_ups


def find_obligations(
    conversation: Conversation, effect_states: Mapping[str, str], look_ups: Sequence[Call] = ()
) -> tuple[list[Item], list[Event]]:
    """All obligations, with their events. `look_ups` are the last ones of effects that are still open."""
    items: list[Item] = []
    events: list[Event] = []
    for found in (
        requests(conversation, effect_states),
        open_calls(conversation),
        commitments(conversation),
        questions(conversation),
        half_done(conversation, effect_states),
        awaited_answers(conversation),
        asked_by_message(conversation),
        inconclusive_look_ups(look_ups),
        jobs(conversation, effect_states),
        plan_items(conversation),
    ):
        for item, history in found:
            items.append(item)
            events.extend(history)
    return items, events
