"""What is particular about the other formats: live views, pairing without ids, and texts that are actions."""

from __future__ import annotations

from typing import Any

import pytest

from barrier_policy import MessageKind, Origin, PartType
from barrier_policy.transcript.pairing import PartRef, pair_calls

Row = dict[str, Any]


def _texts(transcript) -> list[str]:
    return [" ".join(part.text for part in message.parts) for message in transcript.messages]


def _kinds(transcript) -> list[MessageKind]:
    return [message.kind for message in transcript.messages]


# pi


def _pi(*rows: Row) -> list[Row]:
    return [{"type": "session", "id": "root", "cwd": "/w"}, *rows]


def _entry(text: str, **fields: Any) -> Row:
    return {"type": "message", "message": {"role": "user", "content": text}, **fields}


@pytest.mark.parametrize(
    "compaction, texts",
    [
        ({"firstKeptEntryIndex": 2}, ["S", "b", "c", "d"]),
        ({"firstKeptEntryIndex": 3}, ["S", "c", "d"]),
        ({"firstKeptEntryIndex": 4}, ["S", "d"]),
        ({"firstKeptEntryId": "c"}, ["S", "c", "d"]),
        ({"firstKeptEntryId": "missing"}, ["S", "d"]),
        ({}, ["S", "d"]),
    ],
)
def test_pi_keeps_the_entries_that_a_compaction_names(compaction: Row, texts: list[str], read) -> None:
    rows = _pi(
        *(_entry(name, id=name) for name in "abc"), {"type": "compaction", "summary": "S", **compaction}, _entry("d", id="d")
    )
    transcript = read(rows, lines=True)
    assert _texts(transcript) == texts
    assert _kinds(transcript)[0] is MessageKind.SUMMARY


def test_pi_shows_only_the_last_of_several_summaries(read) -> None:
    rows = _pi(
        _entry("a"),
        {"type": "compaction", "summary": "S1", "firstKeptEntryIndex": 1},
        _entry("b"),
        {"type": "compaction", "summary": "S2", "firstKeptEntryIndex": 1},
        _entry("c"),
    )
    assert _texts(read(rows, lines=True)) == ["S2", "a", "b", "c"]


@pytest.mark.parametrize(
    "rows, texts",
    [
        (
            [_entry("a", id="a", parentId=None), _entry("b", id="b", parentId="a"), _entry("c", id="c", parentId="a")],
            ["a", "c"],
        ),
        (
            [_entry("a", id="a", parentId=None), _entry("b", id="b", parentId="gone"), _entry("c", id="c", parentId="b")],
            ["a", "b", "c"],
        ),
        ([_entry("a", id="a", parentId="b"), _entry("b", id="b", parentId="a")], ["a", "b"]),
        ([_entry("a"), _entry("b")], ["a", "b"]),
    ],
)
def test_pi_follows_the_branch_of_the_last_entry_where_it_can(rows: list[Row], texts: list[str], read) -> None:
    assert _texts(read(_pi(*rows), lines=True)) == texts


# Gemini


def test_gemini_calls_without_ids_are_paired_by_name_and_order(read) -> None:
    def call(name: str) -> Row:
        return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]}

    def answer(*names: str) -> Row:
        return {
            "role": "user",
            "parts": [{"functionResponse": {"name": name, "response": {"output": name}}} for name in names],
        }

    transcript = read({"history": [call("a"), call("b"), answer("b", "a"), call("a"), answer("a")]})
    assert pair_calls(transcript.messages).call_of == {
        PartRef(2, 0): PartRef(1, 0),
        PartRef(2, 1): PartRef(0, 0),
        PartRef(4, 0): PartRef(3, 0),
    }


@pytest.mark.parametrize(
    "tail, texts",
    [
        ([{"$rewindTo": "2"}], ["a"]),
        ([{"$rewindTo": "unknown"}], []),
        ([{"id": "2", "type": "gemini", "content": "b, longer"}], ["a", "b, longer"]),
        ([{"$set": {"messages": [{"id": "9", "type": "user", "content": "z"}]}}], ["z"]),
        ([{"$set": {"summary": "x"}}], ["a", "b"]),
    ],
)
def test_a_gemini_log_is_replayed(tail: list[Row], texts: list[str], read) -> None:
    rows = [
        {"sessionId": "s", "projectHash": "h"},
        {"id": "1", "type": "user", "content": "a"},
        {"id": "2", "type": "gemini", "content": "b"},
    ]
    transcript = read([*rows, *tail], lines=True)
    assert (transcript.format, _texts(transcript)) == ("gemini_session", texts)


