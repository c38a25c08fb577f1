"""Facts in prose: who may say what, and what is only shown."""

from __future__ import annotations

import pytest
from barrier_policy_plugins import prose as plugin
from barrier_policy_plugins.prose_cues import find_cues

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType

CONTEXT = Context(calls={}, tools={}, now="2026-01-01T00:00:00Z")
RULE_KINDS = {"constraint", "approval_gate"}


def _facts(
    text: str, origin: Origin, *, kind: MessageKind = MessageKind.MESSAGE, part: PartType = PartType.TEXT
) -> list[Fact]:
    message = Message(index=3, role="x", origin=origin, kind=kind, parts=(Part(type=part, text=text),))
    return list(plugin.barrier_extract_facts(message, CONTEXT))


def _kinds(text: str, origin: Origin, **how: MessageKind) -> set[str]:
    return {fact.kind for fact in _facts(text, origin, **how)}


SAID = [
    (Origin.USER, "constraint", "Never push to the release branch."),
    (Origin.USER, "constraint", "All prices in euros, always with two decimals."),
    (Origin.USER, "constraint", "Bitte nie vor neun Uhr anrufen."),
    (Origin.USER, "constraint", "发布周谁都不许改支付代码。"),
    (Origin.USER, "approval_gate", "Don't deploy anything before I have approved it."),
    (Origin.USER, "approval", "Yes, go ahead and send it."),
    (Origin.USER, "denial", "No, stop the import."),
    (Origin.USER, "request", "Please send me the list of open invoices."),
    (Origin.USER, "question", "How many replicas are running?"),
    (Origin.USER, "question", "哪个分支是最新的?"),
    (Origin.SYSTEM, "constraint", "Never reveal the names of other customers."),
    (Origin.DEVELOPER, "constraint", "Never reveal the names of other customers."),
    (Origin.AGENT, "commitment", "I'll send you the report tomorrow."),
    (Origin.AGENT, "status_pending", "The export is still running."),
    (Origin.AGENT, "status_failed", "The upload was rejected, nothing was written."),
    (Origin.AGENT, "negation_evidence", "There is no backup of that day."),
    (Origin.AGENT, "question", "Shall I delete the branch as well?"),
    (Origin.AGENT, "question", "Nog één ding over Emmen: mag de oude lijn dan meteen weg of blijft die als reserve?"),
]


@pytest.mark.parametrize("origin, kind, text", SAID, ids=[f"{origin}-{kind}-{text[:12]}" for origin, kind, text in SAID])
def test_a_plain_sentence_has_its_kind(origin: Origin, kind: str, text: str) -> None:
    found = [fact for fact in _facts(text, origin) if fact.kind == kind]
    assert [fact.text for fact in found] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "how many replicas do we have?",
        "What does the minus mean?",
        "thanks",
        "ok",
        "Thanks, that was quick.",
        "danke, passt",
        "Good morning, team.",
        "which one is the newest",
        "haha nice",
    ],
)
def test_questions_and_thanks_of_users_bind_nobody(text: str) -> None:
    assert not _kinds(text, Origin.USER) & (RULE_KINDS | {"commitment", "status_pending", "binding"})


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.RETRIEVED])
@pytest.mark.parametrize("_origin, _kind, text", SAID)
def test_tools_and_retrieved_content_say_nothing(origin: Origin, _origin: Origin, _kind: str, text: str) -> None:
    assert _facts(text, origin) == []


@pytest.mark.parametrize(
    "part", [PartType.REASONING, PartType.TOOL_CALL, PartType.TOOL_RESULT, PartType.BLOB, PartType.UNKNOWN]
)
def test_only_text_is_said(part: PartType) -> None:
    assert _facts("Never push to the release branch.", Origin.USER, part=part) == []


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_summaries_and_carriers_are_never_mined(kind: MessageKind) -> None:
    text = "Never push to the release branch. The export is still running."
    assert _facts(text, Origin.USER, kind=kind) == _facts(text, Origin.AGENT, kind=kind) == []


def test_a_notice_can_only_report_states() -> None:
    text = "Never push to the release branch. Background task b-7 is still running."
    assert _kinds(text, Origin.SYSTEM, kind=MessageKind.NOTICE) <= set(plugin.STATUSES)
    assert "status_pending" in _kinds(text, Origin.SYSTEM, kind=MessageKind.NOTICE)


