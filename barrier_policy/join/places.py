"""Where a span has what its record says in a word: the parts that make it structured, and those that put it in a protected zone.

Rules about such words have no items to cite, and a reader still wants to know where to look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from barrier_policy.join.join import EVIDENCE_KINDS, Join, is_instruction
from barrier_policy.ledger.model import Item
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

BINDING, VALUE = "binding:", "value:"
KIND_OF_PART = {PartType.TOOL_CALL: "call", PartType.TOOL_RESULT: "result", PartType.BLOB: "picture_or_file"}
KIND_OF_FACT = {"negation_evidence": "negation", "environment": "environment", "secret": "secret"}


class Mark(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A place, and what is there: call, result, picture_or_file, part, value, negation, environment, secret or message.

    `number` is that of the ledger's binding there, if there is one.
    """

    kind: str
    message: int
    part: int = 0
    number: str = ""

    @property
    def id(self) -> str:
        """Its name, in the manner of the ledger's items, and never one of theirs: what a place is cited for is not at stake."""
        return f"{self.kind}:{self.message}.{self.part}" + (f".{self.number}" if self.number else "")


def binding_name(name: str) -> str:
    """The name of the binding that stands at a cited value; other names as they are."""
    return BINDING + name.removeprefix(VALUE) if name.startswith(VALUE) else name


def marks(join: Join, number: int, fields: Collection[str]) -> tuple[Mark, ...]:
    """The places that some fields of a span's record rest on; the first message of the span where they rest on none in particular."""
    span = join.segmentation.spans[number]
    messages = join.messages[span.start : span.end]
    found: list[Mark] = []
    if "zone" in fields:
        found += _zone_marks(messages, closed=span.closed)
    if "evidential_class" in fields:
        found += _structure_marks(messages, join, number)
    return tuple(dict.fromkeys(found)) or (Mark(kind="message", message=span.start),)


def _structure_marks(messages: Sequence[Message], join: Join, number: int) -> Iterator[Mark]:
    """The first part of each kind that makes the span structured."""
    values = {item.message: item for item in reversed(join.items[number]) if item.id.startswith(BINDING)}
    seen: set[str] = set()
    for message in messages:
        for mark in _structured(message, join.kinds[message.index], values.get(message.index)):
            if mark.kind not in seen:
                seen.add(mark.kind)
                yield mark


def _structured(message: Message, kinds: Collection[str], value: Item | None) -> Iterator[Mark]:
    """The structured parts of a message; only where it is all text, what was found in that. `value` is the first that the ledger has of it."""
    found = [number for number, part in enumerate(message.parts) if part.type not in (PartType.TEXT, PartType.REASONING)]
    for number in found:
        yield Mark(kind=KIND_OF_PART.get(message.parts[number].type, "part"), message=message.index, part=number)
    if not found:
        place = next((number for number, part in enumerate(message.parts) if part.text.strip()), 0)
        named = dict.fromkeys(KIND_OF_FACT.get(kind, "value") for kind in sorted(EVIDENCE_KINDS.intersection(kinds)))
        for kind in named:
            stands = value if kind == "value" else None
            beside = len(message.parts)  # the environment stands in the record, beside the parts of the message
            yield Mark(
                kind=kind,
                message=message.index,
                part=stands.part if stands else beside if kind == "environment" else place,
                number=stands.id.rpartition(".")[2] if stands else "",
            )


def _zone_marks(messages: Sequence[Message], *, closed: bool) -> Iterator[Mark]:
    carriers = [message for message in messages if message.kind is MessageKind.CARRIER]
    for message in carriers or [message for message in messages if is_instruction(message)]:
        yield Mark(kind="message", message=message.index)
    if not closed:
        yield from _halves(messages)


def _halves(messages: Sequence[Message]) -> Iterator[Mark]:
    """Calls without a result in the span, and results without a call."""
    pairs = [
        (message.index, number, part)
        for message in messages
        for number, part in enumerate(message.parts)
        if part.type in (PartType.TOOL_CALL, PartType.TOOL_RESULT)
    ]
    sides = Counter((part.type, part.call_id) for _, _, part in pairs)
    for message, number, part in pairs:
        if not sides[_other(part), part.call_id]:
            yield Mark(kind=KIND_OF_PART[part.type], message=message, part=number)


def _other(part: Part) -> PartType:
    return PartType.TOOL_RESULT if part.type is PartType.TOOL_CALL else PartType.TOOL_CALL
