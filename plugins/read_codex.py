"""Readers for Codex: rollout files (enveloped or bare) and the event stream of `codex exec --json`.

The live view of a rollout begins with the last `compacted` row: its replacement history is the whole new context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Place, sample
from barrier_policy.transcript.model import MessageKind, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, reasoning_part, result_parts, text_part, unknown_part
from barrier_policy.transcript.reader import Compaction, Reader
from barrier_policy.transcript.responses import ItemMessage, is_response_item, item_messages
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_text, decode_arguments, first_text

ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"})
BARE_TYPES = frozenset({"tool_call", "tool_result"})
RUNTIME_TEXT = re.compile(r"\s*<(environment_context|turn_aborted|user_shell_command|subagent_notification)\b")
"""How the texts begin that the runtime writes into user messages."""
TOLD_BY_EVENT = {"user_message": "user", "agent_message": "assistant"}
EXEC_CALLS = {"command_execution": "shell", "file_change": "apply_patch", "mcp_tool_call": "", "web_search": "web_search"}


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One item of the model's context with its place; `key` names the text of what was no item when recorded."""

    pointer: str
    value: Any
    line: int = 0
    timestamp: str = ""
    environment: dict[str, str] = {}
    summary: bool = False
    key: str = ""


def probe(source: Source) -> int:
    """90 where rows have a rollout's envelope, 65 for the old bare rows."""
    rows = sample(source)
    if any(as_text(row.get("type")) in ENVELOPES and isinstance(row.get("payload"), dict) for row in rows):
        return 90
    bare = any(as_text(row.get("type")) in BARE_TYPES or is_response_item(row) for row in rows) and not isinstance(
        source.document, (dict, list)
    )
    return 65 if bare and any("timestamp" in row and "content" in row and "role" in row for row in rows) else 0


def read(source: Source) -> Transcript:
    """The live view of a rollout, one message an item."""
    builder = TranscriptBuilder(source, "codex")
    _add_all(builder, _live_items(source, builder))
    if not len(builder) and not probe(source):
        source.refuse("not a Codex rollout (expected one JSON object a line)")
    return builder.build()


def compactions(source: Source) -> Iterator[Compaction]:
    """Each `compacted` row: the items before it, and those that it puts in their place."""
    told = _told_by_items(source)
    items: list[Item] = []
    environment: dict[str, str] = {}
    for record in source.records:
        row = as_dict(record.value)
        kind, payload = as_text(row.get("type")), as_dict(row.get("payload"))
        if kind in ("session_meta", "turn_context"):
            environment = _environment(environment, payload)
        if kind == "compacted":
            before, after = TranscriptBuilder(source, "codex"), TranscriptBuilder(source, "codex")
            _add_all(before, items)
            items = _replaced(items, payload, record.line, environment, after)
            _add_all(after, items)
            yield Compaction(before=before.build(), after=after.build(), line=record.line)
        elif item := _item(row, kind, payload, told):
            items.append(msgspec.structs.replace(item, line=record.line, environment=environment))


def _add_all(builder: TranscriptBuilder, items: Iterable[Item]) -> None:
    for item in items:
        for message in _messages(item):
            _add(builder, item, message)


def _messages(item: Item) -> list[ItemMessage]:
    if not isinstance(item.value, dict):
        return [ItemMessage(role="", parts=[unknown_part(item.value)])]
    if item.key:
        return [ItemMessage(role=item.value["role"], parts=content_parts(item.value[item.key], f"/{item.key}"))]
    return item_messages(item.value)


