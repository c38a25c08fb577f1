"""What a line of shell does: the worst of its commands and redirections, wrappers and inner scripts looked into.

Unknown protects: a text that does not parse, a program that nobody knows and a script that is not shown all count as
effects that must not be repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from barrier_policy_plugins.effect_classes import Basis, Judgement, join, judge, word_set
from barrier_policy_plugins.http_requests import judge_client, judge_request
from barrier_policy_plugins.program_dictionary import WRAPPERS, program_name
from barrier_policy_plugins.program_text import judge_code, judge_editor, judge_script, judge_sourced, operand_targets
from barrier_policy_plugins.shell_programs import Reading, class_of_task, read_command
from barrier_policy_plugins.shell_syntax import Command, Script, Word, parse_script
from barrier_policy_plugins.sql import judge_sql

from barrier_policy.facts.effect_class import EffectClass

MAX_DEPTH: Final = 5
CACHED_TEXT: Final = 4_096

_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash"})
_CLIENTS: Final = frozenset({"curl", "wget", "http", "https", "xh", "xhs"})
_BACKGROUND: Final = frozenset({"nohup", "setsid", "disown", "daemonize", "sbatch", "systemd-run", "at", "batch"})
_CONTAINERS: Final = frozenset({"docker", "podman", "nerdctl", "docker-compose", "tmux", "screen"})
_SILENT: Final = frozenset(
    {"cd", "pushd", "popd", "echo", "printf", "set", "export", "true", "false", "test", "[", "source", ".", "sleep"}
)
_PLACE: Final = re.compile(r"[/.\d]")
_DETACHED: Final = frozenset({"-d", "--detach", "-dm", "-dmS"})
_SSH_VALUED: Final = word_set("-p -i -l -o -L -R -D -F -J -E -b -c -e -m -w -S -W -B -I -Q")


def judge_shell(text: str) -> Judgement:
    """Judge a line or script of shell. Linear; texts of up to 4 KiB are remembered, a bounded number of them."""
    return _judge_cached(text) if len(text) <= CACHED_TEXT else _judge_text(text, 0)


@lru_cache(maxsize=1024)
def _judge_cached(text: str) -> Judgement:
    return _judge_text(text, 0)


def _judge_text(text: str, depth: int) -> Judgement:
    if depth > MAX_DEPTH:
        return _unknown("script")
    script = parse_script(text)
    parts = [*_judge_commands(script, depth), *_judge_writes(script)]
    if script.broken or not (parts or text.strip()):
        parts.append(_unknown(_first_word(text)))
    whole = join(parts, Basis.SHELL)
    return _with_background(whole) if script.background else whole


def _judge_commands(script: Script, depth: int) -> Iterator[Judgement]:
    for command in script.commands:
        if command.words and command.words[0].text not in script.functions:
            yield judge_command(command, depth)


def _judge_writes(script: Script) -> Iterator[Judgement]:
    for write in script.writes:
        effect_class = EffectClass.NON_IDEMPOTENT if write.appends else EffectClass.IDEMPOTENT
        yield judge(effect_class, "append" if write.appends else "write", targets=(write.target,))


def _with_background(whole: Judgement) -> Judgement:
    return join((whole, judge(EffectClass.READ_ONLY, background=True)), Basis.SHELL)


def _unknown(operation: str, targets: Iterable[str] = ()) -> Judgement:
    return judge(EffectClass.NON_IDEMPOTENT, operation, targets=targets, assumed=True)


def _first_word(text: str) -> str:
    return next(iter(text[:200].split()), "script")[:60]


def judge_command(command: Command, depth: int = 0) -> Judgement:
    """Judge one command, and what it holds inside."""
    words = command.words
    first = words[0]
    if first.expands:
        return _unknown(first.text[:60])
    name = program_name(first.text)
    if name in WRAPPERS:
        return _judge_wrapped(name, words, command.heredoc, depth)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(command, depth)
    if name in _CLIENTS:
        return judge_client(name, [word.text for word in words[1:]])
    return _judge_reading(read_command(words), command, depth)


def _judge_wrapped(name: str, words: tuple[Word, ...], heredoc: str, depth: int) -> Judgement:
    """`sudo -u x rm y`: the command behind the wrapper's own options, settings and numbers."""
    valued = WRAPPERS[name]
    index = 1
    while index < len(words):
        text = words[index].text
        if text in valued:
            index += 2
        elif text.startswith("-") or "=" in text or text[:1].isdigit():
            index += 1
        else:
            break
    rest = words[index:]
    asks = name == "command" and any(word.text in ("-v", "-V") for word in words[1:index])
    if not rest or asks or depth > MAX_DEPTH:
        return judge(EffectClass.READ_ONLY, name) if depth <= MAX_DEPTH else _unknown(name)
    if len(rest) == 1 and " " in rest[0].text:
        inner = _judge_text(rest[0].text, depth + 1)
    else:
        inner = judge_command(Command(words=rest, heredoc=heredoc), depth + 1)
    return _with_background(inner) if name in _BACKGROUND else inner


