"""The dictionary of command-line programs (`shell_programs.json`), made ready for look-ups."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from barrier_policy_plugins.effect_classes import read_table, word_set

from barrier_policy.facts.effect_class import EffectClass

_VERSION: Final = re.compile(r"(?<=[a-z]{2})[\d.]+$|\.(?:exe|cmd|bat)$")


class Program(msgspec.Struct, frozen=True, kw_only=True, rename={"as_": "as"}):
    """An entry of the dictionary; its `about` explains the fields."""

    as_: str = ""
    effect: str = ""
    bare: str = ""
    read_only: str = ""
    idempotent: str = ""
    non_idempotent: str = ""
    irreversible: str = ""
    commands: dict[str, Program] = {}
    options: dict[str, str] = {}
    valued: str = ""
    script: str = ""
    tasks: bool = False
    wraps: str = ""
    wraps_after: str = ""
    verbs: bool = False
    anywhere: bool = False
    fold: bool = False
    derived: str = ""
    code: str = ""
    module: str = ""
    sql: str = ""
    sql_operand: int | None = None
    file: str = ""
    method: str = ""


class Dictionary(msgspec.Struct, frozen=True):
    """The file as it is."""

    about: str
    read_only: str
    idempotent: str
    non_idempotent: str
    irreversible: str
    derived: str
    tasks: str
    wrappers: dict[str, str]
    programs: dict[str, Program]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A program made ready for look-ups."""

    effect: EffectClass | None
    bare: EffectClass | None
    listed: dict[str, EffectClass]
    commands: dict[str, Entry]
    options: dict[str, EffectClass]
    derived: frozenset[str]
    valued: frozenset[str]
    holders: dict[str, str]
    inner: dict[str, str]
    tasks: bool
    verbs: bool
    anywhere: bool
    fold: bool
    sql_operand: int | None


_CLASS_LISTS: Final = ("read_only", "idempotent", "non_idempotent", "irreversible")
_SOURCE: Final = msgspec.json.decode(read_table("shell_programs.json"), type=Dictionary)
TASKS: Final = word_set(_SOURCE.tasks)
WRAPPERS: Final = {name: word_set(valued) for name, valued in _SOURCE.wrappers.items()}


def _entry(program: Program) -> Entry:
    """Resolve `as` and split the lists."""
    base = _base(program.as_)
    inner = dict.fromkeys(program.wraps.split(), "command")
    inner |= dict.fromkeys(program.wraps_after.split(), "behind") | dict.fromkeys(program.script.split(), "task")
    holders = {
        option: kind for kind in ("code", "module", "sql", "file", "method") for option in getattr(program, kind).split()
    }
    derived = program.derived.split()
    listed = {word: EffectClass(name) for name in _CLASS_LISTS for word in getattr(program, name).split()}
    listed |= dict.fromkeys(derived, EffectClass.READ_ONLY)
    options = {word: EffectClass(name) for name, words in program.options.items() for word in words.split()}
    return Entry(
        effect=EffectClass(program.effect) if program.effect else base.effect if base else None,
        bare=EffectClass(program.bare) if program.bare else base.bare if base else None,
        listed=(base.listed if base else {}) | listed,
        commands=(base.commands if base else {}) | {name: _entry(command) for name, command in program.commands.items()},
        options=(base.options if base else {}) | options,
        derived=(base.derived if base else frozenset()) | frozenset(derived),
        valued=(base.valued if base else frozenset()) | word_set(program.valued) | frozenset(holders),
        holders=(base.holders if base else {}) | holders,
        inner=(base.inner if base else {}) | inner,
        tasks=program.tasks or bool(base and base.tasks),
        verbs=program.verbs or bool(base and base.verbs),
        anywhere=program.anywhere or bool(base and base.anywhere),
        fold=program.fold,
        sql_operand=program.sql_operand,
    )


def _base(path: str) -> Entry | None:
    if not path:
        return None
    name, *commands = path.split()
    entry = _entry(_SOURCE.programs[name])
    for command in commands:
        entry = entry.commands[command]
    return entry


_SIMPLE: Final = {word: _entry(Program(effect=name)) for name in _CLASS_LISTS for word in getattr(_SOURCE, name).split()}
_DERIVED: Final = {word: _entry(Program(effect="read_only", derived=word)) for word in _SOURCE.derived.split()}
PROGRAMS: Final = _SIMPLE | _DERIVED | {name: _entry(program) for name, program in _SOURCE.programs.items()}


def program_name(word: str) -> str:
    """The name of a program as the dictionary has it: no folder, no version, no `.exe` (`/usr/bin/python3.12` is `python`)."""
    name = word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    if name in PROGRAMS or name in WRAPPERS:
        return name
    plain = _VERSION.sub("", name.lower().removesuffix(".sh"))
    return plain if plain in PROGRAMS or plain in WRAPPERS else name


def is_program(name: str) -> bool:
    """Whether the dictionary has an entry for the program."""
    return name in PROGRAMS


def program_effect(name: str) -> EffectClass | None:
    """What a program does whatever its arguments; None where it depends on them, or the dictionary does not have it."""
    entry = PROGRAMS.get(name)
    return entry.effect if entry is not None and not (entry.commands or entry.listed) else None
