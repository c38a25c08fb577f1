"""Reader for Kimi's event-sourced sessions: the events that change the model's context, added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import chat_parts
from barrier_policy.transcript.elements import Place, sample
from barrier_policy.transcript.model import MessageKind, Origin, Part, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts, text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_text, first_text


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What one event adds to the context; pieces of one step of the model share its id."""

    role: str
    parts: list[Part]
    kind: MessageKind = MessageKind.MESSAGE
    id: str = ""


def probe(source: Source) -> int:
    """85 for events that change the context."""
    return 85 if any(as_text(row.get("type")).startswith("context.") for row in sample(source)) else 0


def read(source: Source) -> Transcript:
    """The context that the events add up to: after a compaction the user messages that it keeps, the summary, and the rest."""
    builder = TranscriptBuilder(source, "kimi")
    context: list[tuple[int, Said]] = []
    for record in source.records:
        row = as_dict(record.value)
        if row.get("type") == "context.apply_compaction":
            kept = _compacted(row, record.line, context)
            builder.skip("before the last compaction", len(context) + 1 - len(kept))
            context = kept
        elif added := _said(row):
            context.append((record.line, added))
        else:
            builder.skip(as_text(row.get("type")) or "no type")
    for line, said in _merged(context):
        origin = Origin.TOOL if said.kind is MessageKind.NOTICE else None
        builder.add(said.role, said.parts, Place(line=line), kind=said.kind, origin=origin)
    if not len(builder):
        source.refuse("no messages in this kimi log")
    return builder.build()


def _said(row: dict[str, Any]) -> Said | None:
    """What an event adds, None where it adds nothing."""
    if row.get("type") == "context.append_loop_event":
        return _from_loop(as_dict(row.get("event")))
    if row.get("type") != "context.append_message":
        return None
    message = as_dict(row.get("message"))
    typed = as_text(as_dict(message.get("origin")).get("kind")) in ("", "user", "system_trigger")
    parts = chat_parts({**message, "tool_calls": message.get("toolCalls")}, "/message")
    return Said(role=as_text(message.get("role")), parts=parts, kind=MessageKind.MESSAGE if typed else MessageKind.NOTICE)


def _from_loop(event: dict[str, Any]) -> Said | None:
    kind, step = as_text(event.get("type")), as_text(event.get("stepUuid"))
    call_id = as_text(event.get("toolCallId"))
    if kind == "content.part":
        return Said(role="assistant", parts=content_parts(event.get("part"), "/event/part"), id=step)
    if kind == "tool.call":
        call = call_part(as_text(event.get("name")), event.get("args"), call_id=call_id, pointer="/event")
        return Said(role="assistant", parts=[call], id=step)
    if kind == "tool.result":
        result = as_dict(event.get("result"))
        flag = True if result.get("isError") is True else None
        parts = result_parts(result.get("output"), call_id=call_id, is_error=flag, pointer="/event/result/output")
        return Said(role="tool", parts=parts)
    return None


def _compacted(row: dict[str, Any], line: int, context: Sequence[tuple[int, Said]]) -> list[tuple[int, Said]]:
    """Newer versions keep a number of user messages, older ones all behind the compacted count."""
    text = first_text(row, "contextSummary", "summary")
    summary = (line, Said(role="user", parts=[text_part(text, "/contextSummary")], kind=MessageKind.SUMMARY))
    number, count = row.get("keptUserMessageCount"), row.get("compactedCount")
    if isinstance(number, int):
        users = [one for one in context if one[1].role == "user" and one[1].kind is MessageKind.MESSAGE]
        return [*users[max(len(users) - max(number, 0), 0) :], summary]
    return [summary, *(context[count:] if isinstance(count, int) and count >= 0 else [])]


def _merged(context: Iterable[tuple[int, Said]]) -> Iterator[tuple[int, Said]]:
    """The pieces of one step of the model as one message; its results follow."""
    first: list[tuple[int, Said]] = []
    pieces: dict[str, list[Part]] = {}
    for line, said in context:
        if said.id in pieces:
            pieces[said.id] += [msgspec.structs.replace(part, line=line) for part in said.parts]
            continue
        if said.id:
            pieces[said.id] = list(said.parts)
        first.append((line, said))
    for line, said in first:
        yield line, msgspec.structs.replace(said, parts=pieces.get(said.id, said.parts))


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `kimi`."""
    return [Reader(name="kimi", title="Kimi context events", probe=probe, read=read)]
