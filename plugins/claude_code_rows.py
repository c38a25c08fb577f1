"""Rows of a Claude Code session file: which of them make up what the model sees now.

The file is only ever appended to. After a compaction the live view is the summary, the rows that the boundary names as
preserved (they stand before it and are not written again), and the rows after it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.source import Record
from barrier_policy.transcript.values import as_dict, as_list, as_text

MESSAGE_TYPES = frozenset({"user", "assistant"})


class Row(msgspec.Struct, frozen=True):
    """One record of the file that is an object."""

    line: int
    value: dict[str, Any]

    def get(self, key: str) -> str:
        """A text field."""
        return as_text(self.value.get(key))


class PromptQueue:
    """Prompts that were typed while the model worked, in order, until they leave the queue."""

    def __init__(self) -> None:
        self._rows: OrderedDict[int, Row] = OrderedDict()
        self._by_text: dict[str, deque[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def change(self, row: Row) -> Row | None:
        """Follow one operation: the row whose prompt leaves the queue for the model, if one does.

        A removal may name the prompt; the oldest leaves where it names none. `popAll` gives all back to the user.
        """
        operation, text = row.get("operation"), row.get("content")
        if operation == "enqueue" and text:
            self._count += 1
            self._rows[self._count] = row
            self._by_text.setdefault(text, deque()).append(self._count)
        elif operation == "popAll":
            self._rows.clear()
            self._by_text.clear()
        elif operation in ("remove", "dequeue") and self._rows:
            return self._take(text)
        return None

    def _take(self, text: str) -> Row:
        key = self._by_text[text][0] if self._by_text.get(text) else next(iter(self._rows))
        row = self._rows.pop(key)
        self._by_text[row.get("content")].popleft()
        return row


def main_rows(records: Iterable[Record], builder: TranscriptBuilder) -> list[Row]:
    """The rows of the main chain, or all where every message is of a side chain: the file of a sub-agent."""
    rows = []
    for record in records:
        if isinstance(record.value, dict):
            rows.append(Row(record.line, record.value))
        else:
            builder.skip("not an object")
    aside = [_is_aside(row) for row in rows]
    if all(flag for row, flag in zip(rows, aside, strict=True) if row.get("type") in MESSAGE_TYPES):
        return rows
    builder.skip("side chain", sum(aside))
    return [row for row, flag in zip(rows, aside, strict=True) if not flag]


def _is_aside(row: Row) -> bool:
    return row.value.get("isSidechain") is True or bool(row.value.get("parent_tool_use_id"))


def is_boundary(row: Row) -> bool:
    """Whether a row marks a compaction."""
    return row.get("type") == "system" and row.get("subtype") == "compact_boundary"


def end_of_compaction(rows: Sequence[Row], boundary: int) -> int:
    """The index of the first row after a boundary that is no part of the compaction: the next word of the user or the model."""
    for index in range(boundary + 1, len(rows)):
        row = rows[index]
        said = row.get("type") == "user" and not (
            row.value.get("isCompactSummary") is True or row.value.get("isMeta") is True
        )
        if said or row.get("type") == "assistant" or is_boundary(row):
            return index
    return len(rows)


def live_rows(rows: Sequence[Row], last: int) -> Sequence[Row]:
    """The rows that count after the boundary at index `last`; preserved ones stand before it and go behind their anchor."""
    if last < 0:
        return rows
    preserved = _preserved(rows[:last], as_dict(rows[last].value.get("compactMetadata")))
    after = rows[last + 1 :]
    anchor = _anchor(rows[last], after)
    return [*after[:anchor], *preserved, *after[anchor:]]


def _anchor(boundary: Row, after: Sequence[Row]) -> int:
    """How many rows after the boundary stand before the preserved ones: up to the anchor, else up to the summary."""
    metadata = as_dict(boundary.value.get("compactMetadata"))
    named = as_dict(metadata.get("preservedMessages")) or as_dict(metadata.get("preservedSegment"))
    anchor = as_text(named.get("anchorUuid"))
    if anchor and anchor == boundary.get("uuid"):
        return 0
    for index, row in enumerate(after):
        if (anchor and row.get("uuid") == anchor) or (not anchor and row.value.get("isCompactSummary")):
            return index + 1
    return 0


def _preserved(before: Sequence[Row], metadata: dict[str, Any]) -> list[Row]:
    """Rows that the boundary keeps: one by one, or a segment from its head to its tail. Never written again."""
    by_id = {row.get("uuid"): index for index, row in enumerate(before) if row.get("uuid")}
    ids = as_list(as_dict(metadata.get("preservedMessages")).get("uuids"))
    if ids:
        return [before[by_id[uuid]] for uuid in dict.fromkeys(map(as_text, ids)) if uuid in by_id]
    segment = as_dict(metadata.get("preservedSegment"))
    head, tail = as_text(segment.get("headUuid")), as_text(segment.get("tailUuid"))
    if head in by_id and tail in by_id:
        return list(before[by_id[head] : by_id[tail] + 1])
    return []
