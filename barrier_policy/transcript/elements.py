"""Where the messages of a transcript stand: in a list, under a key of an object, or one a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from barrier_policy.transcript.model import Message, Part
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_text, decode_json

SAMPLE = 40
"""How many elements a probe looks at."""


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a message stands, when it was recorded and under which id; the fields are those of a message."""

    line: int = 0
    pointer: str = ""
    timestamp: str = ""
    id: str = ""
    environment: dict[str, str] = {}


class Element(msgspec.Struct, frozen=True, gc=False):
    """One element: the line of its record (0 in a single document), its pointer in there, and its value."""

    line: int
    pointer: str
    value: Any

    def place(self, *, timestamp: Any = "", id: Any = "") -> Place:
        """Its place, with what its record says about time and id."""
        return Place(line=self.line, pointer=self.pointer, timestamp=as_text(timestamp), id=as_text(id))


def find_elements(source: Source, *keys: str) -> Iterator[Element]:
    """The elements of a list, of the list under the first of `keys` that an object has, or of the lines.

    A list may also be recorded as JSON text; pointers then go on inside the decoded text.
    """
    pointer, found = find_list(source.document, *keys)
    if found is not None:
        yield from elements_of(found, pointer)
        return
    for record in source.records:
        yield Element(record.line, "", record.value)


def find_list(document: Any, *keys: str) -> tuple[str, list[Any] | None]:
    """A document's list of messages with its pointer; None where it has none and its lines are the messages."""
    if isinstance(document, list):
        return "", document
    if isinstance(document, dict):
        for key in keys:
            found = _decoded(document.get(key))
            if isinstance(found, list):
                return f"/{key}", found
    return "", None


def elements_of(items: Iterable[Any], pointer: str = "", *, line: int = 0) -> Iterator[Element]:
    """The elements of a list that stands at `pointer`."""
    for index, value in enumerate(items):
        yield Element(line, f"{pointer}/{index}", value)


def sample(source: Source, *keys: str) -> list[dict[str, Any]]:
    """The objects among the first elements, for probes."""
    return [element.value for element in islice(find_elements(source, *keys), SAMPLE) if isinstance(element.value, dict)]


def part_pointers(messages: Iterable[Message]) -> tuple[tuple[str, ...], ...]:
    """The pointers of each message's parts. Most messages have the same as many others, and these are one tuple."""
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    found = (tuple(part.pointer for part in message.parts) for message in messages)
    return tuple(shared.setdefault(pointers, pointers) for pointers in found)


def without_words(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages as who spoke, and which parts there were and where in them: what it takes to judge spans. Equal parts are one."""
    shared: dict[tuple[Part, ...], tuple[Part, ...]] = {}

    def parts_of(message: Message) -> tuple[Part, ...]:
        parts = tuple(Part(type=part.type, pointer=part.pointer) for part in message.parts)
        return shared.setdefault(parts, parts)

    nothing: dict[str, str] = {}
    return tuple(
        Message(
            index=found.index,
            role=found.role,
            origin=found.origin,
            kind=found.kind,
            parts=parts_of(found),
            environment=nothing,  # else each has a dict of its own
        )
        for found in messages
    )


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return decode_json(value)
    except ValueError:
        return None
