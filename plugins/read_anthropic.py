"""Reader and writer for Anthropic Messages: a list of messages with content blocks, or a request with `system` and `tools`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder, own_apart
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under, user_message
from barrier_policy.transcript.elements import Element, Place, find_elements, sample
from barrier_policy.transcript.model import MessageKind, Part, Transcript
from barrier_policy.transcript.parts import content_parts, text_part, unknown_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text
from barrier_policy.transcript.writer import Writer

ROLES = frozenset({"user", "assistant", "system"})
OWN_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use", "compaction"}
)


def probe(source: Source) -> int:
    """60 where a message of the two roles has a block of this form, 55 for such messages beside a `system` prompt."""
    messages = sample(source, "messages")
    if not messages or any(as_text(message.get("role")) not in ROLES for message in messages):
        return 0
    blocks = [as_dict(block) for message in messages for block in as_list(message.get("content"))]
    if any(as_text(block.get("type")) in OWN_BLOCKS or "source" in block for block in blocks):
        return 60
    return 55 if as_dict(source.document).get("system") else 0


def read(source: Source) -> Transcript:
    """One message for each message; the results in a message of the user become a message of their own before it.

    A carrier or summary in a block of it is a message of its own as well.
    """
    builder = TranscriptBuilder(source, "anthropic_messages")
    document = as_dict(source.document)
    builder.declare_tools(document.get("tools"))
    if system := content_parts(document.get("system")):
        builder.add("system", system, Place(pointer="/system"))
    found = False
    for element in find_elements(source, "messages"):
        found = True
        _add(builder, element)
    if not found and "messages" not in document:
        source.refuse("no Anthropic messages (expected a list, or an object with `messages`)")
    _add_response(builder, document)
    return builder.build()


def _add(builder: TranscriptBuilder, element: Element) -> None:
    message = element.value
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str):
        builder.add_malformed(message, element.place())
        return
    place = element.place(timestamp=message.get("timestamp"), id=message.get("id"))
    summary, content = _without_summary(message.get("content"))
    if summary:
        builder.add(role, summary, place, kind=MessageKind.SUMMARY)
    parts = content_parts(content, "/content")
    if parts or not summary:
        for run in own_apart(parts) if role == "user" else [parts]:
            builder.add_split(role, run, place)


def _without_summary(content: Any) -> tuple[list[Part], Any]:
    """The compaction block that the server put in front of an answer, and the content without it."""
    first = as_dict(content[0]) if isinstance(content, list) and content else {}
    if first.get("type") != "compaction":
        return [], content
    text = first.get("content")
    part = text_part(text, "/content/0/content") if isinstance(text, str) else unknown_part(first, "/content/0")
    return [part], [{"type": "text", "text": ""}, *content[1:]]


def _add_response(builder: TranscriptBuilder, document: dict[str, Any]) -> None:
    """A request log has the model's answer beside the messages that it answers."""
    response = as_dict(document.get("response"))
    if response.get("role") == "assistant":
        _add(builder, Element(0, "/response", response))


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `anthropic_messages`."""
    return [Reader(name="anthropic_messages", title="Anthropic Messages", probe=probe, read=read)]


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writer `anthropic_messages`: of a message that was read as several, exactly the kept blocks are copied.

    What is new stands in one message with its neighbours of the user, in blocks of its own, so that turns alternate where they did.
    """
    layout = Layout(
        lists=lists_under("messages"),
        insert=user_message,
        front=("/system",),
        joins=True,
    )
    return [copying_writer("anthropic_messages", read, layout)]
