"""Directories, branches, modes and the like are read from records, commands, arguments and outputs."""

from __future__ import annotations

from typing import Any

import pytest
from barrier_policy_plugins import environment as plugin
from barrier_policy_plugins.shell_settings import command_settings

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType
from barrier_policy.testing import tool_call


def _context(previous: Message | None = None) -> Context:
    return Context(calls={}, tools={}, now="2026-01-01T00:00:00Z", previous=previous)


def _message(*parts: Part, environment: dict[str, str] | None = None, kind: MessageKind = MessageKind.MESSAGE) -> Message:
    return Message(index=1, role="assistant", origin=Origin.AGENT, parts=parts, kind=kind, environment=environment or {})


def _settings(message: Message, previous: Message | None = None) -> list[tuple[Any, Any, Any]]:
    facts = plugin.barrier_extract_facts(message, _context(previous))
    return [(fact.get("name"), fact.get("value"), fact.get("source")) for fact in facts]


@pytest.mark.parametrize(
    "script, settings",
    [
        ("cd ~/src/relay && git switch -q feature/otel", [("cwd", "~/src/relay"), ("branch", "feature/otel")]),
        ("git checkout -b fix/x-1 origin/main", [("branch", "fix/x-1")]),
        ("git -C /r checkout main", [("branch", "main")]),
        ("git switch -c v2", [("branch", "v2")]),
        ("git worktree add -b spans ../wt", [("worktree", "../wt"), ("worktree_branch", "spans")]),
        ("conda activate ml", [("venv", "ml")]),
        (". .venv/bin/activate", [("venv", ".venv")]),
        ("source /opt/sdk/env-armv7 && make", [("sourced", "/opt/sdk/env-armv7")]),
        ("export A=b C='d e'; export X=y", [("env.A", "b"), ("env.C", "d e"), ("env.X", "y")]),
        ("kubectl config use-context lab-2", [("context", "lab-2")]),
        ("kubectl config set-context --current --namespace=quotes", [("namespace", "quotes")]),
        ("kubens quotes", [("namespace", "quotes")]),
        ("docker context use prod", [("docker_context", "prod")]),
        ("terraform workspace select prod", [("terraform_workspace", "prod")]),
        ("az account set --subscription s-1", [("azure_subscription", "s-1")]),
        ("ssh -p 2222 u@h.example.test", [("host", "u@h.example.test")]),
        ("nvm use 20", [("version.node", "20")]),
        ("pyenv local 3.12.1", [("version.python", "3.12.1")]),
        ("asdf local ruby 3.2.1", [("version.ruby", "3.2.1")]),
        ("mise use node@20", [("version.node", "20")]),
        ("cd /a && (cd b; make)", [("cwd", "/a"), ("cwd", "b")]),
    ],
)
def test_commands_that_set_something_for_later_commands(script: str, settings: list[tuple[str, str]]) -> None:
    assert list(command_settings(script)) == settings


@pytest.mark.parametrize(
    "script",
    [
        "git checkout -- a.py",
        "git checkout src/app.py",
        "git status",
        "ssh h.example.test uptime",
        'cd "$DIR"',
        "cd -",
        "export PATH=$PATH:/x",
        "echo cd /tmp",
        "docker ps",
        "kubectl get pods",
        "",
    ],
)
def test_commands_that_leave_the_surroundings_alone(script: str) -> None:
    assert list(command_settings(script)) == []


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({"command": "cd /data/x && ls"}, ("cwd", "/data/x", "command")),
        ({"cmd": ["bash", "-lc", "cd /data/x"]}, ("cwd", "/data/x", "command")),
        ({"command": "ls", "workdir": "/repo"}, ("cwd", "/repo", "argument")),
        ({"working_directory": "/repo"}, ("cwd", "/repo", "argument")),
        ({"branch": "release/8.2", "n": 3}, ("branch", "release/8.2", "argument")),
    ],
)
def test_calls_say_where_they_work(arguments: Any, expected: tuple[str, str, str]) -> None:
    assert expected in _settings(_message(tool_call("run", arguments)))


@pytest.mark.parametrize(
    "tool, arguments, value",
    [
        ("EnterPlanMode", {}, "plan"),
        ("exit_plan_mode", {"plan": "x"}, "not plan"),
        ("set_mode", {"mode": "read-only"}, "read-only"),
    ],
)
def test_tools_that_enter_or_leave_a_mode(tool: str, arguments: Any, value: str) -> None:
    assert ("mode", value, "argument") in _settings(_message(tool_call(tool, arguments)))


def test_a_search_mode_is_no_mode_of_the_runtime() -> None:
    assert _settings(_message(tool_call("Grep", {"pattern": "x", "mode": "content"}))) == []


@pytest.mark.parametrize(
    "output, expected",
    [
        ("Switched to a new branch 'fix-1'", ("branch", "fix-1")),
        ("Switched to branch 'main'\nYour branch is up to date", ("branch", "main")),
        ("On branch temp/3\nnothing to commit", ("branch", "temp/3")),
        ("## main...origin/main\n M a.py", ("branch", "main")),
        ('Switched to context "lab-2".', ("context", "lab-2")),
        ("Shell cwd was reset to /repo", ("cwd", "/repo")),
    ],
)
def test_outputs_that_report_a_change(output: str, expected: tuple[str, str]) -> None:
    found = _settings(_message(Part(type=PartType.TOOL_RESULT, text=output)))
    assert found == [(*expected, "output")]


def test_a_heading_is_no_branch() -> None:
    assert _settings(_message(Part(type=PartType.TOOL_RESULT, text="## 4.5.0\n- fixes"))) == []


def test_only_what_the_record_changes_is_stated() -> None:
    before = _message(environment={"cwd": "/a", "branch": "main"})
    assert _settings(_message(environment={"cwd": "/a", "branch": "x"}), before) == [("branch", "x", "record")]
    assert _settings(_message(environment={"cwd": "/a"})) == [("cwd", "/a", "record")]


def test_variables_and_commands_in_prose_are_stated_with_their_place() -> None:
    text = "Builds need `source /opt/sdk/env-1` and SYSROOT=/srv/r, CI=1 is set."
    facts: list[Fact] = list(plugin.barrier_extract_facts(_message(Part(type=PartType.TEXT, text=text)), _context()))
    assert [(fact.get("name"), fact.text) for fact in facts] == [("env.SYSROOT", "/srv/r"), ("sourced", "/opt/sdk/env-1")]
    assert all(text[fact.start : fact.end] == fact.text for fact in facts)


def test_a_secret_in_a_variable_is_not_stated() -> None:
    assert _settings(_message(tool_call("bash", {"command": "export DB_PASSWORD='hT9!vale-44'; cd /x"}))) == [
        ("cwd", "/x", "command")
    ]


def test_every_attribute_is_declared() -> None:
    (kind,) = plugin.barrier_fact_kinds()
    (fact,) = plugin.barrier_extract_facts(_message(environment={"cwd": "/a"}), _context())
    assert {attribute.name for attribute in kind.attributes} == set(fact.attributes)


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_summaries_and_carriers_are_not_mined(kind: MessageKind) -> None:
    assert _settings(_message(tool_call("bash", {"command": "cd /x"}), kind=kind)) == []


@pytest.mark.parametrize("unit", ["export A=", "cd ", "`cd a` ", "A_B=c ", "git ", "$("])
def test_hostile_repetition_is_read_to_the_end(unit: str) -> None:
    text = unit * 3_000
    message = _message(Part(type=PartType.TEXT, text=text), tool_call("bash", {"command": text}))
    assert len(_settings(message)) < 1_000
