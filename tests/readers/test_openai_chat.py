"""Chat lists: one message an element, in the same place, whatever the element is."""

from __future__ import annotations

from typing import Any

import pytest
from barrier_policy_plugins import read_openai_chat

from barrier_policy import PartType, Source
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.model import Origin
from barrier_policy.transcript.pairing import PartRef, pair_calls

HELLO = {"role": "user", "content": "hello"}


def _call(call_id: str, name: str = "f", arguments: Any = "{}") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "function": {"name": name, "arguments": arguments}}],
    }


def _result(call_id: str | None, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


@pytest.mark.parametrize(
    "malformed",
    [None, 7, "text", [], {}, {"content": "no role"}, {"role": None, "content": "x"}, {"role": ["user"], "content": "x"}],
)
def test_a_malformed_element_keeps_its_place_as_an_unknown_part(malformed: Any, read) -> None:
    transcript = read([HELLO, malformed, HELLO])
    assert len(transcript.messages) == 3
    assert [part.type for part in transcript.messages[1].parts] == [PartType.UNKNOWN]
    assert [message.pointer for message in transcript.messages] == ["/0", "/1", "/2"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": None, "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user"},
    ],
)
def test_a_message_that_says_nothing_keeps_its_place_without_parts(message: dict[str, Any], read) -> None:
    assert read([HELLO, message]).messages[1].parts == ()


@pytest.mark.parametrize(
    "calls, types",
    [
        ("not a list", [PartType.UNKNOWN]),
        ([None, 7], [PartType.UNKNOWN, PartType.UNKNOWN]),
        ([{}], [PartType.TOOL_CALL]),
        ([{"id": "a", "function": None}], [PartType.TOOL_CALL]),
        ([{"id": "a", "type": "custom", "custom": {"name": "f", "input": "free text"}}], [PartType.TOOL_CALL]),
        ([{"id": "a", "name": "f", "arguments": {"x": 1}, "requestor": "user"}], [PartType.TOOL_CALL]),
    ],
)
def test_calls_in_every_shape_are_kept(calls: Any, types: list[PartType], read) -> None:
    transcript = read([HELLO, {"role": "assistant", "content": None, "tool_calls": calls}])
    assert [part.type for part in transcript.messages[1].parts] == types


def test_legacy_function_messages_are_paired_by_order_and_name(read) -> None:
    rows = [HELLO]
    for name in ("a", "b", "a"):
        rows += [
            {"role": "assistant", "function_call": {"name": name, "arguments": "{}"}},
            {"role": "function", "name": name, "content": name},
        ]
    transcript = read(rows)
    pairs = pair_calls(transcript.messages)
    assert pairs.call_of == {PartRef(2, 0): PartRef(1, 0), PartRef(4, 0): PartRef(3, 0), PartRef(6, 0): PartRef(5, 0)}


def test_reused_ids_stay_as_recorded_and_the_core_pairs_them_by_position(read) -> None:
    transcript = read([HELLO, _call("c1", "think"), _result("c1"), _call("c1", "book"), _result("c1", "booked")])
    assert [part.call_id for message in transcript.messages for part in message.parts if part.call_id] == ["c1"] * 4
    assert pair_calls(transcript.messages).call_of == {PartRef(2, 0): PartRef(1, 0), PartRef(4, 0): PartRef(3, 0)}


def test_an_orphan_result_is_kept_with_its_id(read) -> None:
    transcript = read([HELLO, _result("nobody")])
    assert transcript.messages[1].parts[0].call_id == "nobody"
    assert pair_calls(transcript.messages).call_of == {}


def test_a_result_without_an_id_answers_the_call_before_it(read) -> None:
    transcript = read([HELLO, _call("c1"), _result(None)])
    assert pair_calls(transcript.messages).call_of == {PartRef(2, 0): PartRef(1, 0)}


def test_messages_as_json_text_are_read_like_a_list(read) -> None:
    transcript = read(
        {"messages": '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]', "traj_id": "x"}
    )
    assert [message.parts[0].text for message in transcript.messages] == ["a", "b"]


def test_messages_one_a_line_keep_their_line_numbers(read) -> None:
    transcript = read([HELLO, "", {"role": "assistant", "content": "hi"}], lines=True)
    assert [(message.line, message.pointer) for message in transcript.messages] == [(1, ""), (3, "")]


def test_the_answer_in_a_request_log_is_the_last_message(read) -> None:
    log = {"messages": [HELLO], "response": {"choices": [{"message": _call("c1")}]}}
    transcript = read(log)
    assert [message.pointer for message in transcript.messages] == ["/messages/0", "/response/choices/0/message"]
    assert transcript.messages[1].parts[0].name == "f"


def test_text_that_looks_like_a_call_stays_text(read) -> None:
    texts = ["<function=bash>\n<parameter=command>ls</parameter>\n</function>", "```bash\nrm -rf build\n```"]
    transcript = read([HELLO, *({"role": "assistant", "content": text} for text in texts)])
    assert [part.type for message in transcript.messages[1:] for part in message.parts] == [PartType.TEXT, PartType.TEXT]


WRITTEN = "Let me look.\n\n<function=bash>\n<parameter=command>ls -a\nls</parameter>\n</function>"


@pytest.mark.parametrize("mark", ["OBSERVATION:\n", "EXECUTION RESULT of [bash]:\n"])
def test_a_call_written_as_text_is_one_where_the_runtime_answers_it(mark: str, read) -> None:
    transcript = read([HELLO, {"role": "assistant", "content": WRITTEN}, {"role": "user", "content": f"{mark}src"}])
    said, call = transcript.messages[1].parts
    assert (said.type, said.text, call.type) == (PartType.TEXT, "Let me look.\n\n", PartType.TOOL_CALL)
    assert (call.name, call.arguments) == ("bash", {"command": "ls -a\nls"})
    (result,) = transcript.messages[2].parts
    assert (result.type, result.text, result.call_id) == (PartType.TOOL_RESULT, f"{mark}src", call.call_id)
    assert transcript.messages[2].origin is Origin.TOOL


def test_what_only_begins_like_an_answer_is_the_users_own(read) -> None:
    rows = [HELLO, {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "OBSERVATION: it rains"}]
    answer = read(rows).messages[2]
    assert (answer.origin, answer.parts[0].type) == (Origin.USER, PartType.TEXT)


def test_a_call_that_is_spoken_of_before_more_text_is_none(read) -> None:
    rows = [
        HELLO,
        {"role": "assistant", "content": f"{WRITTEN}\nis how a call looks."},
        {"role": "user", "content": "OBSERVATION: ok"},
    ]
    assert [part.type for message in read(rows).messages for part in message.parts] == [PartType.TEXT] * 3


def test_an_empty_list_is_an_empty_transcript(read) -> None:
    assert read([]).messages == ()


def test_messages_in_memory_are_read_like_their_json(read) -> None:
    rows = [HELLO, _call("c1", arguments={"a": "é\ud800"}), _result("c1")]
    transcript = read_openai_chat.read(Source.from_value(rows))
    assert transcript.messages == read(rows).messages


@pytest.mark.parametrize("value", [{"messages": 7}, {"messages": "[broken"}, {"other": []}, 7, "x"])
def test_what_has_no_messages_is_refused_when_the_format_is_named(value: Any, read) -> None:
    with pytest.raises(TranscriptError, match="run: "):
        transcript = read(value, format="openai_chat")
        raise AssertionError(transcript)
