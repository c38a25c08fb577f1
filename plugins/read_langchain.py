"""Reader for LangChain messages: `messages_to_dict`, `dumpd`, and plain dicts with a `type`; a list or a graph's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import SAMPLE, Element, elements_of, find_elements
from barrier_policy.transcript.model import MessageKind, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts, unknown_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, first_text

ROLES = {
    "human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool", "developer": "developer",
    "HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
    "FunctionMessage": "tool", "AIMessageChunk": "assistant", "HumanMessageChunk": "user",
}  # fmt: skip
SHARED_TYPES = frozenset({"system", "tool", "function", "developer"})
CHAT = frozenset({"chat", "ChatMessage"})
REMOVED = frozenset({"remove", "RemoveMessage"})
STATE_KEYS = ("values", "channel_values", "state")


def probe(source: Source) -> int:
    """65 for objects with a message type that only LangChain has, or with its two ways of wrapping a message."""
    for element in islice(_elements(source), SAMPLE):
        kind, fields = _message(element.value)
        own = kind not in SHARED_TYPES or fields is not element.value
        if kind in ROLES and own and "content" in fields:
            return 65
    return 0


def read(source: Source) -> Transcript:
    """One message for each message, with the same index."""
    builder = TranscriptBuilder(source, "langchain")
    found = False
    for element in _elements(source):
        found = True
        _add(builder, element)
    if not found:
        source.refuse("no LangChain messages (expected a list, or an object with `messages`)")
    return builder.build()


def _elements(source: Source) -> Iterator[Element]:
    document = as_dict(source.document)
    for key in STATE_KEYS:
        messages = as_dict(document.get(key)).get("messages")
        if isinstance(messages, list):
            yield from elements_of(messages, f"/{key}/messages")
            return
    yield from find_elements(source, "messages")


def _message(value: Any) -> tuple[str, dict[str, Any]]:
    """The type of a message and its fields, whichever way it was dumped."""
    message = as_dict(value)
    if message.get("lc") and isinstance(message.get("kwargs"), dict):
        path = as_list(message.get("id"))
        return as_text(path[-1]) if path else "", message["kwargs"]
    if isinstance(message.get("data"), dict) and "type" in message:
        return as_text(message.get("type")), message["data"]
    return as_text(message.get("type")), message


def _add(builder: TranscriptBuilder, element: Element) -> None:
    kind, fields = _message(element.value)
    place = {"line": element.line, "pointer": element.pointer, "id": as_text(fields.get("id"))}
    if kind in REMOVED:
        builder.skip("remove message")
    elif kind in CHAT:
        builder.add(as_text(fields.get("role")), _parts(fields, ""), **place)
    elif kind in ROLES:
        role = ROLES[kind]
        summary = as_dict(fields.get("additional_kwargs")).get("lc_source") == "summarization"
        builder.add(role, _parts(fields, role), kind=MessageKind.SUMMARY if summary else MessageKind.MESSAGE, **place)
    else:
        builder.add("", [unknown_part(element.value)], **place)


def _parts(fields: dict[str, Any], role: str) -> list[Part]:
    if role == "tool":
        return result_parts(
            fields.get("content"),
            call_id=as_text(fields.get("tool_call_id")),
            name=as_text(fields.get("name")),
            is_error=True if fields.get("status") == "error" else None,
            pointer="/content",
        )
    calls = _calls(fields)
    known = {call.call_id for call in calls}
    # a model's own call blocks stand in the content and, parsed, among the calls
    content = content_parts(fields.get("content"), "/content")
    return [part for part in content if part.type is not PartType.TOOL_CALL or part.call_id not in known] + calls


def _calls(fields: dict[str, Any]) -> list[Part]:
    """Parsed calls and those that could not be parsed; the raw ones of older versions only where there are no others."""
    calls = []
    for key in ("tool_calls", "invalid_tool_calls"):
        for index, value in enumerate(as_list(fields.get(key))):
            call = as_dict(value)
            calls.append(call_part(first_text(call, "name"), call.get("args"), call_id=first_text(call, "id"), pointer=f"/{key}/{index}"))
    raw = as_dict(fields.get("additional_kwargs"))
    if calls:
        return calls
    entries = [*as_list(raw.get("tool_calls")), *([{"function": raw["function_call"]}] if raw.get("function_call") else [])]
    for entry in map(as_dict, entries):
        function = as_dict(entry.get("function"))
        calls.append(call_part(first_text(function, "name"), function.get("arguments"), call_id=first_text(entry, "id")))
    return calls


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `langchain`."""
    return [Reader(name="langchain", title="LangChain messages", probe=probe, read=read)]
