"""Claude Code sessions: one message on several lines, several messages on one, and a chain of rows that leads from the last to the first."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

from barrier_policy.transcript.writer import Kept, Piece

Rows = list[dict[str, Any]]


def row(uuid: str, parent: str | None, content: Any, *, kind: str = "user", **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **({"id": more.pop("id")} if "id" in more else {})}
    return {
        "parentUuid": parent, "isSidechain": False, "cwd": "/w", "sessionId": "S", "type": kind, "message": message, "uuid": uuid,
        "timestamp": f"2026-01-01T00:00:{len(uuid):02d}Z", **more,
    }  # fmt: skip


def use(call: str) -> Rows:
    return [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": call}}]


def result(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": f"out of {call}"}


def session(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def kept(*messages: int) -> list[Piece]:
    return [Kept(message=message) for message in messages]


def written(kit: ModuleType, text: str, pieces: list[Piece]) -> Rows:
    return [json.loads(line) for line in kit.check_written(kit.source_of(text), pieces, "claude_code").splitlines()]


def chain(rows: Rows) -> list[str]:
    """The names of rows from the first to the last, following parents from the last."""
    by_name = {row["uuid"]: row for row in rows if "uuid" in row}
    assert len(by_name) == sum("uuid" in row for row in rows)
    path = [next(name for name in reversed(by_name))]
    while parent := by_name[path[-1]]["parentUuid"]:
        path.append(parent)
    return path[::-1]


LINEAR = (
    row("u1", None, "first"),
    row("a1", "u1", [{"type": "text", "text": "yes"}], kind="assistant", id="m1"),
    row("u2", "a1", "second"),
    row("a2", "u2", use("t1"), kind="assistant", id="m2"),
    row("r1", "a2", [result("t1"), {"type": "text", "text": "and more"}], toolUseResult={"stdout": "out"}),
    row("a3", "r1", [{"type": "text", "text": "done"}], kind="assistant", id="m3"),
)


def test_new_rows_stand_in_the_chain_and_share_the_envelope(kit: ModuleType) -> None:
    rows = written(kit, session(*LINEAR), [*kept(0), kit.carrier(), kit.summary(), *kept(3, 4, 5, 6)])
    assert chain(rows) == [row["uuid"] for row in rows]
    carrier, summary = rows[1:3]
    assert carrier["message"] == {"role": "user", "content": kit.CARRIER}
    assert summary["isCompactSummary"] is True and "isCompactSummary" not in carrier
    assert {key: summary[key] for key in ("cwd", "sessionId", "isSidechain", "timestamp")} == {
        key: LINEAR[0][key] for key in ("cwd", "sessionId", "isSidechain", "timestamp")
    }


def test_lines_whose_parent_is_there_keep_their_bytes(kit: ModuleType) -> None:
    text = session(*LINEAR)
    data = kit.write(kit.source_of(text), [*kept(0), kit.summary(), *kept(3, 4, 5, 6)]).decode()
    lines = text.splitlines()
    assert [line in data.splitlines() for line in lines] == [True, False, False, False, True, True]
    assert lines[3].replace('"u2"', json.dumps(json.loads(data.splitlines()[1])["uuid"])) in data


def test_the_same_pieces_give_the_same_names(kit: ModuleType) -> None:
    pieces = [kit.carrier(), kit.carrier(), *kept(6)]
    first, second = (kit.write(kit.source_of(session(*LINEAR)), pieces) for _ in range(2))
    assert first == second
    assert len({json.loads(line)["uuid"] for line in first.splitlines()}) == 3


def test_of_a_row_with_a_result_and_words_each_can_stay_alone(kit: ModuleType) -> None:
    text = session(*LINEAR)
    words = written(kit, text, [kit.summary(), *kept(5, 6)])[1]
    assert words["message"]["content"] == [{"type": "text", "text": "and more"}]
    assert "toolUseResult" not in words and words["uuid"] == "r1"
    answer = written(kit, text, [*kept(0, 1, 2, 3, 4), kit.summary()])[4]
    assert answer["message"]["content"] == [result("t1")] and "toolUseResult" in answer


def test_a_row_that_a_new_one_divides_has_two_names(kit: ModuleType) -> None:
    rows = written(kit, session(*LINEAR), [*kept(0, 1, 2, 3, 4), kit.carrier(), *kept(5, 6)])
    assert chain(rows) == [row["uuid"] for row in rows]
    assert len(rows) == 8


INTERLEAVED = (
    row("u1", None, "both please"),
    row("a1", "u1", use("t1"), kind="assistant", id="m"),
    row("r1", "a1", [result("t1")]),
    row("a2", "a1", use("t2"), kind="assistant", id="m"),
    row("r2", "a2", [result("t2")]),
    row("a3", "r2", "fine", kind="assistant", id="n"),
    row("u2", "a3", "thanks"),
)


def test_the_lines_of_one_message_stay_between_its_results_as_they_were(kit: ModuleType) -> None:
    rows = written(kit, session(*INTERLEAVED), [*kept(0, 1, 2, 3), kit.summary(), *kept(5)])
    assert [row["uuid"] for row in rows[:5]] == ["u1", "a1", "r1", "a2", "r2"]
    assert rows[5]["parentUuid"] == "r2" and rows[6]["parentUuid"] == rows[5]["uuid"]


def test_all_lines_of_a_message_stand_before_what_is_inserted_behind_it(kit: ModuleType) -> None:
    late = row("a4", "a3", [{"type": "text", "text": "late"}], kind="assistant", id="m")
    text = session(*INTERLEAVED[:6], late, INTERLEAVED[6])
    rows = written(kit, text, [*kept(0, 1, 2, 3), kit.carrier(), *kept(4, 5)])
    assert [row["uuid"] for row in rows if len(row["uuid"]) == 2] == ["u1", "a1", "r1", "a2", "r2", "a4", "a3", "u2"]


COMPACTED = (
    row("u1", None, "old"),
    row("u2", "u1", "preserved"),
    row("a2", "u2", "also preserved", kind="assistant"),
    {
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None,
        "compactMetadata": {"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}},
    },
    row("s", "b", "What was before.", isCompactSummary=True),
    row("u3", "s", "new"),
    row("x1", "u3", "aside", isSidechain=True),
)  # fmt: skip


def test_a_compacted_session_is_written_as_its_live_view(kit: ModuleType) -> None:
    rows = written(kit, session(*COMPACTED), kept(0, 1, 2, 3))
    assert chain(rows) == ["s", "u2", "a2", "u3"] == [row["uuid"] for row in rows]
    again = written(kit, session(*COMPACTED), [*kept(0), kit.carrier(), *kept(2), kit.summary(), *kept(3)])
    assert chain(again) == [row["uuid"] for row in again]


def test_the_file_of_a_sub_agent_stays_one(kit: ModuleType) -> None:
    rows = [{**row, "isSidechain": True, "agentId": "x"} for row in LINEAR]
    data = written(kit, session(*rows), [kit.carrier(), *kept(6)])
    assert [row["isSidechain"] for row in data] == [True, True] and data[0]["agentId"] == "x"


def queue(operation: str, content: str = "") -> dict[str, Any]:
    return {"type": "queue-operation", "operation": operation, "sessionId": "S", **({"content": content} if content else {})}


def test_a_prompt_from_the_queue_is_written_where_it_was_delivered(kit: ModuleType) -> None:
    rows = (*LINEAR[:3], queue("enqueue", "typed"), *LINEAR[3:5], queue("dequeue"), LINEAR[5], queue("enqueue", "waits"))
    text = session(*rows)
    assert [message.parts[0].text for message in kit.read(kit.source_of(text)).messages][-3:] == ["typed", "done", "waits"]
    operations = [(row["operation"], row["content"]) for row in written(kit, text, [kit.summary(), *kept(6, 7, 8)]) if "operation" in row]  # fmt: skip
    assert operations == [("enqueue", "typed"), ("remove", "typed"), ("enqueue", "waits"), ("remove", "waits")]
    assert not [row for row in written(kit, text, kept(0, 1, 2)) if "operation" in row]


def test_a_prompt_that_was_told_elsewhere_does_not_come_back_with_the_row_gone(kit: ModuleType) -> None:
    text = session(queue("enqueue", "second"), LINEAR[0], queue("dequeue"), LINEAR[2], LINEAR[1])
    assert [row["uuid"] for row in written(kit, text, kept(0, 2))] == ["u1", "a1"]


def test_rows_without_a_message_go_with_the_row_before_them(kit: ModuleType) -> None:
    title = {"type": "custom-title", "customTitle": "t"}
    turn = {"type": "system", "subtype": "turn_duration", "uuid": "d1", "parentUuid": "a1"}
    text = session(title, *LINEAR[:2], turn, *LINEAR[2:])
    assert [row.get("uuid") for row in written(kit, text, kept(0, 1, 2))] == [None, "u1", "a1", "d1", "u2"]
    assert [row.get("uuid") for row in written(kit, text, kept(0, 2))] == [None, "u1", "u2"]


def test_a_new_summary_separates_lines_that_share_the_id_of_a_message(kit: ModuleType) -> None:
    rows = (LINEAR[1], LINEAR[2], row("a9", "u2", "again", kind="assistant", id="m1"))
    written(kit, session(*rows), [*kept(0), kit.summary(), *kept(2)])


def test_rows_that_share_an_id_and_a_line_are_told_apart(kit: ModuleType) -> None:
    twins = [row("u1", None, "one"), row("u1", None, "two"), row("u1", "u1", "three")]
    text = "".join(map(json.dumps, twins)) + "\n"
    rows = written(kit, text, kept(0, 2))
    assert [row["message"]["content"] for row in rows] == ["one", "three"]


def test_a_session_that_is_a_list_is_written_as_a_list(kit: ModuleType) -> None:
    source = kit.source_of(json.dumps(list(LINEAR)))
    rows = json.loads(kit.check_written(source, kept(0, 3, 4), "claude_code"))
    assert rows == json.loads(f"[{','.join(json.dumps(row) for row in written(kit, session(*LINEAR), kept(0, 3, 4)))}]")