def test_the_agent_makes_no_rules_and_gives_no_consent() -> None:
    text = "Never push to the release branch. Yes, go ahead. Please send me the list. The rule no longer applies."
    assert not _kinds(text, Origin.AGENT) & (RULE_KINDS | {"approval", "denial", "release", "request"})


@pytest.mark.parametrize("frame", ["```\n{}\n```", "> {}", "<output>\n{}\n</output>", "2026-01-01 10:00:00 INFO {}"])
def test_what_is_shown_makes_no_rule(frame: str) -> None:
    assert not _kinds("Look at this:\n\n" + frame.format("Never push to the release branch."), Origin.USER) & RULE_KINDS


def test_a_quoted_rule_is_a_mention() -> None:
    assert not _kinds("The sign on the door reads 'never enter without a badge'.", Origin.USER) & RULE_KINDS


def test_each_fact_is_verbatim_and_in_its_place() -> None:
    text = "Hello.\n\n- Never push to the release branch.\n- How many replicas are running?\n"
    for fact in _facts(text, Origin.USER):
        assert (fact.message, fact.part, text[fact.start : fact.end]) == (3, 0, fact.text)


def test_a_sentence_has_at_most_one_fact_of_a_kind() -> None:
    facts = _facts("Never push. Never push. Don't deploy before I say so.", Origin.USER)
    places = [(fact.kind, fact.start) for fact in facts]
    assert len(places) == len(set(places))


def test_attributes_are_those_that_are_declared() -> None:
    declared = {kind.name: {attribute.name for attribute in kind.attributes} for kind in plugin.barrier_fact_kinds()}
    for origin, _, text in SAID:
        for fact in _facts(text, origin):
            assert set(fact.attributes) == declared.get(fact.kind, {"state", "id", "source", "whole"})


def test_a_rule_says_what_it_demands() -> None:
    (rule,) = [fact for fact in _facts("Never write to the archive.", Origin.USER) if fact.kind == "constraint"]
    assert (rule.get("polarity"), rule.get("strength"), rule.get("scope")) == ("must_not", "hard", "to the archive")
    assert 0 <= rule.get("confidence") <= 100


def test_a_question_names_who_is_to_answer() -> None:
    assert [fact.get("to") for fact in _facts("Which one is it?", Origin.USER) if fact.kind == "question"] == ["agent"]
    assert [fact.get("to") for fact in _facts("Which one is it?", Origin.AGENT) if fact.kind == "question"] == ["user"]


def test_announcing_the_next_call_is_no_promise() -> None:
    parts = (
        Part(type=PartType.TEXT, text="I'll send you the report tomorrow."),
        Part(type=PartType.TOOL_CALL, text="{}", name="send"),
    )
    said, called = (
        Message(index=0, role="x", origin=Origin.AGENT, parts=parts[:1]),
        Message(index=0, role="x", origin=Origin.AGENT, parts=parts),
    )
    assert "commitment" in {fact.kind for fact in plugin.barrier_extract_facts(said, CONTEXT)}
    assert "commitment" not in {fact.kind for fact in plugin.barrier_extract_facts(called, CONTEXT)}
    assert "commitment" not in _kinds("I'll run the tests now:", Origin.AGENT)


def test_entries_with_a_box_are_left_to_the_plans() -> None:
    assert "plan_item" not in _kinds("- [ ] then the second half of the list", Origin.AGENT)


@pytest.mark.parametrize(
    "sentence, kind",
    [
        ("Yes, do it.", "approval"),
        ("The freeze no longer applies.", "release"),
        ("Двери можно снова открывать, запрет снят.", "release"),
        ("导入还在进行中。", "status_pending"),
        ("I'll be back.", "commitment"),
    ],
)
def test_cues_are_words_pairs_stems_and_pieces_of_unspaced_text(sentence: str, kind: str) -> None:
    assert kind in find_cues(sentence)


def test_a_cue_for_the_beginning_counts_only_there() -> None:
    assert "approval" not in find_cues("They said yes in the end and left")
