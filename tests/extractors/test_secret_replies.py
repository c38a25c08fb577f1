"""Secrets told as a reply to what asks for them, and replies that tell none: both lists are data (`tests/data/secrets/`)."""

from __future__ import annotations

import csv
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from barrier_policy_plugins import secrets as plugin

from barrier_policy import Context, Message, Origin, Part, PartType
from barrier_policy.facts.secret_asking import ASKING, asking_words
from barrier_policy.facts.secret_replies import MAX_REPLY, find_replied
from barrier_policy.facts.secret_words import WORDS

DATA = Path(__file__).parent.parent / "data" / "secrets"


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [{key: value.replace("\\n", "\n") for key, value in row.items()} for row in rows]


def _shown(row: dict[str, str]) -> str:
    return f"{row['question']} {row['reply']}"


def _said(text: str, *, index: int = 1, origin: Origin = Origin.USER) -> Message:
    return Message(index=index, role=origin.value, origin=origin, parts=(Part(type=PartType.TEXT, text=text),))


def _found(message: Message, previous: Message | None = None, calls: dict[int, Part] | None = None) -> list[str]:
    context = Context(calls=calls or {}, tools={}, now="2026-01-01T00:00:00Z", previous=previous)
    facts = plugin.barrier_extract_facts(message, context)
    return sorted({message.parts[fact.part].text[fact.start : fact.end] for fact in facts})


@pytest.mark.parametrize("row", _rows("replied.tsv"), ids=_shown)
@pytest.mark.parametrize("asker, replier", [(Origin.AGENT, Origin.USER), (Origin.USER, Origin.AGENT)])
def test_what_a_reply_tells_is_a_secret_where_its_question_asks_for_one(
    row: dict[str, str], asker: Origin, replier: Origin
) -> None:
    question = _said(row["question"], index=0, origin=asker)
    assert _found(_said(row["reply"], origin=replier), question) == [row["value"]]


@pytest.mark.parametrize("row", _rows("not_replied.tsv"), ids=_shown)
def test_a_reply_that_tells_no_secret_stays_readable(row: dict[str, str]) -> None:
    assert _found(_said(row["reply"]), _said(row["question"], index=0, origin=Origin.AGENT)) == []


def test_nobody_replies_to_himself() -> None:
    question = _said("And what's the password?", index=0, origin=Origin.AGENT)
    assert _found(_said("bluewhale", origin=Origin.AGENT), question) == []
    assert _found(_said("bluewhale")) == []


def _reply_to_call(name: str, arguments: Any, reply: str) -> list[str]:
    call = Part(type=PartType.TOOL_CALL, name=name, arguments=arguments)
    part = Part(type=PartType.TOOL_RESULT, text=reply)
    return _found(Message(index=3, role="tool", origin=Origin.TOOL, parts=(part,)), calls={0: call})


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("ask_user", {"question": "What's the wifi password?"}),
        ("AskUserQuestion", {"questions": [{"question": "Which password should I use?", "header": "Login"}]}),
        ("mcp__desk__prompt", {"text": "Enter the PIN or password of the box:"}),
    ],
)
def test_what_a_call_asks_somebody_for_is_a_secret_in_its_result(name: str, arguments: Any) -> None:
    assert _reply_to_call(name, arguments, "Marmalade-3") == ["Marmalade-3"]


def test_the_result_of_a_call_that_asks_nobody_is_no_reply() -> None:
    assert _reply_to_call("search", {"query": "What's the wifi password?"}, "Marmalade-3") == []


def test_only_the_beginning_of_a_reply_is_read() -> None:
    assert list(find_replied("And what's the password?", "\n" * MAX_REPLY + "Marmalade-3")) == []


def test_every_language_with_words_for_secrets_has_words_to_ask_for_them() -> None:
    assert len(ASKING) >= 42
    assert set(WORDS) - {"any"} <= set(ASKING)


@pytest.mark.parametrize("kind", ["what", "requests", "others", "leads", "declines"])
def test_words_to_ask_with_are_in_lower_case(kind: str) -> None:
    assert all(word and word == word.lower().strip() for word in asking_words(kind))


def test_many_questions_and_signs_are_read_in_bounded_time() -> None:
    before = process_time()
    for _ in range(20):
        list(find_replied("What's the PIN? " * 400, "is: 12 " * 400))
    assert process_time() - before < 20
