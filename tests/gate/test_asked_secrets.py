"""A secret that somebody gave because he was asked for it is in nothing that the gate tells (invariant 20)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from barrier_policy import Decider, Gate
from barrier_policy.decision.excerpts import with_excerpts
from barrier_policy.gate.observe import Observer
from barrier_policy.transcript.pairing import pair_calls

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"
ASIDE = "Birds find their way by the sun, by the stars and by the magnetic field of the earth. " * 6
GIVEN = [
    ("And what's the password for the portal?", "Gooseberry!4", "Gooseberry!4"),
    ("What's the code for the alarm?", "48151", "48151"),
    ("Wie lautet das Passwort?", "nimm Himbeere-77", "Himbeere-77"),
    ("Which password should I use?", "take Marmalade-3", "Marmalade-3"),
    ("Could you give me the PIN?", "it's 6620", "6620"),
]


def dialogue(question: str, reply: str, value: str) -> Messages:
    said = [
        "Please get my bill from the portal and switch off the alarm on Monday, never call me.",
        question,
        reply,
        f"Thank you, I used {value} and got the bill of 1,204.60 euros.",
        "btw how do birds find their way?",
        ASIDE,
        "wow, and in the night?",
        ASIDE,
        "never knew",
        "Now you do!",
    ]
    roles = ("user", "assistant")
    return [{"role": roles[index % 2], "content": text} for index, text in enumerate(said)]


@pytest.mark.parametrize("question, reply, value", GIVEN)
def test_it_is_in_no_fact_no_item_no_decision_and_no_excerpt(question: str, reply: str, value: str) -> None:
    decider = Decider()
    analysis = decider.analyse(dialogue(question, reply, value), now=NOW)
    messages = analysis.transcript.messages
    facts = decider.facts(analysis.transcript, pair_calls(messages), now=NOW)
    assert [fact.message for found in facts.by_message for fact in found if fact.kind == "secret"][:1] == [2]
    told = [
        *(msgspec.json.encode(found) for found in facts.by_message),
        msgspec.json.encode(analysis.join.ledger.items),
        analysis.decision.to_json(),
        with_excerpts(analysis.decision, analysis.join, analysis.masker).to_json(),
    ]
    assert not [text for text in told if value.encode() in text]


@pytest.mark.parametrize("question, reply, value", GIVEN)
def test_it_reaches_neither_the_summarizer_nor_the_carrier(question: str, reply: str, value: str, tmp_path: Path) -> None:
    requests: list[str] = []

    def summarize(request: Any) -> str:
        requests.append(json.dumps(request.to_dict()))
        return "They looked after a bill."

    gate = Gate(store=tmp_path / "store", summarizer=summarize)
    done = gate.compact(dialogue(question, reply, value), keep_last=2, now=NOW)
    assert requests and not any(value in text for text in requests)
    assert value not in done.carrier.text


@pytest.mark.parametrize("question, reply, value", GIVEN)
def test_observed_message_by_message_the_decision_is_the_same(question: str, reply: str, value: str) -> None:
    decider, messages = Decider(), dialogue(question, reply, value)
    observer = Observer(decider)
    for number, message in enumerate(messages, 1):
        observer.observe(message)
        known = decider.analyse(observer.records, now=NOW, memo=observer.memo)
        assert known.decision.to_json() == decider.analyse(messages[:number], now=NOW).decision.to_json()
        assert value.encode() not in known.decision.to_json()
