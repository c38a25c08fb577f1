"""Orders of which the agent has only taken note: they are for later, or wait for something (design section 5, obligations)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.told import INSTRUCTIVE, NAME, confidence_of
from barrier_policy.ledger.conversation.turns import Conversation, Turn, says_only, user_text, words_of
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
ORDERING = frozenset({"request", "question", "instruction", "constraint"})
RULES = ("constraint", "approval_gate")
RULING = 50
"""Confidence, in percent, from which a message is a rule, which a record of its own keeps."""
FEW_WORDS = 4
MAX_PLAIN = 100
"""Characters of an order that a word may answer."""
SHARED = 2
"""Words that an order and a deed must share."""
_PRODUCT = re.compile(r"[\"“„«`\n:：]|[?？؟]\W*$")
"""What quotes, lists or asks is more than taking note."""
_NAMES = re.compile(rf"\d|{NAME}")
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
    """Whether the user orders something for which the agent has changed nothing, and which it only undertakes, or which is for later."""
    if not turn.has_user or not turn.is_read or turn.replies or turn.asks or turn.withdrawn:
        return False
    order = user_text(conversation, turn).strip()
    if turn.final < 0:
        return not turn.calls and _passes_by(conversation, turn, order)
    reply = _first_reply(conversation, turn)
    if not 0 < len(reply) <= MAX_NOTED or _PRODUCT.search(reply) is not None:
        return False
    if len(order) > MAX_ORDER or turn.kinds & ENDING or _is_refused(conversation, turn):
        return False
    later = is_for_later(order)
    if undertakes(reply) or promises(reply):
        return _may_order(conversation, turn, order) or _orders(conversation, turn, undertaken=True, later=later)
    noted = only_acknowledges(reply) or is_for_later(reply) or (later and _echoes(reply, order))
    wanted = later or _asks_for_deed(conversation, turn)
    return noted and wanted and _orders(conversation, turn, undertaken=False, later=later)


def _first_reply(conversation: Conversation, turn: Turn) -> str:
    """What the agent said to the order before it looked anything up; its last words where it called nothing."""
    if turn.calls and not says_only(conversation.messages[turn.start + 1]):
        return ""
    first = turn.start + 1 if turn.calls else turn.final
    return words_of(conversation.messages[first]).strip() if all(call.reads for call in turn.calls) else ""


def _echoes(reply: str, order: str) -> bool:
    """Whether a reply of a few words only says again when, or what: `Monday it is`."""
    words = content_words(reply)
    few = len(reply.split()) <= FEW_WORDS and not any(map(str.isdigit, reply))
    return few and bool(words) and words <= content_words(order)


def _passes_by(conversation: Conversation, turn: Turn, order: str) -> bool:
    """Whether the user orders something for later and speaks of something else before anybody has answered."""
    if turn.end >= conversation.present or len(order) > MAX_ORDER or turn.kinds & ENDING or _is_refused(conversation, turn):
        return False
    gone = conversation.has_left_in(turn)
    return not gone and "request" in turn.kinds and is_for_later(order) and not only_asks(order)


def _is_refused(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user's next word takes the order back."""
    return any(not later.kinds.isdisjoint(REFUSING) for later in conversation.turns[turn.index + 1 : turn.index + 2])


def _may_order(conversation: Conversation, turn: Turn, order: str) -> bool:
    """Whether a short message that nothing else keeps may be an order, for the agent has undertaken it; who is thanked says `of course` too."""
    if len(order) > MAX_PLAIN or turn.kinds & (REFUSING | {"correction"}) or _surest(conversation, turn, *RULES) >= RULING:
        return False
    about = not turn.kinds.isdisjoint(ORDERING) or _NAMES.search(order) is not None
    return "request" in turn.kinds or (about and not thanks(order))


def _orders(conversation: Conversation, turn: Turn, *, undertaken: bool, later: bool) -> bool:
    """Whether the user may order something, in another sentence than one that surely sets a rule, or in an order that only looks like one."""
    rules = {(rule.part, rule.start) for rule in conversation.of_kind(turn.start, *RULES) if not rule.get("proposed")}
    if rules and "request" in turn.kinds and (later or undertaken):
        return True
    told = [fact for fact in conversation.of_kind(turn.start, *INSTRUCTIVE) if (fact.part, fact.start) not in rules]
    asked = [fact for fact in conversation.of_kind(turn.start, "request") if (fact.part, fact.start) not in rules]
    if later and asked and not rules and not only_asks(user_text(conversation, turn).strip()):
        return True
    return _confidence(told) >= SURE or _confidence(asked) >= LIKELY


def _asks_for_deed(conversation: Conversation, turn: Turn) -> bool:
    """Whether the message is an order in so many words."""
    return _surest(conversation, turn, "request") >= LIKELY


def _surest(conversation: Conversation, turn: Turn, *kinds: str) -> int:
    """The greatest confidence of the user's facts of these kinds, in percent; 0 where there are none."""
    return _confidence(conversation.of_kind(turn.start, *kinds))


def _confidence(facts: Sequence[Fact]) -> int:
    return max(map(confidence_of, facts), default=0)
