"""Where the work happens: fact kind `environment` (directory, branch, worktree, mode, host, versions, variables).

These states stand in no sentence and decide what every later command does (design section 5, bindings of type environment).
Of facts with one name the newest holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from barrier_policy_plugins.shell_settings import MAX_COMMANDS, Setting, command_settings, outlives
from barrier_policy_plugins.tool_arguments import argument_key

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import find_secrets
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

MAX_VALUE: Final = 400
MAX_ARGUMENTS: Final = 100

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
                Attribute(name="lasting", type="bool", doc="it holds for later calls too, as far as can be told"),
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
            yield _fact(message.index, 0, "", name, value, "record", lasting=True)
    for index, part in enumerate(message.parts):
        for name, value, source, lasting in _part_settings(part):
            if value and len(value) <= MAX_VALUE and "\n" not in value and not find_secrets(f"{name}={value}"):
                yield _fact(message.index, index, part.text, name, value, source, lasting=lasting)


def _part_settings(part: Part) -> Iterator[tuple[str, str, str, bool]]:
    if part.type is PartType.TOOL_CALL:
        for name, value in _argument_settings(part.arguments):
            yield name, value, "argument", False
        for name, value in _mode_settings(part):
            yield name, value, "argument", True
        for script in _scripts(part.arguments):
            for name, value in command_settings(script):
                yield name, value, "command", outlives(script, name)
    elif part.type is PartType.TOOL_RESULT:
        head = part.text[:4_000]
        if any(map(head.__contains__, SAID_HINTS)):
            for name, pattern in SAID:
                for match in islice(pattern.finditer(head), 4):
                    yield name, match[match.lastindex or 1], "output", True
    elif part.type is PartType.TEXT:
        for match in islice(PROSE_VARIABLE.finditer(part.text) if "=" in part.text else (), MAX_COMMANDS):
            if "$" not in match[2]:
                yield f"env.{match[1]}", match[2].rstrip(".:"), "prose", False
        for match in islice(INLINE_CODE.finditer(part.text), MAX_COMMANDS):
            for name, value in command_settings(match[1]):
                yield name, value, "prose", False


def _fact(message: int, part: int, text: str, name: str, value: str, source: str, *, lasting: bool) -> Fact:
    start = max(text.find(value), 0)
    end = start + len(value) if text.startswith(value, start) else start
    return Fact(
        kind="environment",
        message=message,
        part=part,
        start=start,
        end=end,
        text=value,
        attributes={"name": name, "value": value, "source": source, "lasting": lasting},
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
