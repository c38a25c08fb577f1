"""Short orders that the agent has only said yes to: `could we get the Tuesday slot?`, `of course` (design section 5, obligations)."""

from __future__ import annotations

import re

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import MAX_REPLY, Conversation, Turn, user_text, words_of
from barrier_policy.ledger.dialogue.cues import thanks, undertakes

MAX_ORDER = 100
"""Characters of an order that a word may answer."""
MAX_YES = 80
"""Characters of an answer that does no more than say yes."""
REFUSING = frozenset({"denial", "release"})
ORDERING = frozenset({"request", "question", "instruction"})
LASTING = frozenset({"constraint", "approval_gate", "release", "correction", "denial"})
"""Kinds of facts by which a message is kept by a record of its own."""

_NAMES = re.compile(r"\d|(?<=[\w,] )[^\W\d_a-zà-ÿа-яё]\w")
"""A number or a name: a message that has one is about something."""


def find_agreed(conversation: Conversation) -> frozenset[int]:
    """The turns in which the agent said that it will do what the user asked, and nothing is known of the deed. Linear in what follows them."""
    agreeing = {turn.index for turn in conversation.turns if _agrees(conversation, turn)}
    deeds: set[str] = set()
    found: list[int] = []
    refused = False
    for turn in reversed(conversation.turns[min(agreeing, default=len(conversation.turns)) :]):
        if turn.index in agreeing and not refused and content_words(user_text(conversation, turn)).isdisjoint(deeds):
            found.append(turn.index)
        refused = not turn.kinds.isdisjoint(REFUSING)
        for call in turn.calls:
            if not call.reads:
                deeds |= content_words(call.part.text[:MAX_REPLY])
    return frozenset(found)


def _agrees(conversation: Conversation, turn: Turn) -> bool:
    """Whether the agent answers a short message with nothing but a yes, and calls nothing.

    A word that only takes note (`noted`, `okay`) agrees to nothing; and who is thanked says `of course` too.
    """
    if not turn.has_user or not turn.is_read or turn.calls or turn.asks or turn.final < 0 or turn.end > conversation.present:
        return False
    if turn.replies or not turn.kinds.isdisjoint(LASTING):
        return False
    order, yes = user_text(conversation, turn).strip(), words_of(conversation.messages[turn.final]).strip()
    if len(order) > MAX_ORDER or len(yes) > MAX_YES:
        return False
    if not undertakes(yes):
        return False
    return "request" in turn.kinds or (
        not thanks(order) and (not turn.kinds.isdisjoint(ORDERING) or _NAMES.search(order) is not None)
    )
