"""Background work is reported from its start to its end, and finished calls are no jobs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from barrier_policy_plugins import jobs as plugin

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType
from barrier_policy.testing import tool_call


def _facts(text: Any, call: Part | None = None, *, is_error: bool | None = None) -> list[Fact]:
    part = Part(type=PartType.TOOL_RESULT, text=text if isinstance(text, str) else json.dumps(text), is_error=is_error)
    message = Message(index=4, role="tool", origin=Origin.TOOL, parts=(part,))
    context = Context(calls={0: call} if call else {}, tools={}, now="2026-01-01T00:00:00Z")
    return list(plugin.barrier_extract_facts(message, context))


def _states(facts: list[Fact]) -> list[tuple[Any, Any]]:
    return [(fact.get("handle"), fact.get("state")) for fact in facts]


BASH = tool_call("Bash", {"command": "make all", "run_in_background": True, "description": "build all"})


@pytest.mark.parametrize(
    "call, result, handle",
    [
        (BASH, "Command running in background with ID: b2ed671. Output is being written to: /t/b2ed671.output", "b2ed671"),
        (
            tool_call("Task", {"description": "review"}),
            "Async agent launched successfully.\nagentId: af9e8ed (internal ID)\nThe agent is working in the background.",
            "af9e8ed",
        ),
        (tool_call("Task", {"description": "print half"}), "started agent_7c2 (background, no registry)", "agent_7c2"),
        (tool_call("spawn_agent", {"message": "look"}), {"agent_id": "019a-77"}, "019a-77"),
        (tool_call("sbatch", {"script": "train.sh"}), "Submitted batch job 88204", "88204"),
        (tool_call("shell", {"cmd": "nohup ./fill > f.log 2>&1 & echo job 5512"}), "job 5512", "5512"),
        (tool_call("shell", {"command": "sleep 900 &"}), "[1] 40312", "40312"),
        (
            tool_call("sql", {"sql": "create index concurrently i on t(a)", "detach": True}),
            "detached, backend pid 30118",
            "30118",
        ),
        (tool_call("notify", {"segment": "n4"}), {"state": "queued", "job": "job-66120", "recipients": 7418}, "job-66120"),
        (
            tool_call("restore_start", {"into": "scratch"}),
            {"job": "rst-0313", "state": "running", "phase": "base 3%"},
            "rst-0313",
        ),
        (tool_call("exec", {"cmd": "render", "wait_s": 10}), {"session": "session 6027", "state": "running"}, "6027"),
        (tool_call("ci.pipeline.get", {"id": 70912}), {"id": 70912, "status": "running"}, "70912"),
        (tool_call("deploy.enqueue", {"artifact": "x"}), {"queued": "dq-3381", "runs_unattended": True}, "dq-3381"),
        (tool_call("job_start", {"task": "count"}), {"job_id": "j-9"}, "j-9"),
        (tool_call("x", {}), {"data": {"run_id": "r_1", "status": "in_progress"}}, "r_1"),
        (tool_call("export", {}), {"job": "e-1", "done": 120, "total": 400}, "e-1"),
    ],
)
def test_work_that_goes_on_is_running(call: Part, result: Any, handle: str) -> None:
    assert _states(_facts(result, call)) == [(handle, "running")]


@pytest.mark.parametrize(
    "call, result, expected",
    [
        (
            tool_call("TaskOutput", {"task_id": "bc95948"}),
            "<retrieval_status>not_ready</retrieval_status>\n\n<task_id>bc95948</task_id>\n\n<status>running</status>",
            ("bc95948", "running"),
        ),
        (
            tool_call("TaskOutput", {"task_id": "bc95948"}),
            "<task_id>bc95948</task_id>\n<status>completed</status>\n<exit_code>0</exit_code>\n<output>\n1 failed\n</output>",
            ("bc95948", "finished"),
        ),
        (tool_call("TaskStop", {"task_id": "b2ed671"}), "Successfully stopped task: b2ed671", ("b2ed671", "failed")),
        (
            tool_call("job_wait", {"job": "j-9"}),
            {"job": "j-9", "state": "finished", "result": {"a": 14}},
            ("j-9", "finished"),
        ),
        (tool_call("exec_poll", {"session": 6027}), {"state": "running", "out": "frame 388/2400"}, ("6027", "running")),
        (tool_call("exec_poll", {"session": 6027}), {"state": "exited", "code": 0}, ("6027", "finished")),
        (tool_call("ci.pipeline.wait", {"id": 70912}), {"id": 70912, "status": "success"}, ("70912", "finished")),
        (tool_call("agent_wait", {"agent": "rv-12"}), "rv-12 finished, 4 findings: T1 rounding", ("rv-12", "finished")),
        (tool_call("helper_result", {"helper": "hp-1"}), "slate: 95 EUR/m2, 80 years", ("hp-1", "finished")),
        (tool_call("job_result", {"job": "j-9"}), "not ready, try again", None),
        (tool_call("job_get", {"job": "j-9"}), {"job": "j-9", "status": "failed"}, ("j-9", "failed")),
        (tool_call("job_get", {"job": "j-9"}), {"job": "j-9", "status": "timed_out"}, ("j-9", "unknown")),
        (tool_call("export", {}), {"job": "e-1", "done": 400, "total": 400}, ("e-1", "finished")),
    ],
)
def test_polls_report_the_state_of_the_same_handle(call: Part, result: Any, expected: tuple[str, str] | None) -> None:
    assert _states(_facts(result, call)) == ([expected] if expected else [])


def test_a_list_reports_each_job() -> None:
    facts = _facts("hp-1 done, hp-2 running, hp-3 running", tool_call("helper_list", {}))
    assert _states(facts) == [("hp-1", "finished"), ("hp-2", "running"), ("hp-3", "running")]
    facts = _facts([{"agent": "a-1", "state": "running"}, {"agent": "a-2", "state": "done"}], tool_call("agent_list", {}))
    assert _states(facts) == [("a-1", "running"), ("a-2", "finished")]


@pytest.mark.parametrize(
    "call, result",
    [
        (
            tool_call("Task", {"description": "review"}),
            "All fine.\nagentId: abe7108 (for resuming to continue this agent's work if needed)",
        ),
        (tool_call("Bash", {"command": "git log -1"}), "9f2e4d1 start the queue, job 12 is queued in the docs"),
        (tool_call("orders_get", {"id": "O-1"}), {"id": "O-1", "status": "pending"}),
        (tool_call("ticket_get", {"id": "T-1"}), {"id": "T-1", "status": "in_progress"}),
        (tool_call("Bash", {"command": "make a && make b"}), "job 5512"),
        (tool_call("read_file", {"path": "jobs.md"}), "started hp-1 slate"),
        (tool_call("cancel_order", {"order_id": "O-7"}), {"ok": True}),
        (tool_call("search", {"q": "x"}), {"results": [{"task": "a longer sentence about work", "status": "running"}]}),
        (None, "Submitted."),
        (None, "{not json"),
        (None, ""),
    ],
)
def test_what_is_over_or_somebody_elses_is_no_job(call: Part | None, result: Any) -> None:
    assert _facts(result, call) == []


def test_a_failed_stop_ends_nothing() -> None:
    assert _facts("no such task", tool_call("TaskStop", {"task_id": "b2ed671"}), is_error=True) == []


def test_the_fact_says_what_it_is_and_where_it_is_listed() -> None:
    (fact,) = _facts(
        {"queued": "dq-3381", "registry": "table deploy.queue"}, tool_call("deploy.enqueue", {"description": "rollout"})
    )
    assert fact.attributes == {"handle": "dq-3381", "state": "running", "what": "rollout", "registry": "table deploy.queue"}
    assert "dq-3381" in fact.text
    (fact,) = _facts("started agent_7c2 (background, no registry)", tool_call("Task", {"description": "x"}))
    assert fact.get("registry") == ""


NOTICE = """<task-notification>
<task-id>ab7e996</task-id>
<status>completed</status>
<summary>Agent "tests" completed</summary>
</task-notification>"""


@pytest.mark.parametrize("kind", [MessageKind.NOTICE, MessageKind.MESSAGE])
def test_a_notification_of_the_runtime_ends_a_job(kind: MessageKind) -> None:
    message = Message(index=9, role="user", origin=Origin.USER, kind=kind, parts=(Part(type=PartType.TEXT, text=NOTICE),))
    (fact,) = plugin.barrier_extract_facts(message, Context(calls={}, tools={}, now=""))
    assert (fact.get("handle"), fact.get("state"), fact.get("what")) == ("ab7e996", "finished", 'Agent "tests" completed')
    assert fact.text == "<task-id>ab7e996</task-id>"


def test_prose_reports_no_job() -> None:
    text = "job 5512 is running in the background"
    message = Message(index=9, role="user", origin=Origin.USER, parts=(Part(type=PartType.TEXT, text=text),))
    assert list(plugin.barrier_extract_facts(message, Context(calls={}, tools={}, now=""))) == []


def test_every_attribute_is_declared() -> None:
    (kind,) = plugin.barrier_fact_kinds()
    (fact,) = _facts({"job": "j-1", "state": "running"})
    assert {attribute.name for attribute in kind.attributes} == set(fact.attributes)
    assert all(type(value) is str for value in fact.attributes.values())


@pytest.mark.parametrize("unit", ["<task-id>a</task-id>", "job 1 ", "a-1 done ", '{"a":', "[1] 22\n"])
def test_hostile_repetition_is_bounded(unit: str) -> None:
    assert len(_facts(unit * 5_000, BASH)) <= 200
