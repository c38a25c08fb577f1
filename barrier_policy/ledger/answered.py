"""Turns in which the agent looked something up and told the user: what was asked there has been answered (design section 5)."""

from __future__ import annotations

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation import Conversation, Turn
from barrier_policy.ledger.cues import asks
from barrier_policy.ledger.halves import is_half_answered

TELLING = frozenset({"instruction", "release", "correction", "binding", "denial"})
"""Kinds of facts by which a sentence is more than a question."""
PLAIN_TASK = 60


def is_plain(task: str) -> bool:
    """Whether a sentence is one short clause: nothing in it can outlive the doing of it."""
    return len(task) <= PLAIN_TASK and not any(sign in task for sign in ",;:—–，、；：")


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
