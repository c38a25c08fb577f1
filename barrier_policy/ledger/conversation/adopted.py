"""Lists that the agent proposed and the user took: `good, that order. 7 we don't do` means nothing without its list (design section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from barrier_policy.ledger.conversation.told import FEWEST_POINTS
from barrier_policy.ledger.conversation.turns import Conversation, Turn, user_text, words_of
from barrier_policy.ledger.dialogue.cues import asks, only_acknowledges, resumes, thanks

MAX_TAKING = 160
"""Characters of a message that takes what was proposed; a longer one says it itself."""
MAX_PROPOSAL = 900
_LINES = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.):])\s+\S", re.MULTILINE)
_NUMBER = re.compile(r"(?:^|(?<=[\s(]))(\d{1,2})[.):]?(?=\s+[^\W\d])")


def find_adopted(conversation: Conversation) -> Iterator[tuple[int, str]]:
    """Messages of the agent with a list, and the list, where the user's next word takes it. Linear in the turns."""
    for turn in conversation.turns:
        before = conversation.turns[turn.index - 1] if turn.index else None
        if before is None or not turn.has_user or not 0 <= before.final < conversation.present:
            continue
        text = words_of(conversation.messages[before.final]).strip()
        if len(text) > MAX_PROPOSAL or not is_list(text) or conversation.has_left_between(before, turn):
            continue
        done = sum(1 for call in turn.calls if not call.reads)
        at_once = before.asks and not 0 < done < steps(text)  # or the question is told with its answer
        if not at_once and _takes(conversation, turn):
            yield before.final, text


def is_list(text: str) -> bool:
    """Whether a text has several points, each on a line of its own or numbered in a row."""
    return steps(text) >= FEWEST_POINTS or len(_LINES.findall(text)) >= FEWEST_POINTS


def steps(text: str) -> int:
    """How many points of a text are numbered in a row, from 1."""
    expected = 1
    for number in _NUMBER.findall(text):
        expected += int(number) == expected
    return expected - 1


def _takes(conversation: Conversation, turn: Turn) -> bool:
    """Whether a short message of the user agrees to what was said before it, or says to go on with it."""
    text = user_text(conversation, turn).strip()
    if not text or len(text) > MAX_TAKING or asks(text):
        return False
    agreed = any(not fact.get("proposed") for fact in conversation.of_kind(turn.start, "approval"))
    return agreed or resumes(text) or (only_acknowledges(text) and not thanks(text))
