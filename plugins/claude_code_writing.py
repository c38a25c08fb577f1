"""Writing a Claude Code session: the live view as a session file of its own, with its chain of rows repaired.

The runtime only appends to its file; the compacted session is a new one. Rows of kept messages are copied, with the rows behind them that
give no message. Left out are what is not live any more (rows before the last compaction, its boundary, side chains) and
the bookkeeping of the prompt queue. A row whose parent left, or that follows a new row, gets the row before it as parent.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from barrier_policy_plugins.claude_code_rows import is_boundary, live_rows, main_rows

from barrier_policy.digest import digest_text
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.copying import block_of, checked_writer, join_lines
from barrier_policy.transcript.model import Message, MessageKind, Transcript
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.splice import new_text, quote, remove_member, replace_value, select_items
from barrier_policy.transcript.values import as_dict, as_text
from barrier_policy.transcript.writer import Inserted, Piece, Writer

CONTENTS = ("/message/content", "/attachment/prompt")
ENVELOPE = (
    "isSidechain", "parent_tool_use_id", "agentId", "userType", "entrypoint", "cwd", "sessionId", "session_id", "version", "gitBranch", "slug",
)  # fmt: skip
"""What a new row shares with the rows around it."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the new file: its text, and its row in the source, or the message of the gate's own that it will hold."""

    row: int = -1
    text: str = ""
    value: dict[str, Any] = {}
    new: Inserted | None = None


class _Rows:
    """The rows of a session by number: their texts, their messages, and the blocks that each message has in each row."""

    def __init__(self, source: Source, messages: Sequence[Message]) -> None:
        self.source = source
        self.texts = source.record_texts
        self.values = [as_dict(record.value) for record in source.records]
        number = {record.line: index for index, record in enumerate(source.records)}
        self.blocks: dict[int, dict[int, set[int]]] = {}
        for message in messages:
            for part in message.parts:
                shared = self.blocks.setdefault(number[part.line or message.line], {})
                shared.setdefault(message.index, set()).add(_block(part.pointer))
        rows = main_rows(source.records, TranscriptBuilder(source, "claude_code"))
        last = max((index for index, row in enumerate(rows) if is_boundary(row)), default=-1)
        self.live = [number[row.line] for row in live_rows(rows, last)]
        self.place = {row: place for place, row in enumerate(self.live)}
        self.of_message: dict[int, list[int]] = {}
        for row, found in self.blocks.items():
            for index in found:
                self.of_message.setdefault(index, []).append(row)

    def followers(self) -> dict[int, list[int]]:
        """The rows that give no message, by the row of messages that they follow; -1 for the start."""
        found: dict[int, list[int]] = {}
        last = -1
        for row in self.live:
            if row in self.blocks:
                last = row
            elif self.values[row].get("type") != "queue-operation":
                found.setdefault(last, []).append(row)
        return found

    def is_queued(self, row: int) -> bool:
        """Whether a row is a prompt that waited in the queue."""
        return self.values[row].get("type") == "queue-operation"

    def cut(self, row: int, kept: set[int]) -> str:
        """The text of a row with only the blocks of these messages. Raises TranscriptError where it is in one piece."""
        found = self.blocks[row]
        text = self.texts[row]
        if kept >= found.keys():
            return text
        indices = {index for message in kept & found.keys() for index in found[message]}
        content = next((content for content in CONTENTS if self._has_blocks(row, content)), "")
        if not content or -1 in indices or any(indices & found[other] for other in found.keys() - kept):
            self.source.fail(
                f"message {min(kept)} shares a block with another message, and one can't stay without the other"
            )
        text = select_items(text, content, indices)
        return text if self._has_result(row, indices) else remove_member(text, "/toolUseResult")

    def _has_blocks(self, row: int, content: str) -> bool:
        _, outer, inner = content.split("/")
        return isinstance(as_dict(self.values[row].get(outer)).get(inner), list)

    def _has_result(self, row: int, indices: Iterable[int]) -> bool:
        content = as_dict(self.values[row].get("message")).get("content")
        return isinstance(content, list) and any(as_dict(content[index]).get("type") == "tool_result" for index in indices)


def _block(pointer: str) -> int:
    return max(block_of(pointer, content) for content in CONTENTS)


