"""What one tool call does: annotations, the table, what its payload says, its name, in this order (design section 5).

A payload that can be read (shell, SQL, an HTTP method) says what this very call does, where an annotation or the table can
only say the worst that its tool may do. A name is an assumption. Nothing known is a change that must not be repeated.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from barrier_policy_plugins.effect_classes import Basis, Judgement, join, judge, word_set
from barrier_policy_plugins.http_requests import judge_request, judge_request_arguments
from barrier_policy_plugins.program_dictionary import is_program, program_effect, program_name
from barrier_policy_plugins.program_text import judge_code, patched_files
from barrier_policy_plugins.shell import judge_shell
from barrier_policy_plugins.sql import judge_sql, looks_like_sql
from barrier_policy_plugins.tool_arguments import Arguments, argument_key, sum_up
from barrier_policy_plugins.tool_names import (
    ASSISTANTS,
    HTTP_NAME,
    bare_name,
    class_of_verbs,
    class_of_words,
    judge_name,
    name_tokens,
)
from barrier_policy_plugins.tool_table import ToolEntry, find_tool

from barrier_policy.facts.effect_class import EffectClass
from barrier_policy.transcript.model import Part, ToolDeclaration

_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_COMMAND_NAMES: Final = ("command", "cmd", "args", "cmdline", "script", "argv")
_SQL_NAMES: Final = ("sql", "statement", "statements", "stmt")
_MAYBE_SQL_NAMES: Final = ("query", "q", "command", "cmd")
_RUN_WORDS: Final = word_set("exec execute run cmd command cli ctl query call tool sh shell")
_SEARCH_WORDS: Final = frozenset({"search", "find", "lookup", "web", "docs", "google", "browse"})
_ACTION_NAMES: Final = ("action", "op", "operation", "verb", "do", "mode", "method", "subcommand", "command")
_ORDERS: Final = frozenset({"action", "verb", "subcommand", "command"})
_ASSISTANT_STARTS: Final = frozenset(
    {"run", "start", "spawn", "launch", "dispatch", "create", "delegate", "invoke", "call", "new"}
)
_USER_WORDS: Final = frozenset({"user", "human", "customer", "operator"})
_PRESENTS: Final = frozenset({"present", "propose", "submit", "review", "exit"})
_PLAN_WORDS: Final = frozenset({"todo", "todos"})


class CallEffect(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A call's judgement with what kind of call it is."""

    judgement: Judgement
    subagent: bool = False
    interactive: bool = False
    plan: bool = False

    @property
    def reads(self) -> bool:
        """Whether the call changes nothing."""
        return self.judgement.reads


class _Same:
    """A part with the declaration of its tool, equal to nothing but the same two."""

    __slots__ = ("declared", "part")

    def __init__(self, part: Part, declared: ToolDeclaration | None) -> None:
        self.part = part
        self.declared = declared

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.part is other.part and self.declared is other.declared

    def __hash__(self) -> int:
        return id(self.part)


def judge_call(part: Part, tools: Mapping[str, ToolDeclaration]) -> CallEffect:
    """Judge a call part; `tools` are the declared tools by name."""
    return _judge(_Same(part, tools.get(part.name)))


@lru_cache(maxsize=16)
def _judge(same: _Same) -> CallEffect:
    """The last few answers are remembered: it is asked about a call and, soon after, about its result."""
    part, arguments = same.part, same.part.arguments
    entry = find_tool(part.name, arguments)
    summary = sum_up(arguments)
    judgement = _complete(_judge_by_order(part, arguments, entry, same.declared, summary), summary, entry)
    words = name_tokens(bare_name(part.name))
    return CallEffect(
        judgement=judgement,
        subagent=entry.subagent if entry else _starts_assistant(words, arguments),
        interactive=entry.interactive if entry else _asks_somebody(words),
        plan=entry.plan if entry else bool(_PLAN_WORDS.intersection(words)),
    )


def _asks_somebody(words: tuple[str, ...]) -> bool:
    """`ask_user`, `chat.ask`, `present_plan`: a call that waits for the answer of a person."""
    if words[:1] and words[0] in _PRESENTS and "plan" in words[1:]:
        return True
    return words[-1:] == ("ask",) or (words[:1] == ("ask",) and bool(_USER_WORDS.intersection(words)))


