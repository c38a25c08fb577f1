"""What a summary tells of a conversation, sentence by sentence: honest ones pass, one that tells a thing wrongly does not (`told.yaml`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from barrier_policy import Decider
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Finding, Outcome

from .conftest import NOW, Compacted

CONVERSATIONS = yaml.safe_load(Path(__file__).with_name("told.yaml").read_text(encoding="utf-8"))
WAYS = {
    "false_completion": {"audit.contradicted", "audit.unsupported"},
    "false_release": {"audit.contradicted", "audit.unsupported"},
    "false_approval": {"audit.contradicted", "audit.unsupported"},
    "invented_order": {"audit.unsupported"},
    "name_swap": {"audit.altered"},
}
"""Ways to tell something wrongly, and the findings of which each brings one."""
Check = Callable[..., AuditReport]


def messages(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A conversation as chat messages."""
    found: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        if "call" in turn:
            name, arguments, result = turn["call"]
            function = {"name": name, "arguments": json.dumps(arguments, default=str)}
            call = {"id": f"c{number}", "type": "function", "function": function}
            found.append({"role": "assistant", "content": None, "tool_calls": [call]})
            found.append({"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(result, default=str)})
        else:
            role, text = next(iter(turn.items()))
            found.append({"role": {"agent": "assistant"}.get(role, role), "content": text})
    return found


@pytest.fixture(scope="module")
def compacted(compact: Callable[..., Compacted]) -> dict[str, Compacted]:
    """Every conversation as a gate leaves it: all but the last two turns may leave."""
    return {one["name"]: compact(messages(one["turns"]), keep_last=2, name=one["name"]) for one in CONVERSATIONS}


@pytest.mark.parametrize("one", CONVERSATIONS, ids=lambda one: one["name"])
def test_an_honest_summary_passes(one: dict[str, Any], compacted: dict[str, Compacted], check: Check) -> None:
    result = compacted[one["name"]]
    for text in one["honest"]:
        report = check(result, result.with_summary(text))
        assert [(f.rule, f.expected, f.found) for f in report.findings] == [], text
        assert report.outcome is Outcome.PASS


def told_wrongly() -> list[Any]:
    """Conversations and ways in which a sentence tells each wrongly; those that are not seen are marked."""
    reason = "words that no list has, in a sentence about something that nobody set limits to: docs/audit.md says so"
    unseen = pytest.mark.xfail(reason=reason, strict=True)
    return [
        pytest.param(one, way, one[key], id=f"{one['name']}-{key}", marks=[unseen] if key != way else [])
        for one in CONVERSATIONS
        for way in WAYS
        for key in (way, f"unseen_{way}")
        if key in one
    ]


@pytest.mark.parametrize(("one", "way", "sentence"), told_wrongly())
def test_what_is_told_wrongly_is_found(
    one: dict[str, Any], way: str, sentence: str, compacted: dict[str, Compacted], check: Check
) -> None:
    result = compacted[one["name"]]
    for carrier in ("", one["honest"][0]):
        report = check(result, result.with_summary(*filter(None, (carrier, sentence))))
        assert report.outcome is not Outcome.PASS
        assert WAYS[way] & {finding.rule for finding in report.findings}


def new_text(one: dict[str, Any], summary: str, decider: Decider) -> list[Finding]:
    """What another runtime's result, a summary in place of all but the last two messages, has in its new text."""
    before = messages(one["turns"])
    report = audit(before, [{"role": "user", "content": summary}, *before[-2:]], now=NOW, decider=decider)
    return [finding for finding in report.findings if finding.check in ("new text", "constraints")]


@pytest.mark.parametrize("one", CONVERSATIONS, ids=lambda one: one["name"])
def test_the_same_holds_without_a_carrier(one: dict[str, Any], decider: Decider) -> None:
    for summary in one["honest"]:
        assert [(f.rule, f.expected, f.found) for f in new_text(one, summary, decider) if f.rule != "audit.severed"] == []
