"""Messages that ask something which the agent has not answered: of several things only the first ones, or nothing, for all look-ups failed."""

from __future__ import annotations

import re

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import (
    MAX_CLOSING,
    MAX_REPLY,
    Call,
    Conversation,
    Turn,
    end_of,
    user_text,
    words_of,
)
from barrier_policy.ledger.dialogue.cues import is_for_later, promises
from barrier_policy.transcript.model import MessageKind

FOLLOWING = 3
"""Later turns that may come back to a question."""
SHARED = 2
"""Words of a question that an answer to it names."""
NAMES = 3
"""A question has this many words of its own before it counts as one of several."""

_ASKED = re.compile(r"[^?？;!\n]+[?？]")
_CLAUSE = re.compile(r"[,;:]\s+|[、，]")
_WHOLE = re.compile(r"[.!?…](?=\s|$)|[。！？\n]")
_SENTENCE = re.compile(r"[.,;:!?…](?=\s|$)|[。！？、，\n]")


def is_half_answered(conversation: Conversation, turn: Turn) -> bool:
    """Whether the last thing that the user asked for in a message is hardly named after it, although the first is.

    An answer with as many clauses as there were questions is taken for an answer to all of them. Costs time in the turn and the next three.
    """
    if "question" not in turn.kinds or turn.final < 0:
        return False
    text = user_text(conversation, turn)[:MAX_REPLY]
    asked = _asked(text)
    if len(asked) < 2:
        return False
    answer = words_of(conversation.messages[turn.final])[:MAX_CLOSING]
    parts = _SENTENCE if len(_ASKED.findall(text)) < 2 else _WHOLE
    if sum(1 for clause in parts.split(answer) if clause.strip()) >= len(asked):
        return False
    heard = _heard(conversation, turn)
    last = asked[-1] - frozenset().union(*asked[:-1])
    return (
        len(last) >= NAMES and 2 * len(last & heard) < len(last) and not all(words.isdisjoint(heard) for words in asked[:-1])
    )


def is_unanswered(conversation: Conversation, turn: Turn) -> bool:
    """Whether all calls for a question failed, the agent puts the answer off, and none of the next three turns has come back to it."""
    if "question" not in turn.kinds or turn.final < 0 or not turn.calls or not all(map(_failed, turn.calls)):
        return False
    closing = end_of(conversation.messages[turn.final])
    if not (promises(closing) or is_for_later(closing)):
        return False
    asked = content_words(user_text(conversation, turn)[:MAX_REPLY])
    tried = {(call.part.name, call.part.text) for call in turn.calls}
    return not any(
        any((call.part.name, call.part.text) in tried and not _failed(call) for call in later.calls)
        or len(asked & _said(conversation, later)) >= SHARED
        for later in conversation.turns[turn.index + 1 : turn.index + 1 + FOLLOWING]
    )


def is_broken_off(conversation: Conversation, turn: Turn) -> bool:
    """Whether the runtime broke off before the agent did or said anything about a question, and none of the next three turns has come back to it."""
    behind = conversation.messages[turn.start + 1 : turn.end]
    if "question" not in turn.kinds or turn.final >= 0 or turn.calls or not behind or turn.start >= conversation.present:
        return False
    if any(message.kind is MessageKind.SUMMARY for message in behind):
        return False  # what answered it has left
    asked = content_words(user_text(conversation, turn)[:MAX_REPLY])
    later = conversation.turns[turn.index + 1 : turn.index + 1 + FOLLOWING]
    return not any(len(asked & _said(conversation, following)) >= SHARED for following in later)


def is_left_open(conversation: Conversation, turn: Turn) -> bool:
    """Whether a question has no answer, or only half of one."""
    return is_half_answered(conversation, turn) or is_unanswered(conversation, turn) or is_broken_off(conversation, turn)


def _failed(call: Call) -> bool:
    fact = call.results[-1].fact if call.results else None
    return fact is not None and fact.get("state") in ("failed", "unknown")


def _said(conversation: Conversation, turn: Turn) -> frozenset[str]:
    return content_words(words_of(conversation.messages[turn.final])[:MAX_REPLY]) if turn.final >= 0 else frozenset()


def _asked(text: str) -> list[frozenset[str]]:
    """The words of each thing that a message asks: of each clause of each sentence with a question mark."""
    questions = _ASKED.findall(text) if "?" in text or "？" in text else []
    clauses = (clause for question in questions for clause in _CLAUSE.split(question))
    return [words for clause in clauses if len(words := content_words(clause)) >= 2]


def _heard(conversation: Conversation, turn: Turn) -> frozenset[str]:
    """The words of what was called, returned and said from the turn on."""
    following = conversation.turns[turn.index : turn.index + 1 + FOLLOWING]
    calls = [call for later in following for call in later.calls]
    texts = [part.text[:MAX_REPLY] for call in calls for part in (call.part, *(result.part for result in call.results))]
    texts += [words_of(conversation.messages[later.final])[:MAX_REPLY] for later in following if later.final >= 0]
    return content_words("\n".join(texts))