def _judge_by_order(
    part: Part, arguments: Any, entry: ToolEntry | None, declared: ToolDeclaration | None, summary: Arguments
) -> Judgement:
    annotated = judge_annotations(declared, bare_name(part.name)) if declared is not None else None
    if annotated is not None and annotated.reads:
        return annotated
    shown = _judge_payload(part.name, arguments, entry)
    if shown is not None and not (shown.assumed and (annotated or (entry and not entry.payload))):
        return shown
    if annotated is not None:
        return annotated
    if entry is not None:
        return _judge_entry(entry, arguments, bare_name(part.name))
    return _judge_words(part.name, arguments, summary)


def judge_annotations(declared: ToolDeclaration, operation: str) -> Judgement | None:
    """By MCP's hints, with MCP's own pessimistic defaults for those that are left out; None where there are no hints.

    A class that follows from a default rather than from a hint is assumed.
    """
    hints = declared.annotations
    if not any(isinstance(hints.get(name), bool) for name in _HINTS):
        return None
    if hints.get("readOnlyHint") is True:
        return judge(EffectClass.READ_ONLY, operation, basis=Basis.ANNOTATION)
    if hints.get("idempotentHint") is True:
        return judge(EffectClass.IDEMPOTENT, operation, basis=Basis.ANNOTATION)
    destructive = hints.get("destructiveHint", True) is not False
    effect_class = EffectClass.IRREVERSIBLE if destructive else EffectClass.NON_IDEMPOTENT
    return judge(effect_class, operation, assumed="destructiveHint" not in hints, basis=Basis.ANNOTATION)


def _judge_payload(name: str, arguments: Any, entry: ToolEntry | None) -> Judgement | None:
    """By the shell text, SQL, program text, request or patch that the call carries; None where it carries none."""
    if entry is not None:
        payload = entry.payload_of(arguments) if entry.payload else None
        return None if payload is None else _JUDGES[entry.payload](payload, arguments, bare_name(name))
    match = HTTP_NAME.match(name)
    if match is not None:
        return judge_request(match[1], match[2])
    if not isinstance(arguments, dict):
        return None
    return (
        _judge_sql_arguments(name, arguments)
        or judge_request_arguments(arguments)
        or _judge_command_arguments(name, arguments)
    )


def _judge_sql_arguments(name: str, arguments: dict[str, Any]) -> Judgement | None:
    for key in _SQL_NAMES:
        if isinstance(text := arguments.get(key), str) and text.strip():
            return judge_sql(text)
    if _SEARCH_WORDS.intersection(name_tokens(name)):
        return None
    texts = (text for key in _MAYBE_SQL_NAMES if isinstance(text := arguments.get(key), str) and looks_like_sql(text))
    return next((judge_sql(text) for text in texts), None)


def _judge_command_arguments(name: str, arguments: dict[str, Any]) -> Judgement | None:
    """`kubectl {"args": …}` is a command line without its program; `cmd` of any other tool may be one of its own."""
    key = next((key for key in _COMMAND_NAMES if isinstance(arguments.get(key), str | list) and arguments[key]), None)
    if key is None:
        return None
    text = _command_text(arguments[key])
    program = _program_of(name) or (bare_name(name) if key == "args" and isinstance(arguments[key], str) else "")
    if program == "ansible" and isinstance(module := arguments.get("module"), str):
        text = shlex.join(("-m", module, "-a", text))
    if program and text.split(" ", 1)[0] != program:
        return judge_shell(f"{program} {text}")
    judgement = judge_shell(text)
    return judgement if not judgement.assumed or judge_name(name) is None else None


def _program_of(name: str) -> str:
    """The program of the dictionary that a tool is named after (`kubectl`, `redis`, `git_exec`), "" where there is none."""
    bare = bare_name(name)
    first, *others = name_tokens(bare) or ("",)
    for word in (bare, first) if _RUN_WORDS.issuperset(others) else (bare,):
        for spelling in (word, word + "-cli"):
            if is_program(program_name(spelling)):
                return program_name(spelling)
    return ""


