"""Content blocks of all vendors become parts; nothing is dropped."""

from __future__ import annotations

from typing import Any

import pytest

from barrier_policy import Part, PartType
from barrier_policy.digest import digest_text
from barrier_policy.transcript.contents import gemini_parts
from barrier_policy.transcript.parts import blob_part, call_part, content_parts, result_parts
from barrier_policy.transcript.responses import item_messages

TEXT, THOUGHT, CALL, RESULT, BLOB, UNKNOWN = (
    PartType.TEXT,
    PartType.REASONING,
    PartType.TOOL_CALL,
    PartType.TOOL_RESULT,
    PartType.BLOB,
    PartType.UNKNOWN,
)


def _shapes(parts: list[Part]) -> list[tuple[PartType, str]]:
    return [(part.type, part.text) for part in parts]


@pytest.mark.parametrize(
    "content, shapes",
    [
        ("a text", [(TEXT, "a text")]),
        ("", []),
        (None, []),
        ([], []),
        (["a", {"type": "text", "text": "b"}, ""], [(TEXT, "a"), (TEXT, "b")]),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], [(TEXT, "a"), (TEXT, "b")]),
        ([{"text": "untyped"}], [(TEXT, "untyped")]),
        ([{"type": "refusal", "refusal": "no"}], [(TEXT, "no")]),
        ([{"type": "thinking", "thinking": "hm", "signature": "s"}], [(THOUGHT, "hm")]),
        ([{"type": "redacted_thinking", "data": "AAAA"}], [(THOUGHT, "")]),
        ([{"type": "think", "think": "hm"}], [(THOUGHT, "hm")]),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}], [(THOUGHT, "hm")]),
        ([{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}], [(CALL, '{"a":1}')]),
        ([{"type": "toolCall", "id": "t", "name": "f", "arguments": {"a": 1}}], [(CALL, '{"a":1}')]),
        ([{"type": "tool_result", "tool_use_id": "t", "content": "x"}], [(RESULT, "x")]),
        ([{"type": "tool_result", "tool_use_id": "t"}], [(RESULT, "")]),
        ([{"type": "search_result", "title": "x"}], [(TEXT, '{"type":"search_result","title":"x"}')]),
        ([{"type": "hologram", "v": 1}], [(UNKNOWN, '{"type":"hologram","v":1}')]),
        ([{"type": "text", "text": 7}], [(UNKNOWN, '{"type":"text","text":7}')]),
        ([{"type": ["text"]}], [(UNKNOWN, '{"type":["text"]}')]),
        ([7, None, [1]], [(UNKNOWN, "7"), (UNKNOWN, "null"), (UNKNOWN, "[1]")]),
        (7, [(UNKNOWN, "7")]),
        ({"type": "text", "text": "one block"}, [(TEXT, "one block")]),
        ([{"type": "text", "text": "\ud800\x00"}], [(TEXT, "\ud800\x00")]),
    ],
)
def test_content_becomes_parts(content: Any, shapes: list[tuple[PartType, str]]) -> None:
    assert _shapes(content_parts(content, "/content")) == shapes


@pytest.mark.parametrize(
    "block, media, text",
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            "image/png",
            digest_text("AAAA"),
        ),
        ({"type": "image", "source": {"type": "url", "url": "https://a.example/x"}}, "", "https://a.example/x"),
        ({"type": "image_url", "image_url": {"url": "https://a.example/x"}}, "", "https://a.example/x"),
        ({"type": "image_url", "image_url": "https://a.example/x"}, "", "https://a.example/x"),
        (
            {"type": "input_image", "image_url": "data:image/gif;base64,AA"},
            "image/gif",
            digest_text("data:image/gif;base64,AA"),
        ),
        ({"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}, "wav", digest_text("AA")),
        ({"type": "image", "data": "AA", "mimeType": "image/png"}, "image/png", digest_text("AA")),
        ({"inlineData": {"mimeType": "image/png", "data": "AA"}}, "image/png", digest_text("AA")),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Words."}},
            "text/plain",
            "Words.",
        ),
        ({"type": "file", "file": {"file_id": "file-1"}}, "", "file-1"),
        ({"type": "image"}, "", '{"type":"image"}'),
    ],
)
def test_a_picture_or_file_is_named_by_its_place_or_by_the_digest_of_its_data(
    block: dict[str, Any], media: str, text: str
) -> None:
    part = blob_part(block)
    assert (part.type, part.media_type, part.text) == (BLOB, media, text)


@pytest.mark.parametrize(
    "arguments, text, decoded",
    [
        ('{"a": 1}', '{"a": 1}', {"a": 1}),
        ({"b": 1, "a": "é"}, '{"b":1,"a":"é"}', {"b": 1, "a": "é"}),
        (None, "", {}),
        ("", "", {}),
        ("rm -rf", "rm -rf", None),
        ('{"a": ', '{"a": ', None),
        ("[" * 100_000, "[" * 100_000, None),
        ([1], "[1]", [1]),
    ],
)
def test_a_call_keeps_its_arguments_as_text_and_decoded(arguments: Any, text: str, decoded: Any) -> None:
    part = call_part("f", arguments, call_id="t")
    assert (part.text, part.arguments) == (text, decoded)


PICTURE = {"type": "image", "source": {"type": "url", "url": "u"}}


