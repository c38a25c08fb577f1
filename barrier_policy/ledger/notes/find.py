"""Notes and rows of a conversation: what stands in one place only and something still open depends on.

What the user states (values, corrections, consent not yet used), what the agent reports, and what a look-up returned for a live consumer:
the tail, a live request, an unsettled effect, a promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from barrier_policy.ledger.conversation.adopted import find_adopted
from barrier_policy.ledger.conversation.exchanges import find_exchanges
from barrier_policy.ledger.conversation.turns import Call, Conversation
from barrier_policy.ledger.model import TERMINAL, Event, Family, Item
from barrier_policy.ledger.notes.at_hand import answered_before, findings, pointed_at, progress, vouched_for
from barrier_policy.ledger.notes.note import new_note
from barrier_policy.ledger.notes.reports import beside_open_calls, places_of_secrets, reports, unfinished_turns
from barrier_policy.ledger.notes.rows import rows
from barrier_policy.ledger.notes.statements import shown_places, statements, told_in_passing
from barrier_policy.transcript.model import Origin


def find_notes(
    conversation: Conversation, items: Sequence[Item], states: Mapping[str, str], look_ups: Sequence[Call]
) -> tuple[list[Item], list[Event]]:
    """Notes and rows, each open; none where nobody has said anything. `look_ups` are the last ones of effects that are still open."""
    if not conversation.messages:
        return [], []
    live = {item.message for item in items if item.kind == "request" and states[item.id] not in TERMINAL}
    acted = {conversation.turn_of[item.message] for item in items if item.family is Family.EFFECT}
    found = [
        *statements(conversation, live),
        *told_in_passing(conversation),
        *(
            new_note("note", place, 0, 980, text, "answer", said_by=Origin.USER)
            for place, text in find_exchanges(conversation)
        ),
        *(new_note("note", place, 0, 981, text, "proposal") for place, text in find_adopted(conversation)),
        *shown_places(conversation),
        *reports(conversation, acted, unfinished_turns(conversation, items, states, live)),
        *beside_open_calls(conversation, items, states),
        *findings(conversation, live),
        *pointed_at(conversation),
        *answered_before(conversation),
        *vouched_for(conversation),
        *places_of_secrets(conversation),
        *progress(conversation, look_ups),
        *rows(conversation, items, states),
    ]
    return found, [Event(item.message, item.id, "open", "later work may need it") for item in found]