def _command_text(value: Any) -> str:
    """A command as text: as it is, from an argument vector, or from a list of lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(value) if " " in value[0] else shlex.join(value)
    return str(value)[:2_000]


def _judge_http_payload(value: Any, arguments: Any, operation: str) -> Judgement:
    return judge_request_arguments(arguments) or judge_request("GET", _command_text(value))


def _judge_patch_payload(value: Any, arguments: Any, operation: str) -> Judgement:
    files = patched_files(_command_text(value))
    return judge(EffectClass.NON_IDEMPOTENT, operation, targets=files, basis=Basis.TABLE)


_JUDGES: Final[dict[str, Callable[[Any, Any, str], Judgement]]] = {
    "shell": lambda value, arguments, operation: judge_shell(_command_text(value)),
    "sql": lambda value, arguments, operation: judge_sql(_command_text(value)),
    "code": lambda value, arguments, operation: join((judge_code(_command_text(value), operation),), Basis.SHELL),
    "http": _judge_http_payload,
    "patch": _judge_patch_payload,
}


def _judge_entry(entry: ToolEntry, arguments: Any, operation: str) -> Judgement:
    value = arguments.get(entry.by) if entry.by and isinstance(arguments, dict) else ""
    spoken = f"{operation} {value}".strip() if isinstance(value, str) and value in entry.values else operation
    return judge(entry.class_of(arguments), spoken, assumed=entry.assumed, basis=Basis.TABLE)


def _judge_words(name: str, arguments: Any, summary: Arguments) -> Judgement:
    """By an argument that names the action, by the tool's name, by arguments that only select; else unknown."""
    bare = bare_name(name)
    acting = _judge_action(bare, arguments)
    if acting is not None:
        return acting
    named = judge_name(name, carries=summary.carries)
    if named is not None:
        return named
    effect_class = program_effect(program_name(bare))
    if effect_class is not None:
        return judge(effect_class, bare, assumed=True, basis=Basis.NAME)
    if summary.selects:
        return judge(EffectClass.READ_ONLY, bare, assumed=True, basis=Basis.UNKNOWN)
    return judge(EffectClass.NON_IDEMPOTENT, bare, assumed=True, basis=Basis.UNKNOWN)


def _judge_action(bare: str, arguments: Any) -> Judgement | None:
    """`crawl_control {"action": "stop"}`: an order speaks louder than the name; a mere `mode` or `op` not louder than its verbs."""
    if not isinstance(arguments, dict):
        return None
    name = next((name for name in _ACTION_NAMES if isinstance(arguments.get(name), str)), "")
    value = arguments.get(name, "")
    effect_class = class_of_words(name_tokens(value)) if 0 < len(value) <= 40 else None
    if effect_class is None:
        return None
    if name not in _ORDERS and class_of_verbs(name_tokens(bare)) is not None:
        return judge_name(bare)
    return judge(effect_class, f"{bare} {value}", assumed=True, basis=Basis.NAME)


def _complete(judgement: Judgement, summary: Arguments, entry: ToolEntry | None) -> Judgement:
    """Add what the arguments say whatever the basis: rehearsal, keys, background, targets."""
    targets = judgement.targets if judgement.targets or (entry is not None and entry.no_targets) else summary.targets
    keys = judgement.keys or summary.keys
    effect_class, assumed = judgement.effect_class, judgement.assumed
    if not judgement.reads and summary.rehearses:
        effect_class, assumed = EffectClass.READ_ONLY, True
    elif not judgement.reads and keys:
        effect_class = EffectClass.KEYED
    return Judgement(
        effect_class=effect_class,
        assumed=assumed,
        operations=judgement.operations,
        targets=targets,
        keys=keys,
        background=judgement.background or summary.background,
        effects=judgement.effects,
        basis=judgement.basis,
    )


def _starts_assistant(words: tuple[str, ...], arguments: Any) -> bool:
    """Whether work is handed to another agent: `helper_start`, or an argument that names the kind of agent."""
    named = bool(ASSISTANTS.intersection(words)) and bool(_ASSISTANT_STARTS.intersection(words))
    keys = [argument_key(str(name)) for name in arguments] if isinstance(arguments, dict) and len(arguments) < 50 else []
    return named or "subagenttype" in keys
