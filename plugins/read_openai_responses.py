"""Reader and writer for OpenAI Responses items: a list, a request with `input`, a response with `output`, or both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.copying import Layout, copying_writer
from barrier_policy.transcript.elements import Element, Place, elements_of, find_elements, sample
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.parts import text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.responses import is_response_item, item_messages
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text
from barrier_policy.transcript.writer import Writer


def probe(source: Source) -> int:
    """60 where an item has a type that only this form has; 55 for a request whose input is plain messages or text."""
    document = as_dict(source.document)
    if any(map(is_response_item, sample(source, "input") + sample(source, "output"))):
        return 60
    asked = isinstance(document.get("input"), list) and any("role" in item for item in sample(source, "input"))
    return 55 if asked or (isinstance(document.get("input"), str) and isinstance(document.get("instructions"), str)) else 0


def read(source: Source) -> Transcript:
    """One message for each item, in order: first the request's, then the response's."""
    builder = TranscriptBuilder(source, "openai_responses")
    document = as_dict(source.document)
    builder.declare_tools(document.get("tools"))
    found = False
    for key, role in (("instructions", "system"), ("input", "user")):
        if text := as_text(document.get(key)):
            found = True
            builder.add(role, [text_part(text)], Place(pointer=f"/{key}"))
    for element in _elements(source, document):
        found = True
        add_item(builder, element)
    if not found:
        source.refuse("no Responses items (expected a list of items, or an object with `input` or `output`)")
    return builder.build()


def add_item(builder: TranscriptBuilder, element: Element) -> None:
    """Add the messages of one item."""
    if not isinstance(element.value, dict):
        builder.add_malformed(element.value, element.place())
        return
    for message in item_messages(element.value):
        builder.add(message.role, message.parts, element.place(id=element.value.get("id")), kind=message.kind)


def _elements(source: Source, document: dict[str, Any]) -> Iterator[Element]:
    if not document:
        yield from find_elements(source)
    response = as_dict(document.get("response"))
    for pointer, items in (
        ("/input", document.get("input")),
        ("/output", document.get("output")),
        ("/response/output", response.get("output")),
    ):
        yield from elements_of(as_list(items), pointer)


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `openai_responses`."""
    return [Reader(name="openai_responses", title="OpenAI Responses items", probe=probe, read=read)]


def _lists(source: Source) -> list[str]:
    if isinstance(source.document, list):
        return [""]
    document = as_dict(source.document)
    lists = {"/input": document.get("input"), "/output": document.get("output")}
    lists["/response/output"] = as_dict(document.get("response")).get("output")
    return [pointer for pointer, found in lists.items() if isinstance(found, list)]


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writer `openai_responses`: what is kept is copied item by item, all other fields as they stand."""
    layout = Layout(
        lists=_lists,
        insert=lambda inserted, _: {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": inserted.text}],
        },
        front=("/instructions", "/input"),
        contents=(),
    )
    return [copying_writer("openai_responses", read, layout)]
