"""What was settled in talk alone: questions of the agent with the user's answers.

An answer means nothing without its question, so both are one line. One after which the agent only looked something up is left out, unless it
holds a rule (design section 5).
"""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.ledger.conversation.adopted import FEWEST_POINTS, MAX_LIST, steps
from barrier_policy.ledger.conversation.told import may_bind
from barrier_policy.ledger.conversation.turns import Conversation, Turn, end_of, has_left, user_text, words_of
from barrier_policy.ledger.dialogue.cues import asks

RULES = ("constraint", "approval_gate")
NEWEST = 6
"""Answered questions, back from the present."""
MAX_ANSWER = 160
MAX_QUESTION = 200
BARE = 24
"""Characters of an answer that picks one of several things: then all that was asked is told."""


def find_exchanges(conversation: Conversation) -> Iterator[tuple[int, str]]:
    """Messages, and the line that is to be noted for each: of the newest exchanges, in order."""
    talked = (turn for turn in conversation.turns if turn.has_user and turn.is_read and _outlives(conversation, turn))
    found = [_answered(conversation, turn) for turn in talked if turn.start < conversation.present]
    for places, text in [exchange for exchange in found if exchange is not None][-NEWEST:]:
        yield from ((place, text) for place in places)


def _outlives(conversation: Conversation, turn: Turn) -> bool:
    """Whether an answer says more than that something is to be looked up: a consent is part of the receipt of what it was used for."""
    if not turn.calls:
        return True
    if any(may_bind(conversation, turn, rule) for rule in conversation.of_kind(turn.start, *RULES)):
        return True
    return not all(call.reads for call in turn.calls)


def _answered(conversation: Conversation, turn: Turn) -> tuple[tuple[int, int], str] | None:
    """Where the question and the answer stand, neither of which may go alone, and both in one line."""
    before = conversation.turns[turn.index - 1] if turn.index else None
    if before is None or not before.asks or turn.puts_off or turn.withdrawn:
        return None
    if has_left(conversation.messages[before.final + 1 : turn.start]):
        return None  # what answered it has left
    answer = user_text(conversation, turn).strip()
    if not answer or len(answer) > MAX_ANSWER or asks(answer):
        return None
    return (before.final, turn.start), f"{_question(conversation, before, answer)} → {answer}"


def _question(conversation: Conversation, turn: Turn, answer: str) -> str:
    """What was asked: its last question, with the closing words before it where the answer is a bare choice, and the whole where it numbers several."""
    whole = words_of(conversation.messages[turn.final]).strip()
    if len(whole) <= MAX_LIST and steps(whole) >= FEWEST_POINTS:
        return whole
    asked = conversation.of_kind(turn.final, "question")
    closing = end_of(conversation.messages[turn.final]).strip()
    return asked[-1].text[-MAX_QUESTION:] if asked and len(answer) > BARE else closing
