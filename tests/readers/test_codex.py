"""Codex rollouts: envelopes, replacement histories, events that only repeat, and the `exec --json` stream."""

from __future__ import annotations

from typing import Any

import pytest

from barrier_policy import MessageKind, Origin, PartType

Row = dict[str, Any]


def item(**payload: Any) -> Row:
    return {"timestamp": "t", "type": "response_item", "payload": payload}


def event(kind: str, **payload: Any) -> Row:
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": kind, **payload}}


def message(role: str, said: str) -> Row:
    return {
        "type": "message",
        "role": role,
        "content": [{"type": "output_text" if role == "assistant" else "input_text", "text": said}],
    }


def said(role: str, text: str) -> Row:
    return item(**message(role, text))


def compacted(**payload: Any) -> Row:
    return {"timestamp": "t", "type": "compacted", "payload": payload}


META = {"timestamp": "t", "type": "session_meta", "payload": {"id": "x", "cwd": "/w"}}
OLD = [META, said("developer", "rules"), said("user", "one"), said("assistant", "two")]


def _texts(transcript) -> list[str]:
    return [" ".join(part.text for part in message.parts) for message in transcript.messages]


@pytest.mark.parametrize(
    "row, texts, summaries",
    [
        (
            compacted(message="S", replacement_history=[message("user", "one"), message("user", "Intro\nS")]),
            ["one", "Intro\nS", "new"],
            ["Intro\nS"],
        ),
        (compacted(message="S", replacement_history=[message("user", "S"), message("user", "S")]), ["S", "S", "new"], ["S"]),
        (compacted(message="", replacement_history=[message("user", "one")]), ["one", "new"], []),
        (compacted(message="S"), ["rules", "one", "S", "new"], ["S"]),
        (compacted(message="S", replacement_history=[]), ["new"], []),
        (compacted(message="S", replacement_history=[7, message("user", "a")]), ["7", "a", "new"], []),
    ],
)
def test_a_compaction_replaces_all_before_it(row: Row, texts: list[str], summaries: list[str], read) -> None:
    transcript = read([*OLD, row, said("user", "new")], lines=True)
    assert _texts(transcript) == texts
    assert [m.parts[0].text for m in transcript.messages if m.kind is MessageKind.SUMMARY] == summaries


def test_only_the_last_replacement_history_counts(read) -> None:
    rows = [
        *OLD,
        compacted(replacement_history=[message("user", "a")]),
        said("user", "b"),
        compacted(replacement_history=[message("user", "c")]),
    ]
    transcript = read(rows, lines=True)
    assert _texts(transcript) == ["c"]
    assert [m.pointer for m in transcript.messages] == ["/payload/replacement_history/0"]


def test_a_summary_that_only_the_server_reads_is_an_unknown_part(read) -> None:
    opaque = {"type": "compaction", "encrypted_content": "AAAA"}
    transcript = read([*OLD, compacted(message="", replacement_history=[message("user", "one"), opaque])], lines=True)
    last = transcript.messages[-1]
    assert (last.kind, [part.type for part in last.parts]) == (MessageKind.SUMMARY, [PartType.UNKNOWN])


@pytest.mark.parametrize(
    "rows, texts, events",
    [
        ([event("user_message", message="go"), said("user", "go")], ["go"], 1),
        ([said("assistant", "a\nb"), event("agent_message", message="a\nb")], ["a\nb"], 1),
        ([event("agent_message", message="told only here"), said("user", "go")], ["told only here", "go"], 0),
        ([event("token_count"), event("exec_command_end", stdout="x"), said("user", "go")], ["go"], 2),
        ([event("user_message", message=""), said("user", "go")], ["go"], 1),
    ],
)
def test_events_that_repeat_an_item_are_left_out_and_counted(rows: list[Row], texts: list[str], events: int, read) -> None:
    transcript = read([META, *rows], lines=True)
    assert _texts(transcript) == texts
    assert {s.what: s.count for s in transcript.skipped}.get("event_msg", 0) == events


