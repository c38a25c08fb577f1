"""Wishes that users take back before anything was done: `oh wait, Ann does that herself. skip it` (design section 5, obligations: cancelled).

What is left of them is nothing: neither the wish, nor what the agent asked about it, nor the words that took it back. In doubt all of it stays.
"""

from __future__ import annotations

import re

import msgspec

from barrier_policy.ledger.conversation.told import NAME, is_guess
from barrier_policy.ledger.conversation.turns import Conversation, Turn, user_text
from barrier_policy.ledger.dialogue.cues import declines, has_question_mark, withdrawn_from

MISTAKEN = frozenset({"instruction", "request", "constraint", "release", "question"})
"""Kinds of facts that a wish and the words that take it back are taken for."""
RULES = ("constraint", "approval_gate", "correction")
LIKELY = 50
"""Confidence, in percent, from which a rule is more likely one than not."""
MAX_WISH = 160
"""Characters of a message that has one wish, or takes it back."""
_STATES = re.compile(rf"[:：\d]|{NAME}")
"""What has a colon, a number or a name states something."""
_VALUE = re.compile(r"[:：\d]")
_SENTENCE_MARKS = (".", "!", "?", "…", "。", "！", "？", "\n")
_SENTENCE_END = re.compile(r"[.!?…。！？؟]\s*(?=\S)")


def with_withdrawals(conversation: Conversation) -> Conversation:
    """The conversation, in which wishes that were taken back count as no order, no question and no rule. Linear in its turns."""
    turns = list(conversation.turns)
    for turn in conversation.turns:
        if not _may_withdraw(conversation, turn):
            continue
        if _is_own_wish(conversation, turn):
            turns[turn.index] = _withdrawn(turn)
        elif turn.index and _takes_back(conversation, turn) and _is_wish(conversation, conversation.turns[turn.index - 1]):
            turns[turn.index - 1] = _withdrawn(turns[turn.index - 1])
            turns[turn.index] = _withdrawn(turn)
    return msgspec.structs.replace(conversation, turns=tuple(turns))


def _withdrawn(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, kinds=turn.kinds - MISTAKEN, asks=False, replies=False, withdrawn=True)


def _may_withdraw(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message takes something back and says no more than why, and the agent has done nothing and leaves nothing open."""
    if not _is_plain(conversation, turn) or turn.end > conversation.present or turn.asks or turn.at_rest:
        return False
    text = user_text(conversation, turn).strip()
    place = withdrawn_from(text)
    return place >= 0 and _STATES.search(text, place) is None and not has_question_mark(text[place:])


def _is_plain(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message is short, hardly sets a rule and was not acted on."""
    if not turn.has_user or not turn.is_read or turn.shows or "secret" in turn.kinds:
        return False
    if len(user_text(conversation, turn)) > MAX_WISH or any(not call.reads for call in turn.calls):
        return False
    return all(is_guess(rule, LIKELY) for rule in conversation.of_kind(turn.start, *RULES))


def _is_own_wish(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message has a wish and then takes it back itself."""
    text = user_text(conversation, turn).strip()
    place = withdrawn_from(text)
    wish = [fact for fact in conversation.of_kind(turn.start, "request", "question", "instruction") if fact.end <= place]
    return any(fact.kind != "instruction" for fact in wish) and len(_SENTENCE_END.findall(text)) == 1


def _takes_back(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message says nothing besides, unlike `they take 0.38, leave it`, `when it rains, skip it` and `book a van. a big one. oh, forget it`."""
    text = user_text(conversation, turn).strip()
    before = text[: withdrawn_from(text)].rstrip()
    asked = any(fact.end <= len(before) for fact in conversation.of_kind(turn.start, "request", "question"))
    alone = not before or before.endswith(_SENTENCE_MARKS) or declines(before)
    return _VALUE.search(text) is None and not asked and alone


def _is_wish(conversation: Conversation, turn: Turn) -> bool:
    """Whether a turn may be what the next message takes back: one short sentence that the agent asked about, or only took note of."""
    if not _is_plain(conversation, turn) or conversation.has_left_in(turn):
        return False
    text = user_text(conversation, turn).strip()
    return _SENTENCE_END.search(text) is None and turn.final >= 0
