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


SECRET = "sk-ant-api03-" + "Zx9Qw2Er5Ty8Ui1Op4As7Df0Gh3Jk6Lz"


def test_no_finding_on_a_request_shows_the_secret_in_it(decider: Decider) -> None:
    turns = [
        {"user": f"Send the report to Kim with the api key {SECRET}."},
        {"agent": "One moment."},
        {"user": "Thanks."},
        {"agent": "Fine."},
    ]
    before = messages(turns)
    after = [{"role": "user", "content": "The report with the api key was sent to Kim."}, *before[-2:]]
    report = audit(before, after, now=NOW, decider=decider)
    assert "audit.contradicted" in {finding.rule for finding in report.findings}
    assert SECRET not in report.to_json().decode()


SHOP = next(one for one in CONVERSATIONS if one["name"] == "refunds")


@pytest.mark.parametrize(
    ("summary", "rule"),
    [
        ("create_refund for ORD-77120: refund_id rf_9a8b7c6d5e, status pending, still pending.", "audit.contradicted"),
        (
            "- Never refund more than 200 EUR without asking Dana first.\n- Try not to refund more than 200 EUR without asking Dana.",
            "audit.weakened",
        ),
        ("- Never refund more than 200 EUR without asking Dana first.\n- Dana lifted this rule.", "audit.contradicted"),
        (
            "- Never refund more than 200 EUR without asking Dana first.\n- Never refund more than 200 EUR without asking Dave first.",
            "audit.altered",
        ),
        ("The user approved refunds of any size.", "audit.contradicted"),
        ("The customer was emailed. Emailing the customer is still to do.", "audit.contradicted"),
    ],
)
def test_one_true_line_does_not_excuse_a_false_one(summary: str, rule: str, decider: Decider) -> None:
    assert rule in {finding.rule for finding in new_text(SHOP, summary, decider)}


def test_who_quotes_before_word_for_word_claims_nothing(decider: Decider) -> None:
    turns = [
        {"user": "Dana said that Kofi approved the transfer of 12 pallets to Narvik."},
        {"agent": "The transfer was made, I think."},
    ]
    one = {"turns": [*turns, {"user": "Thanks."}, {"agent": "Fine."}]}
    assert new_text(one, "The agent said: “The transfer was made, I think.”", decider) == []
    assert new_text(one, "The user said: “Kofi approved the sale of the harbour crane.”", decider) != []


def test_two_ids_under_each_others_tools_are_misbound(decider: Decider) -> None:
    ship = {"call": ["ship_order", {"order": "ORD-88231"}, {"shipment": "SHP-4417", "status": "succeeded"}]}
    one = {"turns": [*SHOP["turns"][:4], ship, *SHOP["turns"][4:]]}
    right = "create_refund ORD-77120 succeeded with 120 EUR. ship_order ORD-88231 succeeded."
    swapped = "create_refund ORD-88231 succeeded with 120 EUR. ship_order ORD-77120 succeeded."
    assert "audit.misbound" not in {finding.rule for finding in new_text(one, right, decider)}
    assert "audit.misbound" in {finding.rule for finding in new_text(one, swapped, decider)}


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        ("The user wants the dashboard colours reviewed by the design team.", Outcome.INCONCLUSIVE),
        ("The user wants order ORD-77120 refunded and the customer emailed.", Outcome.PASS),
    ],
)
def test_a_wish_that_nobody_had_is_no_order(
    summary: str, outcome: Outcome, compacted: dict[str, Compacted], check: Check
) -> None:
    result = compacted["refunds"]
    assert check(result, result.with_summary(summary)).outcome is outcome


@pytest.fixture(scope="module")
def incident(compact: Callable[..., Compacted]) -> Compacted:
    return compact(Path(__file__).parents[2] / "examples" / "incident.json", keep_last=10, name="incident")


@pytest.mark.parametrize(
    "summary",
    [
        "The migration of orders was completed.",
        "The orders migration ran to its end without errors.",
        "Migration mig_2240 is done.",
        "mig_2240 completed with all columns rewritten.",
        "The orders table is fully on schema 2.",
        "Deployments on Fridays after 14:00 are allowed.",
        "The user approved everything and released the Friday rule; deployments are allowed on Fridays.",
        "Use a new idempotency key for the orders migration.",
    ],
)
def test_the_incident_is_not_told_as_ended(summary: str, incident: Compacted, check: Check) -> None:
    assert check(incident, incident.with_summary(summary)).outcome is not Outcome.PASS


@pytest.mark.parametrize(
    "summary",
    [
        "Routine work was done.",
        "The user and the agent looked at dashboards and logs.",
        "The agent started the migration of orders; it is partly done and waits for Tobias.",
        "Nothing goes out on Fridays after 14:00.",
    ],
)
def test_what_is_true_of_the_incident_may_be_told(summary: str, incident: Compacted, check: Check) -> None:
    assert check(incident, incident.with_summary(summary)).outcome is Outcome.PASS