def _judge_reading(reading: Reading, command: Command, depth: int) -> Judgement:
    if reading.command:
        return _judge_inner(reading, command, depth)
    if reading.sql:
        return join((judge_sql(";\n".join(reading.sql)),), Basis.SHELL)
    if reading.code:
        code = judge_code("\n".join(reading.code), reading.operation)
        return join((code, judge(reading.effect_class or EffectClass.READ_ONLY, reading.operation)), Basis.SHELL)
    if reading.task:
        return _judge_task(reading)
    operation = reading.operation
    if reading.method:
        return judge_request(reading.method, *reading.operands[:1], program=operation)
    if reading.effect_class is None:
        return _judge_unnamed(reading, command)
    reads = reading.effect_class is EffectClass.READ_ONLY
    return judge(
        reading.effect_class,
        "" if operation in _SILENT else operation,
        targets=filter(_PLACE.search, reading.operands) if reads else operand_targets(reading.operands),
        assumed=reading.assumed,
        background=_detaches(command) or operation in _BACKGROUND,
    )


def _judge_inner(reading: Reading, command: Command, depth: int) -> Judgement:
    """The command in a container, an environment or a module."""
    if depth >= MAX_DEPTH:
        return _unknown(reading.operation)
    inner = judge_command(Command(words=reading.command, heredoc=command.heredoc), depth + 1)
    whole = join((inner, judge(inner.effect_class, assumed=True)), Basis.SHELL) if reading.assumed else inner
    return _with_background(whole) if _detaches(command) else whole


def _detaches(command: Command) -> bool:
    """`docker run -d`, `tmux new -d`: the command returns before its work is done."""
    words = [word.text for word in command.words[:20]]
    return program_name(words[0]) in _CONTAINERS and any(word in _DETACHED for word in words)


def _judge_unnamed(reading: Reading, command: Command) -> Judgement:
    """An interpreter or client without program text on its line: a heredoc, a script file, or nothing that can be seen."""
    program = reading.operation.partition(" ")[0]
    if _detaches(command):
        return _with_background(_unknown(reading.operation, operand_targets(reading.operands)))
    if command.heredoc:
        return judge_sql(command.heredoc) if program in _SQL_CLIENTS else judge_code(command.heredoc, reading.operation)
    if program in _INTERPRETERS and reading.operands:
        return judge_script(reading.operands)
    return _unknown(reading.operation, operand_targets(reading.operands))


_INTERPRETERS: Final = word_set(
    "python node ruby perl php lua Rscript ts-node tsx deno bun nodejs pypy ipython julia groovy elixir osascript"
)
_SQL_CLIENTS: Final = word_set(
    "psql mysql mariadb sqlite3 duckdb clickhouse-client clickhouse sqlcmd snowsql trino cqlsh usql pgcli"
)


def _judge_task(reading: Reading) -> Judgement:
    tasks = [operand for operand in reading.operands if "=" not in operand] or [""]
    parts = []
    for task in tasks[:8]:
        known = class_of_task(task)
        parts.append(judge(known or EffectClass.NON_IDEMPOTENT, f"{reading.operation} {task}".strip(), assumed=True))
    return join(parts, Basis.SHELL)