@pytest.mark.parametrize(
    "text, kind",
    [
        ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>", MessageKind.NOTICE),
        ("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", MessageKind.NOTICE),
        ("What does <environment_context> mean?", MessageKind.MESSAGE),
        ("<user_instructions>\nUse tabs.\n</user_instructions>", MessageKind.MESSAGE),
    ],
)
def test_pseudo_messages_of_the_user_are_notices(text: str, kind: MessageKind, read) -> None:
    (found,) = read([META, said("user", text)], lines=True).messages
    assert (found.kind, found.origin) == (kind, Origin.USER if kind is MessageKind.MESSAGE else Origin.TOOL)


@pytest.mark.parametrize(
    "output, text, is_error",
    [
        ('{"output":"x","metadata":{"exit_code":0}}', '{"output":"x","metadata":{"exit_code":0}}', False),
        ('{"output":"x","metadata":{"exit_code":2}}', '{"output":"x","metadata":{"exit_code":2}}', True),
        ("exec command rejected by user", "exec command rejected by user", None),
        ({"type": "input_text", "text": "x"}, "x", None),
        ([{"type": "input_text", "text": "x"}, {"type": "input_text", "text": "y"}], "x\ny", None),
        ('{"exit_code": "broken', '{"exit_code": "broken', None),
        (None, "", None),
    ],
)
def test_outputs_in_every_form_are_read_with_their_exit_code(output: Any, text: str, is_error: bool | None, read) -> None:
    rows = [
        META,
        item(type="function_call", name="shell", arguments="{}", call_id="k"),
        item(type="function_call_output", call_id="k", output=output),
    ]
    part = read(rows, lines=True).messages[1].parts[0]
    assert (part.type, part.text, part.is_error, part.call_id) == (PartType.TOOL_RESULT, text, is_error, "k")


def test_the_turn_context_tells_directory_branch_and_modes(read) -> None:
    rows = [
        {"type": "session_meta", "payload": {"cwd": "/w", "git": {"branch": "main"}}},
        said("user", "a"),
        {
            "type": "turn_context",
            "payload": {"cwd": "/w/x", "approval_policy": "never", "sandbox_policy": {"mode": "read-only"}},
        },
        said("user", "b"),
    ]
    assert [m.environment for m in read(rows, lines=True).messages] == [
        {"cwd": "/w", "branch": "main"},
        {"cwd": "/w/x", "branch": "main", "mode": "never", "sandbox": "read-only"},
    ]


def test_a_session_without_messages_is_an_empty_transcript_that_says_what_it_had(read) -> None:
    transcript = read([META, event("token_count")], lines=True)
    assert (transcript.format, transcript.messages) == ("codex", ())
    assert {s.what: s.count for s in transcript.skipped} == {"session_meta": 1, "event_msg": 1}


def test_messages_from_another_agent_keep_their_encrypted_part_as_unknown(read) -> None:
    content = [{"type": "input_text", "text": "hi"}, {"type": "encrypted_content", "encrypted_content": "AA"}]
    (found,) = read([META, item(type="agent_message", author="a", recipient="b", content=content)], lines=True).messages
    assert (found.origin, [part.type for part in found.parts]) == (Origin.AGENT, [PartType.TEXT, PartType.UNKNOWN])


@pytest.mark.parametrize(
    "entry, parts",
    [
        (
            {"type": "command_execution", "command": "ls", "aggregated_output": "a", "exit_code": 1, "status": "failed"},
            ["shell", "a", True],
        ),
        ({"type": "file_change", "changes": [{"path": "a"}], "status": "completed"}, ["apply_patch", "completed", False]),
        (
            {
                "type": "mcp_tool_call",
                "server": "s",
                "tool": "t",
                "result": {"content": [{"type": "text", "text": "r"}]},
                "status": "completed",
            },
            ["t", "r", False],
        ),
    ],
)
def test_items_of_the_exec_stream_are_a_call_and_its_outcome(entry: Row, parts: list[Any], read) -> None:
    rows = [{"type": "thread.started", "thread_id": "x"}, {"type": "item.completed", "item": {"id": "i", **entry}}]
    call, outcome = read(rows, lines=True).messages
    assert [call.parts[0].name, outcome.parts[0].text, outcome.parts[0].is_error] == parts
    assert call.parts[0].call_id == outcome.parts[0].call_id == "i"
