"""What the programs of a command line do, by a dictionary (`shell_programs.json`), and by their words where it is silent.

A dictionary entry knows a program's sub-commands and options. `read_command` takes a command apart with it; what holds
another command, SQL or program text comes back as such, to be judged by whoever can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final

import msgspec
from barrier_policy_plugins.effect_classes import word_set, worst
from barrier_policy_plugins.program_dictionary import PROGRAMS, TASKS, Entry, program_name
from barrier_policy_plugins.shell_syntax import Word
from barrier_policy_plugins.tool_names import class_of_verbs, class_of_words, name_tokens

from barrier_policy.facts.effect_class import EffectClass

MAX_WORDS: Final = 200

_REHEARSALS: Final = word_set(
    "--dry-run --dryrun --dry --help --whatif --what-if --noop --simulate --readonly --read-only --check-only --validate-only --plan-only"
)
_QUESTIONS: Final = frozenset({"--list", "--check", "--preview", "--plan", "--diff", "--show", "--status", "--validate"})
_HELP: Final = frozenset({"-h", "-help", "--help"})
_LONE_QUESTIONS: Final = _HELP | {"-v", "-V", "-version", "--version"}
_OFF: Final = frozenset({"none", "false", "no", "0", "off"})
_SCRIPT_SUFFIX: Final = re.compile(r"\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|php|lua|r|R|ps1)$")
_READING_END: Final = re.compile(r"(?:check|checker|lint|test|tests|scan|diff|stat|stats|list|grep|info|view|verify)$")
_TESTING_FOLDER: Final = re.compile(r"(?:^|/)(?:tests?|specs?|bench(?:marks?)?|perf|profiling|examples?|checks?)/")
_REPORTING: Final = word_set(
    "status info log logs history stats version versions summary overview usage health top events info"
)
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z:_-]*$")


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A command taken apart: what it is called, its class where the dictionary has one, and what it holds inside."""

    operation: str
    effect_class: EffectClass | None = None
    assumed: bool = False
    operands: tuple[str, ...] = ()
    command: tuple[Word, ...] = ()
    task: bool = False
    sql: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    method: str = ""


def read_command(words: tuple[Word, ...]) -> Reading:
    """Take a command apart; `words` are the program and its arguments, at least one."""
    name = program_name(words[0].text)
    entry = PROGRAMS.get(name)
    if entry is None:
        return _read_unknown(words)
    scan = _Scan(entry, name)
    index = 1
    end = min(len(words), MAX_WORDS)
    while index < end and not scan.inner:
        text = words[index].text
        if text.startswith("-") and len(text) > 1 and text not in scan.entry.listed:
            index += scan.option(words, index)
        else:
            index += 1
            scan.operand(text)
    return scan.reading(words[index:end])


class _Scan:
    """The walk through the words of one command: down into its sub-commands, past its options."""

    def __init__(self, entry: Entry, name: str) -> None:
        self.entry = entry
        self.path = [name]
        self.listed: EffectClass | None = None
        self.options = dict(entry.options)
        self.found: list[str] = []
        self.operands: list[str] = []
        self.held: list[tuple[str, str]] = []
        self.closed = False
        self.inner = ""

    def option(self, words: tuple[Word, ...], index: int) -> int:
        """Note an option with what it holds; return how many words it takes."""
        text = words[index].text
        name, equals, value = text.partition("=")
        self.found.append(text)
        key = name if name in self.entry.valued or len(name) < 3 or name[1] == "-" else "-" + name[-1]
        if key not in self.entry.valued:
            return 1
        takes = not equals and index + 1 < len(words)
        kind = self.entry.holders.get(key, "")
        if kind:
            self.held.append((kind, words[index + 1].text if takes else value))
        if kind == "module":
            self.inner = "module"
        return 2 if takes else 1

    def operand(self, text: str) -> None:
        """Go down into a sub-command, or keep an operand."""
        command = text.lower() if self.entry.fold else text
        entry = self.entry
        if self.closed:
            self.operands.append(text)
        elif command in entry.inner:
            self.path.append(command)
            self.inner = entry.inner[command]
        elif command in entry.commands or command in entry.listed:
            self.path.append(command)
            self.listed = entry.listed.get(command)
            self.closed = command not in entry.commands
            self.entry = entry.commands.get(command, entry)
            self.options.update(self.entry.options)
        else:
            self.operands.append(text)
            self.closed = not entry.anywhere

    def reading(self, rest: tuple[Word, ...]) -> Reading:
        """What the walk has found; `rest` are the words behind a sub-command that holds a command of its own."""
        if self.inner:
            return self._inner_reading(rest)
        effect_class = self._class()
        return Reading(
            operation=" ".join((*self.path, *self._spoken(effect_class))),
            effect_class=effect_class,
            assumed=(self.listed is None and (self.entry.verbs or self.entry.tasks)) or self.path[-1] in self.entry.derived,
            operands=tuple(self.operands),
            task=self.entry.tasks and effect_class is None,
            sql=self._sql(),
            code=tuple(value for kind, value in self.held if kind == "code"),
            method=next((value for kind, value in self.held if kind == "method"), ""),
        )

    def _spoken(self, effect_class: EffectClass | None) -> list[str]:
        """The sub-command in words, where the dictionary does not have it."""
        if self.entry.verbs:
            return _spoken_words(self.operands)
        return self.operands[:1] if effect_class is None and self.entry.listed else []

    def _inner_reading(self, rest: tuple[Word, ...]) -> Reading:
        operation = " ".join(self.path)
        if self.inner == "module":
            return Reading(operation=operation, command=(Word(self.held[-1][1]), *rest))
        texts = [word.text for word in rest]
        start = texts.index("--") + 1 if "--" in texts else _behind_options(texts, self.entry.valued)
        if self.inner == "task":
            return Reading(operation=operation, task=True, operands=tuple(texts[start : start + 1]))
        if self.inner == "behind" and "--" not in texts:
            start += 1
        return Reading(operation=operation, command=rest[start:], assumed=self.inner == "behind")

    def _sql(self) -> tuple[str, ...]:
        texts = tuple(value if kind == "sql" else f"\\i {value}" for kind, value in self.held if kind in ("sql", "file"))
        wanted = self.entry.sql_operand
        return texts or (tuple(self.operands[wanted : wanted + 1]) if wanted is not None else ())

    def _class(self) -> EffectClass | None:
        """The class by sub-command, or of the program, raised or lifted by options; None where nothing is known."""
        chosen = [
            self.options[name]
            for word in (*self.found, *self.operands[:1])
            for name in _spellings(word)
            if name in self.options
        ]
        if EffectClass.READ_ONLY in chosen or _asks_only(self.found, bare=not self.operands, plain=len(self.path) == 1):
            return EffectClass.READ_ONLY
        own = self.listed or self._own_class()
        return worst((*chosen, own) if own else chosen)

    def _own_class(self) -> EffectClass | None:
        entry = self.entry
        if entry.bare is not None and not self.operands:
            return entry.bare
        if entry.verbs:
            return class_of_plain_words(self.operands) or entry.effect
        if (
            entry.effect is None
            and not self.operands
            and not (entry.holders or entry.sql_operand is not None or entry.tasks)
        ):
            return EffectClass.READ_ONLY
        return entry.effect