def _judge_shell_program(command: Command, depth: int) -> Judgement:
    """`bash -c text`, `bash <<EOF`, `bash script.sh`; a shell that reads a pipe runs what nobody can see."""
    texts = [word.text for word in command.words[1:]]
    flag = next(
        (
            index
            for index, text in enumerate(texts)
            if text.startswith("-") and text.endswith("c") and not text.startswith("--")
        ),
        -1,
    )
    if flag >= 0 and flag + 1 < len(texts):
        return _judge_text(texts[flag + 1], depth + 1)
    if command.heredoc:
        return _judge_text(command.heredoc, depth + 1)
    operands = [text for text in texts if not text.startswith("-")]
    return judge_script(operands) if operands else _unknown(command.words[0].text)


def _judge_eval(command: Command, depth: int) -> Judgement:
    if any(word.expands for word in command.words):
        return _unknown("eval")
    return _judge_text(" ".join(word.text for word in command.words[1:]), depth + 1)


def _judge_source(command: Command, depth: int) -> Judgement:
    return judge_sourced([word.text for word in command.words[1:]])


def _judge_ssh(command: Command, depth: int) -> Judgement:
    """`ssh host command`: the command is shell text on the other side."""
    texts = [word.text for word in command.words]
    index = 1
    while index < len(texts) and texts[index].startswith("-"):
        index += 2 if texts[index] in _SSH_VALUED else 1
    host, remote = texts[index : index + 1], " ".join(texts[index + 1 :])
    if not remote and not command.heredoc:
        return _unknown("ssh", host)
    inner = _judge_text(remote or command.heredoc, depth + 1)
    return join((inner, judge(EffectClass.READ_ONLY, targets=host)) if inner.reads else (inner,), Basis.SHELL)


def _judge_find(command: Command, depth: int) -> Judgement:
    """`find … -exec command ;` does what the command does, `-delete` deletes."""
    words = command.words
    texts = [word.text for word in words]
    if "-delete" in texts:
        return judge(EffectClass.IRREVERSIBLE, "find -delete", targets=operand_targets(texts[1:2]))
    parts = [judge(EffectClass.READ_ONLY, texts[0].rsplit("/", 1)[-1])]
    for index, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch") and index + 1 < len(words):
            inner = words[index + 1 : _end_of_exec(texts, index + 1)]
            parts.append(
                judge_command(Command(words=inner), depth + 1) if inner and depth < MAX_DEPTH else _unknown("find -exec")
            )
        elif text in ("-fprint", "-fprintf", "-fls") and index + 1 < len(words):
            parts.append(judge(EffectClass.IDEMPOTENT, "write", targets=(texts[index + 1],)))
    return join(parts[:20], Basis.SHELL)


def _end_of_exec(texts: Sequence[str], start: int) -> int:
    return next((index for index in range(start, len(texts)) if texts[index] in (";", "+", "\\;")), len(texts))


def _judge_ansible(command: Command, depth: int) -> Judgement:
    """An ad-hoc module: `shell` and `command` run a line elsewhere, `ping`, `setup` and `*_facts` read, others set a state."""
    texts = [word.text for word in command.words]
    options = dict(pairwise(texts))
    module = (options.get("-m") or options.get("--module-name") or "command").rsplit(".", 1)[-1]
    line = options.get("-a") or options.get("--args") or ""
    if module in ("shell", "command", "raw", "script") and depth < MAX_DEPTH:
        return _judge_text(line, depth + 1)
    reads = module in ("ping", "setup", "stat", "debug", "assert", "slurp", "fetch") or module.endswith(("_facts", "_info"))
    checks = "--check" in texts or "-C" in texts
    return judge(
        EffectClass.READ_ONLY if reads or checks else EffectClass.IDEMPOTENT, f"ansible {module}", targets=texts[1:2]
    )


def _judge_editor(command: Command, depth: int) -> Judgement:
    return judge_editor(program_name(command.words[0].text), [word.text for word in command.words[1:]], command.heredoc)


_SPECIAL: Final[dict[str, Callable[[Command, int], Judgement]]] = {
    **dict.fromkeys(sorted(_SHELLS), _judge_shell_program),
    "eval": _judge_eval,
    "source": _judge_source,
    ".": _judge_source,
    "ssh": _judge_ssh,
    "find": _judge_find,
    "fd": _judge_find,
    "fdfind": _judge_find,
    "sed": _judge_editor,
    "gsed": _judge_editor,
    "awk": _judge_editor,
    "gawk": _judge_editor,
    "mawk": _judge_editor,
    "ansible": _judge_ansible,
    "apply_patch": _judge_editor,
    "applypatch": _judge_editor,
}
