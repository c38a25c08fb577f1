"""What a reviewer reads of a barrier: its words, the places that it rests on, and what would lift it (design section 7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decision, Profile, decide
from barrier_policy.decision.model import Reason, SpanDecision
from barrier_policy.decision.remedies import NO_GAIN, NOTHING, PERMITTED
from barrier_policy.profile import FidelityClause
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.walk import Decider

NOW = "2026-06-01T12:00:00Z"
Messages = list[dict[str, Any]]
PASSWORD = "hunter2-Tr0ub4dor&3"


def call(name: str, **arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": function}]}


def result(name: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": content}


CHAT: Messages = [
    {"role": "system", "content": "You look after the shop. Never delete an order."},
    {"role": "user", "content": "Please move the orders to the new table."},
    call("start_migration", table="orders", key="mig-7f3c9"),
    result("start_migration", '{"state": "accepted", "migration_id": "mig_2240"}'),
    {"role": "assistant", "content": "It has begun."},
    {"role": "user", "content": "How far is it?"},
    call("get_migration", migration_id="mig_2240"),
    result("get_migration", '{"migration_id": "mig_2240", "state": "partial", "rows": 412}'),
    {"role": "assistant", "content": "It is half way."},
    {"role": "user", "content": "Good."},
    {"role": "assistant", "content": "Yes."},
]


def judge(messages: Messages = CHAT, **options: Any) -> Decision:
    return decide(messages, **({"keep_last": 2, "now": NOW, "store": False} | options))


def span_at(decision: Decision, message: int) -> SpanDecision:
    return next(span for span in decision.spans if span.messages[0] <= message < span.messages[1])


def reason(span: SpanDecision, rule: str) -> Reason:
    return next(found for found in span.reasons if found.rule == rule)


def repairs(span: SpanDecision) -> dict[str, tuple[tuple[str, ...], str]]:
    return {repair.kind: (repair.items, repair.discharged_by) for repair in span.repairs}


def test_an_unsettled_effect_is_told_in_words_with_its_call_and_what_showed_its_state() -> None:
    found = reason(span_at(judge(), 2), "effects.unsettled")
    assert found.explanation.startswith("start_migration (message 2) is partial: done only in part, and nothing shows it")
    (cited,) = found.evidence
    assert (cited.item, cited.message, cited.pointer, cited.state_from) == ("effect:2.0", 2, "/tool_calls/0", 7)
    assert found.lifted_by == "its outcome is confirmed by a result or a look-up"


def test_insufficient_evidence_cites_what_is_exact_and_names_the_proof_that_is_missing() -> None:
    found = reason(span_at(judge(), 2), "evidence.insufficient")
    assert [(entry.item, entry.kind, entry.message, entry.pointer) for entry in found.evidence] == [
        ("call:2.0", "call", 2, "/tool_calls/0"),
        ("result:3.0", "result", 3, "/content"),
    ]
    assert found.explanation.endswith("it has exact content, and no archived original")


def test_text_alone_is_cited_by_the_value_that_stands_in_it() -> None:
    messages = [{"role": "user", "content": "The order is ORD-20931-AX."}, *CHAT[9:]]
    (entry,) = reason(span_at(judge(messages), 0), "evidence.insufficient").evidence
    assert (entry.kind, entry.message, entry.pointer) == ("value", 0, "/content")


def test_a_place_is_never_named_like_an_item_so_that_no_audit_takes_it_for_one() -> None:
    found = Decider().analyse([{"role": "user", "content": "The order is ORD-20931-AX."}, *CHAT], keep_last=2, now=NOW)
    named = {item.id for item in found.join.ledger.items}
    for rule in ("evidence.insufficient", "zones.instructions"):
        reasons = [reason for span in found.decision.spans for reason in span.reasons if reason.rule == rule]
        cited = [entry.item for reason in reasons for entry in reason.evidence]
        assert cited and named.isdisjoint(cited)


def test_a_rule_about_a_zone_cites_the_message_and_a_half_pair_the_half() -> None:
    (cited,) = reason(span_at(judge(), 0), "zones.instructions").evidence
    assert (cited.item, cited.message, cited.pointer) == ("message:0.0", 0, "/content")
    apart = [*CHAT[:3], *({"role": "user", "content": "Well?"} for _ in range(20)), CHAT[3]]
    (half,) = reason(span_at(judge(apart, keep_last=1), 2), "zones.split-pair").evidence
    assert (half.item, half.pointer) == ("call:2.0", "/tool_calls/0")


@pytest.mark.parametrize("store", [False, True])
def test_a_retained_span_says_all_that_it_takes_to_lift_its_barriers(store: bool, tmp_path: Path) -> None:
    span = span_at(judge(store=tmp_path if store else False), 2)
    found = repairs(span)
    assert span.action == "retain"
    assert found["confirm"] == (("effect:2.0",), "its outcome is confirmed by a result or a look-up")
    assert found["archive"][0] == (span.id,)
    assert ("once it is given a store" in found["archive"][1]) == (not store)
    assert any(item.startswith("binding:") for item in found["rebind"][0])


def test_a_span_that_always_stays_has_no_repairs_and_says_so() -> None:
    span = span_at(judge(), 0)
    assert span.repairs == ()
    assert reason(span, "zones.instructions").lifted_by == NOTHING


def test_a_span_that_no_rule_permits_says_that_a_permit_is_missing() -> None:
    (span, *_) = Decider(policies=[]).analyse(CHAT, keep_last=2, now=NOW).decision.spans
    assert (span.reasons, span.action) == ((), "retain")
    assert repairs(span) == {"confirm": ((f"span:{span.id}",), PERMITTED)}


def test_a_missing_fidelity_clause_is_lifted_by_the_profile_and_not_by_the_items() -> None:
    profile = Profile(fidelity=FidelityClause(preserve=("intent",), audited=True))
    found = reason(span_at(judge(profile=profile), 2), "fidelity.clause-missing")
    assert found.explanation == "the profile does not ask summaries to keep bindings (fidelity.preserve)"
    assert found.lifted_by.startswith("the profile asks for audited summaries")


def test_a_rule_that_errs_is_named_as_what_has_to_be_mended(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: team, version: 1.0.0, owner: me}\nrules:\n"
        "  - {id: team.first, effect: barrier, severity: low, summary: s, why: w, references: [r],"
        " condition: 'span.effects[3].unsettled', repair: [confirm]}\n"
    )
    span = span_at(judge([{"role": "user", "content": "Hello."}, *CHAT[9:]], profile=Profile(overlays=(tmp_path,))), 0)
    assert repairs(span) == {"confirm": (("rule:team.first",), "the rule can be evaluated on the span")}


def test_a_refusal_says_of_a_span_whose_records_are_longer_that_nothing_is_gained(tmp_path: Path) -> None:
    short = [
        {"role": "user", "content": "Please run it."},
        call("ci_run", ref="b"),
        result("ci_run", '{"run": "run-20871", "state": "queued"}'),
        call("ci_status", run="run-20871"),
        result(
            "ci_status", '{"run": "run-20871", "state": "failed", "failed": ["test_labels", "test_prices", "test_returns"]}'
        ),
        *CHAT[9:],
    ]
    found = Decider().analyse(short, keep_last=2, now=NOW, store=FileStore(tmp_path), target_tokens=1)
    assert found.assessments[1].repairable and found.assessments[1].gain < 0
    assert {entry.discharged_by for entry in found.decision.blocking if entry.span == "1-2"} == {NO_GAIN}


SECRET: Messages = [
    {"role": "user", "content": f"The password of the shop is {PASSWORD}, and the order is ORD-20931-AX." + " Look." * 80},
    *CHAT[9:],
]


@pytest.mark.parametrize("messages", [CHAT, SECRET])
def test_excerpts_stand_in_the_decision_only_where_they_were_asked_for_and_change_nothing_else(messages: Messages) -> None:
    plain, told = judge(messages), judge(messages, excerpts=True)
    assert b'"excerpt"' not in plain.to_json()
    assert plain.decision_id == told.decision_id
    entries = [entry for span in told.spans for found in span.reasons for entry in found.evidence]
    assert entries and all(entry.excerpt and len(entry.excerpt) <= 200 for entry in entries)
    without = json.loads(told.to_json())
    for span in without["spans"]:
        for found in span["reasons"]:
            for entry in found["evidence"]:
                del entry["excerpt"]
    assert without == json.loads(plain.to_json())


def test_an_excerpt_holds_no_secret() -> None:
    assert PASSWORD.encode() not in judge(SECRET, excerpts=True).to_json()
    assert b"[secret " in judge(SECRET, excerpts=True).to_json()
