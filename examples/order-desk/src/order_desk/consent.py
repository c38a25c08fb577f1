"""The customer's yes to what the agent asked about orders that it named."""

from __future__ import annotations

import re

from barrier_policy import Message, PartType

ASKS = re.compile(r"\?|\bconfirm\b", re.IGNORECASE)
PROPOSES = re.compile(
    r"\b(?:cancel|return|exchang|refund|modif|updat|upgrad|downgrad|chang(?:e|ing) (?:to|the|your|it)|book(?:ing)?\b)",
    re.IGNORECASE,
)
LOOKS = re.compile(r"\b(?:search|check|look|review|continu|find|list)(?:ing|e)?\b", re.IGNORECASE)
"""A yes to looking something up changes nothing."""
ORDER = re.compile(r"(?<![\w#-])(?:#[A-Z]?\d{4,12}|(?=[A-Z]{0,5}\d)(?![A-Z]{2,3}\d{1,4}\b)[A-Z0-9]{6})(?![\w-])")
"""`#W7181492`, `8C8K4E`: a word of six capitals is none without a digit, for it may be any word; nor is a flight, `HAT231`."""
YES = re.compile(
    r"\W{0,3}((?:yes|yep|yeah|sure|okay|ok|correct|confirmed|i confirm|i agree|go ahead|please (?:do|proceed|go ahead))\b)",
    re.IGNORECASE,
)
TURNS = re.compile(r"\b(?:but|however|instead|except|wait|not|don't|didn't|only|rather|first)\b|n’t|n't|\?", re.IGNORECASE)
"""Words after which a yes is no plain one."""
ASKING = 200
"""Characters at the end of the agent's message, in which it asks."""
LONGEST = 600
MOST = 20


def asked_about(message: Message) -> tuple[str, ...]:
    """The orders that the agent names where it asks whether to change them, in order; none where it asks nothing."""
    text = "\n".join(part.text[-6_000:] for part in message.parts if part.type is PartType.TEXT)[-6_000:]
    if not ASKS.search(text) or not PROPOSES.search(text) or LOOKS.search(text[-ASKING:]):
        return ()
    return tuple(dict.fromkeys(match.group() for match in ORDER.finditer(text)))[:MOST]


def find_yes(text: str) -> re.Match[str] | None:
    """The yes that a short answer begins with, None where something in it takes it back, asks, or is about looking something up."""
    answer = YES.match(text)
    return answer if answer and len(text) <= LONGEST and not TURNS.search(text) and not LOOKS.search(text) else None
