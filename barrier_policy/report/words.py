"""Texts of a transcript for a report: without secrets, without what a browser obeys, and bounded (invariant 20)."""

from __future__ import annotations

from collections.abc import Mapping

from barrier_policy.decision.excerpts import MaskedParts, items_of
from barrier_policy.join.places import binding_name
from barrier_policy.printable import clean, clip
from barrier_policy.report.model import Excerpt, ItemRef, MessageView, Place
from barrier_policy.transcript.model import Message, PartType
from barrier_policy.walk import Analysis

LINE = 400
"""Characters of a text on one line."""
POINTER = 200
WORDS, BEFORE, AFTER = 600, 120, 200
"""Characters of an excerpt: the words themselves, and what is shown around them."""
LINES_AROUND = 4
OPENING = 160
"""Characters of the beginning of a message."""
NOWHERE = -1
"""The message of a text that stands in none: only secrets that are masked everywhere are masked in it."""


class Words:
    """Shows the texts of one analysis. `anchors` are those of the ledger's items by id."""

    def __init__(self, analysis: Analysis, anchors: Mapping[str, str]) -> None:
        self._masker = analysis.masker
        self._messages = analysis.transcript.messages
        self._anchors = anchors
        self._items = items_of(analysis.join)
        self._masked = MaskedParts(analysis.masker)

    def line(self, text: str, message: int = NOWHERE, length: int = LINE) -> str:
        """A text on one line."""
        return clip(self._masker.text(text, message), length)

    def whole(self, text: str, message: int = NOWHERE) -> str:
        """A text that is shown unclipped, because it is ours or must be read to the end: line by line."""
        return _lines(self._masker.text(text, message))

    def item(self, name: str) -> ItemRef:
        """An item by name."""
        found = self._items.get(binding_name(name))
        text = self.line(found.text, found.message, 120) if found else ""
        return ItemRef(
            id=self.line(name, found.message if found else NOWHERE), words=text, anchor=self._anchors.get(name, "")
        )

    def place(self, message: int, pointer: str) -> Place:
        """Where a part stands in the file."""
        found = self._messages[message]
        line = next((part.line for part in found.parts if part.pointer == pointer and part.line), found.line)
        return Place(message=message, line=line, pointer=self.line(found.pointer + pointer, message, POINTER))

    def excerpt(self, item: str, message: int, pointer: str) -> Excerpt:
        """What stands in the transcript at an item, its words apart."""
        part = next((part for part in self._messages[message].parts if part.pointer == pointer), None)
        if part is None:
            return Excerpt()
        text = self._masked.text(message, part)
        found = self._items.get(binding_name(item))
        words = self._masker.text(found.text, message) if found else ""
        start = text.find(words) if words else -1
        if start < 0:
            return Excerpt(after=_after(text))
        end = start + len(words)
        return Excerpt(before=_before(text[:start]), words=_clipped(words, WORDS), after=_after(text[end : end + 2 * AFTER]))

    def opening(self, message: Message) -> MessageView:
        """How a message begins."""
        names = [self.line(f"{part.type} {part.name}".strip(), message.index, 60) for part in message.parts]
        shown = next((part for part in message.parts if part.text.strip() and part.type is not PartType.BLOB), None)
        more = f" +{len(names) - 3}" if len(names) > 3 else ""
        return MessageView(
            index=message.index,
            line=message.line,
            origin=message.origin if message.kind == "message" else f"{message.origin}, {message.kind}",
            parts=", ".join(names[:3]) + more,
            text=clip(self._masked.text(message.index, shown).lstrip(), OPENING) if shown else "",
        )


def _before(text: str) -> str:
    kept = "\n".join(text[-BEFORE:].split("\n")[-LINES_AROUND:])
    return ("…" if len(kept) < len(text) else "") + _lines(kept)


def _after(text: str) -> str:
    kept = "\n".join(text[:AFTER].split("\n")[:LINES_AROUND])
    return _lines(kept) + ("…" if len(kept) < len(text) else "")


def _clipped(text: str, length: int) -> str:
    return _lines(text if len(text) <= length else text[: length - 1] + "…")


def _lines(text: str) -> str:
    """A text cleaned line by line."""
    return "\n".join(map(clean, text.replace("\r\n", "\n").split("\n")))
