"""What was settled in talk alone: questions of the agent with the user's answers.

An answer means nothing without its question, so both are one line. What the agent acted on at once is in its calls (design section 5).
"""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.ledger.conversation import Conversation, Turn, end_of
from barrier_policy.ledger.cues import asks
from barrier_policy.ledger.model import Family, Item
from barrier_policy.ledger.owed import user_text

NEWEST = 8
"""Answered questions, back from the present."""
NUMBER = 980
"""Among the notes of a message."""
MAX_ANSWER = 160
MAX_QUESTION = 200
BARE = 24
"""Characters of an answer that picks one of several things: then all that was asked is told."""


def find_exchanges(conversation: Conversation) -> Iterator[Item]:
    """Notes of the newest exchanges, in order."""
    talked = (turn for turn in conversation.turns if turn.has_user and turn.is_read and not turn.calls)
    found = [_answered(conversation, turn) for turn in talked if turn.start < conversation.present]
    yield from [item for item in found if item is not None][-NEWEST:]


def _answered(conversation: Conversation, turn: Turn) -> Item | None:
    """The user's answer behind the question that the agent had just asked."""
    before = conversation.turns[turn.index - 1] if turn.index else None
    if before is None or not before.asks or turn.puts_off:
        return None
    answer = user_text(conversation, turn).strip()
    if not answer or len(answer) > MAX_ANSWER or asks(answer):
        return None
    return Item(
        id=f"note:{turn.start}.0.{NUMBER}",
        family=Family.BINDING,
        kind="note",
        message=turn.start,
        part=0,
        text=f"{_question(conversation, before, answer)} → {answer}",
        attributes={"name": "answer", "consumers": "1", "held": "", "serves": ""},
    )


def _question(conversation: Conversation, turn: Turn, answer: str) -> str:
    """What was asked: its last question, with the closing words before it where the answer is a bare choice."""
    asked = conversation.of_kind(turn.final, "question")
    closing = end_of(conversation.messages[turn.final]).strip()
    return asked[-1].text[-MAX_QUESTION:] if asked and len(answer) > BARE else closing
