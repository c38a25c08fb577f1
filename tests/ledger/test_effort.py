"""What a decision does grows with the transcript and no faster, whatever it is made of: calls of functions are counted, for seconds differ
from run to run."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from barrier_policy import Decider

Messages = list[dict[str, Any]]
Counting = Callable[[], AbstractContextManager[list[int]]]
STEPS = (100, 200, 400)
MOST = 2.3
"""How much more twice the steps may add: 2 where each costs the same, 4 where each costs as much as there are others."""
NOW = "2026-06-01T12:00:00Z"
DONE = '{"status": "done"}'
SAID = (("user", "Thanks."), ("assistant", "You're welcome."))


def said(*lines: tuple[str, str]) -> Messages:
    return [{"role": role, "content": text} for role, text in lines]


def called(numbers: range, name: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps({"target": f"ord-{n}-qx"})}}
        for n in numbers
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answered(number: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def in_one_message(steps: int, name: str, answer: str) -> Messages:
    return [*said(("user", "Write to all.")), called(range(steps), name), *(answered(n, answer) for n in range(steps))]


def in_one_turn(steps: int, name: str, answer: str) -> Messages:
    pairs = ((called(range(n, n + 1), name), answered(n, answer)) for n in range(steps))
    return [*said(("user", "Work through the list.")), *(message for pair in pairs for message in pair)]


def talk(steps: int, user: str, agent: str) -> Messages:
    return [message for n in range(steps) for message in said(("user", user.format(n)), ("assistant", agent.format(n)))]


SHAPES: dict[str, Callable[[int], Messages]] = {
    "deeds in one message": lambda steps: in_one_message(steps, "send_email", DONE),
    "silent deeds in one message": lambda steps: in_one_message(steps, "send_email", "{}"),
    "deeds in one turn": lambda steps: in_one_turn(steps, "send_email", "Sent."),
    "look-ups in one turn": lambda steps: in_one_turn(steps, "get_order", '{"state": "paid"}'),
    "failed deeds in one turn": lambda steps: in_one_turn(steps, "deploy_service", "error: connection reset by peer"),
    "queued jobs in one turn": lambda steps: in_one_turn(steps, "deploy_service", '{"status": "queued"}'),
    "calls without an answer": lambda steps: [
        *said(("user", "Go.")),
        *(called(range(n, n + 1), "send") for n in range(steps)),
    ],
    "rules": lambda steps: talk(steps, "Never deploy service {} while the export is running.", "Understood."),
    "open questions": lambda steps: talk(steps, "I don't know about {}.", "Which warehouse should I take for {}?"),
    "promises": lambda steps: talk(steps, "Fine.", "I will check the invoice {} again tomorrow and tell you."),
    "statements": lambda steps: talk(steps, "My account number is ACC-{}-77.", "Noted."),
}


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_many_take_twice_the_work(decider: Decider, counting: Counting, shape: str) -> None:
    def work(steps: int) -> int:
        with counting() as calls:
            decider.decide([*SHAPES[shape](steps), *said(*SAID)], now=NOW, keep_last=2)
        return calls[0]

    work(STEPS[0])  # what is kept once it is known
    few, twice, four_times = map(work, STEPS)
    assert (four_times - twice) / (twice - few) < MOST