def _live_items(source: Source, builder: TranscriptBuilder) -> list[Item]:
    """Items in order; a `compacted` row replaces all before it."""
    items: list[Item] = []
    environment: dict[str, str] = {}
    told = _told_by_items(source)
    for record in source.records:
        row = as_dict(record.value)
        kind, payload = as_text(row.get("type")), as_dict(row.get("payload"))
        if kind in ("session_meta", "turn_context"):
            environment = _environment(environment, payload)
        if kind == "compacted":
            items = _replaced(items, payload, record.line, environment, builder)
        elif item := _item(row, kind, payload, told):
            stamp = as_text(row.get("timestamp"))
            items.append(msgspec.structs.replace(item, line=record.line, timestamp=stamp, environment=environment))
        else:
            builder.skip("ghost_snapshot" if kind == "response_item" else kind or "no type")
    return items


def _item(row: dict[str, Any], kind: str, payload: dict[str, Any], told: frozenset[str]) -> Item | None:
    """What a row adds to the model's context, None where it adds nothing."""
    if kind == "response_item":
        return None if payload.get("type") == "ghost_snapshot" else Item(pointer="/payload", value=row.get("payload"))
    if kind == "event_msg":
        said = _told_only_by_event(payload, told)
        return Item(pointer="/payload", value=said, key="message") if said else None
    bare = kind in BARE_TYPES or "role" in row or is_response_item(row)
    return Item(pointer="", value=row) if bare else None


def _environment(environment: dict[str, str], payload: dict[str, Any]) -> dict[str, str]:
    sandbox = payload.get("sandbox_policy")
    stated = {
        "cwd": as_text(payload.get("cwd")),
        "branch": as_text(as_dict(payload.get("git")).get("branch")),
        "mode": as_text(payload.get("approval_policy")),
        "sandbox": as_text(sandbox) or first_text(as_dict(sandbox), "type", "mode"),
    }
    return {**environment, **{name: value for name, value in stated.items() if value}}


def _replaced(
    items: Sequence[Item], payload: dict[str, Any], line: int, environment: dict[str, str], builder: TranscriptBuilder
) -> list[Item]:
    """The context after a compaction. Older versions record only the summary and keep the instructions and user messages."""
    message = as_text(payload.get("message"))
    history = payload.get("replacement_history")
    if not isinstance(history, list):
        kept = [item for item in items if as_dict(item.value).get("role") in ("system", "developer", "user")]
        builder.skip("before the last compaction", len(items) - len(kept))
        value = {"role": "user", "message": message}
        return [
            *kept,
            Item(line=line, pointer="/payload", value=value, environment=environment, summary=True, key="message"),
        ]
    builder.skip("before the last compaction", len(items))
    ghosts = [as_dict(value).get("type") == "ghost_snapshot" for value in history]
    builder.skip("ghost_snapshot", sum(ghosts))
    told = [index for index, value in enumerate(history) if message and _item_text(value).endswith(message)]
    return [
        Item(
            line=line,
            pointer=f"/payload/replacement_history/{index}",
            value=value,
            environment=environment,
            summary=told[-1:] == [index],
        )
        for index, value in enumerate(history)
        if not ghosts[index]
    ]


def _item_text(value: Any) -> str:
    item = as_dict(value)
    if item.get("role") != "user":
        return ""
    return "\n".join(part.text for part in content_parts(item.get("content")) if part.type is PartType.TEXT)


def _told_by_items(source: Source) -> frozenset[str]:
    """The texts of all message items, which most events only repeat."""
    told: set[str] = set()
    for record in source.records:
        payload = as_dict(as_dict(record.value).get("payload"))
        if payload.get("type") == "message":
            parts = content_parts(payload.get("content"))
            told.update(part.text.strip() for part in parts)
            told.add("\n".join(part.text for part in parts if part.type is PartType.TEXT).strip())
    return frozenset(told)


def _told_only_by_event(payload: dict[str, Any], told: frozenset[str]) -> dict[str, Any] | None:
    """A message that no item repeats: its role and text."""
    role = TOLD_BY_EVENT.get(as_text(payload.get("type")))
    text = as_text(payload.get("message"))
    return {"role": role, "message": text} if role and text.strip() and text.strip() not in told else None


