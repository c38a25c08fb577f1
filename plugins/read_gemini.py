"""Readers for Gemini: CLI sessions, `Content[]` histories and requests, and the logs of Qwen Code, which is built on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.contents import gemini_parts
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under
from barrier_policy.transcript.elements import Element, Place, elements_of, find_elements, sample
from barrier_policy.transcript.model import MessageKind, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, reasoning_part, result_parts
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, first_text
from barrier_policy.transcript.writer import Writer

HISTORY_KEYS = ("history", "contents")
SESSION_TYPES = frozenset({"user", "gemini"})
SNAPSHOT = "<state_snapshot>"


def _is_summary(role: str, parts: Sequence[Part]) -> bool:
    """Whether a message is the CLI's own summary of what it compressed."""
    return role == "user" and bool(parts) and parts[0].type is PartType.TEXT and parts[0].text.lstrip().startswith(SNAPSHOT)


def _add_content(
    builder: TranscriptBuilder, content: dict[str, Any], place: Place, pointer: str = "", *, notice: bool = False
) -> None:
    """Add one `{role, parts}`."""
    role = as_text(content.get("role"))
    parts = gemini_parts(content.get("parts"), f"{pointer}/parts")
    if notice:
        builder.add_notice(role, parts, place)
    else:
        builder.add_split(role, parts, place, kind=MessageKind.SUMMARY if _is_summary(role, parts) else MessageKind.MESSAGE)


def probe_history(source: Source) -> int:
    """70 for contents with `parts` under a role."""
    contents = sample(source, *HISTORY_KEYS)
    return 70 if any(isinstance(c.get("parts"), list) and isinstance(c.get("role"), str) for c in contents) else 0


def read_history(source: Source) -> Transcript:
    """One message for each content; the results in a user content stand before what else is in it."""
    builder = TranscriptBuilder(source, "gemini_history")
    document = as_dict(source.document)
    builder.declare_tools(document.get("tools"))
    key = "systemInstruction" if document.get("systemInstruction") else "system_instruction"
    if system := as_dict(document.get(key)):
        builder.add("system", gemini_parts(system.get("parts"), "/parts"), Place(pointer=f"/{key}"))
    found = False
    for element in find_elements(source, *HISTORY_KEYS):
        found = True
        content = as_dict(element.value)
        if isinstance(content.get("role"), str):
            _add_content(builder, content, element.place(timestamp=content.get("ts")))
        else:
            builder.add_malformed(element.value, element.place())
    if not found:
        source.refuse("not a Gemini history (expected contents with `role` and `parts`)")
    return builder.build()


def probe_session(source: Source) -> int:
    """80 for a session's messages or, a line each, for its header and messages."""
    if source.document is not None and "messages" not in as_dict(source.document):
        return 0
    rows = sample(source, "messages")
    typed = any(
        as_text(row.get("type")) in SESSION_TYPES and ("content" in row or "toolCalls" in row) and "message" not in row
        for row in rows
    )
    header = as_dict(source.document) or next(iter(rows), {})
    return 80 if typed and ("sessionId" in header or "projectHash" in header) else 0


def read_session(source: Source) -> Transcript:
    """One message for each message, then one for the results of its calls, which the same object holds."""
    builder = TranscriptBuilder(source, "gemini_session")
    if not probe_session(source):
        source.refuse("not a Gemini CLI session (expected `messages`, or a message a line)")
    elements = _replayed(source, builder) if source.document is None else find_elements(source, "messages")
    for element in elements:
        _add_session_message(builder, element)
    return builder.build()


def _replayed(source: Source, builder: TranscriptBuilder) -> Iterator[Element]:
    """The messages of an append-only log: a later line replaces a message of the same id, a rewind cuts from one on."""
    messages: dict[str, Element] = {}
    for record in source.records:
        row = as_dict(record.value)
        if isinstance(target := row.get("$rewindTo"), str):
            ids = list(messages)
            cut = ids[ids.index(target) :] if target in messages else ids
            builder.skip("rewound", len(cut))
            for id in cut:
                del messages[id]
        elif isinstance(row.get("id"), str):
            builder.skip("earlier state of a message", int(row["id"] in messages))
            messages[row["id"]] = Element(record.line, "", row)
        else:
            patch = as_dict(row.get("$set")) or row
            builder.skip("session header")
            if isinstance(patch.get("messages"), list) and ("$set" in row or patch["messages"]):
                pointer = "/$set/messages" if "$set" in row else "/messages"
                replaced = elements_of(patch["messages"], pointer, line=record.line)
                builder.skip("replaced", len(messages))
                messages = {as_text(as_dict(e.value).get("id")) or e.pointer: e for e in replaced}
    yield from messages.values()


