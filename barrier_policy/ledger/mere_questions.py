"""Messages that do nothing but ask, although they look like an order or a rule: `when do the reports go to print` (design section 5)."""

from __future__ import annotations

import msgspec

from barrier_policy.ledger.conversation import Conversation, Turn, words_of
from barrier_policy.ledger.cues import only_asks

MISTAKEN = frozenset({"instruction", "constraint"})
"""Kinds of facts that the words of a question are taken for."""


def with_questions(conversation: Conversation) -> Conversation:
    """The conversation, in which messages that only ask count as no order and no rule. Linear in its turns.

    A rule that is surely one stays one, and what is asked about a consent or a condition is kept with its answer.
    """
    turns = tuple(_as_question(turn) if _only_asks(conversation, turn) else turn for turn in conversation.turns)
    return msgspec.structs.replace(conversation, turns=turns)


def _as_question(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, kinds=turn.kinds - MISTAKEN)


def _only_asks(conversation: Conversation, turn: Turn) -> bool:
    if not turn.has_user or turn.shows or not turn.is_read or not turn.kinds & MISTAKEN:
        return False
    rules = conversation.of_kind(turn.start, "constraint", "approval_gate")
    strong = any(not rule.get("proposed") or rule.get("polarity", "only_if") == "only_if" for rule in rules)
    return not strong and only_asks(words_of(conversation.messages[turn.start]).strip())
