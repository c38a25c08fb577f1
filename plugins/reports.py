"""What the agent states in values: fact kind `report`, a sentence or list entry with figures, names in a row, or a heading.

The agent's words discharge nothing, but they may be the only place where a value stands (design section 2). Long texts are compositions
from results and are left out where they are carried, not here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Fact, FactKind
from barrier_policy.facts.prose import prose_sentences
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

ENTRY: Final = re.compile(r"(?m)^[ \t]*((?:\d{1,3}[.)]|\(?[a-z][.)]|[-*•])[ \t]+\S[^\n]{0,299})$")
MAX_LENGTH: Final = 300
ROW: Final = 2
"""A sentence with this many commas lists things."""


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`report`."""
    return (FactKind(name="report", doc="A sentence or list entry of the agent that gives values or names in a row."),)


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Entries of lists with their markers, and sentences that state values."""
    if message.origin is not Origin.AGENT or message.kind is not MessageKind.MESSAGE:
        return ()
    return _facts(message)


def _facts(message: Message) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is not PartType.TEXT:
            continue
        entries = [match.span(1) for match in ENTRY.finditer(part.text)]
        for start, end in entries:
            yield _fact(message.index, index, start, end, part.text)
        ends = iter(entries)
        current = next(ends, None)
        for sentence in prose_sentences(part.text):
            while current is not None and current[1] <= sentence.start:
                current = next(ends, None)
            inside = current is not None and current[0] <= sentence.start
            if not inside and states_values(sentence.text):
                yield _fact(message.index, index, sentence.start, sentence.end, part.text)


def _fact(message: int, part: int, start: int, end: int, text: str) -> Fact:
    return Fact(kind="report", message=message, part=part, start=start, end=end, text=text[start:end])


def states_values(sentence: str) -> bool:
    """Whether a sentence gives figures, a row of names, or what a heading announces."""
    if len(sentence) > MAX_LENGTH:
        return False
    return any(map(str.isdigit, sentence)) or sentence.count(",") >= ROW or ": " in sentence
