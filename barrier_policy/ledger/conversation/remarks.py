"""What users say to an answer before they turn to the next thing: `too dear for us`, `thanks, that is enough` (design section 5)."""

from __future__ import annotations

import re

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.answered import PLAIN_TASK, is_plain_look_up
from barrier_policy.ledger.conversation.told import NAME, is_guess
from barrier_policy.ledger.conversation.turns import Conversation, Turn, user_text
from barrier_policy.ledger.dialogue.cues import asks, declines

MISTAKEN = frozenset({"instruction", "constraint"})
"""Kinds of facts that the words of a remark are taken for."""
TELLING = frozenset({"request", "correction", "approval_gate", "binding", "secret"})
"""Kinds of facts by which a message is more than a remark."""
DROPPING = frozenset({"release", "denial"})
"""Kinds of facts by which the user drops what was only talked about: `nope. forget it`."""
LIKELY = 40
"""Confidence, in percent, from which a rule may well be one."""
STATES = re.compile(rf"[:：;；\d]|{NAME}")
"""What has a colon, a number or a name states something."""


def with_remarks(conversation: Conversation) -> Conversation:
    """The conversation, in which remarks on an answer count as no order and no rule. Linear in its turns.

    What may well be a rule, or forbids something, stays one.
    """
    turns = tuple(_as_remark(turn) if _is_remark(conversation, turn) else turn for turn in conversation.turns)
    return msgspec.structs.replace(conversation, turns=turns)


def _as_remark(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, kinds=turn.kinds - MISTAKEN - DROPPING)


def _is_remark(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user said a few words to what was looked up or told, and the agent has spoken since without taking it up."""
    if not turn.has_user or not turn.is_read or turn.shows or not turn.kinds & (MISTAKEN | DROPPING) or turn.kinds & TELLING:
        return False
    if turn.calls or turn.final >= 0 or not turn.index or turn.end >= len(conversation.messages):
        return False
    rules = conversation.of_kind(turn.start, "constraint")
    text = user_text(conversation, turn).strip()
    if "denial" in turn.kinds and not declines(text):
        return False  # a stop may be meant for what is running
    plain = len(text) <= PLAIN_TASK and not STATES.search(text) and not any(map(_may_rule, rules))
    spoken = conversation.turns[turn.index + 1].final >= 0
    return plain and spoken and _is_over(conversation, conversation.turns[turn.index - 1])


def _may_rule(rule: Fact) -> bool:
    return not is_guess(rule, LIKELY) or rule.get("polarity") != "must"


def _is_over(conversation: Conversation, turn: Turn) -> bool:
    """Whether a turn ended with the agent's answer to a question, or with what it looked up for a short task."""
    if not turn.has_user or turn.final != turn.end - 1 or turn.asks or turn.at_rest or turn.wants_report:
        return False
    return is_plain_look_up(conversation, turn) or (not turn.calls and asks(user_text(conversation, turn)))
