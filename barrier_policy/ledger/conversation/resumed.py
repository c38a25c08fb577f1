"""The request that the user's newest word resumes: `go on`, `the next one` (design section 5, obligations)."""

from __future__ import annotations

from collections.abc import Sequence

from barrier_policy.ledger.conversation.answered import PLAIN_TASK
from barrier_policy.ledger.conversation.turns import Conversation, Turn, user_text
from barrier_policy.ledger.dialogue.cues import asks, resumes


def resumed(conversation: Conversation, given: Sequence[Turn]) -> Turn | None:
    """Which of the requests is not finished, because the user says at the end to go on; None where the user says no such thing.

    It is the newest that says more than one short task. What the tail has begun itself is not looked for here.
    """
    present = [turn for turn in conversation.turns if turn.has_user and turn.start >= conversation.present]
    if not present or not resumes(user_text(conversation, present[-1])):
        return None
    if not all(asks(user_text(conversation, turn)) for turn in present[:-1]):
        return None
    past = (turn for turn in reversed(given) if turn.start < conversation.present)
    return next((turn for turn in past if len(user_text(conversation, turn).strip()) > PLAIN_TASK), None)
