"""Messages, conversations, facts and span records in one line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from barrier_policy.facts.context import Context
from barrier_policy.facts.extract import result_calls
from barrier_policy.facts.model import Fact, FactKind
from barrier_policy.join.schema import EMPTY, ROOT, RecordSchema, build_schema, element
from barrier_policy.policy.hints import suggestion
from barrier_policy.testing.loading import Plugin, load_only
from barrier_policy.transcript.builder import is_result, origin_of
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType
from barrier_policy.transcript.pairing import pair_calls

NOW = "2026-06-01T12:00:00Z"
"""The time that contexts have unless told."""


def message(*parts: str | Part, role: str = "user", index: int = 0, kind: MessageKind = MessageKind.MESSAGE) -> Message:
    """A message of texts and parts. Its origin is that of its role, or that of tools where it holds results only."""
    made = tuple(Part(type=PartType.TEXT, text=part) if isinstance(part, str) else part for part in parts)
    origin = Origin.TOOL if made and all(map(is_result, made)) else origin_of(role)
    return Message(index=index, role=role, origin=origin, parts=made, kind=kind)


def tool_call(name: str, arguments: Any = None, *, id: str = "c1") -> Part:
    """A call. `arguments` are JSON data; a string is taken as the text that the model wrote, JSON or not."""
    if not isinstance(arguments, str):
        data = {} if arguments is None else arguments
        return Part(
            type=PartType.TOOL_CALL, name=name, call_id=id, text=json.dumps(data, ensure_ascii=False), arguments=data
        )
    try:
        decoded = json.loads(arguments)
    except (ValueError, RecursionError):
        decoded = None
    return Part(type=PartType.TOOL_CALL, name=name, call_id=id, text=arguments, arguments=decoded)


def tool_result(payload: Any, *, id: str = "c1", is_error: bool | None = None) -> Part:
    """The result of the call with that id. A payload that is no string becomes JSON text."""
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return Part(type=PartType.TOOL_RESULT, call_id=id, text=text, is_error=is_error)


def conversation(*messages: Message) -> tuple[Message, ...]:
    """Messages numbered in order."""
    return tuple(msgspec.structs.replace(found, index=index) for index, found in enumerate(messages))


def context_of(messages: Sequence[Message], index: int, *, now: str = NOW) -> Context:
    """What an extractor may ask about one message of a conversation: the walk gives it the same."""
    before = [m for m in messages[:index] if m.kind is MessageKind.MESSAGE and m.origin is not Origin.TOOL]
    calls = result_calls(messages[index], pair_calls(messages).call_of, messages)
    return Context(calls=calls, tools={}, now=now, previous=before[-1] if before else None)


def facts_of(plugin: Plugin, *messages: Message) -> list[Fact]:
    """What a plugin's extractor finds in a conversation. Raises PluginError, or whatever the extractor raises."""
    numbered = conversation(*messages)
    extractors = load_only(plugin).extractors
    return [
        fact
        for found in numbered
        for extractor in extractors
        for fact in extractor(found, context_of(numbered, found.index))
    ]


def span_record(kinds: Iterable[FactKind] = (), **fields: Any) -> dict[str, Any]:
    """The record of a span as conditions see it: the fields given, all others empty.

    `kinds` are those of plugins, whose facts are given by namespace: `orders={"refund": [{"order": "#W1"}]}`. Raises
    ValueError for a field that the record does not have.
    """
    record = _filled(build_schema(kinds), ROOT, fields)
    assert isinstance(record, dict)
    return record


def _filled(schema: RecordSchema, type_name: str, value: Any) -> Any:
    if type_name in EMPTY:
        return EMPTY[type_name] if value is None else value
    item_type = element(type_name)
    if item_type is not None:
        return [_filled(schema, item_type, item) for item in value or ()]
    given = value or {}
    known = {field.name: field.type for field in schema.types[type_name].fields}
    for name in given:
        if name not in known:
            raise ValueError(f"`{type_name}` has no field `{name}` {suggestion(name, known)}")
    return {name: _filled(schema, field_type, given.get(name)) for name, field_type in known.items()}
