"""Entries of plans are read from the to-do tools of many runtimes and from checklists."""

from __future__ import annotations

from typing import Any

import pytest
from barrier_policy_plugins import plans as plugin

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType
from barrier_policy.testing import tool_call


def _facts(
    part: Part, *, call: Part | None = None, origin: Origin = Origin.AGENT, kind: MessageKind = MessageKind.MESSAGE
) -> list[Fact]:
    context = Context(calls={0: call} if call else {}, tools={}, now="2026-01-01T00:00:00Z")
    message = Message(index=2, role="x", origin=origin, parts=(part,), kind=kind)
    return list(plugin.barrier_extract_facts(message, context))


def _entries(facts: list[Fact]) -> list[tuple[str, Any, Any]]:
    return [(fact.text, fact.get("state"), fact.get("id")) for fact in facts]


@pytest.mark.parametrize(
    "name, arguments, entries",
    [
        (
            "TodoWrite",
            {"todos": [{"content": "a", "status": "completed", "activeForm": "A"}, {"content": "b", "status": "pending"}]},
            [("a", "done", ""), ("b", "open", "")],
        ),
        (
            "todowrite",
            {"todos": [{"id": "1", "content": "a", "status": "cancelled", "priority": "low"}]},
            [("a", "cancelled", "1")],
        ),
        ("update_plan", {"plan": [{"step": "a", "status": "in_progress"}], "explanation": "x"}, [("a", "in_progress", "")]),
        ("write_todos", {"todos": [{"description": "a", "status": "pending"}]}, [("a", "open", "")]),
        (
            "task_tracker",
            {"command": "plan", "task_list": [{"id": "t1", "title": "a", "status": "todo", "notes": ""}]},
            [("a", "open", "t1")],
        ),
        ("mcp__board__todo_write", {"todos": [{"id": 7, "content": "a", "status": "done"}]}, [("a", "done", "7")]),
        ("todo_write", {"merge": True, "todos": [{"id": "1", "content": "a", "status": "completed"}]}, [("a", "done", "1")]),
        ("task_add", {"id": "k-31", "text": "water"}, [("water", "open", "k-31")]),
        ("todo_add", {"id": 4, "title": "x", "state": "doing"}, [("x", "in_progress", "4")]),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, [("", "done", "3")]),
        ("TaskUpdate", {"taskId": "3", "status": "deleted"}, [("", "cancelled", "3")]),
        ("task_done", {"id": "k-31"}, [("", "done", "k-31")]),
        ("todo_cancel", {"id": "k-31"}, [("", "cancelled", "k-31")]),
        ("TaskUpdate", {"taskId": "3", "status": "something else"}, [("", "open", "3")]),
        ("write_checklist", {"items": ["a", "b"]}, [("a", "open", ""), ("b", "open", "")]),
    ],
)
def test_calls_of_plan_tools_state_entries(name: str, arguments: Any, entries: list[tuple[str, str, str]]) -> None:
    assert _entries(_facts(tool_call(name, arguments))) == entries


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("Task", {"description": "review", "prompt": "look at it", "subagent_type": "x"}),
        ("TaskOutput", {"task_id": "b2ed671", "block": False}),
        ("TaskStop", {"task_id": "b2ed671"}),
        ("TaskCreate", {"subject": "not known by an id yet", "description": "d"}),
        ("tasks_get", {"event": "advent"}),
        ("task_tracker", {"command": "view"}),
        ("payout_plan", {"to": "B", "amount": "95.00"}),
        ("present_plan", {"title": "x", "steps": ["a", "b"]}),
        ("search", {"items": [{"content": "a", "status": "open"}]}),
        ("TodoWrite", "no object"),
    ],
)
def test_other_calls_state_none(name: str, arguments: Any) -> None:
    assert _facts(tool_call(name, arguments)) == []


@pytest.mark.parametrize(
    "arguments, result, entry",
    [
        ({"subject": "fix x"}, "Task #3 created successfully: fix x", ("fix x", "open", "3")),
        ({"title": "fix x"}, '{"id": "T-9", "ok": true}', ("fix x", "open", "T-9")),
        ({"title": "fix x"}, "added item k7", ("fix x", "open", "k7")),
        ({"title": "fix x"}, "ok", ("fix x", "open", "")),
    ],
)
def test_an_entry_without_an_id_is_stated_when_the_result_names_it(
    arguments: Any, result: str, entry: tuple[str, str, str]
) -> None:
    facts = _facts(Part(type=PartType.TOOL_RESULT, text=result), call=tool_call("TaskCreate", arguments), origin=Origin.TOOL)
    assert _entries(facts) == [entry]


def test_a_failed_creation_states_nothing() -> None:
    result = Part(type=PartType.TOOL_RESULT, text="Task #3 created", is_error=True)
    assert _facts(result, call=tool_call("TaskCreate", {"subject": "x"}), origin=Origin.TOOL) == []


def test_a_call_that_writes_the_whole_list_says_so() -> None:
    todos = [{"content": "a", "status": "pending"}]
    assert _facts(tool_call("TodoWrite", {"todos": todos}))[0].get("whole") is True
    assert _facts(tool_call("todo_write", {"todos": todos, "merge": True}))[0].get("whole") is False
    assert _facts(tool_call("TaskUpdate", {"taskId": "1", "status": "done"}))[0].get("whole") is False


CHECKLIST = """Plan:
- [x] read the config
- [ ] write the `parser`
  * [-] dropped
1. [~] under way
```
- [ ] an example
```
- [link](https://x) and a [ ] box
"""


def test_checklists_in_text_state_entries_outside_code_blocks() -> None:
    facts = _facts(Part(type=PartType.TEXT, text=CHECKLIST))
    assert _entries(facts) == [
        ("read the config", "done", ""),
        ("write the `parser`", "open", ""),
        ("dropped", "cancelled", ""),
        ("under way", "in_progress", ""),
    ]
    assert all(CHECKLIST[fact.start : fact.end] == fact.text for fact in facts)
    assert {fact.get("source") for fact in facts} == {"checklist"}


def test_a_checklist_in_a_tool_result_is_the_content_of_a_file() -> None:
    assert _facts(Part(type=PartType.TOOL_RESULT, text=CHECKLIST), origin=Origin.TOOL) == []


def test_entries_have_their_places_in_the_arguments() -> None:
    part = tool_call(
        "TodoWrite", {"todos": [{"content": "a b", "status": "pending"}, {"content": "a b", "status": "pending"}]}
    )
    first, second = _facts(part)
    assert part.text[first.start : first.end] == part.text[second.start : second.end] == "a b"
    assert first.end <= second.start


def test_every_attribute_is_declared_and_of_its_type() -> None:
    (kind,) = plugin.barrier_fact_kinds()
    declared = {attribute.name: attribute.type for attribute in kind.attributes}
    (fact,) = _facts(tool_call("task_add", {"id": "1", "text": "x"}))
    assert {name: {str: "string", bool: "bool"}[type(value)] for name, value in fact.attributes.items()} == declared


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_summaries_and_carriers_are_not_mined(kind: MessageKind) -> None:
    assert _facts(Part(type=PartType.TEXT, text=CHECKLIST), kind=kind) == []


def test_a_huge_list_is_cut() -> None:
    todos = [{"content": f"entry {number}", "status": "pending"} for number in range(5_000)]
    assert len(_facts(tool_call("TodoWrite", {"todos": todos}))) == plugin.MAX_ITEMS
