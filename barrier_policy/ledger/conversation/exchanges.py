"""What was settled in talk alone: questions of the agent with the user's answers.

An answer means nothing without its question, so both are one line. One that the agent acted on at once is a consent, which is part of the
receipt of what it was used for and needs no question (design section 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from barrier_policy.ledger.conversation.adopted import MAX_PROPOSAL, steps
from barrier_policy.ledger.conversation.told import FEWEST_POINTS
from barrier_policy.ledger.conversation.turns import Conversation, Turn, end_of, user_text, words_of
from barrier_policy.ledger.dialogue.cues import asks

NEWEST = 6
"""Answered questions, back from the present."""
NEWEST_USED = 3
FEWEST_WORDS = 3
"""Words of a consent that says what it is for."""
MAX_ANSWER = 160
MAX_QUESTION = 200
FOLLOWING = 3
"""Turns in which an answer is put to use."""
MAX_CALL = 2_000
_VALUE = re.compile(r"\w*\d[\w.-]*\w|\d")
_SENTENCE_END = re.compile(r"[.!?…。！？]\s*(?=\w)")
BARE = 24
"""Characters of an answer that picks one of several things: then all that was asked is told."""


def find_exchanges(conversation: Conversation) -> Iterator[tuple[int, str]]:
    """Messages, and the line that is to be noted for each: of the newest exchanges, and of the newest consents, in order."""
    talked: list[tuple[int, int, str]] = []
    used: list[tuple[int, str]] = []
    for before, turn in pairwise(conversation.turns):
        answer = _answer(conversation, before, turn)
        if answer and not turn.calls and not _is_used(conversation, turn, answer):
            talked.append((before.final, turn.start, f"{_question(conversation, before, answer)} → {answer}"))
        elif answer and turn.calls and _says_more(conversation, turn, answer):
            used.append((turn.start, answer))
    for question, reply, text in talked[-NEWEST:]:
        yield from ((question, text), (reply, text))
    yield from used[-NEWEST_USED:]


def _answer(conversation: Conversation, before: Turn, turn: Turn) -> str:
    """What the user answered to the agent's question; "" where nothing was."""
    if not (turn.has_user and turn.is_read and turn.start < conversation.present):
        return ""
    if not before.has_user or not (before.asks or before.wants_report) or turn.puts_off or turn.withdrawn:
        return ""  # an agent that opens with `How can I help you?` has asked nothing
    if conversation.has_left_between(before, turn):
        return ""  # what answered it has left
    answer = user_text(conversation, turn).strip()
    return answer if len(answer) <= MAX_ANSWER and not asks(answer) else ""


def _says_more(conversation: Conversation, turn: Turn, answer: str) -> bool:
    """Whether an answer says what it consents to, or in several sentences what a look-up can't hold: `We are 35. Two are vegetarian.`"""
    if all(call.reads for call in turn.calls):
        return _SENTENCE_END.search(answer) is not None and not _is_used(conversation, turn, answer)
    return len(answer.split()) >= FEWEST_WORDS


def _is_used(conversation: Conversation, turn: Turn, answer: str) -> bool:
    """Whether an answer gave ids or numbers, and the calls of the next turns hold them all."""
    given = set(_VALUE.findall(answer))
    following = conversation.turns[turn.index : turn.index + FOLLOWING]
    return bool(given) and given <= {
        value for later in following for call in later.calls for value in _VALUE.findall(call.part.text[:MAX_CALL])
    }


def _question(conversation: Conversation, turn: Turn, answer: str) -> str:
    """What was asked: its last question, with the closing words before it where the answer is a bare choice, and the whole where it numbers several."""
    whole = words_of(conversation.messages[turn.final]).strip()
    if len(whole) <= MAX_PROPOSAL and steps(whole) >= FEWEST_POINTS:
        return whole
    asked = conversation.of_kind(turn.final, "question")
    closing = end_of(conversation.messages[turn.final]).strip()
    return asked[-1].text[-MAX_QUESTION:] if asked and len(answer) > BARE else closing