@pytest.mark.parametrize(
    "content, shapes",
    [
        ("x", [(RESULT, "x")]),
        (None, [(RESULT, "")]),
        ({"stdout": "a"}, [(RESULT, '{"stdout":"a"}')]),
        ({"type": "input_text", "text": "a"}, [(RESULT, "a")]),
        (7, [(RESULT, "7")]),
        ([{"type": "text", "text": "a"}, PICTURE, {"type": "text", "text": "b"}], [(RESULT, "a\nb"), (BLOB, "u")]),
        ([{"type": "tool_reference", "tool_name": "f"}], [(RESULT, '{"type":"tool_reference","tool_name":"f"}')]),
        ([{"type": "hologram"}], [(RESULT, ""), (UNKNOWN, '{"type":"hologram"}')]),
        ([{"type": "tool_use", "id": "t2", "name": "f", "input": {}}], [(RESULT, ""), (UNKNOWN, "{}")]),
        ([], [(RESULT, "")]),
    ],
)
def test_a_result_is_one_part_with_its_text_and_what_is_no_text_follows_under_its_id(
    content: Any, shapes: list[tuple[PartType, str]]
) -> None:
    parts = result_parts(content, call_id="t1")
    assert _shapes(parts) == shapes
    assert {part.call_id for part in parts} == {"t1"}


def test_the_results_of_a_tool_that_the_server_runs_are_kept_as_json() -> None:
    block = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "url": "u"}]}
    assert _shapes(content_parts([block])) == [(RESULT, '[{"type":"web_search_result","url":"u"}]')]


@pytest.mark.parametrize(
    "parts, shapes",
    [
        ([{"text": "a"}, {"text": "b", "thought": True}], [(TEXT, "a"), (THOUGHT, "b")]),
        ([{"functionCall": {"name": "f", "args": {"x": 1}}}], [(CALL, '{"x":1}')]),
        ([{"functionResponse": {"name": "f", "response": {"output": "o"}}}], [(RESULT, "o")]),
        ([{"functionResponse": {"name": "f", "response": {"error": "e"}}}], [(RESULT, "e")]),
        ([{"functionResponse": {"name": "f", "response": {"files": ["a"]}}}], [(RESULT, '{"files":["a"]}')]),
        (
            [{"functionResponse": {"name": "f", "response": {"output": "o", "code": 1}}}],
            [(RESULT, '{"output":"o","code":1}')],
        ),
        ([{"fileData": {"fileUri": "gs://a"}}], [(BLOB, "gs://a")]),
        ([{"thoughtSignature": "s"}], []),
        ([{"executableCode": {"code": "1"}}], [(UNKNOWN, '{"executableCode":{"code":"1"}}')]),
        ("a", [(TEXT, "a")]),
        ({"text": "a"}, [(TEXT, "a")]),
        (None, []),
        ([7], [(UNKNOWN, "7")]),
    ],
)
def test_gemini_parts_become_parts(parts: Any, shapes: list[tuple[PartType, str]]) -> None:
    assert _shapes(gemini_parts(parts)) == shapes


@pytest.mark.parametrize(
    "item, said",
    [
        ({"type": "message", "role": "user", "content": "a"}, [("user", TEXT, "a")]),
        ({"role": "user", "content": [{"type": "input_image", "image_url": None}]}, []),
        ({"type": "function_call", "call_id": "k", "name": "f", "arguments": "{}"}, [("assistant", CALL, "{}")]),
        ({"type": "custom_tool_call", "call_id": "k", "name": "f", "input": "free"}, [("assistant", CALL, "free")]),
        (
            {"type": "local_shell_call", "call_id": "k", "status": "completed", "action": {"command": ["ls"]}},
            [("assistant", CALL, '{"command":["ls"]}')],
        ),
        (
            {"type": "function_call_output", "call_id": "k", "output": [{"type": "input_text", "text": "a"}]},
            [("tool", RESULT, "a")],
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "output": "o"},
            [("assistant", CALL, "{}"), ("tool", RESULT, "o")],
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "error": {"code": 1}},
            [("assistant", CALL, "{}"), ("tool", RESULT, '{"code":1}')],
        ),
        (
            {"type": "web_search_call", "id": "w", "status": "in_progress", "action": {"q": "x"}},
            [("assistant", CALL, '{"q":"x"}')],
        ),
        ({"type": "tool_search_output", "call_id": "k", "tools": [{"name": "f"}]}, [("tool", RESULT, '[{"name":"f"}]')]),
        ({"type": "item_reference", "id": "i"}, [("", UNKNOWN, '{"type":"item_reference","id":"i"}')]),
        (
            {"type": "agent_message", "author": "a", "content": [{"type": "input_text", "text": "hi"}]},
            [("agent", TEXT, "hi")],
        ),
    ],
)
def test_responses_items_become_messages(item: dict[str, Any], said: list[tuple[str, PartType, str]]) -> None:
    found = [(message.role, part.type, part.text) for message in item_messages(item) for part in message.parts]
    assert found == said


def test_a_picture_that_the_server_drew_is_the_result_of_its_prompt() -> None:
    item = {"type": "image_generation_call", "id": "g", "status": "completed", "revised_prompt": "a cat", "result": "AAAA"}
    parts = [part for message in item_messages(item) for part in message.parts]
    assert _shapes(parts) == [(CALL, '{"prompt":"a cat"}'), (RESULT, "completed"), (BLOB, digest_text("AAAA"))]
    assert {part.call_id for part in parts} == {"g"}