def _add_session_message(builder: TranscriptBuilder, element: Element) -> None:
    message = as_dict(element.value)
    kind = message.get("type")
    if not isinstance(kind, str):
        builder.add_malformed(element.value, element.place())
        return
    place = element.place(timestamp=message.get("timestamp"), id=message.get("id"))
    parts = [*_thoughts(message), *gemini_parts(message.get("content"), "/content")]
    calls = [(f"/toolCalls/{index}", as_dict(call)) for index, call in enumerate(as_list(message.get("toolCalls")))]
    for pointer, call in calls:
        parts.append(
            call_part(as_text(call.get("name")), call.get("args"), call_id=as_text(call.get("id")), pointer=pointer)
        )
    if kind not in SESSION_TYPES:  # info, warning, error: the CLI's own lines
        builder.add_notice(kind, parts, place)
        return
    builder.add_split(kind, parts, place, kind=MessageKind.SUMMARY if _is_summary(kind, parts) else MessageKind.MESSAGE)
    if results := [part for pointer, call in calls for part in _call_result(call, pointer)]:
        builder.add("tool", results, place)


def _thoughts(message: dict[str, Any]) -> list[Part]:
    thoughts = []
    for index, thought in enumerate(as_list(message.get("thoughts"))):
        pieces = [first_text(as_dict(thought), key) for key in ("subject", "description")]
        thoughts.append(reasoning_part("\n".join(filter(None, pieces)), f"/thoughts/{index}"))
    return thoughts


def _call_result(call: dict[str, Any], pointer: str) -> list[Part]:
    """The recorded outcome of a call; none while it runs."""
    status = as_text(call.get("status"))
    results = call.get("result")
    if results is None and status not in ("success", "error", "cancelled"):
        return []
    call_id, name = as_text(call.get("id")), as_text(call.get("name"))
    parts = gemini_parts(results, f"{pointer}/result")
    if any(part.type is PartType.TOOL_RESULT for part in parts):
        return [part if part.call_id else msgspec.structs.replace(part, call_id=call_id) for part in parts]
    return result_parts(
        call.get("resultDisplay", status) if results is None else results,
        call_id=call_id,
        name=name,
        is_error=True if status in ("error", "cancelled") else None,
        pointer=f"{pointer}/result",
    )


def probe_qwen(source: Source) -> int:
    """92 for rows in an envelope whose message has `parts`."""
    return (
        92
        if any(isinstance(as_dict(row.get("message")).get("parts"), list) and "uuid" in row for row in sample(source))
        else 0
    )


def read_qwen(source: Source) -> Transcript:
    """One message for each row that has one; the runtime's own rows are notices."""
    builder = TranscriptBuilder(source, "qwen_code")
    for record in source.records:
        row = as_dict(record.value)
        message = as_dict(row.get("message"))
        if not message.get("parts"):
            builder.skip("/".join(filter(None, (as_text(row.get("type")) or "no type", as_text(row.get("subtype"))))))
            continue
        place = Place(
            line=record.line,
            timestamp=as_text(row.get("timestamp")),
            id=as_text(row.get("uuid")),
            environment={
                n: v for n, v in (("cwd", as_text(row.get("cwd"))), ("branch", as_text(row.get("gitBranch")))) if v
            },
        )
        _add_content(builder, message, place, "/message", notice=bool(row.get("subtype")))
    if not len(builder):
        source.refuse("not a Qwen Code session (expected rows with `message.parts`)")
    return builder.build()


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `gemini_history`, `gemini_session` and `qwen_code`."""
    return [
        Reader(name="gemini_history", title="Gemini contents", probe=probe_history, read=read_history),
        Reader(name="gemini_session", title="Gemini CLI session", probe=probe_session, read=read_session),
        Reader(name="qwen_code", title="Qwen Code session", probe=probe_qwen, read=read_qwen),
    ]


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writer `gemini_history`: of a content that was read as several messages, exactly the kept parts are copied."""
    layout = Layout(
        lists=lists_under(*HISTORY_KEYS),
        insert=lambda inserted, _: {"role": "user", "parts": [{"text": inserted.text}]},
        front=("/systemInstruction", "/system_instruction"),
        contents=("/parts",),
    )
    return [copying_writer("gemini_history", read_history, layout)]
