"""Small random documents of every shape, hostile ones too: whatever is kept comes back equal, whatever is dropped is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barrier_policy.errors import TranscriptError

Values = list[dict[str, Any]]
quick = settings(
    max_examples=30, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)

texts = st.sampled_from(["", "a", "é\x00", "\ud83d", "two\nlines", '"[{', "<task-notification>x", "[1, 2]"])
ids = st.sampled_from(["", "t", "t", "u", "#1"])
odd = st.sampled_from([None, 3, [], {}, "x", {"type": "odd", "n": 1e300}, {"text": 5}, {"type": ["list"]}])
text_block = st.fixed_dictionaries({"type": st.just("text"), "text": texts})
image = st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
use_block = st.fixed_dictionaries({"type": st.just("tool_use"), "id": ids, "name": texts, "input": odd})
result_block = st.fixed_dictionaries({
    "type": st.sampled_from(["tool_result", "web_search_tool_result"]),
    "tool_use_id": ids,
    "content": st.one_of(texts, st.lists(st.one_of(text_block, image), max_size=2)),
})  # fmt: skip
compaction = st.just({"type": "compaction", "content": "what was"})
blocks = st.lists(st.one_of(text_block, use_block, result_block, result_block, image, compaction, odd), max_size=5)
content = st.one_of(texts, blocks, odd)

anthropic = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "system"]), "content": content})
function = st.fixed_dictionaries({"name": texts, "arguments": st.one_of(texts, odd)})
call = st.fixed_dictionaries({"id": ids, "function": function})
chat = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "x"]), "content": content},
    optional={"tool_calls": st.one_of(st.lists(call, max_size=2), odd), "tool_call_id": ids},
)
gemini_part = st.one_of(
    st.fixed_dictionaries({"text": texts}),
    st.fixed_dictionaries({"functionCall": st.fixed_dictionaries({"name": texts, "args": odd})}),
    st.fixed_dictionaries({"functionResponse": st.fixed_dictionaries({"name": texts, "response": odd})}),
    odd,
)
gemini = st.fixed_dictionaries({"role": st.sampled_from(["user", "model"]), "parts": st.lists(gemini_part, max_size=4)})
kwargs = st.fixed_dictionaries(
    {"content": content},
    optional={
        "tool_calls": st.lists(st.fixed_dictionaries({"name": texts, "args": odd, "id": ids}), max_size=2),
        "tool_call_id": ids,
    },
)
kinds = st.sampled_from(["human", "ai", "tool", "system", "remove", "chat"])
langchain = st.one_of(
    st.builds(lambda kind, fields: {"type": kind, **fields}, kinds, kwargs),
    st.builds(lambda kind, fields: {"type": kind, "data": fields}, kinds, kwargs),
    st.builds(lambda fields: {"lc": 1, "type": "constructor", "id": ["m", "AIMessage"], "kwargs": fields}, kwargs),
)
item = st.one_of(
    st.fixed_dictionaries({"type": st.just("message"), "role": st.sampled_from(["user", "assistant"]), "content": content}),
    st.fixed_dictionaries({"type": st.just("function_call"), "call_id": ids, "name": texts, "arguments": texts}),
    st.fixed_dictionaries({"type": st.just("function_call_output"), "call_id": ids, "output": texts}),
    st.fixed_dictionaries({"type": st.just("web_search_call"), "id": ids, "status": st.just("completed"), "action": odd}),
    st.fixed_dictionaries({"type": st.just("reasoning"), "summary": blocks}),
)
row = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["user", "assistant", "user", "attachment", "system"]),
            "uuid": st.sampled_from(["a", "b", "c", "d", "e"]),
            "parentUuid": st.sampled_from([None, "a", "b", "c", "z"]),
            "message": st.fixed_dictionaries({"content": content}, optional={"id": st.sampled_from(["m", "n"])}),
        },
        optional={
            "isSidechain": st.booleans(),
            "isMeta": st.booleans(),
            "isCompactSummary": st.booleans(),
            "subtype": st.sampled_from(["compact_boundary", "local_command"]),
            "attachment": st.fixed_dictionaries({"type": st.just("queued_command"), "prompt": content}),
            "compactMetadata": st.just({"preservedMessages": {"uuids": ["a", "b"]}}),
            "toolUseResult": odd,
        },
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("queue-operation"),
            "operation": st.sampled_from(["enqueue", "enqueue", "dequeue", "popAll", "remove"]),
        },
        optional={"content": texts},
    ),
)


def as_lines(values: Values) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def glued(values: Values) -> str:
    return "".join(json.dumps(value, ensure_ascii=True) + ("\n" if index % 3 else " ") for index, value in enumerate(values))


def under(*path: str, **more: Any) -> Callable[[Values], str]:
    def build(values: Values) -> str:
        value: Any = values
        for key in reversed(path):
            value = {key: value}
        return json.dumps({**value, **more} if path else value, indent=1 if more else None)

    return build


ANSWER = {
    "role": "assistant",
    "content": [{"type": "text", "text": "x"}, {"type": "server_tool_use", "id": "q", "name": "w"}],
}
SHAPES: dict[str, tuple[str, st.SearchStrategy[Any], Callable[[Values], str]]] = {
    "chat list": ("openai_chat", chat, under()),
    "chat lines": ("openai_chat", chat, as_lines),
    "chat glued": ("openai_chat", chat, glued),
    "chat request": ("openai_chat", chat, under("messages", system_prompt="s", response={"choices": [{"message": ANSWER}]})),
    "chat as text": ("openai_chat", chat, lambda values: json.dumps({"a": 1, "messages": json.dumps(values)})),
    "anthropic list": ("anthropic_messages", anthropic, under()),
    "anthropic lines": ("anthropic_messages", anthropic, as_lines),
    "anthropic glued": ("anthropic_messages", anthropic, glued),
    "anthropic request": ("anthropic_messages", anthropic, under("messages", system="s", response=ANSWER)),
    "gemini": ("gemini_history", gemini, under("contents", systemInstruction={"parts": [{"text": "s"}]})),
    "langchain list": ("langchain", langchain, under()),
    "langchain state": ("langchain", langchain, under("values", "messages")),
    "langchain lines": ("langchain", langchain, as_lines),
    "responses list": ("openai_responses", item, under()),
    "responses lines": ("openai_responses", item, as_lines),
    "responses log": ("openai_responses", item, under("output", input="i", instructions="s")),
    "tau": ("tau_bench", chat, under("traj", reward=1.0)),
    "claude code": ("claude_code", row, as_lines),
    "claude code glued": ("claude_code", row, glued),
}


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
@quick
def test_any_small_document_is_written_as_it_was_read_or_refused_by_name(
    shape: str, data: st.DataObject, kit: ModuleType
) -> None:
    format, values, build = SHAPES[shape]
    source = kit.source_of(build(data.draw(st.lists(values, min_size=1, max_size=7))))
    try:
        transcript = kit.read(source, format)
    except TranscriptError:
        return
    if not transcript.messages:
        return
    kit.check_written(source, kit.everything(transcript), format)
    pieces = kit.every_third_span_dropped(
        transcript, first=data.draw(st.integers(0, 2)), keep_last=data.draw(st.integers(0, 2))
    )
    try:
        kit.check_written(source, pieces, format)
    except TranscriptError as refused:
        assert str(refused).startswith("run:")
        known = (
            "can't stay without the other",
            "where one could be inserted",
            "comes first in this format",
            "read but not written",
            "stay or leave together",
            "so that it reads as it is meant",
        )
        assert any(reason in str(refused) for reason in known)
