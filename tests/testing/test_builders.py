"""Builders make what readers and the walk make; runners say what a decision does."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from barrier_policy import Attribute, Fact, FactKind, MessageKind, Origin, PartType, hookimpl
from barrier_policy.errors import BarrierPolicyError, PolicyError
from barrier_policy.join.schema import CORE_TYPES
from barrier_policy.testing import (
    context_of,
    conversation,
    facts_of,
    message,
    run_policy_cases,
    span_actions,
    span_record,
    span_rules,
    tool_call,
    tool_result,
)
from barrier_policy.walk import Decider

ROOT = Path(__file__).parents[2]
TALK = conversation(
    message("Open the door.", role="user"),
    message("I will.", tool_call("open", {"door": "front"}, id="c7"), role="assistant"),
    message(tool_result({"door": "open"}, id="c7"), role="tool"),
    message("It is open.", role="assistant"),
)


def test_built_messages_are_those_that_a_reader_makes_of_the_same_talk() -> None:
    call = {"id": "c7", "type": "function", "function": {"name": "open", "arguments": '{"door": "front"}'}}
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": "Open the door."},
        {"role": "assistant", "content": "I will.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c7", "content": '{"door": "open"}'},
        {"role": "assistant", "content": "It is open."},
    ]
    read = Decider().read(chat).messages
    assert [(m.index, m.role, m.origin, m.kind) for m in TALK] == [(m.index, m.role, m.origin, m.kind) for m in read]
    names = ("type", "text", "call_id", "arguments")
    seen = [[[getattr(part, name) for name in names] for part in m.parts] for m in TALK]
    assert seen == [[[getattr(part, name) for name in names] for part in m.parts] for m in read]


def test_arguments_that_are_no_json_are_kept_as_they_are_written() -> None:
    part = tool_call("run", "{not json")
    assert (part.type, part.text, part.arguments) == (PartType.TOOL_CALL, "{not json", None)
    assert tool_call("run", '{"a": 1}').arguments == {"a": 1}
    assert tool_call("run").text == "{}"


def test_a_message_of_results_is_the_tools_whatever_its_role() -> None:
    assert message(tool_result("x"), role="user").origin is Origin.TOOL
    assert message("x", role="system").origin is Origin.SYSTEM


def test_the_context_has_the_call_that_a_result_answers_and_who_spoke_before() -> None:
    context = context_of(TALK, 2)
    assert context.calls == {0: TALK[1].parts[1]}
    assert context.previous is TALK[1]
    assert context_of(TALK, 3).previous is TALK[1]
    assert context_of(TALK, 0).previous is None


def test_a_notice_is_not_who_spoke_before() -> None:
    messages = conversation(
        message("Hello."), message("Remember.", kind=MessageKind.NOTICE), message("Yes?", role="assistant")
    )
    assert context_of(messages, 2).previous is messages[0]


def _echo() -> ModuleType:
    module = ModuleType("echo")

    @hookimpl
    def barrier_fact_kinds() -> Any:
        return [FactKind(name="echo.word", doc="x", attributes=(Attribute(name="size", type="int", doc="x"),))]

    @hookimpl
    def barrier_extract_facts(message: Any, context: Any) -> Any:
        return [Fact(kind="echo.word", message=message.index, attributes={"size": len(message.parts)})]

    module.barrier_fact_kinds = barrier_fact_kinds  # type: ignore[attr-defined]
    module.barrier_extract_facts = barrier_extract_facts  # type: ignore[attr-defined]
    return module


def test_facts_of_a_plugin_are_found_message_by_message() -> None:
    assert [(fact.message, fact.get("size")) for fact in facts_of(_echo(), *TALK)] == [(0, 1), (1, 2), (2, 1), (3, 1)]


def test_a_span_record_has_every_field_and_those_given() -> None:
    record = span_record(tokens=7, effects=[{"tool": "pay", "unsettled": True}])
    (span,) = (entry for entry in CORE_TYPES if entry.name == "Span")
    assert list(record) == [field.name for field in span.fields]
    assert (record["tokens"], record["zone"], record["provenance"]["present"]) == (7, "", False)
    assert record["effects"][0]["tool"] == "pay" and record["effects"][0]["key"] == ""


def test_a_span_record_has_the_facts_of_plugins_by_their_namespace() -> None:
    (kind,) = _echo().barrier_fact_kinds()
    assert span_record([kind])["echo"] == {"word": []}
    assert span_record([kind], echo={"word": [{"size": 3}]})["echo"]["word"][0]["size"] == 3


def test_a_field_that_no_record_has_is_refused() -> None:
    with pytest.raises(ValueError, match=r"`Effect` has no field `tol` .*did you mean `tool`"):
        span_record(effects=[{"tol": "pay"}])


POLICY = """
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: chatter, version: 1.0.0, owner: x}
rules:
  - id: chatter.keep-long
    effect: barrier
    severity: low
    summary: x
    why: x
    references: [x]
    since: 1.0.0
    condition: span.tokens > 5
    explanation: "'long'"
"""
CASES = """
apiVersion: barrier-policy/v1
kind: PolicyTest
policy: chatter
cases:
  - {name: long, rule: chatter.keep-long, span: {tokens: 6}, expect: {outcome: "true"}}
  - {name: short, rule: chatter.keep-long, span: {tokens: 5}, expect: {outcome: "true"}}
"""
CHAT: list[dict[str, Any]] = [
    {"role": "assistant", "content": "The light is soft this morning, and the roses look lovely."},
    {"role": "user", "content": "Yes."},
]


def test_cases_of_a_folder_are_run_on_top_of_the_shipped_policies(tmp_path: Path) -> None:
    (tmp_path / "chatter.yaml").write_text(POLICY)
    with pytest.raises(BarrierPolicyError, match="no cases"):
        run_policy_cases(tmp_path)
    (tmp_path / "chatter_test.yaml").write_text(CASES)
    assert [(result.case.name, result.passed) for result in run_policy_cases(tmp_path)] == [("long", True), ("short", False)]
    (tmp_path / "chatter_test.yaml").write_text(CASES.replace("tokens: 5", "tokns: 5"))
    with pytest.raises(PolicyError, match="did you mean `tokens`"):
        run_policy_cases(tmp_path)


def test_the_shipped_cases_hold() -> None:
    results = run_policy_cases(ROOT / "policies")
    assert len(results) > 50 and all(result.passed for result in results)


def test_actions_and_rules_of_a_transcript_are_told_by_span(tmp_path: Path) -> None:
    (tmp_path / "chatter.yaml").write_text(POLICY)
    assert span_actions(CHAT) == {"0": "summarize"}
    assert span_rules(CHAT) == {"0": ("evidence.narrative",)}
    assert span_actions(CHAT, policies=tmp_path) == {"0": "retain"}
    assert span_rules(CHAT, policies=tmp_path) == {"0": ("chatter.keep-long",)}
    file = tmp_path / "chat.json"
    file.write_text(json.dumps(CHAT))
    assert span_actions(file, keep_last=2) == {}
