"""Orders of which the agent has only taken note: they are for later, or wait for something (design section 5, obligations)."""

from __future__ import annotations

import re

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.told import INSTRUCTIVE
from barrier_policy.ledger.conversation.turns import Conversation, Turn, user_text, words_of
from barrier_policy.ledger.dialogue.cues import is_for_later, only_acknowledges, only_asks, promises, thanks, undertakes
from barrier_policy.ledger.obligations.spoken import Spoken

MAX_NOTED = 90
"""Characters of a reply that only takes note; a longer one is an answer."""
MAX_ORDER = 600
SURE = 60
LIKELY = 45
"""Confidence, in percent, from which words are more than a remark, and from which they are an order."""
REFUSING = frozenset({"denial", "release"})
ENDING = REFUSING | {"secret"}
"""Kinds of facts of messages that end something, or that the context should lose."""
ORDERING = frozenset({"request", "question", "instruction"})
LASTING = REFUSING | {"constraint", "approval_gate", "correction"}
"""Kinds of facts by which a message is kept by a record of its own."""
MAX_PLAIN = 100
"""Characters of an order that a word may answer."""
SHARED = 2
"""Words that an order and a deed must share."""
_PRODUCT = re.compile(r"[\"“„«`\n:：]|[?？؟]\W*$")
"""What quotes, lists or asks is more than taking note."""
_NAMES = re.compile(r"\d|(?<=[\w,] )[^\W\d_a-zà-ÿа-яё]\w")
"""A number or a name: a message that has one is about something."""


def put_aside(conversation: Conversation) -> dict[int, int]:
    """By the start of each turn whose order the agent only took note of, the start of the later turn that did it; -1 while none has.

    Costs time in the words of the deeds from the first such turn on.
    """
    noted = {
        turn.index for turn in conversation.turns if turn.start < conversation.present and _only_noted(conversation, turn)
    }
    found: dict[int, int] = {}
    deeds = Spoken()
    for turn in reversed(conversation.turns[min(noted, default=len(conversation.turns)) :]):
        if turn.index in noted:
            wanted = content_words(user_text(conversation, turn)[:MAX_ORDER])
            done = deeds.first(wanted, frozenset(), enough=min(SHARED, len(wanted)))
            found[turn.start] = -1 if done is None else conversation.turns[done].start
        deeds.add(turn.index, _words_of_deeds(turn))
    return found


def _words_of_deeds(turn: Turn) -> frozenset[str]:
    """Words of the calls of a turn that changed something."""
    texts = [f"{call.part.name} {call.part.text[:MAX_ORDER]}" for call in turn.calls if call.results and not call.reads]
    return content_words("\n".join(texts)) if texts else frozenset()


def _only_noted(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user orders something for which the agent has called nothing, and which it only undertakes, or which is for later."""
    if not turn.has_user or not turn.is_read or turn.calls or turn.replies or turn.asks or turn.final < 0:
        return False
    order, reply = user_text(conversation, turn).strip(), words_of(conversation.messages[turn.final]).strip()
    if len(order) > MAX_ORDER or turn.kinds & ENDING or len(reply) > MAX_NOTED or _PRODUCT.search(reply) is not None:
        return False
    if _is_refused(conversation, turn):
        return False
    if undertakes(reply) or promises(reply):
        return _may_order(turn, order) or _orders(conversation, turn, order)
    noted = only_acknowledges(reply) or is_for_later(reply)
    later = is_for_later(order)
    return noted and (later or _asks_for_deed(conversation, turn)) and _orders(conversation, turn, order)


def _is_refused(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user's next word takes the order back."""
    return any(not later.kinds.isdisjoint(REFUSING) for later in conversation.turns[turn.index + 1 : turn.index + 2])


def _may_order(turn: Turn, order: str) -> bool:
    """Whether a short message that nothing else keeps may be an order, for the agent has undertaken it; who is thanked says `of course` too."""
    if len(order) > MAX_PLAIN or not turn.kinds.isdisjoint(LASTING):
        return False
    about = not turn.kinds.isdisjoint(ORDERING) or _NAMES.search(order) is not None
    return "request" in turn.kinds or (about and not thanks(order))


def _orders(conversation: Conversation, turn: Turn, text: str) -> bool:
    """Whether the user may order something, and surely sets no rule."""
    if any(not rule.get("proposed") for rule in conversation.of_kind(turn.start, "constraint", "approval_gate")):
        return "request" in turn.kinds and is_for_later(text)
    if "request" in turn.kinds and is_for_later(text) and not only_asks(text):
        return True
    return _surest(conversation, turn, *INSTRUCTIVE) >= SURE or _asks_for_deed(conversation, turn)


def _asks_for_deed(conversation: Conversation, turn: Turn) -> bool:
    """Whether the message is an order in so many words."""
    return _surest(conversation, turn, "request") >= LIKELY


def _surest(conversation: Conversation, turn: Turn, *kinds: str) -> int:
    """The greatest confidence of the user's facts of these kinds, in percent; 0 where there are none."""
    return max((int(fact.get("confidence", 100)) for fact in conversation.of_kind(turn.start, *kinds)), default=0)
