"""What each format's output looks like, byte for byte, where one message left and a carrier and a summary came."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.writer import Kept, find_mismatch, write_transcript

CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}


def kept(*messages: int) -> list[Kept]:
    return [Kept(message=message) for message in messages]


def new(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def test_numbers_escapes_and_white_space_stay_as_they_are_written(kit: ModuleType) -> None:
    text = '[{"role":"user","content":"\\u00e9 é","n":[1.0, 1e5,12345678901234567890 ]},\n{"role": "user","content":"b"} ]'
    assert kit.write(kit.source_of(text), kept(0, 1)).decode() == text


def test_a_dense_list_gets_dense_messages(kit: ModuleType) -> None:
    text = '[{"role":"user","content":"a"},{"role":"user","content":"b"}]'
    data = kit.check_written(kit.source_of(text), [kit.carrier(), *kept(1)])
    assert data.decode() == f'[{{"role":"user","content":{new(kit.CARRIER)}}},{{"role":"user","content":"b"}}]'


def test_an_indented_document_gets_indented_messages(kit: ModuleType) -> None:
    document = {"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "tools": []}
    data = kit.check_written(kit.source_of(json.dumps(document, indent=2)), [*kept(0), kit.summary()])
    document["messages"][1]["content"] = kit.SUMMARY
    assert data.decode() == json.dumps(document, indent=2)


def test_lines_keep_their_bytes_and_their_ends(kit: ModuleType) -> None:
    lines = ['{"role":"user", "content":"a"}', '{ "role":"user","content":"\\u00e9"}', '{"role":"tool","content":"x"}']
    data = kit.check_written(kit.source_of("\r\n".join([*lines, "", ""])), [kit.summary(), *kept(1, 2)])
    assert data.decode().split("\r\n")[1:] == [lines[1], lines[2], ""]


def test_glued_lines_are_taken_apart(kit: ModuleType) -> None:
    lines = '{"role":"user","content":"a"}{"role":"user","content":"b"}  \n{"role":"user","content":"c"}'
    data = kit.check_written(kit.source_of(lines), kept(1, 2))
    assert data == b'{"role":"user","content":"b"}\n{"role":"user","content":"c"}\n'


def test_messages_that_are_recorded_as_json_text_stay_json_text(kit: ModuleType) -> None:
    inner = json.dumps([{"role": "user", "content": "é"}, {"role": "user", "content": "b"}, CALL])
    data = kit.check_written(kit.source_of({"messages": inner, "id": 7}), [*kept(0), kit.carrier(), *kept(2)])
    assert data.isascii()
    assert [message["role"] for message in json.loads(json.loads(data)["messages"])] == ["user", "user", "assistant"]


def test_a_request_log_keeps_its_system_prompt_and_its_answer(kit: ModuleType) -> None:
    answer = {"role": "assistant", "content": "done"}
    log = {
        "system_prompt": "s",
        "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
        "response": {"choices": [{"message": answer}]},
    }
    data = kit.check_written(kit.source_of(log), [*kept(0), kit.summary(), *kept(2, 3)])
    assert json.loads(data) == {**log, "messages": [{"role": "user", "content": kit.SUMMARY}, log["messages"][1]]}
    assert "response" not in json.loads(kit.check_written(kit.source_of(log), [*kept(0, 2), kit.summary()]))
    for pieces in ([kit.carrier(), *kept(0, 1)], [*kept(0, 1, 3), kit.carrier()]):
        with pytest.raises(TranscriptError, match=r"run: .*insert"):
            kit.write(kit.source_of(log), pieces)


def anthropic(*content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": list(content)}


RESULT = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "out"}]}
USE = {"type": "tool_use", "id": "t", "name": "f", "input": {"n": 1.0}}
WORDS = {"type": "text", "text": "and now this"}


def test_of_an_anthropic_message_the_blocks_of_kept_messages_stay(kit: ModuleType) -> None:
    request = {"system": "s", "messages": [anthropic(USE, role="assistant"), anthropic(RESULT, {"type": "odd"}, WORDS)]}
    source = kit.source_of(request)
    assert [message.parts[0].text[:5] for message in kit.read(source).messages] == ["s", '{"n":', "out", '{"typ']
    only_words = json.loads(kit.check_written(source, [*kept(0), kit.summary(), *kept(3)]))
    assert only_words["messages"] == [anthropic({"type": "text", "text": kit.SUMMARY}, {"type": "odd"}, WORDS)]
    only_result = json.loads(kit.check_written(source, [*kept(0, 1, 2), kit.carrier()]))
    carrier = {"type": "text", "text": kit.CARRIER}
    assert only_result["messages"][1:] == [anthropic(RESULT, carrier)]
    divided = json.loads(kit.check_written(source, [*kept(0, 1, 2), kit.carrier(), *kept(3)]))
    assert divided["messages"][1:] == [anthropic(RESULT, carrier, {"type": "odd"}, WORDS)]


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_turns_of_an_anthropic_request_alternate_where_they_did(kit: ModuleType) -> None:
    turns = [{"role": role, "content": f"turn {n}"} for n, role in enumerate(["user", "assistant"] * 4)]
    turns[4] = anthropic({**words("turn 4"), "cache_control": {"type": "ephemeral"}})
    source = kit.source_of({"system": "s", "messages": turns})
    pieces = [*kept(0), kit.carrier(), *kept(1), kit.summary(), *kept(3), kit.summary(), *kept(5, 6, 7, 8)]
    found = json.loads(kit.check_written(source, pieces))["messages"]
    assert [message["role"] for message in found] == ["user", "assistant"] * 2
    assert found[0]["content"] == [
        words(kit.CARRIER),
        words("turn 0"),
        words(kit.SUMMARY),
        words("turn 2"),
        words(kit.SUMMARY),
        turns[4]["content"][0],
    ]
    again = kit.source_of({"system": "s", "messages": found})
    later = json.loads(kit.check_written(again, [*kept(0), kit.carrier(), *kept(2, 3, 4, 5, 6), kit.summary()]))["messages"]
    assert [message["role"] for message in later] == ["user"]
    assert [block["text"] for block in later[0]["content"]] == [
        kit.CARRIER,
        "turn 0",
        kit.SUMMARY,
        "turn 2",
        kit.SUMMARY,
        "turn 4",
        kit.SUMMARY,
    ]


@pytest.mark.parametrize(
    "other", [{"role": "user", "content": "a", "id": "m1"}, {"role": "user", "content": ""}, {"role": "user", "content": []}]
)
def test_a_message_that_would_lose_something_or_all_stands_alone(other: dict[str, Any], kit: ModuleType) -> None:
    messages = [other, {"role": "assistant", "content": [USE]}, anthropic(RESULT)]
    source = kit.source_of({"system": "s", "messages": messages})
    count = len(kit.read(source).messages)
    found = json.loads(kit.check_written(source, [kept(0)[0], kit.carrier(), *kept(*range(1, count))]))["messages"]
    assert found == [{"role": "user", "content": kit.CARRIER}, *messages]


def test_two_messages_of_the_user_that_stood_apart_stay_apart(kit: ModuleType) -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    found = json.loads(
        kit.check_written(kit.source_of({"system": "s", "messages": messages}), [*kept(0), kit.carrier(), *kept(1, 2)])
    )
    assert found["messages"] == [anthropic(words(kit.CARRIER), words("a")), messages[1]]


def test_a_joined_turn_is_indented_as_the_others(kit: ModuleType) -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    text = json.dumps({"system": "s", "messages": messages}, indent=2)
    expected = {"system": "s", "messages": [anthropic(words(kit.CARRIER), words("a")), messages[1]]}
    data = kit.check_written(kit.source_of(text), [*kept(0), kit.carrier(), *kept(1, 2)])
    assert data == json.dumps(expected, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace")


def test_an_anthropic_compaction_block_stays_or_leaves_by_itself(kit: ModuleType) -> None:
    block = {"type": "compaction", "content": "what was"}
    source = kit.source_of([anthropic(block, WORDS, USE, role="assistant"), anthropic(RESULT)])
    assert json.loads(kit.check_written(source, [*kept(0), kit.carrier()]))[0] == anthropic(block, role="assistant")
    assert json.loads(kit.check_written(source, kept(1, 2)))[0] == anthropic(WORDS, USE, role="assistant")


def test_what_would_read_otherwise_is_not_handed_on(kit: ModuleType) -> None:
    blocks = [{"type": "compaction", "content": "what was"}, {"type": "compaction", "content": "no summary in this place"}]
    source = kit.source_of([anthropic(*blocks), anthropic(WORDS)])
    kit.check_written(source, kept(0, 1, 2))
    with pytest.raises(TranscriptError, match=r"so that it reads as it is meant \(message 0 is read back as another"):
        kit.write(source, kept(1, 2))


def test_blocks_of_tools_that_the_server_ran_stay_in_their_place(kit: ModuleType) -> None:
    use, result = {**USE, "type": "server_tool_use"}, {**RESULT, "type": "web_search_tool_result"}
    message = anthropic(WORDS, use, result, {"type": "text", "text": "found"}, role="assistant")
    source = kit.source_of([message, anthropic(WORDS)])
    assert json.loads(kit.check_written(source, [*kept(0, 1), kit.summary(), *kept(3)], "anthropic_messages"))[0] == (
        anthropic(WORDS, use, result, role="assistant")
    )


SHAPES = {
    "plain": lambda kind, fields: {"type": kind, **fields},
    "data": lambda kind, fields: {"type": kind, "data": {**fields, "type": kind}},
    "constructor": lambda kind, fields: {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", f"{kind.title()}Message" if kind == "human" else "AIMessage"],
        "kwargs": {**fields, "type": kind},
    },
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("state", ["", "values", "channel_values"])
def test_langchain_messages_have_the_shape_of_the_others(shape: str, state: str, kit: ModuleType) -> None:
    make = SHAPES[shape]
    messages = [make("human", {"content": "a"}), make("ai", {"content": "b"}), make("human", {"content": "c"})]
    messages.insert(2, {"type": "remove", "id": "x"})
    source = kit.source_of({state: {"messages": messages, "n": 1}, "next": []} if state else messages)
    written = json.loads(kit.check_written(source, [kit.carrier(), kit.summary(), *kept(1, 2)]))
    found = written[state]["messages"] if state else written
    carrier, summary = found[:2]
    assert found[2:] == messages[1:]
    assert carrier.keys() >= messages[0].keys() and (state == "" or written["next"] == [])
    fields = {"plain": summary, "data": summary.get("data"), "constructor": summary.get("kwargs")}[shape]
    assert fields["additional_kwargs"] == {"lc_source": "summarization"} and fields["content"] == kit.SUMMARY
    assert shape != "constructor" or summary["id"] == messages[0]["id"]


def test_responses_items_go_behind_what_they_follow(kit: ModuleType) -> None:
    call, output = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c", "output": "x"}  # fmt: skip
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    log = {"instructions": "i", "input": [{"role": "user", "content": "a"}, call, output], "output": [said]}
    written = json.loads(kit.check_written(kit.source_of(log), [*kept(0, 1), kit.summary(), *kept(4)]))
    assert [item["role"] for item in written["input"]] == ["user", "user"]
    assert written["output"] == [said]
    ran = {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "q"}}
    with pytest.raises(TranscriptError, match="stay or leave together"):
        kit.write(kit.source_of([call, output, ran]), kept(0, 1, 2))


def test_what_is_torn_out_of_order_or_unmarked_is_refused(kit: ModuleType) -> None:
    source = kit.source_of([CALL, {"role": "tool", "tool_call_id": "c", "content": "x"}, {"role": "user", "content": "u"}])
    unmarked = kit.Inserted(kind=kit.MessageKind.SUMMARY, text="just words")
    words = kit.Inserted(kind=kit.MessageKind.MESSAGE, text="just words")
    for pieces, problem in (
        (kept(0, 2), "message 1 answers a call in message 0: they stay or leave together"),
        (kept(1, 2), "message 1 answers a call in message 0: they stay or leave together"),
        (kept(2, 0, 1), "not in the order"),
        (kept(2, 2), "not in the order"),
        (kept(3), r"no message of the transcript \(it has 3\)"),
        ([unmarked], "kind `summary` .* does not begin with the mark"),
        ([words], "kind `message` "),
    ):
        with pytest.raises(TranscriptError, match=problem):
            kit.write(source, pieces)


def test_a_format_without_a_writer_is_named_with_those_that_have_one(kit: ModuleType) -> None:
    source = Source((kit.FIXTURES / "aider.md").read_bytes(), path="aider.md")
    with pytest.raises(
        TranscriptError, match=r"aider\.md: format `aider` can be read but not written .*anthropic_messages, "
    ):
        kit.write(source, kept(0))


def test_another_source_than_was_read_is_refused(kit: ModuleType) -> None:
    transcript = kit.read(kit.source_of([CALL, {"role": "tool", "tool_call_id": "c", "content": "x"}]))
    with pytest.raises(TranscriptError, match="its bytes are not those that the transcript was read from"):
        write_transcript(kit.source_of([CALL]), transcript, kept(0, 1), kit.WRITERS)


def test_messages_in_memory_keep_their_keys_large_integers_and_lone_surrogates(kit: ModuleType) -> None:
    source = Source.from_value([{"role": "user", "content": "\ud800", "n": 2**70}, {"role": "assistant", "content": "b"}])
    data = kit.check_written(source, [*kept(0), kit.summary()])
    assert data.startswith(b'[{"role":"user","content":"\\ud800","n":1180591620717411303424},')


def test_other_encodings_are_written_as_utf_8(kit: ModuleType) -> None:
    text = json.dumps([{"role": "user", "content": "é"}], ensure_ascii=False)
    assert kit.write(kit.source_of(text.encode("utf-16")), kept(0)) == text.encode()
    assert kit.write(kit.source_of(b"\xef\xbb\xbf" + text.encode()), kept(0)) == text.encode()


def test_a_difference_between_what_was_asked_and_what_is_read_is_found(kit: ModuleType) -> None:
    transcript = kit.read(kit.source_of([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]))
    other = kit.read(kit.source_of([{"role": "user", "content": "a"}, {"role": "user", "content": "B"}]))
    assert find_mismatch(transcript, kept(0, 1), transcript) == ""
    assert find_mismatch(transcript, kept(0, 1), other) == "message 1 is read back as another than was written"
    assert find_mismatch(transcript, kept(0), other) == "1 messages were written and 2 are read back"
    assert "message 0" in find_mismatch(transcript, [kit.carrier(), *kept(1)], transcript)
