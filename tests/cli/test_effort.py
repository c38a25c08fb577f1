"""What a command does grows with the transcript and no faster: calls of functions are counted, for seconds differ from run to run."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.walk import Decider

Runner = Callable[..., Any]
Counting = Callable[[], AbstractContextManager[list[int]]]
STEPS = (50, 100, 200)
MOST = 2.3
"""How much more twice the steps may add: 2 where each costs the same, 4 where each costs as much as there are others."""


def conversation(steps: int) -> bytes:
    """Orders, rules, effects and small talk: what every span of it says is its own."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You run the hosts."}]
    for number in range(steps):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "set_limit", "arguments": json.dumps({"host": f"web-{number}", "limit": 100 + number})},
        }
        messages += [
            {"role": "user", "content": f"Set the limit of web-{number} to {100 + number}, but never restart db-{number}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps({"status": "ok", "id": f"op_{number:05}"})},
            {"role": "user", "content": "The light is soft this morning."},
        ]
    return json.dumps(messages).encode()


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "{file}", "-o", "out"],
        ["report", "{file}", "-o", "out", "--format", "sarif"],
        ["report", "{file}", "-o", "out", "--format", "junit"],
        ["explain", "{file}", "1"],
        ["carrier", "show", "{file}", "--planned"],
        ["compact", "{file}", "-o", "out.json", "--store", "{file}.store"],
    ],
    ids=lambda arguments: " ".join(arguments).replace("{file}", "FILE"),
)
def test_twice_the_transcript_takes_twice_the_work(
    run: Runner, monkeypatch: pytest.MonkeyPatch, counting: Counting, arguments: list[str]
) -> None:
    ready = Decider()
    monkeypatch.setattr("barrier_policy.cli.session.Decider", lambda *_, **__: ready)  # what it costs does not grow

    def work(steps: int) -> int:
        file = f"{steps}.json"
        Path(file).write_bytes(conversation(steps))
        with counting() as calls:
            done = run(*(argument.format(file=file) for argument in arguments))
        assert done.code == 0, done.err
        return calls[0]

    work(STEPS[0])  # imports, and what is kept once it is known
    few, twice, four_times = map(work, STEPS)
    assert (four_times - twice) / (twice - few) < MOST
