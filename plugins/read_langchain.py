"""Reader and writer for LangChain messages: `messages_to_dict`, `dumpd`, and plain dicts with a `type`; a list or a graph's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under
from barrier_policy.transcript.elements import SAMPLE, Element, elements_of, find_elements
from barrier_policy.transcript.model import MessageKind, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, first_text
from barrier_policy.transcript.writer import Inserted, Writer

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
        kind, fields, _ = _message(element.value)
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


def _message(value: Any) -> tuple[str, dict[str, Any], str]:
    """The type of a message, its fields, and their pointer, whichever way it was dumped."""
    message = as_dict(value)
    if message.get("lc") and isinstance(message.get("kwargs"), dict):
        path = as_list(message.get("id"))
        return as_text(path[-1]) if path else "", message["kwargs"], "/kwargs"
    if isinstance(message.get("data"), dict) and "type" in message:
        return as_text(message.get("type")), message["data"], "/data"
    return as_text(message.get("type")), message, ""


def _add(builder: TranscriptBuilder, element: Element) -> None:
    kind, fields, pointer = _message(element.value)
    place = element.place(id=fields.get("id"))
    if kind in REMOVED:
        builder.skip("remove message")
    elif kind in CHAT:
        builder.add(as_text(fields.get("role")), _parts(fields, "", pointer), place)
    elif kind in ROLES:
        role = ROLES[kind]
        summary = as_dict(fields.get("additional_kwargs")).get("lc_source") == "summarization"
        builder.add(role, _parts(fields, role, pointer), place, kind=MessageKind.SUMMARY if summary else MessageKind.MESSAGE)
    else:
        builder.add_malformed(element.value, place)


def _parts(fields: dict[str, Any], role: str, pointer: str) -> list[Part]:
    if role == "tool":
        return result_parts(
            fields.get("content"),
            call_id=as_text(fields.get("tool_call_id")),
            name=as_text(fields.get("name")),
            is_error=True if fields.get("status") == "error" else None,
            pointer=f"{pointer}/content",
        )
    calls = _calls(fields, pointer) or _raw_calls(as_dict(fields.get("additional_kwargs")), f"{pointer}/additional_kwargs")
    known = {call.call_id for call in calls}
    # a model's own call blocks stand in the content and, parsed, among the calls
    content = content_parts(fields.get("content"), f"{pointer}/content")
    return [part for part in content if part.type is not PartType.TOOL_CALL or part.call_id not in known] + calls


def _calls(fields: dict[str, Any], pointer: str) -> list[Part]:
    """Parsed calls, and those whose arguments could not be parsed."""
    return [
        call_part(
            first_text(call, "name"), call.get("args"), call_id=first_text(call, "id"), pointer=f"{pointer}/{key}/{index}"
        )
        for key in ("tool_calls", "invalid_tool_calls")
        for index, call in enumerate(map(as_dict, as_list(fields.get(key))))
    ]


def _raw_calls(raw: dict[str, Any], pointer: str) -> list[Part]:
    """The calls as the vendor sent them, which is all that older versions record."""
    calls = []
    for index, entry in enumerate(map(as_dict, as_list(raw.get("tool_calls")))):
        function = as_dict(entry.get("function"))
        place = f"{pointer}/tool_calls/{index}"
        calls.append(
            call_part(
                first_text(function, "name"), function.get("arguments"), call_id=first_text(entry, "id"), pointer=place
            )
        )
    if function := as_dict(raw.get("function_call")):
        calls.append(call_part(first_text(function, "name"), function.get("arguments"), pointer=f"{pointer}/function_call"))
    return calls


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `langchain`."""
    return [Reader(name="langchain", title="LangChain messages", probe=probe, read=read)]


def _lists(source: Source) -> Sequence[str]:
    for key in STATE_KEYS:
        if isinstance(as_dict(as_dict(source.document).get(key)).get("messages"), list):
            return (f"/{key}/messages",)
    return lists_under("messages")(source)


def _human_message(inserted: Inserted, example: Any) -> dict[str, Any]:
    """A message of the user in the shape of the others, flagged as LangChain's own summaries are where it is one."""
    flags = {"lc_source": "summarization"} if inserted.kind is MessageKind.SUMMARY else {}
    fields = {"content": inserted.text, "additional_kwargs": flags, "response_metadata": {}, "type": "human"}
    _, _, pointer = _message(example)
    if pointer == "/kwargs":
        path = [*as_list(as_dict(example).get("id"))[:-1], "HumanMessage"]
        return {"lc": as_dict(example)["lc"], "type": "constructor", "id": path, "kwargs": fields}
    return {"type": "human", "data": fields} if pointer == "/data" else fields


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writer `langchain`: what is kept is copied element by element, all other fields as they stand."""
    return [copying_writer("langchain", read, Layout(lists=_lists, insert=_human_message, contents=()))]
