"""Messages observed one by one are decided as if they were read at once: after every message (invariant 11)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from barrier_policy import Context, Decider, Fact, Gate, Message
from barrier_policy.errors import TranscriptError
from barrier_policy.facts.memo import FactMemo
from barrier_policy.gate.observe import Observer
from barrier_policy.plugins import Extractor, load_plugins

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"
ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "data" / "cases" / "second.jsonl"
SHARED = ROOT.parent / "shared" / "transcripts"


def cases() -> list[Messages]:
    return [json.loads(line)["messages"] for line in CASES.read_text(encoding="utf-8").splitlines()[:12]]


def records_of(path: Path) -> Messages:
    """What a runtime would have shown one by one: the rows of JSON Lines, or the list of a document; empty if it has neither."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        document = (
            [json.loads(row) for row in text.splitlines() if row.strip()] if path.suffix == ".jsonl" else json.loads(text)
        )
    except ValueError:
        return []
    if isinstance(document, dict):
        document = document.get("messages") or document.get("history") or document.get("traj")
    whole = isinstance(document, list) and all(isinstance(record, dict) for record in document)
    return document if whole else []


def recorded() -> list[Messages]:
    """The recorded conversations whose file is or has a list, six records or more, the shortest first."""
    found = [records_of(path) for path in sorted(SHARED.glob("*/*.json*")) if path.stat().st_size < 400_000]
    return sorted((messages for messages in found if len(messages) >= 6), key=len)


def is_read(decider: Decider, messages: Messages) -> bool:
    try:
        return bool(decider.read(messages).messages)
    except TranscriptError:
        return False


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


def decided(decider: Decider, messages: Messages, memo: FactMemo | None = None) -> bytes | str:
    """The decision, or the words of the refusal to read so few records."""
    try:
        return decider.analyse(messages, now=NOW, memo=memo).decision.to_json()
    except TranscriptError as error:
        return str(error)


def assert_equal_after_every_prefix(decider: Decider, messages: Messages, step: int = 1) -> None:
    observer = Observer(decider)
    for number, message in enumerate(messages, 1):
        observer.observe(message)
        if number % step == 0 or number == len(messages):
            assert decided(decider, observer.records, memo=observer.memo) == decided(decider, messages[:number])


@pytest.mark.parametrize("messages", cases())
def test_equal_after_every_prefix_of_a_case(decider: Decider, messages: Messages) -> None:
    assert_equal_after_every_prefix(decider, messages)


def test_equal_for_the_incident(decider: Decider) -> None:
    messages = json.loads((ROOT / "examples" / "incident.json").read_text(encoding="utf-8"))["messages"]
    assert_equal_after_every_prefix(decider, messages, step=60)


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/transcripts")
def test_equal_after_every_prefix_of_fifty_recorded_conversations(decider: Decider) -> None:
    compared = [messages for messages in recorded() if is_read(decider, messages)][:50]
    for messages in compared:
        assert_equal_after_every_prefix(decider, messages)
    assert len(compared) == 50


def test_what_is_known_is_not_found_again(decider: Decider) -> None:
    observer = Observer(decider)
    messages = cases()[0]
    for message in messages:
        observer.observe(message)
    seen: list[int] = []
    shipped = decider.plugins.extractors
    counting = [
        msgspec.structs.replace(
            e,
            extract=lambda message, context, e=e: seen.append(message.index) or e.extract(message=message, context=context),
        )
        for e in shipped
    ]
    watched = Decider(plugins=msgspec.structs.replace(decider.plugins, extractors=tuple(counting)))
    watched.analyse(observer.records, now=NOW, memo=observer.memo)
    assert seen == []


def test_a_result_without_an_id_is_found_again_and_right(decider: Decider) -> None:
    call = {"id": "", "type": "function", "function": {"name": "send_email", "arguments": '{"to": "a@example.test"}'}}
    messages = [
        {"role": "user", "content": "Write to a@example.test."},
        {"role": "assistant", "content": None, "tool_calls": [call, {**call}]},
        {"role": "tool", "content": "sent, id m-4411"},
        {"role": "tool", "content": "sent, id m-4412"},
        {"role": "user", "content": "Thanks."},
    ]
    assert_equal_after_every_prefix(decider, messages)


def test_an_extractor_that_asks_for_the_time_is_asked_again() -> None:
    def clock(message: Message, context: Context) -> list[Fact]:
        return [Fact(kind="value", message=message.index, text=context.now, attributes={"type": "timestamp"})]

    plugins = load_plugins()
    outside = Extractor(name="clock", version="1", extract=clock, declares=frozenset({"value"}))
    decider = Decider(plugins=msgspec.structs.replace(plugins, extractors=(*plugins.extractors, outside)))
    observer = Observer(decider)
    for message in cases()[0]:
        observer.observe(message)
    for now in (NOW, "2027-01-01T00:00:00Z"):
        at_once = decider.analyse(observer.records, now=now).decision
        assert decider.analyse(observer.records, now=now, memo=observer.memo).decision.to_json() == at_once.to_json()


def test_a_message_that_was_changed_is_read_anew(decider: Decider) -> None:
    observer = Observer(decider)
    messages = cases()[1]
    for message in messages:
        observer.observe(message)
    changed = [*messages[:-2], {"role": "user", "content": "Never use port 9417 for it."}, messages[-1]]
    at_once = decider.analyse(changed, now=NOW).decision
    assert decider.analyse(changed, now=NOW, memo=observer.memo).decision.to_json() == at_once.to_json()


def test_what_is_no_message_of_its_format_stays_verbatim_as_in_a_list(tmp_path: Path) -> None:
    gate = Gate(store=tmp_path, summarizer=lambda request: "They spoke of roses.")
    messages: Messages = [
        {"role": "user", "content": "How did the roses do?"},
        {"role": "assistant", "content": "The roses along the fence were cut back in spring and have grown again. " * 9},
        {"role": "user", "content": "Good."},
        {"role": "assistant", "content": "Yes."},
        {"what": "ever"},
        {"role": "user", "content": "hello again"},
    ]
    for message in messages:
        gate.observe(message)
    assert gate.plan(keep_last=1, now=NOW).to_json() == gate.plan(messages, keep_last=1, now=NOW).to_json()
    done = gate.compact(keep_last=1, now=NOW)
    assert done.outcome == "compacted" and messages[4] in done.messages
