"""Notes and rows: sentences and result lines that stand in one place only and that later work may need (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.model import Family, Item
from barrier_policy.transcript.model import Message, PartType

MAX_LINE = 240
MAX_RESULT = 900
SHARED_WORDS = 2
"""Words that two texts must share to speak of one thing."""


def new_note(
    kind: str, message: int, part: int, number: int, text: str, name: str = "", serves: int = -1, said_by: str = ""
) -> Item:
    """A note, `said_by` a user or not, or a row that `serves` the message that consumes it."""
    return Item(
        id=f"{kind}:{message}.{part}.{number}",
        family=Family.BINDING,
        kind=kind,
        message=message,
        part=part,
        text=text,
        attributes=_attributes(name, str(serves) if serves >= 0 else "", said_by),
    )


@lru_cache(maxsize=256)
def _attributes(name: str, serves: str, said_by: str) -> dict[str, str]:
    """One dict for all notes that are alike in these; nobody writes to it."""
    return {"name": name, "consumers": "1", "held": "", "serves": serves, "said_by": said_by}


def spoken(message: Message) -> Iterator[str]:
    """The texts and the calls of a message."""
    return (part.text for part in message.parts if part.type in (PartType.TEXT, PartType.TOOL_CALL))


def once_a_sentence(facts: Sequence[Fact]) -> list[Fact]:
    """The first fact of each sentence."""
    return list({(fact.part, fact.start): fact for fact in reversed(facts)}.values())[::-1]