@pytest.mark.parametrize(
    "status, results", [("success", 1), ("error", 1), ("cancelled", 1), ("executing", 0), ("awaiting_approval", 0)]
)
def test_a_gemini_call_has_a_result_once_it_ended(status: str, results: int, read) -> None:
    call = {"id": "k", "name": "f", "args": {}, "status": status, **({"resultDisplay": "shown"} if results else {})}
    transcript = read({"sessionId": "s", "messages": [{"id": "1", "type": "gemini", "content": "", "toolCalls": [call]}]})
    parts = [part for message in transcript.messages for part in message.parts]
    assert [part.type for part in parts] == [PartType.TOOL_CALL, PartType.TOOL_RESULT][: 1 + results]
    assert not results or parts[1].is_error is (None if status == "success" else True)


# SWE-agent and mini-swe-agent


@pytest.mark.parametrize(
    "action, name",
    [
        ("ls -la", "bash"),
        ("python a.py", "bash"),
        ("edit 1:1\nx\nend_of_edit", "edit"),
        ("submit\n", "submit"),
        ("", "bash"),
    ],
)
def test_an_action_is_one_of_the_agents_own_tools_or_a_shell_command(action: str, name: str) -> None:
    from barrier_policy_plugins.read_swe_agent import action_part

    part = action_part(action)
    assert (part.name, part.arguments) == (name, {"command": action})


def test_steps_are_read_where_there_is_no_history(read) -> None:
    step = {
        "action": "ls",
        "observation": "a.py",
        "response": "See\n```\nls\n```",
        "thought": "See",
        "state": '{"working_dir": "/r"}',
    }
    transcript = read({"environment": "e", "trajectory": [step]})
    assert [(message.origin, message.environment) for message in transcript.messages] == [
        (Origin.AGENT, {"cwd": "/r"}),
        (Origin.TOOL, {"cwd": "/r"}),
    ]
    assert pair_calls(transcript.messages).call_of == {PartRef(1, 0): PartRef(0, 1)}


def test_a_demonstration_has_no_calls(read) -> None:
    demo = {
        "role": "assistant",
        "content": "rm -rf /",
        "thought": "x",
        "action": "rm -rf /",
        "agent": "main",
        "is_demo": True,
    }
    transcript = read({"history": [demo, {"role": "user", "content": "Fix.", "agent": "main"}], "trajectory": []})
    assert [part.type for message in transcript.messages for part in message.parts] == [PartType.TEXT, PartType.TEXT]
    assert _kinds(transcript) == [MessageKind.NOTICE, MessageKind.MESSAGE]


def test_a_mini_run_maps_one_to_one_and_its_complaints_are_notices(read) -> None:
    rows = [
        {"role": "user", "content": "Fix."},
        {"role": "assistant", "content": "First.\n```mswea_bash_command\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"},
        {"role": "assistant", "content": "No block."},
        {"role": "user", "content": "Please provide one block."},
    ]
    transcript = read(rows)
    assert transcript.format == "mini_swe_agent"
    assert [message.pointer for message in transcript.messages] == [f"/{index}" for index in range(5)]
    assert _kinds(transcript)[4] is MessageKind.NOTICE


# OpenHands


def test_openhands_observations_answer_their_cause(read) -> None:
    events = [
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "a"}},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "b"}},
        {"id": 3, "source": "agent", "observation": "run", "content": "of a", "cause": 1},
        {"id": 4, "source": "agent", "observation": "run", "content": "of b", "cause": 2},
    ]
    assert pair_calls(read(events).messages).call_of == {PartRef(2, 0): PartRef(0, 0), PartRef(3, 0): PartRef(1, 0)}


def test_openhands_forgets_ranges_and_puts_the_summary_at_its_offset(read) -> None:
    events = [{"id": index, "source": "user", "action": "message", "content": str(index)} for index in range(5)]
    fields = {"forgotten_events_start_id": 1, "forgotten_events_end_id": 3, "summary": "S", "summary_offset": 1}
    transcript = read([*events, {"id": 5, "source": "agent", "action": "condensation", "args": fields}])
    assert _texts(transcript) == ["0", "S", "4"]
    assert _kinds(transcript)[1] is MessageKind.SUMMARY


def test_only_the_last_summary_of_the_sdk_is_shown(read) -> None:
    def condensed(event_id: str, forgotten: list[str], summary: str) -> Row:
        return {
            "id": event_id,
            "kind": "Condensation",
            "forgotten_event_ids": forgotten,
            "summary": summary,
            "summary_offset": 0,
        }

    def said(event_id: str) -> Row:
        return {
            "id": event_id,
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"role": "user", "content": event_id},
        }

    rows = [said("a"), condensed("x", ["a"], "S1"), said("b"), condensed("y", ["b"], "S2"), said("c")]
    assert _texts(read(rows, lines=True)) == ["S2", "c"]


# ATIF


