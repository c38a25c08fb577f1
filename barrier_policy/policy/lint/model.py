"""What a lint rule is and what it finds.

A rule is a function from `Sources` to hits. Its docstring is its page: the first sentence is the summary, then follow `Why:`,
`Bad:`, `Good:` and, where the rule can repair what it finds, `Fix:`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from barrier_policy.policy.yaml import Node

if TYPE_CHECKING:
    from barrier_policy.policy.lint.source import Sources


class Level(StrEnum):
    """How bad a finding is. Errors fail the command; warnings too where it is strict; infos never."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one file: the characters from `start` to `end` become `text`."""

    file: str
    start: int
    end: int
    text: str = ""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule function yields: a place, what is wrong, and the edits that would put it right where that is safe."""

    file: str
    line: int
    column: int
    message: str
    path: str = ""
    edits: tuple[Edit, ...] = ()


class Finding(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One finding, sorted by its place. `line` and `column` count from 1; 0 means that the place is not known."""

    file: str
    line: int
    column: int
    rule: str
    level: Level
    message: str
    path: str = ""
    edits: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(number) for number in (self.line, self.column) if number)])
        return f"{place}: {self.level}[{self.rule}]: {self.message}"


Check = Callable[["Sources"], Iterator[Hit]]


class LintRule(msgspec.Struct, frozen=True, kw_only=True):
    """One lint rule with its page. `bad` and `good` are examples of policies (see `example`)."""

    id: str
    level: Level
    check: Check
    summary: str
    why: str
    bad: str
    good: str
    fix: str = ""


_SECTION = re.compile(r"^(Why|Bad|Good|Fix):\n?", re.MULTILINE)


def lint_rule(rule_id: str, level: Level) -> Callable[[Check], LintRule]:
    """Makes a function a rule; its docstring has the sections that the module's text names. Raises ValueError else."""

    def made(check: Check) -> LintRule:
        summary, *rest = _SECTION.split(inspect.cleandoc(check.__doc__ or ""))
        sections = {name.lower(): text for name, text in zip(rest[::2], rest[1::2], strict=True)}
        missing = {"why", "bad", "good"} - sections.keys()
        if missing:
            raise ValueError(f"lint rule {rule_id} has no {', '.join(sorted(missing))}")
        texts = {
            name: inspect.cleandoc("\n" + text).strip() if name in ("bad", "good") else " ".join(text.split())
            for name, text in sections.items()
        }
        return LintRule(id=rule_id, level=level, check=check, summary=" ".join(summary.split()), **texts)

    return made


def at(node: Node, message: str, edits: tuple[Edit, ...] = ()) -> Hit:
    """A hit at a value."""
    return Hit(file=node.file, line=node.line, column=node.column, message=message, path=node.path, edits=edits)


def at_key(node: Node, message: str, edits: tuple[Edit, ...] = ()) -> Hit:
    """A hit at the key of a value."""
    return Hit(file=node.file, line=node.key_line, column=node.key_column, message=message, path=node.path, edits=edits)
