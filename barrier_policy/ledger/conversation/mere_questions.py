"""Messages that do nothing but ask, although they look like an order or a rule: `when do the reports go to print` (design section 5)."""

from __future__ import annotations

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.told import is_guess
from barrier_policy.ledger.conversation.turns import Conversation, Turn, words_of
from barrier_policy.ledger.dialogue.cues import only_acknowledges, only_asks

MISTAKEN = frozenset({"instruction", "constraint"})
"""Kinds of facts that the words of a question are taken for."""
LIKELY = 50
"""Confidence, in percent, from which a rule is more likely one than not."""


def with_questions(conversation: Conversation) -> Conversation:
    """The conversation, in which messages that only ask count as no order and no rule. Linear in its turns.

    What may well be a rule stays one, as does what the agent only took note of; what is asked about a consent or a condition is kept
    with its answer.
    """
    turns = tuple(_as_question(turn) if _only_asks(conversation, turn) else turn for turn in conversation.turns)
    return msgspec.structs.replace(conversation, turns=turns)


def _as_question(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, kinds=turn.kinds - MISTAKEN)


def _only_asks(conversation: Conversation, turn: Turn) -> bool:
    if not turn.has_user or turn.shows or not turn.is_read or not turn.kinds & MISTAKEN:
        return False
    noted = not turn.calls and (turn.final < 0 or only_acknowledges(words_of(conversation.messages[turn.final])))
    rules = conversation.of_kind(turn.start, "constraint", "approval_gate")
    return not noted and not any(map(_may_rule, rules)) and only_asks(words_of(conversation.messages[turn.start]).strip())


def _may_rule(rule: Fact) -> bool:
    return not is_guess(rule, LIKELY) or rule.get("polarity", "only_if") == "only_if"
