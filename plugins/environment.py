"""Where the work happens: fact kind `environment` (directory, branch, worktree, mode, host, versions, variables).

These states stand in no sentence and decide what every later command does (design section 5, bindings of type environment).
Of facts with one name the newest holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from barrier_policy_plugins.shell_syntax import Command, parse_script
from barrier_policy_plugins.tool_arguments import argument_key

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import find_secrets
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

MAX_VALUE: Final = 400
MAX_COMMANDS: Final = 64
MAX_ARGUMENTS: Final = 100

Setting = tuple[str, str]

COMMAND_ARGUMENTS: Final = frozenset(
    ("command", "cmd", "script", "shell", "bash", "commandline", "cmdline", "args", "input", "code")
)
ARGUMENTS: Final = {
    "cwd": "cwd",
    "workdir": "cwd",
    "workingdir": "cwd",
    "workingdirectory": "cwd",
    "worktree": "worktree",
    "worktreepath": "worktree",
    "branch": "branch",
    "gitbranch": "branch",
    "branchname": "branch",
    "kubecontext": "context",
}
"""Arguments of any tool that say where it works, spelt without signs."""
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
PROSE_VARIABLE: Final = re.compile(r"(?<![\w$.-])([A-Z][A-Z0-9_]{2,})=([^\s,;`\"')]+)")
INLINE_CODE: Final = re.compile(r"`([^`\n]{3,200})`")
SAID: Final = (
    ("branch", re.compile(r"(?m)^(?:Switched to (?:a new )?branch|Already on) '([^'\n]+)'")),
    ("branch", re.compile(r"\AOn branch (\S+)|\A## (\S+?)\.\.\.\S")),
    ("context", re.compile(r'(?m)^Switched to context "([^"\n]+)"')),
    ("version.node", re.compile(r"(?m)^Now using node (v[\d.]+)")),
    ("cwd", re.compile(r"(?m)^Shell cwd was reset to (\S+)")),
    ("worktree", re.compile(r"(?m)^Created worktree (?:at )?(\S+)")),
)
"""What programs print when a setting has changed."""
SAID_HINTS: Final = ("witched to", "lready on", "n branch", "## ", "sing node", "cwd was reset", "reated worktree")
MODE_TOOL: Final = re.compile(r"(enter|exit|leave|set|switch|change)_?(?:to_)?(\w*?)_?mode")


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`environment`."""
    return (
        FactKind(
            name="environment",
            doc="A state of the surroundings that later commands depend on; `text` is the value.",
            attributes=(
                Attribute(
                    name="name",
                    type="string",
                    doc="what is set: cwd, branch, worktree, mode, host, context, namespace, venv, env.<VARIABLE>, version.<tool> …",
                ),
                Attribute(name="value", type="string", doc="what it is set to"),
                Attribute(
                    name="source",
                    type="string",
                    doc="what says so",
                    values=("record", "command", "argument", "output", "prose"),
                ),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Settings that a message states or makes."""
    if message.kind in (MessageKind.SUMMARY, MessageKind.CARRIER):
        return ()
    return _facts(message, context)


def _facts(message: Message, context: Context) -> Iterator[Fact]:
    before = context.previous.environment if context.previous is not None else {}
    for name, value in sorted(message.environment.items()):
        if value and before.get(name) != value:
            yield _fact(message.index, 0, "", name, value, "record")
    for index, part in enumerate(message.parts):
        for name, value, source in _part_settings(part):
            if value and len(value) <= MAX_VALUE and "\n" not in value and not find_secrets(f"{name}={value}"):
                yield _fact(message.index, index, part.text, name, value, source)


def _part_settings(part: Part) -> Iterator[tuple[str, str, str]]:
    if part.type is PartType.TOOL_CALL:
        for name, value in _argument_settings(part.arguments):
            yield name, value, "argument"
        for name, value in _mode_settings(part):
            yield name, value, "argument"
        for script in _scripts(part.arguments):
            for name, value in command_settings(script):
                yield name, value, "command"
    elif part.type is PartType.TOOL_RESULT:
        if any(hint in part.text[:4_000] for hint in SAID_HINTS):
            for name, pattern in SAID:
                for match in islice(pattern.finditer(part.text[:4_000]), 4):
                    yield name, match[match.lastindex or 1], "output"
    elif part.type is PartType.TEXT:
        for match in islice(PROSE_VARIABLE.finditer(part.text), MAX_COMMANDS):
            if "$" not in match[2]:
                yield f"env.{match[1]}", match[2].rstrip(".:"), "prose"
        for match in islice(INLINE_CODE.finditer(part.text), MAX_COMMANDS):
            for name, value in command_settings(match[1]):
                yield name, value, "prose"


def _fact(message: int, part: int, text: str, name: str, value: str, source: str) -> Fact:
    start = max(text.find(value), 0)
    end = start + len(value) if text.startswith(value, start) else start
    return Fact(
        kind="environment",
        message=message,
        part=part,
        start=start,
        end=end,
        text=value,
        attributes={"name": name, "value": value, "source": source},
    )


# --- arguments


def _argument_settings(arguments: Any) -> Iterator[Setting]:
    if isinstance(arguments, Mapping):
        for key, value in islice(arguments.items(), MAX_ARGUMENTS):
            name = ARGUMENTS.get(argument_key(str(key)))
            if name and isinstance(value, str):
                yield name, value


def _mode_settings(part: Part) -> Iterator[Setting]:
    """Tools that enter or leave a mode of the runtime: `EnterPlanMode`, `exit_plan_mode`, `set_mode {mode: read-only}`."""
    match = MODE_TOOL.fullmatch(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", part.name).lower())
    if match is None:
        return
    stated = part.arguments.get("mode") if isinstance(part.arguments, Mapping) else None
    if match[1] in ("exit", "leave"):
        yield "mode", f"not {match[2]}".strip()
    elif match[2] or isinstance(stated, str):
        yield "mode", match[2] or str(stated)


def _scripts(arguments: Any) -> Iterator[str]:
    """Shell text among the arguments; a list of words is `["bash", "-lc", SCRIPT]` or a command."""
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, Mapping):
        for key, value in islice(arguments.items(), MAX_ARGUMENTS):
            if argument_key(str(key)) in COMMAND_ARGUMENTS:
                if isinstance(value, str):
                    yield value
                elif isinstance(value, list) and value and all(isinstance(word, str) for word in value):
                    yield value[-1] if len(value) > 2 and value[1].startswith("-") else " ".join(value)


# --- shell


def command_settings(script: str) -> Iterator[Setting]:
    """What a shell text sets for the commands after it, in order: name and value."""
    if not INTERESTING.search(script) and "export" not in script and "set" not in script:
        return
    for export in islice(EXPORT.finditer(script), MAX_COMMANDS):
        for name, quoted in ASSIGNMENT.findall(export[1] or export[2]):
            value = quoted.strip("\"'")
            if "$" not in value and "`" not in value:
                yield f"env.{name}", value
    if INTERESTING.search(script):
        for command in parse_script(script).commands[:MAX_COMMANDS]:
            yield from _command_settings(command)


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
