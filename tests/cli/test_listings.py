"""`barrier-policy facts`, `ledger` and `plugins`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.hookspecs import hookimpl
from barrier_policy.join.schema import CORE_TYPES
from barrier_policy.plugins import load_plugins
from barrier_policy.policy.lint.records import documented_values
from barrier_policy.report.states import STATE
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.reader import Reader

Runner = Callable[..., Any]


def test_facts_are_listed_with_their_attributes(run: Runner, deploy: str) -> None:
    found = json.loads(run("facts", deploy, "--format", "json").out)
    call = next(fact for fact in found if fact["kind"] == "tool_call")
    assert (call["message"], call["tool"]) == (1, "deploy_service")
    assert "tool_call" in run("facts", deploy).out


def test_the_ledger_says_states_in_plain_words_and_the_json_by_their_names(run: Runner, deploy: str) -> None:
    rows = run("ledger", deploy, "--family", "effect").out
    assert "started, not confirmed" in rows
    assert [item["state"] for item in json.loads(run("ledger", deploy, "--family", "effect", "--format", "json").out)] == [
        "started"
    ]


def test_every_state_has_plain_words() -> None:
    states = {
        state
        for record in CORE_TYPES
        for field in record.fields
        if field.name == "state"
        for state in documented_values(field)
    }
    assert states - {"candidate"} == set(STATE), "no item that is listed is a candidate"


class Failing:
    """An extractor that can't read user messages."""

    @hookimpl
    def barrier_extract_facts(self, message: Message) -> None:
        if message.role == "user":
            raise KeyError("in the middle of a secret")


def test_an_extractor_that_fails_is_named_and_the_others_go_on(
    run: Runner, deploy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = load_plugins(extra=[("zz_failing", Failing())])
    monkeypatch.setattr("barrier_policy.walk.decider.load_plugins", lambda: found)
    done = run("facts", deploy)
    assert (done.code, "tool_call" in done.out) == (0, True)
    assert done.err.splitlines()[0] == (
        "deploy.json: extractor zz_failing@0: KeyError while reading message 0 (its facts there are unknown)"
    )
    assert "secret" not in done.err


def test_facts_can_be_narrowed_to_a_kind_and_a_message(run: Runner, deploy: str) -> None:
    lines = run("facts", deploy, "--kind", "tool_result", "--message", "2", "--format", "jsonl").out.splitlines()
    assert [(json.loads(line)["kind"], json.loads(line)["message"]) for line in lines] == [("tool_result", 2)]


def test_the_ledger_shows_the_state_and_why(run: Runner, deploy: str) -> None:
    found = json.loads(run("ledger", deploy, "--family", "effect", "--format", "json").out)
    assert [(item["id"], item["state"]) for item in found] == [("effect:1.0", "started")]
    assert found[0]["events"][-1]["state"] == "started"
    row = next(line for line in run("ledger", deploy).out.splitlines() if line.startswith("effect:1.0"))
    assert "started" in row


def test_live_leaves_out_what_is_settled(run: Runner, chat: Runner) -> None:
    call = {"id": "c1", "function": {"name": "write_file", "arguments": '{"path": "a.txt", "content": "x"}'}}
    name = chat(
        ("user", "Please write a.txt."),
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"status": "ok", "written": 1}'},
        ("assistant", "a.txt is written."),
    )
    states = {item["id"]: item["state"] for item in json.loads(run("ledger", name, "--format", "json").out)}
    live = {item["id"] for item in json.loads(run("ledger", name, "--live", "--format", "json").out)}
    assert states["effect:1.0"] == "confirmed"
    assert "effect:1.0" not in live


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("facts", "--kind", "tool_cal"), "did you mean `tool_call`?"),
        (("ledger", "--family", "efect"), "did you mean `effect`?"),
    ],
)
def test_a_misspelt_filter_gets_a_hint(run: Runner, talk: str, arguments: tuple[str, ...], hint: str) -> None:
    done = run(*arguments, talk)
    assert done.code == 2
    assert hint in done.err


def test_plugins_are_listed_with_what_they_provide(run: Runner) -> None:
    done = run("plugins", "--format", "json")
    found = {plugin["name"]: plugin for plugin in json.loads(done.out)}
    assert done.code == 0
    assert found["read_openai_chat"]["readers"] == ["openai_chat"]
    assert found["read_openai_chat"]["hooks"] == ["barrier_readers", "barrier_writers"]
    assert "read_openai_chat" in run("plugins").out


class Clashing:
    """A plugin that claims a name that is taken."""

    @hookimpl
    def barrier_readers(self) -> list[Reader]:
        return [Reader(name="openai_chat", title="", probe=lambda source: 0, read=lambda source: source.fail("no"))]


def test_a_refused_plugin_is_listed_with_the_reason(run: Runner, monkeypatch: pytest.MonkeyPatch, talk: str) -> None:
    found = load_plugins(extra=[("zz_clashing", Clashing())], strict=False)
    monkeypatch.setattr("barrier_policy.cli.listings.load_plugins", lambda strict: found)
    done = run("plugins")
    assert done.code == 2
    row = next(line for line in done.out.splitlines() if line.startswith("zz_clashing"))
    assert "refused" in row and "reader `openai_chat` is already provided" in " ".join(done.out.split())
    assert [reader.name for reader in found.readers].count("openai_chat") == 1
