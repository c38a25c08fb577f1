"""Readers for the logs of other coding agents: Copilot CLI, Cursor, Droid's stream and Grok."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import chat_parts
from barrier_policy.transcript.elements import Place, sample
from barrier_policy.transcript.model import MessageKind, Origin, Part, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, reasoning_part, result_parts
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.responses import item_messages
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text

COPILOT_TYPES = frozenset({"user.message", "assistant.message", "tool.execution_complete", "session.start"})
GROK_TYPES = frozenset({"backend_tool_call", "tool_result", "assistant"})
DROID_TYPES = frozenset({"tool_call", "tool_result", "completion"})


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What one row says."""

    role: str
    parts: list[Part]
    kind: MessageKind = MessageKind.MESSAGE


def _types(source: Source) -> frozenset[str]:
    return frozenset(as_text(row.get("type")) for row in sample(source))


def _read(source: Source, name: str, says: Callable[[dict[str, Any]], list[Said]]) -> Transcript:
    """One message for each thing that a row says; rows that say nothing are counted by their type."""
    builder = TranscriptBuilder(source, name)
    for record in source.records:
        row = as_dict(record.value)
        said = [one for one in says(row) if one.parts]
        if not said:
            builder.skip(as_text(row.get("type")) or "no type")
        for one in said:
            place = Place(line=record.line, timestamp=as_text(row.get("timestamp")), id=as_text(row.get("id")))
            origin = Origin.TOOL if one.kind is MessageKind.NOTICE else None
            builder.add_split(one.role, one.parts, place, origin=origin, kind=one.kind)
    if not len(builder):
        source.refuse(f"no messages in this {name} log")
    return builder.build()


def probe_copilot(source: Source) -> int:
    """85 for event types of this log with their `data`."""
    return 85 if _types(source) & COPILOT_TYPES and any(isinstance(row.get("data"), dict) for row in sample(source)) else 0


def read_copilot(source: Source) -> Transcript:
    """Messages and results; streamed pieces, turns and sub-agents' frames are left out."""
    return _read(source, "copilot", _copilot)


def _copilot(row: dict[str, Any]) -> list[Said]:
    kind, data = as_text(row.get("type")), as_dict(row.get("data"))
    if kind in ("system.message", "user.message"):
        return [Said(role=kind.partition(".")[0], parts=content_parts(data.get("content"), "/data/content"))]
    if kind == "assistant.message":
        reasoning = as_text(data.get("reasoningText"))
        parts = [reasoning_part(reasoning, "/data/reasoningText")] if reasoning else []
        parts += content_parts(data.get("content"), "/data/content")
        for index, request in enumerate(map(as_dict, as_list(data.get("toolRequests")))):
            call_id = as_text(request.get("toolCallId"))
            pointer = f"/data/toolRequests/{index}"
            parts.append(call_part(as_text(request.get("name")), request.get("arguments"), call_id=call_id, pointer=pointer))
        return [Said(role="assistant", parts=parts)]
    if kind == "tool.execution_complete":
        outcome = data.get("result", data.get("error"))
        content = as_dict(outcome).get("content", as_dict(outcome).get("message", outcome))
        failed = None if data.get("success") is None else data["success"] is not True
        parts = result_parts(
            content, call_id=as_text(data.get("toolCallId")), is_error=failed, pointer="/data/result/content"
        )
        return [Said(role="tool", parts=parts)]
    return []


def probe_cursor(source: Source) -> int:
    """70 for lines of a role beside a message with content, without an envelope."""
    rows = sample(source)
    return 70 if any("role" in row and "content" in as_dict(row.get("message")) and "type" not in row for row in rows) else 0


def read_cursor(source: Source) -> Transcript:
    """One message for each line, results in a message of their own. Calls have no ids, and often no results."""
    return _read(source, "cursor", _cursor)


def _cursor(row: dict[str, Any]) -> list[Said]:
    content = as_dict(row.get("message")).get("content")
    return [Said(role=as_text(row.get("role")), parts=content_parts(content, "/message/content"))] if "role" in row else []


def probe_droid_stream(source: Source) -> int:
    """85 for flat rows under a session id with types of this stream."""
    return 85 if _types(source) & DROID_TYPES and any("session_id" in row for row in sample(source)) else 0


def read_droid_stream(source: Source) -> Transcript:
    """One message for each row."""
    return _read(source, "droid_stream", _droid)


def _droid(row: dict[str, Any]) -> list[Said]:
    kind, call_id = as_text(row.get("type")), as_text(row.get("toolCallId"))
    if kind == "message":
        return [Said(role=as_text(row.get("role")), parts=content_parts(row.get("text", row.get("content")), "/text"))]
    if kind == "tool_call":
        call = call_part(as_text(row.get("toolName")), row.get("parameters"), call_id=call_id, pointer="/parameters")
        return [Said(role="assistant", parts=[call])]
    if kind == "tool_result":
        value, code = row.get("value"), as_dict(row.get("value")).get("exitCode")
        failed = code != 0 if isinstance(code, int) else None
        return [Said(role="tool", parts=result_parts(value, call_id=call_id, is_error=failed, pointer="/value"))]
    if kind == "completion":
        return [Said(role="assistant", parts=content_parts(row.get("finalText"), "/finalText"))]
    return []


def probe_grok(source: Source) -> int:
    """75 for rows whose type is a role, with content beside it."""
    rows = sample(source)
    typed = any(row.get("type") in ("user", "assistant") and "content" in row and "message" not in row for row in rows)
    return 75 if typed and _types(source) & GROK_TYPES and not any("sessionId" in row for row in rows) else 0


def read_grok(source: Source) -> Transcript:
    """One message for each row, two for a tool that the server ran."""
    return _read(source, "grok", _grok)


def _grok(row: dict[str, Any]) -> list[Said]:
    kind = as_text(row.get("type"))
    if kind == "tool_result":
        return [Said(role="tool", parts=chat_parts({**row, "role": "tool"}))]
    if kind == "reasoning":
        return [Said(role=one.role, parts=one.parts) for one in item_messages(row)]
    if kind == "backend_tool_call":
        action = as_dict(row.get("kind"))
        item = {**action, "type": f"{as_text(action.get('tool_type')) or 'server_tool'}_call"}
        return [Said(role=one.role, parts=_inside("/kind", one.parts)) for one in item_messages(item)]
    if kind in ("system", "user", "assistant"):
        made = bool(row.get("synthetic_reason"))
        return [
            Said(
                role=kind, parts=chat_parts({**row, "role": kind}), kind=MessageKind.NOTICE if made else MessageKind.MESSAGE
            )
        ]
    return []


def _inside(pointer: str, parts: list[Part]) -> list[Part]:
    return [msgspec.structs.replace(part, pointer=pointer + part.pointer) for part in parts]


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `copilot`, `cursor`, `droid_stream` and `grok`."""
    return [
        Reader(name="copilot", title="Copilot CLI events", probe=probe_copilot, read=read_copilot),
        Reader(name="cursor", title="Cursor transcript", probe=probe_cursor, read=read_cursor),
        Reader(name="droid_stream", title="Droid JSON stream", probe=probe_droid_stream, read=read_droid_stream),
        Reader(name="grok", title="Grok chat history", probe=probe_grok, read=read_grok),
    ]
