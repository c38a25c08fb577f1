"""What an agent did between two messages, in counts: `ran 12 commands (pytest, git), changed 3 files`."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from barrier_policy.transcript.model import Message, Part, PartType
from barrier_policy.transcript.values import as_dict, first_text

MAX_NAMES = 4
"""Names that are shown, the most frequent ones."""
FEW = 20
NAME = re.compile(r"[A-Za-z][\w+-]{0,30}")
WORDS = re.compile(r"[a-z]+")
PATH_KEYS = ("file_path", "filePath", "path", "filename", "file", "notebook_path", "target_file")
COMMAND_KEYS = ("command", "cmd", "script")
CHANGES = frozenset({"edit", "write", "create", "patch", "replace", "insert", "multiedit", "update"})
READS = frozenset({"read", "view", "cat", "open", "show"})
BEFORE = frozenset({"cd", "export", "set", "source", "sudo", "time", "env", "timeout", "nohup", "bash", "sh", "zsh"})
"""Words that a command begins with and that do not say what it is."""
KEYWORDS = frozenset({"for", "while", "until", "if", "case", "function"})
"""A command that begins with one of these is a program of its own."""


class Activity:
    """Counts calls by what they are. Only that they were made is told: what came of them is in records, not in a summary."""

    def __init__(self) -> None:
        self._programs: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self._changed: set[str] = set()
        self._read: set[str] = set()
        self._errors = 0

    def add(self, message: Message) -> None:
        """Count the calls of a message, and the results that are flagged as errors."""
        for part in message.parts:
            if part.type is PartType.TOOL_CALL:
                self._add_call(part)
            self._errors += part.type is PartType.TOOL_RESULT and part.is_error is True

    def _add_call(self, part: Part) -> None:
        fields = as_dict(part.arguments)
        words = frozenset(WORDS.findall(_snake(part.name)))
        path = first_text(fields, *PATH_KEYS)
        if command := next((fields[key] for key in COMMAND_KEYS if fields.get(key)), None) if not path else None:
            self._programs[_program(command)] += 1
        elif path and words & CHANGES:
            self._changed.add(path)
        elif path and words & READS:
            self._read.add(path)
        else:
            self._others[part.name if NAME.fullmatch(part.name) else ""] += 1

    def told(self) -> str:
        """What was done, in the past tense and without the subject; "" for nothing."""
        found = []
        if self._programs:
            found.append(f"ran {_count(self._programs.total(), 'command')}{_names(self._programs)}")
        if self._changed:
            found.append(f"made changes to {_count(len(self._changed), 'file')}")
        if self._read:
            found.append(f"read {_count(len(self._read), 'file')}")
        if self._others:
            found.append(f"made {_count(self._others.total(), 'tool call')}{_names(self._others)}")
        if found and self._errors:
            found.append(f"got {_count(self._errors, 'error')} back")
        return " and ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))


def _count(number: int, noun: str) -> str:
    """A count in words. An exact large number would be one that stands nowhere in the transcript, and look like one that does."""
    if number > FEW:
        return f"more than {FEW} {noun}s"
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _names(counts: Counter[str]) -> str:
    """The most frequent names, by count and then by name."""
    known = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
    shown = known[:MAX_NAMES] + (["others"] if len(known) > MAX_NAMES else [])
    return f" ({', '.join(shown)})" if shown else ""


def _program(command: Any) -> str:
    """The first word of a command that names a program; "" where there is none."""
    words = (" ".join(map(str, command[:20])) if isinstance(command, list) else str(command))[:500].split()
    skip = False
    for word in words[:20]:
        bare = word.strip("()").rpartition("/")[2]
        if bare in KEYWORDS:
            return ""
        skip, skipped = bare == "cd", skip
        if not skipped and "=" not in word and bare not in BEFORE and NAME.fullmatch(bare):
            return bare
    return ""


def _snake(name: str) -> str:
    """A tool's name in lower case, with its words apart: `strReplace`, `str_replace` and `StrReplace` have the same."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:80]).lower()
