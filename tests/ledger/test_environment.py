"""The surroundings of later commands: recorded once, as they are last known, where something still runs in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate, decide
from barrier_policy.decision.model import Decision

Messages = list[dict[str, Any]]
NOW = "2026-06-01T00:00:00Z"


def user(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def agent(text: str) -> Messages:
    return [{"role": "assistant", "content": text}]


def shell(command: str, answer: str = "ok") -> Messages:
    identifier = f"c-{abs(hash(command)) % 10_000}"
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": identifier, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": identifier, "content": answer},
    ]


WORKING: Messages = [*user("Now run the tests."), *shell("make test", "42 passed")]
RESTING: Messages = [*user("Thanks."), *agent("You are welcome.")]
TALK: Messages = [*user("And the roses?"), *agent("They are in bloom. " * 40)]


def settings(messages: Messages, tail: Messages = WORKING, store: Any = None) -> list[str]:
    decision = decide([*messages, *TALK, *tail], keep_last=len(tail), now=NOW, store=store)
    return lines(decision)


def lines(decision: Decision) -> list[str]:
    return [line for record in decision.carrier if record.kind == "environment" for line in record.text.split("\n")]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


BEGIN: Messages = [*user("Look at the limits first.")]
SWITCH = shell("git switch fix/limits", "Switched to branch 'fix/limits'")


@pytest.mark.parametrize(
    ("command", "answer", "found"),
    [
        ("git switch fix/limits", "Switched to branch 'fix/limits'", ["branch: fix/limits"]),
        ("cd /srv/billing", "", ["cwd: /srv/billing"]),
        ("export AWS_PROFILE=ledger-prod", "", ["env.AWS_PROFILE: ledger-prod"]),
        ("kubectl config use-context staging-2", 'Switched to context "staging-2".', ["context: staging-2"]),
        ("cd /srv/billing && make", "built", []),
        ("git switch fix/limits", "error: invalid reference: fix/limits\nfatal: failed", []),
        ("export API_TOKEN=ghp_" + "Zk3q" * 9, "", []),
    ],
    ids=["branch", "directory", "variable", "context", "directory of one command", "failed", "secret"],
)
def test_what_a_command_sets_for_later_ones_is_recorded(store: Path, command: str, answer: str, found: list[str]) -> None:
    assert settings([*BEGIN, *shell(command, answer), *agent("Ready.")], store=store) == found


def test_a_mode_that_was_entered_is_recorded_until_it_is_left(store: Path) -> None:
    def mode(name: str) -> Messages:
        call = {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": name, "content": "ok"},
        ]

    assert settings([*BEGIN, *mode("EnterPlanMode"), *agent("Ready.")], store=store) == ["mode: plan"]
    left = [*BEGIN, *mode("EnterPlanMode"), *mode("ExitPlanMode"), *agent("Ready.")]
    assert settings(left, store=store) == ["mode: not plan"]


def test_only_the_last_state_of_each_is_recorded(store: Path) -> None:
    again = [*SWITCH, *shell("git switch fix/rates", "Switched to branch 'fix/rates'")]
    assert settings([*BEGIN, *again, *agent("Ready.")], store=store) == ["branch: fix/rates"]


def test_a_branch_is_not_carried_into_another_directory(store: Path) -> None:
    moved = [*shell("cd /srv/billing"), *SWITCH, *shell("cd /srv/rates && make", "built")]
    assert settings([*BEGIN, *moved, *agent("Ready.")], store=store) == ["cwd: /srv/billing"]


def test_nothing_is_recorded_where_no_command_follows(store: Path) -> None:
    done = [*user("Switch to the branch fix/limits."), *SWITCH, *agent("We are on fix/limits.")]
    assert settings(done, RESTING, store) == []


def test_what_the_tail_says_needs_no_record(store: Path) -> None:
    tail = [*user("Where are we?"), *shell("git status", "On branch fix/limits\nnothing to commit")]
    assert settings([*BEGIN, *SWITCH, *agent("Ready.")], tail, store) == []


def test_a_flood_of_variables_is_cut_to_the_newest(store: Path) -> None:
    flood = [message for number in range(30) for message in shell(f"export PART_{number}=a{number}b", "")]
    assert settings([*BEGIN, *flood, *agent("Ready.")], store=store) == [
        f"env.PART_{number}: a{number}b" for number in range(22, 30)
    ]


def test_the_record_goes_on_from_round_to_round_and_changes_with_the_work(store: Path) -> None:
    gate = Gate(store=store, summarizer=lambda request: "They looked at the limits and at roses.")
    messages = [*BEGIN, *SWITCH, *agent("Ready."), *TALK, *WORKING]
    for switch, branch in ((), "fix/limits"), ((), "fix/limits"), ("fix/rates", "fix/rates"), ((), "fix/rates"):
        if switch:
            messages = [*messages, *shell(f"git switch {switch}", f"Switched to branch '{switch}'")]
        messages = [*messages, *agent("Good."), *TALK, *WORKING]
        done = gate.compact(messages, keep_last=len(WORKING), now=NOW)
        assert done.report is not None and done.report.outcome == "pass"
        messages = done.messages
        shown = done.carrier.text
        assert shown.count("\nbranch: ") == 1 and f"\nbranch: {branch}\n" in shown