def _behind_options(texts: list[str], valued: frozenset[str]) -> int:
    index = 0
    while index < len(texts) and texts[index].startswith("-"):
        index += 2 if texts[index] in valued else 1
    return index


def _spellings(word: str) -> Iterator[str]:
    """An option as it may stand in the dictionary: `--force=x` as `--force`, `-rf` as `-r` and `-f`."""
    yield word
    name, equals, value = word.partition("=")
    if equals and value not in _OFF:
        yield name
    if len(name) > 2 and name[0] == "-" and name[1] != "-":
        yield from ("-" + letter for letter in name[1:10])


def _asks_only(found: Iterable[str], *, bare: bool, plain: bool) -> bool:
    """Whether options ask for help or a rehearsal, whatever the program.

    A lone `-v` asks for the version where there are no operands (`bare`) and no sub-command (`plain`).
    """
    names = tuple(found)
    if any(name in _REHEARSALS for word in names for name in _spellings(word)):
        return True
    return bare and len(names) == 1 and names[0] in (_LONE_QUESTIONS if plain else _HELP)


def _read_unknown(words: tuple[Word, ...]) -> Reading:
    """A program that the dictionary does not have: its name and its sub-commands speak, as an assumption."""
    texts = [word.text for word in words[1:MAX_WORDS]]
    found = [text for text in texts if text.startswith("-")]
    operands = [text for text in texts if not text.startswith("-")]
    commands = list(takewhile(lambda text: not text.startswith("-"), texts)) or operands[-1:]
    name = _SCRIPT_SUFFIX.sub("", words[0].text.rsplit("/", 1)[-1])
    effect_class = (
        EffectClass.READ_ONLY
        if _asks_only(found, bare=not operands, plain=True)
        else class_of_plain_words([name, *commands])
    )
    if effect_class is None and (_QUESTIONS.intersection(found) or _TESTING_FOLDER.search(words[0].text) or _lists(texts)):
        effect_class = EffectClass.READ_ONLY
    return Reading(
        operation=" ".join((name, *_spoken_words(commands)[-1:])),
        effect_class=effect_class,
        assumed=True,
        operands=tuple(operands),
    )


def _lists(texts: list[str]) -> bool:
    """Whether a noun for what is reported stands alone (`acmectl queue`)."""
    return len(texts) == 1 and class_of_words(name_tokens(texts[0])) is EffectClass.READ_ONLY


def class_of_plain_words(operands: list[str]) -> EffectClass | None:
    """The worst class that the first few words speak for, None where none is a known verb."""
    classes = [
        effect_class for word in operands[:4] if _PLAIN.match(word) and (effect_class := _class_of_word(word)) is not None
    ]
    return worst(classes)


def _spoken_words(operands: list[str]) -> list[str]:
    """The operands up to the last one that is a known verb: the sub-command in words."""
    plain = list(takewhile(_PLAIN.match, operands[:4]))
    spoken = [index for index, word in enumerate(plain) if _class_of_word(word) is not None]
    return plain[: spoken[-1] + 1] if spoken else []


def _class_of_word(word: str) -> EffectClass | None:
    """What a sub-command says; of the nouns that a tool would report only those that are sub-commands themselves."""
    tokens = name_tokens(word)
    known = class_of_words(tokens)
    if known is EffectClass.READ_ONLY and class_of_verbs(tokens) is None and tokens[-1] not in _REPORTING:
        known = None
    return known or (EffectClass.READ_ONLY if _READING_END.search(word) else None)


def class_of_task(task: str) -> EffectClass | None:
    """What the name of a task of a build tool says (`test:unit`, `:app:assemble`, `deploy-prod`); None where nothing is known.

    Checks and builds read: what they leave behind is derived and can be made again.
    """
    tokens = name_tokens(task)
    spoken = class_of_words(tuple(token for token in tokens if token not in TASKS))
    return spoken or (EffectClass.READ_ONLY if TASKS.intersection(tokens) else None)
