"""Who says it in the result: nothing under another's name, and no summary above a user (design section 9, invariants 8 and 17).

A message of the result that is none of before is new text. What somebody said there decides what it means: a ban of the user that is now
the agent's binds nobody, and a plan of the agent that is now the user's is an order.
"""

from __future__ import annotations

from collections.abc import Sequence

from barrier_policy.audit.messages import ALIKE, place_of, shown
from barrier_policy.audit.model import Outcome
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.result import Result, Standing
from barrier_policy.audit.text import WordIndex
from barrier_policy.facts.words import content_words
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part

FEWEST = 4
"""Words of a message that is told by most of its words."""


def check_speakers(result: Result, notes: Notebook, *, is_log: bool) -> frozenset[int]:
    """Messages that somebody else said in before. Returns the messages of before that stand in the result so.

    The log of a runtime may lack who said a few words first (`is_log`), and has the same mark where anything was cut out.
    """
    said = _Said(result.before, least=FEWEST if is_log else 0)
    found: set[int] = set()
    for new in result.of(Standing.NEW):
        if new.kind is not MessageKind.MESSAGE:
            continue
        old, is_same = said.by_another(new)
        if old is None:
            continue
        found.add(old.index)
        notes.add(
            "audit.altered",
            "messages",
            f"message:{old.index}",
            "speaker",
            before=place_of(old),
            after=place_of(new),
            expected=f"{old.origin}: {shown(old)}",
            found=f"{new.origin}: {shown(new)}",
            outcome=Outcome.FAIL if is_same else Outcome.INCONCLUSIVE,
        )
    return frozenset(found)


def check_authority(new: Sequence[Message], notes: Notebook) -> None:
    """New text that speaks as the instructions do: whatever it says would bind more than what anybody else said."""
    for message in new:
        if message.origin.rank < Origin.USER.rank:
            notes.add(
                "audit.unsupported",
                "new text",
                f"speaker:{message.index}",
                "speaker",
                after=place_of(message),
                found=f"{message.origin}: {shown(message)}",
                outcome=Outcome.INCONCLUSIVE,
            )


class _Said:
    """What was said in before, and by whom."""

    def __init__(self, messages: Sequence[Message], least: int) -> None:
        self._messages = [message for message in messages if message.kind is not MessageKind.CARRIER]
        self._by_words: dict[str, dict[Origin, Message]] = {}
        for message in self._messages:
            for part in message.parts:
                if len(content_words(part.text)) >= least:
                    self._by_words.setdefault(_words(part), {}).setdefault(message.origin, message)
        self._index = WordIndex(content_words(shown(message)) for message in self._messages)

    def by_another(self, new: Message) -> tuple[Message | None, bool]:
        """The message of another in which a part of this one stands, or all of it with few words changed; and whether it is the same."""
        speakers = [found for part in new.parts if part.text.strip() and (found := self._by_words.get(_words(part)))]
        for found in speakers:
            if new.origin not in found:
                return next(iter(found.values())), True
        near = None if speakers else self._nearest(new)
        return (near if near is not None and near.origin is not new.origin else None), False

    def _nearest(self, new: Message) -> Message | None:
        """The message of before that shares most of its words with this one, both ways, and is not quoted in it."""
        words = content_words(shown(new))
        number, share = self._index.nearest(words)
        if number < 0 or len(words) < FEWEST or share < ALIKE:
            return None
        old = self._messages[number]
        told = content_words(shown(old))
        return old if len(told & words) >= ALIKE * len(told) and shown(old) not in shown(new) else None


def _words(part: Part) -> str:
    return f"{part.name} {' '.join(part.text.split())}".strip()
