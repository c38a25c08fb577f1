"""Requests for a summary, a small conversation, and a gate over a store of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.builder import origin_of
from barrier_policy.transcript.model import Message, Part, PartType
from barrier_policy.transcript.tokens import message_tokens

ROSES = "The roses along the fence were cut back in spring, and by June they had grown over the gate again. " * 4

Messages = list[dict[str, Any]]
Asked = Callable[..., SummaryRequest]


@pytest.fixture
def asked() -> Asked:
    """A request about messages given as (role, text) or as ready messages; without any, about roses."""

    def make(*messages: tuple[str, str] | Message, max_tokens: int = 400) -> SummaryRequest:
        found = tuple(
            entry
            if isinstance(entry, Message)
            else Message(
                index=index, role=entry[0], origin=origin_of(entry[0]), parts=(Part(type=PartType.TEXT, text=entry[1]),)
            )
            for index, entry in enumerate(messages or [("user", "How did the roses do?"), ("assistant", ROSES)])
        )
        return SummaryRequest(
            messages=found, tokens=sum(map(message_tokens, found)), max_tokens=max_tokens, preserve=("decisions", "bindings")
        )

    return make


NOW = "2026-06-01T12:00:00Z"
SENTENCE = "The user and the agent looked after the service."


def call(number: int, tool: str, /, **arguments: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }


def result(number: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


LOG = "\n".join(f"2026-06-01 10:{minute:02d} worker {minute % 7} handled batch {minute * 31}" for minute in range(40))
CONVERSATION: Messages = [
    {"role": "system", "content": "You look after the billing service."},
    user("Never restart billing-db before the nightly export has ended. How does the log look?"),
    call(1, "read_file", path="/var/log/billing/worker.log"),
    result(1, LOG),
    agent("The workers handle their batches, nothing stands out. " + "Each of them is busy and none is late. " * 12),
    user("Write the new limit into the configuration, 8150 it is."),
    call(2, "write_file", path="/etc/billing/limits.yaml", content="max_batch: 8150\n"),
    result(2, "ok, wrote 16 bytes to /etc/billing/limits.yaml"),
    agent("The limit is in /etc/billing/limits.yaml now."),
    user("Start the reindex with a key, please."),
    call(3, "start_reindex", index="invoices", idempotency_key="reidx-0601-7f3a"),
    result(3, '{"job": "rx-5512", "state": "accepted"}'),
    agent("It is accepted."),
    user("And what does the dashboard say?"),
    call(4, "get_dashboard", name="billing"),
    result(4, "error rate 0.02 %, latency 41 ms"),
    agent("All quiet."),
    user("Good. Go on then."),
]


@pytest.fixture
def conversation() -> Messages:
    return json.loads(json.dumps(CONVERSATION))  # type: ignore[no-any-return]


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(store=tmp_path / "store", summarizer=lambda request: SENTENCE)


@pytest.fixture
def gate_with(tmp_path: Path) -> Callable[..., Gate]:
    return lambda **options: Gate(**{"store": tmp_path / "store", "summarizer": lambda request: SENTENCE, **options})
