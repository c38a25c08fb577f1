"""Claude Code sessions: the live view, put together from rows that are only ever appended."""

from __future__ import annotations

from typing import Any

import pytest

from barrier_policy import MessageKind, Origin, PartType

Row = dict[str, Any]


def user(uuid: str, content: Any, **fields: Any) -> Row:
    return {"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": content}, **fields}


def agent(uuid: str, message_id: str, *blocks: Row, **fields: Any) -> Row:
    message = {"id": message_id, "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "uuid": uuid, "sessionId": "s", "message": message, **fields}


def text(said: str) -> Row:
    return {"type": "text", "text": said}


def use(call_id: str, command: str = "ls") -> Row:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": command}}


def result(call_id: str, content: Any = "ok", **fields: Any) -> Row:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def boundary(**metadata: Any) -> Row:
    return {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "compactMetadata": metadata}


def summary(uuid: str = "s") -> Row:
    return user(uuid, "What happened.", isCompactSummary=True)


def queue(operation: str, content: str | None = None) -> Row:
    return {"type": "queue-operation", "operation": operation, "sessionId": "s", **({"content": content} if content else {})}


def _said(transcript) -> list[str]:
    return [" ".join(part.text for part in message.parts) for message in transcript.messages]


def _skipped(transcript) -> dict[str, int]:
    return {skipped.what: skipped.count for skipped in transcript.skipped}


BEFORE = [user("1", "one"), agent("2", "m1", text("two")), user("3", "three"), agent("4", "m2", text("four"))]


@pytest.mark.parametrize(
    "metadata, said",
    [
        ({}, ["What happened.", "five"]),
        ({"preservedMessages": {"anchorUuid": "s", "uuids": ["3", "4"]}}, ["What happened.", "three", "four", "five"]),
        ({"preservedMessages": {"anchorUuid": "s", "uuids": ["4", "3", "4"]}}, ["What happened.", "four", "three", "five"]),
        ({"preservedMessages": {"uuids": ["3"]}}, ["What happened.", "three", "five"]),
        ({"preservedMessages": {"anchorUuid": "b", "uuids": ["3"]}}, ["three", "What happened.", "five"]),
        ({"preservedMessages": {"anchorUuid": "s", "uuids": ["missing"]}}, ["What happened.", "five"]),
        (
            {"preservedSegment": {"headUuid": "2", "anchorUuid": "s", "tailUuid": "3"}},
            ["What happened.", "two", "three", "five"],
        ),
        ({"preservedSegment": {"headUuid": "missing", "tailUuid": "3"}}, ["What happened.", "five"]),
        ({"preservedMessages": None, "preservedSegment": []}, ["What happened.", "five"]),
    ],
)
def test_after_a_compaction_the_model_sees_the_summary_the_preserved_rows_and_the_rest(
    metadata: Row, said: list[str], read
) -> None:
    transcript = read([*BEFORE, boundary(**metadata), summary(), user("5", "five")], lines=True)
    assert _said(transcript) == said
    kinds = {message.parts[0].text: message.kind for message in transcript.messages}
    assert kinds["What happened."] is MessageKind.SUMMARY
    assert _skipped(transcript)["before the last compaction"] == 5 - (len(said) - 2)


def test_only_the_last_of_several_compactions_counts(read) -> None:
    rows = [*BEFORE, boundary(), summary(), user("5", "five"), boundary(), summary("t"), user("6", "six")]
    assert _said(read(rows, lines=True)) == ["What happened.", "six"]


def test_lines_of_one_message_become_one_also_when_results_stand_between_them(read) -> None:
    rows = [
        user("1", "go"),
        agent("2", "m1", text("both")),
        agent("3", "m1", use("a")),
        user("4", [result("a")]),
        agent("5", "m1", use("b")),
        user("6", [result("b")]),
    ]
    transcript = read(rows, lines=True)
    assert [[part.call_id or part.text for part in message.parts] for message in transcript.messages] == [
        ["go"],
        ["both", "a", "b"],
        ["a"],
        ["b"],
    ]
    assert [part.line for part in transcript.messages[1].parts] == [0, 3, 5]


def test_a_result_that_was_written_before_its_call_stands_behind_it(read) -> None:
    rows = [user("1", "go"), agent("2", "m1", text("checking")), user("3", [result("a")]), agent("4", "m1", use("a"))]
    transcript = read(rows, lines=True)
    assert [[part.type for part in message.parts] for message in transcript.messages[1:]] == [
        [PartType.TEXT, PartType.TOOL_CALL],
        [PartType.TOOL_RESULT],
    ]


def test_the_users_words_end_a_message_even_where_its_id_comes_again(read) -> None:
    rows = [agent("1", "m", text("a")), user("2", "stop"), agent("3", "m", text("b"))]
    assert _said(read(rows, lines=True)) == ["a", "stop", "b"]


def test_results_words_and_the_runtimes_texts_of_one_row_become_messages_of_their_own(read) -> None:
    row = user(
        "2",
        [
            text("do that too"),
            text("<system-reminder>Use tabs.</system-reminder>"),
            result("a"),
            {"type": "image", "source": {"type": "url", "url": "u"}},
        ],
    )
    transcript = read([agent("1", "m", use("a")), row], lines=True)
    assert [(message.kind, message.origin, len(message.parts)) for message in transcript.messages[1:]] == [
        (MessageKind.MESSAGE, Origin.TOOL, 1),
        (MessageKind.NOTICE, Origin.TOOL, 1),
        (MessageKind.MESSAGE, Origin.USER, 2),
    ]


@pytest.mark.parametrize(
    "row, kind",
    [
        (user("2", "plain"), MessageKind.MESSAGE),
        (user("2", "<b>bold</b> words of the user"), MessageKind.MESSAGE),
        (user("2", "<command-name>/review</command-name><command-args>this</command-args>"), MessageKind.MESSAGE),
        (user("2", "caveat", isMeta=True), MessageKind.NOTICE),
        (
            user("2", '{"task_id":"a1","tool_use_id":"t","description":"Find it","task_type":"local_agent"}'),
            MessageKind.NOTICE,
        ),
        (user("2", "<agent-notification>\n<agent-id>a1</agent-id>\n</agent-notification>"), MessageKind.NOTICE),
        (user("2", "Operation stopped by hook: Another session is active."), MessageKind.NOTICE),
        (user("2", "<task-notification>\n<task-id>j</task-id>\n</task-notification>"), MessageKind.NOTICE),
        (user("2", "<local-command-stdout>Bye!</local-command-stdout>"), MessageKind.NOTICE),
        (user("2", "[Request interrupted by user for tool use]"), MessageKind.NOTICE),
        (
            {"type": "system", "subtype": "local_command", "content": "<command-name>/x</command-name>", "uuid": "2"},
            MessageKind.NOTICE,
        ),
        ({"type": "attachment", "uuid": "2", "attachment": {"type": "todo_reminder", "content": []}}, MessageKind.NOTICE),
        (
            {"type": "attachment", "uuid": "2", "attachment": {"type": "queued_command", "prompt": "and this"}},
            MessageKind.MESSAGE,
        ),
        (
            {
                "type": "attachment",
                "uuid": "2",
                "attachment": {"type": "queued_command", "prompt": "j ended", "commandMode": "task-notification"},
            },
            MessageKind.NOTICE,
        ),
    ],
)
def test_the_runtimes_own_text_is_a_notice_and_the_users_is_not(row: Row, kind: MessageKind, read) -> None:
    transcript = read([user("1", "go"), row], lines=True)
    assert transcript.messages[1].kind is kind
    assert transcript.messages[1].origin is (Origin.USER if kind is MessageKind.MESSAGE else Origin.TOOL)


@pytest.mark.parametrize("fields", [{"isApiErrorMessage": True}, {}])
def test_an_error_that_the_runtime_puts_into_the_agents_mouth_is_a_notice(fields: Row, read) -> None:
    row = agent("2", "m", text("API Error"), **fields)
    if not fields:
        row["message"]["model"] = "<synthetic>"
    message = read([user("1", "go"), row], lines=True).messages[1]
    assert (message.kind, message.origin) == (MessageKind.NOTICE, Origin.TOOL)


@pytest.mark.parametrize(
    "rows, said",
    [
        ([queue("enqueue", "a"), agent("2", "m", text("x")), queue("remove")], ["x", "a"]),
        ([queue("enqueue", "a"), queue("dequeue"), user("2", "a")], ["a"]),
        ([queue("enqueue", "a"), queue("enqueue", "b"), queue("remove"), queue("remove")], ["a", "b"]),
        ([queue("enqueue", "a"), queue("enqueue", "b"), queue("remove", "b"), queue("remove")], ["b", "a"]),
        ([queue("enqueue", "a"), queue("popAll"), user("2", "a, edited")], ["a, edited"]),
        ([queue("enqueue", "a"), agent("2", "m", text("x"))], ["x", "a"]),
        ([queue("enqueue"), queue("remove"), user("2", "x")], ["x"]),
        ([queue("enqueue", "old"), boundary(), summary(), queue("remove")], ["What happened.", "old"]),
        ([queue("enqueue", "old"), queue("remove"), boundary(), summary(), queue("remove")], ["What happened."]),
    ],
)
def test_a_prompt_typed_while_the_model_works_is_read_once_where_it_was_delivered(
    rows: list[Row], said: list[str], read
) -> None:
    assert _said(read([user("1", "go"), *rows], lines=True))[-len(said) :] == said


CARRIER = "<barrier-policy-carrier v=1>\nrecord\n</barrier-policy-carrier>"


@pytest.mark.parametrize(
    "content, kind, parts",
    [
        (CARRIER, MessageKind.CARRIER, 1),
        ([CARRIER, CARRIER], MessageKind.CARRIER, 2),
        ([CARRIER, "other context"], MessageKind.NOTICE, 2),
        ("other context", MessageKind.NOTICE, 1),
        ([{"id": "1", "subject": "a task"}], MessageKind.NOTICE, 1),
    ],
)
def test_what_a_hook_of_the_gate_brings_back_is_a_carrier(content: Any, kind: MessageKind, parts: int, read) -> None:
    row = {"type": "attachment", "uuid": "2", "attachment": {"type": "hook_additional_context", "content": content}}
    message = read([user("1", "go"), row], lines=True).messages[1]
    assert (message.kind, len(message.parts)) == (kind, parts)


def test_background_work_is_answered_twice_and_the_second_answer_is_a_notice_read_once(read) -> None:
    note = "<task-notification><task-id>j1</task-id><status>completed</status></task-notification>"
    rows = [
        agent("1", "m", use("a", "make &")),
        user("2", [result("a", "Command running in background with ID: j1")], toolUseResult={"backgroundTaskId": "j1"}),
        queue("enqueue", note),
        user("3", note),
    ]
    transcript = read(rows, lines=True)
    assert [(message.kind, message.parts[0].type) for message in transcript.messages[1:]] == [
        (MessageKind.MESSAGE, PartType.TOOL_RESULT),
        (MessageKind.NOTICE, PartType.TEXT),
    ]


def test_a_side_chain_is_left_out_and_counted_unless_the_file_is_one(read) -> None:
    aside = [user("5", "prompt of a sub-agent", isSidechain=True), agent("6", "n", text("its answer"), isSidechain=True)]
    transcript = read([*BEFORE, *aside], lines=True)
    assert _said(transcript) == ["one", "two", "three", "four"]
    assert _skipped(transcript) == {"side chain": 2}
    assert _said(read(aside, lines=True)) == ["prompt of a sub-agent", "its answer"]


def test_the_envelope_tells_directory_branch_and_mode_until_it_tells_others(read) -> None:
    rows = [
        user("1", "a", cwd="/w", gitBranch="main"),
        {"type": "permission-mode", "permissionMode": "plan", "sessionId": "s"},
        user("2", "b", cwd="/w", gitBranch="main"),
        user("3", "c", cwd="/w/x", gitBranch="fix"),
    ]
    assert [message.environment for message in read(rows, lines=True).messages] == [
        {"cwd": "/w", "branch": "main"},
        {"cwd": "/w", "branch": "main", "mode": "plan"},
        {"cwd": "/w/x", "branch": "fix", "mode": "plan"},
    ]


@pytest.mark.parametrize(
    "row", [7, "error", [1], None, {"silly": "this"}, {"type": 7}, {"type": "user", "uuid": "9", "message": None}]
)
def test_rows_of_no_use_are_counted(row: Any, read) -> None:
    import json

    transcript = read([user("1", "go"), json.dumps(row)], lines=True)
    assert _said(transcript) == ["go"]
    assert sum(skipped.count for skipped in transcript.skipped) == 1


@pytest.mark.parametrize("message", ["text", [1], 7])
def test_a_message_that_is_none_is_an_unknown_part(message: Any, read) -> None:
    transcript = read([user("1", "go"), {"type": "user", "uuid": "2", "message": message}], lines=True)
    assert [part.type for part in transcript.messages[1].parts] == [PartType.UNKNOWN]


def test_calls_and_results_without_ids_are_paired_by_order(read) -> None:
    rows = [
        user("1", "go"),
        agent("2", "m", {"type": "tool_use", "name": "bash", "input": {}}),
        user("3", [{"type": "tool_result", "content": "ok"}]),
    ]
    transcript = read(rows, lines=True)
    assert transcript.messages[1].parts[0].call_id == transcript.messages[2].parts[0].call_id == "#1"


def test_a_stream_without_parents_is_read_too(read) -> None:
    rows = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        {"type": "assistant", "session_id": "s", "message": {"id": "m", "content": [text("hi")]}},
        {
            "type": "assistant",
            "session_id": "s",
            "parent_tool_use_id": "t",
            "message": {"id": "n", "content": [text("sub")]},
        },
        {"type": "result", "session_id": "s", "result": "hi"},
    ]
    assert _said(read(rows, lines=True)) == ["hi"]
