"""What a shell text sets for the commands after it: directory, branch, versions, variables, contexts of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from barrier_policy_plugins.shell_syntax import Command, parse_script

MAX_COMMANDS: Final = 64

Setting = tuple[str, str]

SETTERS: Final = {
    ("conda", "activate"): "venv",
    ("mamba", "activate"): "venv",
    ("micromamba", "activate"): "venv",
    ("workon",): "venv",
    ("kubectl", "config", "use-context"): "context",
    ("kubectx",): "context",
    ("kubens",): "namespace",
    ("docker", "context", "use"): "docker_context",
    ("terraform", "workspace", "select"): "terraform_workspace",
    ("gcloud", "config", "set", "project"): "gcloud_project",
    ("gcloud", "config", "configurations", "activate"): "gcloud_configuration",
    ("aws", "configure", "set", "region"): "aws_region",
    ("heroku", "git:remote"): "heroku_app",
    ("nvm", "use"): "version.node",
    ("fnm", "use"): "version.node",
    ("nodenv", "local"): "version.node",
    ("pyenv", "local"): "version.python",
    ("pyenv", "global"): "version.python",
    ("pyenv", "shell"): "version.python",
    ("rbenv", "local"): "version.ruby",
    ("rbenv", "shell"): "version.ruby",
    ("rustup", "default"): "version.rust",
    ("sdk", "use", "java"): "version.java",
    ("chroot",): "root",
}
"""Commands whose first free word is a lasting setting."""
OF_SHELL: Final = frozenset(("cwd", "sourced", "venv", "root", "host"))
"""Settings of one shell."""
TOOL_VERSION_SETTERS: Final = frozenset(
    (("asdf", "local"), ("asdf", "global"), ("asdf", "set"), ("mise", "use"), ("mise", "local"))
)
VALUED_OPTIONS: Final = frozenset(
    ("-C", "-c", "-p", "-i", "-l", "-o", "-L", "-R", "-D", "-F", "-J", "-b", "-B", "--context", "--subscription")
)
INTERESTING: Final = re.compile(
    r"\b(?:cd|pushd|git|conda|mamba|micromamba|workon|kubectl|kubectx|kubens|docker|terraform|gcloud|aws|az|nvm|fnm|nodenv|pyenv|rbenv|"
    r"rustup|sdk|asdf|mise|ssh|source|chroot|heroku)[ \t]+\S|(?:^|[;&|\n])[ \t]*\.[ \t]+\S"
)
ASSIGNMENT: Final = re.compile(r"""([A-Za-z_]\w*)(?:=|[ \t]+)("[^"\n]*"|'[^'\n]*'|[^\s;&|"']+)""")
EXPORT: Final = re.compile(
    r"""(?:^|[;&|\n(])[ \t]*(?:export((?:[ \t]+[A-Za-z_]\w*=(?:"[^"\n]*"|'[^'\n]*'|[^\s;&|"']+))+)|set -x([ \t]+\w+[ \t]+[^\n;]+))"""
)


def command_settings(script: str) -> Iterator[Setting]:
    """What a shell text sets for the commands after it, in order: name and value."""
    if not INTERESTING.search(script) and "export" not in script and "set" not in script:
        return
    for export in islice(EXPORT.finditer(script), MAX_COMMANDS):
        for assignment in islice(ASSIGNMENT.finditer(export[1] or export[2]), MAX_COMMANDS):
            value = assignment[2].strip("\"'")
            if "$" not in value and "`" not in value:
                yield f"env.{assignment[1]}", value
    if INTERESTING.search(script):
        for command in parse_script(script).commands[:MAX_COMMANDS]:
            yield from _command_settings(command)


def outlives(script: str, name: str) -> bool:
    """Whether a setting of a shell text holds after it, as far as can be told.

    A directory, variable or version belongs to the shell: a text that goes on (`cd app && make`) has set it for itself, and many tools
    begin each call with a new shell. One that ends in a setting has set it for what follows. A branch or context lasts anyway.
    """
    if name not in OF_SHELL and not name.startswith(("env.", "version.")):
        return True
    end = len(script.rstrip())
    if any(export.end() >= end for export in islice(EXPORT.finditer(script), MAX_COMMANDS)):
        return True
    commands = parse_script(script).commands
    return bool(commands) and any(found in OF_SHELL or "version." in found for found, _ in _command_settings(commands[-1]))


def _command_settings(command: Command) -> Iterator[Setting]:
    if not command.words or any(word.expands for word in command.words):
        return
    words = [word.text for word in command.words]
    program, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if program in ("cd", "pushd"):
        free = _free(rest)
        if free and free[0] != "-":
            yield "cwd", free[0]
    elif program == "git":
        yield from _git(rest)
    elif program in ("source", "."):
        yield from _sourced(_free(rest))
    elif program == "ssh":
        free = _free(rest)
        if len(free) == 1:
            yield "host", free[0]
    elif program == "az" and rest[:2] == ["account", "set"]:
        yield from (("azure_subscription", value) for value in rest[-1:] if not value.startswith("-"))
    elif program == "kubectl" and rest[:2] == ["config", "set-context"]:
        yield from (("namespace", word.partition("=")[2]) for word in rest if word.startswith("--namespace="))
    else:
        yield from _set([program, *rest])


def _free(words: list[str]) -> list[str]:
    """Words that are neither options nor their values."""
    free = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in VALUED_OPTIONS
        else:
            free.append(word)
    return free


def _git(words: list[str]) -> Iterator[Setting]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in VALUED_OPTIONS else 1 :]
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if verb in ("switch", "checkout") and "--" not in rest:
        created = next(
            (rest[place + 1] for place, word in enumerate(rest[:-1]) if word in ("-b", "-B", "-c", "-C", "--create")), ""
        )
        free = [word for word in rest if not word.startswith("-")]
        if created:
            yield "branch", created
        elif len(free) == 1 and (verb == "switch" or not re.search(r"\.\w{1,5}$|^\.|/$", free[0])):
            yield "branch", free[0]
    elif verb == "worktree" and rest[:1] == ["add"]:
        free = _free(rest[1:])
        branch = next(
            (rest[place + 1] for place, word in enumerate(rest[:-1]) if word in ("-b", "-B")),
            free[1] if len(free) > 1 else "",
        )
        if free:
            yield "worktree", free[0]
        if branch:
            yield "worktree_branch", branch


def _sourced(free: list[str]) -> Iterator[Setting]:
    if free and re.search(r"[/.]\w", free[0]):
        inside, found, _ = free[0].rpartition("/bin/activate")
        yield ("venv", inside) if found else ("sourced", free[0])


def _set(words: list[str]) -> Iterator[Setting]:
    """Settings by the table of commands."""
    for size in (4, 3, 2, 1):
        head = tuple(words[:size])
        if head in SETTERS and len(head) == size:
            yield from ((SETTERS[head], value) for value in _free(words[size:])[:1])
            return
        if head in TOOL_VERSION_SETTERS:
            free = _free(words[size:])
            tool, _, version = " ".join(free[:2]).replace("@", " ").partition(" ")
            if version:
                yield f"version.{tool}", version
            return
