"""Turns in which the agent looked something up and told the user: what was asked there has been answered (design section 5)."""

from __future__ import annotations

import re

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation import Conversation, Turn, speaks
from barrier_policy.ledger.cues import asks
from barrier_policy.ledger.halves import is_half_answered
from barrier_policy.ledger.owed import user_text

TELLING = frozenset({"instruction", "release", "correction", "binding", "denial"})
"""Kinds of facts by which a sentence is more than a question."""
CLAUSES = ",;:—–，、；："
PLAIN_TASK = 60
PLAIN_QUESTION = 100
_SENTENCE = re.compile(r"(?<=[.!?…。！？؟])\s*(?=\S)")


def is_plain(task: str) -> bool:
    """Whether a sentence is one short clause: nothing in it can outlive the doing of it."""
    return len(task) <= PLAIN_TASK and not any(sign in task for sign in CLAUSES)


def last_sentence(text: str) -> str:
    """The last sentence of a message."""
    return _SENTENCE.split(text)[-1]


def is_answered(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn is over before the tail, only looked things up, and ends with the agent's words, which leave nothing open."""
    if not turn.has_user or not turn.is_read or turn.end > conversation.present or not turn.calls:
        return False
    if turn.asks or turn.at_rest or turn.shows or not all(call.reads and call.results for call in turn.calls):
        return False
    last = max(result.ref.message for call in turn.calls for result in call.results)
    return turn.final > last and not is_half_answered(conversation, turn)


def only_asks(conversation: Conversation, turn: Turn, fact: Fact) -> bool:
    """Whether a sentence of the turn's user, taken for a rule with little ground, is what the look-ups of the turn answered."""
    if not fact.get("proposed") or not is_answered(conversation, turn):
        return False
    same = (fact.part, fact.start)
    if not is_plain(fact.text) and not asks(fact.text):
        return False
    return not any((other.part, other.start) == same for other in conversation.of_kind(turn.start, *TELLING))


def is_plain_look_up(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn answers one short task or question by looking it up: nothing that was asked can outlive it."""
    if not is_answered(conversation, turn):
        return False
    rules = conversation.of_kind(turn.start, "constraint", "approval_gate")
    if not all(only_asks(conversation, turn, rule) for rule in rules):
        return False
    text = user_text(conversation, turn).strip()
    return is_plain(text) or asks(text)


def answers_question(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn answers one short question, put in the last sentence of the user's message, by looking something up."""
    if "approval_gate" in turn.kinds or not is_answered(conversation, turn):
        return False
    text = user_text(conversation, turn).strip()
    return len(text) <= PLAIN_QUESTION and not any(sign in text for sign in CLAUSES) and asks(last_sentence(text))


def tells_look_ups(conversation: Conversation, turn: Turn, message: int) -> bool:
    """Whether the agent's words at a message tell what it has just looked up on the way, or in a turn of nothing else: it can be read again.

    What it acts on next is the ground of a deed, and what a turn without deeds finds for a longer task is its outcome: neither is on the way.
    """
    before = max((other for other in range(turn.start, message) if speaks(conversation.messages[other])), default=turn.start)
    just = [call for call in turn.calls if before <= call.ref.message < message]
    if not just or not all(call.reads and call.results for call in just):
        return False
    after = next((call for call in turn.calls if call.ref.message >= message), None)
    if after is not None and not after.reads:
        return False
    return not all(call.reads for call in turn.calls) or is_plain_look_up(conversation, turn)