def _lines(rows: _Rows, pieces: Sequence[Piece]) -> Iterator[Line]:
    """The lines in order, not yet linked. All rows of a message stand before what is inserted behind it."""
    followers = rows.followers()
    yield from _copied(rows, followers.pop(-1, ()))
    run: list[int] = []
    for piece in pieces:
        if isinstance(piece, Inserted):
            yield from _run(rows, run, followers)
            yield Line(new=piece)
            run = []
        else:
            run.append(piece.message)
    yield from _run(rows, run, followers)


def _copied(rows: _Rows, numbers: Iterable[int]) -> Iterator[Line]:
    for row in numbers:
        yield Line(row=row, text=rows.texts[row], value=rows.values[row])


def _run(rows: _Rows, run: Sequence[int], followers: dict[int, list[int]]) -> Iterator[Line]:
    """The rows of messages between two insertions, in the order of the file; a prompt from the queue before what it precedes."""
    kept = set(run)
    at = len(rows.live)
    places: dict[int, int] = {}
    for message in reversed(run):
        found = rows.of_message.get(message, ())
        places.update({row: at if rows.is_queued(row) else rows.place[row] for row in found})
        at = min([at, *(places[row] for row in found)])
    queued = sorted(places, key=lambda row: (places[row], not rows.is_queued(row), min(rows.blocks[row])))
    for row in queued:
        text = rows.cut(row, kept)
        yield Line(row=row, text=text, value=rows.values[row])
        if rows.is_queued(row):
            yield Line(row=row, text=replace_value(text, "/operation", '"remove"'), value=rows.values[row])
        yield from _copied(rows, followers.pop(row, ()))


def _linked(rows: _Rows, lines: Sequence[Line]) -> Iterator[str]:
    """The texts of the lines, each with a parent that is there: rows are a tree, which is read from a leaf to its root."""
    recorded = {as_text(value.get("uuid")) for value in rows.values}
    left = recorded - {as_text(line.value.get("uuid")) for line in lines}
    like = next((line.text for line in lines if line.text), "")
    told: dict[str, int] = {}  # by uuid, how many new links stand before it: a parent in front of one would bypass it
    written: set[int] = set()
    previous, links = "", 0
    neighbour: dict[str, Any] = next((line.value for line in lines if line.value.get("uuid")), {})
    for line in lines:
        if line.new:
            links += 1
            row = _new_row(line.new, previous, neighbour)
            previous = row["uuid"]
            yield new_text(row, like=like)
        elif own := as_text(line.value.get("uuid")):
            text, parent = line.text, as_text(line.value.get("parentUuid"))
            if parent in left or told.get(parent, 0) != links:
                links += bool(previous)
                text = replace_value(text, "/parentUuid", quote(previous) if previous else "null")
            if line.row in written:  # new rows divide it, and no two rows may have one name
                own = _name(own, previous)
                text = replace_value(text, "/uuid", quote(own))
            written.add(line.row)
            told[own] = links
            previous, neighbour = own, line.value
            yield text
        else:
            yield line.text


def _new_row(new: Inserted, previous: str, neighbour: dict[str, Any]) -> dict[str, Any]:
    """A row of the user, in the manner of the runtime's own summaries where it is one."""
    flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True} if new.kind is MessageKind.SUMMARY else {}
    stamp = {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}
    return {
        "parentUuid": previous or None,
        **{key: neighbour[key] for key in ENVELOPE if key in neighbour},
        "type": "user",
        "message": {"role": "user", "content": new.text},
        **flags,
        "uuid": _name(previous, new.kind, digest_text(new.text)),
        **stamp,
    }


def _name(*what: str) -> str:
    """A UUID that is the same for the same row at the same place."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "barrier-policy:claude-code:" + digest_text("\n".join(what))))


def claude_code_writer(read: Callable[[Source], Transcript]) -> Writer:
    """The writer `claude_code` for what `read` reads."""

    def write(source: Source, placed: Sequence[Message], pieces: Sequence[Piece]) -> bytes:
        rows = _Rows(source, placed)
        return join_lines(source, _linked(rows, list(_lines(rows, pieces))))

    return checked_writer("claude_code", read, write)
