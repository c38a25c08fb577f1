"""Running the command line in this process, and small transcripts to run it on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from barrier_policy.cli.app import app

NARRATIVE = "The light is soft this morning, and the roses look lovely."


class Run(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty working directory, an empty store, and no settings of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "BARRIER_POLICY_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run() -> Callable[..., Run]:
    """Run `barrier-policy ARGS`."""

    def run_command(*arguments: object, stdin: bytes | None = None) -> Run:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
        return Run(result.exit_code, result.stdout, result.stderr)

    return run_command


@pytest.fixture
def chat(tmp_path: Path) -> Callable[..., str]:
    """Write chat messages, given as (role, content) or as dicts, to a file and return its name."""

    def write(*messages: tuple[str, str] | dict[str, Any], name: str = "chat.json") -> str:
        found = [m if isinstance(m, dict) else {"role": m[0], "content": m[1]} for m in messages]
        (tmp_path / name).write_text(json.dumps(found))
        return name

    return write


@pytest.fixture
def talk(chat: Callable[..., str]) -> str:
    """A system message, two narrative ones and a tail of six."""
    tail = [("user", "Good."), ("assistant", "Yes.")] * 3
    return chat(
        ("system", "You help with the garden."), ("assistant", NARRATIVE), ("assistant", NARRATIVE), *tail, name="talk.json"
    )


@pytest.fixture
def deploy(chat: Callable[..., str]) -> str:
    """A call in span 1 that the tool only accepted, and a tail of six."""
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "deploy_service", "arguments": '{"service": "shop", "key": "k-2f9c41"}'},
    }
    tail = [("user", "Good."), ("assistant", "Yes.")] * 3
    return chat(
        ("user", "Please deploy the shop."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "queued", "job": "job-7781"}'},
        *tail,
        name="deploy.json",
    )
