"""What a user's message tells or orders, and in which sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.turns import (
    Conversation,
    Turn,
    user_text,
)
from barrier_policy.ledger.dialogue.cues import only_acknowledges, only_greets, thanks

INSTRUCTIVE = ("instruction", "release", "correction")
"""Kinds of facts that make a user's message more than a question or a remark."""
GUESS = 60
"""Confidence, in percent, below which a rule is only guessed at."""
MAX_WHOLE = 150
"""Characters of a message that is told whole: its sentences lean on each other."""
MAX_LIST = 600
FEWEST_POINTS = 3
"""Points that make a list."""
NAME = r"(?<=[\w,] )[^\W\d_a-zà-ÿа-яё]\w"
"""A pattern: a word with a capital in the midst of a sentence."""
STATES = re.compile(r"[:：]\s|\d|(?<=[\w,] )[^\W\d_a-z][a-zà-ÿа-яё]{2,}")
"""What has a colon, a number or a name states something; the rest is talk."""
MIN_CLAUSE = 5
"""Words of a clause before a question that tell something."""
_CLAUSE_END = re.compile(r"[,;:—–]\s")
_SENTENCE = re.compile(r"\S.*?(?:[.!?…]+(?=\s|$)|[。！？]|\n|$)", re.DOTALL)
_POINT = re.compile(r"(?:^|\s)\d{1,2}[.)](?=\s)")
MARKER = 5
"""A gap of this many characters holds no more than a list marker."""


def is_instruction(turn: Turn) -> bool:
    """Whether the user's message says something that later turns may depend on, and does not only ask or chat."""
    return not turn.kinds.isdisjoint(INSTRUCTIVE) or turn.shows


def confidence_of(fact: Fact) -> int:
    """How sure a fact is, in percent; one that does not say so is sure."""
    return int(fact.get("confidence", 100))


def is_guess(fact: Fact, below: int) -> bool:
    """Whether a fact is weak evidence, and less sure than `below` percent."""
    return bool(fact.get("proposed")) and confidence_of(fact) < below


def may_bind(conversation: Conversation, turn: Turn, rule: Fact) -> bool:
    """Whether what looks like a rule may be one: in an answer only what is more than a guess, in a report that was asked for what surely is."""
    if not turn.replies or not rule.get("proposed"):
        return True
    return not conversation.is_report(turn) and not is_guess(rule, GUESS)


def told_text(conversation: Conversation, turn: Turn) -> str:
    """The sentences of the user's message that tell or order something; those that are rules have records of their own."""
    rules = {(fact.part, fact.start) for fact in conversation.of_kind(turn.start, "constraint", "approval_gate")}
    told = conversation.of_kind(turn.start, *INSTRUCTIVE)
    plain = [fact for fact in told if (fact.part, fact.start) not in rules]
    words = [fact.text for fact in joined(conversation, plain or told[:1])]
    return "\n".join(words) or user_text(conversation, turn)


def joined(conversation: Conversation, facts: Sequence[Fact]) -> list[Fact]:
    """Sentences as one where nothing but blanks and list markers stands between them, so that numbers of steps are not lost."""
    found: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (fact.part, fact.start, -fact.end)):
        last = found[-1] if found else None
        if last is not None and last.part == fact.part and fact.start <= last.end + MARKER:
            text = conversation.messages[fact.message].parts[fact.part].text
            end = max(last.end, fact.end)
            found[-1] = msgspec.structs.replace(last, end=end, text=text[last.start : end])
        else:
            found.append(fact)
    return found


def numbers_points(text: str) -> bool:
    """Whether a message numbers its points, which no sentence ends."""
    return len(_POINT.findall(text)) >= FEWEST_POINTS


def whole_message(conversation: Conversation, turn: Turn, facts: Sequence[Fact]) -> str:
    """A short message, or a list, whose sentences lean on each other; "" for a longer one, and for one that tells a secret.

    Left out is what stands before and after the sentences of `facts` only to be polite, or to ask for nothing in particular.
    """
    text = user_text(conversation, turn).strip()
    if "secret" in turn.kinds or len(text) > MAX_LIST or (len(text) > MAX_WHOLE and not numbers_points(text)):
        return ""
    sentences = [match.span() for match in _SENTENCE.finditer(text)]
    told = [span for span in sentences if not _is_courtesy(text[slice(*span)], facts)]
    return text[told[0][0] : told[-1][1]].strip() if told else text


def _is_courtesy(sentence: str, facts: Sequence[Fact]) -> bool:
    words = sentence.strip()
    if any(words in fact.text or fact.text in words for fact in facts):
        return False
    if words.endswith(("?", "？", "؟")):
        told = _CLAUSE_END.split(words)[0]  # `if it won't start we take the other van, you have the form?`
        return STATES.search(words) is None and (told == words or len(told.split()) < MIN_CLAUSE)
    return thanks(words) or only_acknowledges(words) or only_greets(words)