def _add(builder: TranscriptBuilder, item: Item, message: ItemMessage) -> None:
    place = Place(
        line=item.line,
        pointer=item.pointer,
        timestamp=item.timestamp,
        id=as_text(as_dict(item.value).get("id")),
        environment=item.environment,
    )
    parts = [_with_exit_code(part) if part.type is PartType.TOOL_RESULT else part for part in message.parts]
    if message.role == "user" and not item.summary and _is_runtime_text(parts):
        builder.add_notice(message.role, parts, place)
    else:
        builder.add(message.role, parts, place, kind=MessageKind.SUMMARY if item.summary else message.kind)


def _is_runtime_text(parts: Sequence[Part]) -> bool:
    texts = [part.text for part in parts if part.type is PartType.TEXT]
    return bool(texts) and all(RUNTIME_TEXT.match(text) for text in texts)


def _with_exit_code(part: Part) -> Part:
    """A shell's output is recorded as JSON text with its exit code."""
    if part.is_error is not None or '"exit_code"' not in part.text or not part.text.startswith("{"):
        return part
    code = as_dict(as_dict(decode_arguments(part.text)).get("metadata")).get("exit_code")
    return msgspec.structs.replace(part, is_error=code != 0) if isinstance(code, int) else part


def probe_exec(source: Source) -> int:
    """90 for the event stream's own event names."""
    return (
        90 if any(row.get("type") in ("thread.started", "item.completed", "item.started") for row in sample(source)) else 0
    )


def read_exec(source: Source) -> Transcript:
    """One message an item, two where an item holds a call and its outcome; an item is read in its last state."""
    builder = TranscriptBuilder(source, "codex_exec")
    last: dict[str, tuple[int, dict[str, Any]]] = {}
    for record in source.records:
        row = as_dict(record.value)
        item = as_dict(row.get("item"))
        if item:
            last[as_text(item.get("id")) or f"line {record.line}"] = (record.line, item)
        else:
            builder.skip(as_text(row.get("type")) or "no type")
    if not last:
        source.refuse("no items of `codex exec --json`")
    for line, item in last.values():
        for role, parts in _exec_messages(item):
            builder.add(role, parts, Place(line=line, pointer="/item", id=as_text(item.get("id"))))
    return builder.build()


def _exec_messages(item: dict[str, Any]) -> Iterator[tuple[str, list[Part]]]:
    kind = as_text(item.get("type"))
    if kind == "agent_message":
        yield "assistant", [text_part(as_text(item.get("text")), "/text")]
    elif kind == "reasoning":
        yield "assistant", [reasoning_part(as_text(item.get("text")), "/text")]
    elif kind in EXEC_CALLS:
        yield from _exec_call(item, kind)
    else:
        yield "assistant", [unknown_part(item)]


def _exec_call(item: dict[str, Any], kind: str) -> Iterator[tuple[str, list[Part]]]:
    name = EXEC_CALLS[kind] or first_text(item, "tool") or kind
    asked = {key: item[key] for key in ("command", "changes", "server", "arguments", "query") if key in item}
    call_id = as_text(item.get("id"))
    yield "assistant", [call_part(name, asked, call_id=call_id)]
    status, code = as_text(item.get("status")), item.get("exit_code")
    if status in ("in_progress", "") and code is None:
        return
    outcome = next((key for key in ("aggregated_output", "result", "error") if item.get(key) is not None), "status")
    failed = bool(code) or status == "failed" or outcome == "error"
    content = as_dict(item.get(outcome)).get("content") if outcome == "result" else item.get(outcome)
    yield "tool", result_parts(content, call_id=call_id, name=name, is_error=failed, pointer=f"/{outcome}")


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `codex` and `codex_exec`."""
    return [
        Reader(name="codex", title="Codex rollout", probe=probe, read=read, compactions=compactions),
        Reader(name="codex_exec", title="Codex `exec --json` stream", probe=probe_exec, read=read_exec),
    ]
