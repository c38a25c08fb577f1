"""What CI systems read of a decision."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from barrier_policy.report.junit import render_junit
from barrier_policy.report.model import ErrorView, Report
from barrier_policy.report.sarif import render_sarif

Make = Callable[..., Report]
Chat = list[dict[str, Any]]


def run(report: Report) -> dict[str, Any]:
    log = json.loads(render_sarif(report))
    assert log["version"] == "2.1.0"
    (found,) = log["runs"]
    assert isinstance(found, dict)
    return found


def suite(report: Report) -> ElementTree.Element:
    found = ElementTree.fromstring(render_junit(report)).find("testsuite")
    assert found is not None
    return found


def test_every_barrier_reason_is_a_result_of_a_described_rule(deploy: Report) -> None:
    found = run(deploy)
    wanted = [(reason.rule, span.id) for span in deploy.spans for reason in span.reasons if reason.effect == "barrier"]
    assert [(result["ruleId"], result["properties"]["span"]) for result in found["results"]] == wanted
    rules = found["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in found["results"])
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)


def test_a_result_stands_at_the_line_and_pointer_of_its_evidence(make: Make, chat: Chat) -> None:
    lines = b"\n".join(json.dumps(message).encode() for message in chat)
    results = run(make(lines, file="runs/a b.jsonl"))["results"]
    place = next(result for result in results if result["ruleId"] == "effects.unsettled")["locations"][0]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "runs/a%20b.jsonl"}, "region": {"startLine": 4}}
    assert place["logicalLocations"][0]["fullyQualifiedName"].startswith("/tool_calls/0")


def test_levels_follow_severity_and_what_the_plan_repairs_is_a_note(make: Make, chat: Chat) -> None:
    messages = [
        chat[0],
        *[{"role": "user", "content": f"Never touch prod-{n}. " + "The sky is blue. " * 40} for n in (1, 2)],
        *chat[2:],
    ]
    found = run(make(messages))
    levels = {(result["properties"]["action"], result["level"]) for result in found["results"]}
    assert ("retain", "error") in levels
    assert {level for action, level in levels if action == "repair"} <= {"note"}


def test_fingerprints_do_not_depend_on_the_place_of_a_span(make: Make, chat: Chat) -> None:
    def prints(messages: Chat) -> set[tuple[str, str]]:
        return {
            (found["ruleId"], found["partialFingerprints"]["spanAndRule/v1"]) for found in run(make(messages))["results"]
        }

    moved = [chat[0], {"role": "assistant", "content": "The light is soft."}, *chat[1:]]
    assert len(prints(chat)) > 3
    assert prints(chat) <= prints(moved)


def test_a_refusal_has_exit_code_one_in_the_log(deploy: Report, refused: Report) -> None:
    assert run(deploy)["invocations"][0]["exitCode"] == 0
    assert run(refused)["invocations"][0]["exitCode"] == 1


def test_every_span_is_a_test_case_and_one_that_stays_is_skipped(deploy: Report) -> None:
    found = suite(deploy)
    cases = found.findall("testcase")
    assert [case.get("name") for case in cases] == [f"span {span.id}" for span in deploy.spans]
    skipped = [case.find("skipped") is not None for case in cases]
    assert skipped == [span.action == "retain" for span in deploy.spans]
    assert (found.get("tests"), found.get("failures"), found.get("errors")) == (str(len(cases)), "0", "0")


def test_a_span_that_keeps_the_target_out_of_reach_fails(refused: Report) -> None:
    failed = {case.get("name") for case in suite(refused).iter("testcase") if case.find("failure") is not None}
    assert failed == {entry.span if entry.span == "tail" else f"span {entry.span}" for entry in refused.blocking}


@pytest.fixture
def broken(deploy: Report) -> Report:
    """The report of a decision in which a rule could not be evaluated."""
    error = ErrorView(rule=deploy.rules[0].id, part="condition", message="`x` could not be evaluated")
    first = msgspec.structs.replace(deploy.spans[0], errors=(error,))
    return msgspec.structs.replace(deploy, spans=(first, *deploy.spans[1:]))


def test_a_rule_that_can_not_be_evaluated_is_an_error(broken: Report) -> None:
    assert suite(broken).get("errors") == "1"
    (notification,) = run(broken)["invocations"][0]["toolExecutionNotifications"]
    assert notification["associatedRule"] == {"id": broken.rules[0].id}


def test_hostile_text_is_xml_and_json_that_every_reader_takes(make: Make) -> None:
    hostile = "]]><x/>&\x00\x1b\ud800\ufffe\uffff\u202e\"'"
    report = make(
        [
            {"role": "user", "content": f"Never touch prod-7781 {hostile} now."},
            {"role": "user", "content": f"Please deploy {hostile}."},
        ],
        keep_last=0,
        file=hostile,
    )
    assert suite(report).get("name") == report.head.file
    assert run(report)["results"]


@pytest.mark.parametrize("which", ["deploy", "refused", "broken"])
def test_strict_readers_take_the_suite(
    which: str, request: pytest.FixtureRequest, junit_problems: Callable[[bytes], list[str]]
) -> None:
    assert junit_problems(render_junit(request.getfixturevalue(which))) == []


def test_same_inputs_same_bytes(make: Make, chat: Chat) -> None:
    assert render_sarif(make(chat)) == render_sarif(make(chat))
    assert render_junit(make(chat)) == render_junit(make(chat))