@pytest.mark.parametrize(
    "results, paired",
    [
        ([{"content": "1"}, {"content": "2"}], {PartRef(1, 0): PartRef(0, 0), PartRef(1, 1): PartRef(0, 1)}),
        (
            [{"source_call_id": "b", "content": "2"}, {"source_call_id": "a", "content": "1"}],
            {PartRef(1, 0): PartRef(0, 1), PartRef(1, 1): PartRef(0, 0)},
        ),
    ],
)
def test_atif_results_find_their_calls_by_id_or_order(results: list[Row], paired: dict[PartRef, PartRef], read) -> None:
    calls = [{"tool_call_id": name, "function_name": "f", "arguments": {}} for name in "ab"]
    steps = [{"step_id": 1, "source": "agent", "message": "", "tool_calls": calls, "observation": {"results": results}}]
    assert pair_calls(read({"schema_version": "ATIF-v1.7", "steps": steps}).messages).call_of == paired


def test_atif_content_of_parts_and_references_to_sub_agents_are_kept(read) -> None:
    steps = [
        {
            "step_id": 1,
            "source": "user",
            "message": [
                {"type": "text", "text": "See"},
                {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}},
            ],
        },
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "c", "function_name": "ask", "arguments": {}}],
            "observation": {"results": [{"source_call_id": "c", "subagent_trajectory_ref": [{"session_id": "s2"}]}]},
        },
    ]
    messages = read({"schema_version": "ATIF-v1.6", "steps": steps}).messages
    assert [(part.type, part.text) for part in messages[0].parts] == [(PartType.TEXT, "See"), (PartType.BLOB, "a.png")]
    assert messages[2].parts[0].text == '[{"session_id":"s2"}]'


# Others


def test_tau_few_shot_texts_before_the_first_speaker_are_kept(read) -> None:
    assert _texts(read({"messages_display": "Some heading\nuser: hi\nassistant: hello"})) == ["Some heading", "hi", "hello"]


def test_the_calls_of_a_simulated_user_stay_the_users(read) -> None:
    calls = [{"id": "u", "name": "reboot", "arguments": {}, "requestor": "user"}]
    run = {
        "termination_reason": "x",
        "messages": [
            {"role": "user", "content": None, "tool_calls": calls},
            {"role": "tool", "id": "u", "content": "ok", "requestor": "user"},
        ],
    }
    first, second = read(run).messages
    assert (first.role, first.origin, first.parts[0].type) == ("user", Origin.USER, PartType.TOOL_CALL)
    assert second.parts[0].call_id == "u"


def test_a_kimi_compaction_of_the_older_form_keeps_what_stands_behind_its_count(read) -> None:
    def said(text: str) -> Row:
        return {"type": "context.append_message", "message": {"role": "user", "content": text, "origin": {"kind": "user"}}}

    rows = [
        said("a"),
        said("b"),
        said("c"),
        {"type": "context.apply_compaction", "summary": "S", "compactedCount": 2},
        said("d"),
    ]
    assert _texts(read(rows, lines=True)) == ["S", "c", "d"]


@pytest.mark.parametrize(
    "document",
    [
        {"values": {"messages": [{"type": "human", "content": "hi"}]}},
        {"channel_values": {"messages": [{"type": "human", "data": {"content": "hi"}}]}},
        {
            "messages": [
                {
                    "lc": 1,
                    "type": "constructor",
                    "id": ["langchain_core", "messages", "HumanMessage"],
                    "kwargs": {"content": "hi"},
                }
            ]
        },
        [{"type": "human", "content": "hi"}],
    ],
)
def test_langchain_messages_are_found_in_lists_states_and_dumps(document: Any, read) -> None:
    transcript = read(document)
    assert (transcript.format, _texts(transcript)) == ("langchain", ["hi"])


def test_anthropic_requests_and_their_answer_are_one_transcript(read) -> None:
    request = {
        "system": "S",
        "messages": [{"role": "user", "content": "hi"}],
        "response": {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
    }
    transcript = read(request)
    assert (transcript.format, [message.role for message in transcript.messages]) == (
        "anthropic_messages",
        ["system", "user", "assistant"],
    )


@pytest.mark.parametrize(
    "document, texts",
    [
        ({"input": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}, ["hi", "ho"]),
        ({"input": "hi", "instructions": "S"}, ["S", "hi"]),
        ({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ho"}]}]}, ["ho"]),
        (
            [{"role": "user", "content": "hi"}, {"type": "function_call", "call_id": "k", "name": "f", "arguments": "{}"}],
            ["hi", "{}"],
        ),
        (
            {
                "input": [{"role": "user", "content": "hi"}],
                "response": {"output": [{"type": "computer_call", "call_id": "k", "action": {}}]},
            },
            ["hi", "{}"],
        ),
    ],
)
def test_responses_items_are_found_in_lists_requests_and_responses(document: Any, texts: list[str], read) -> None:
    transcript = read(document)
    assert (transcript.format, _texts(transcript)) == ("openai_responses", texts)
