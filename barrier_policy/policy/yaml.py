"""Strict YAML with places. The only module that imports PyYAML.

The scalars are `true`, `false`, `null`, decimal integers and strings; nothing else is guessed, so `on`, `no`, `017`,
`12:30:45` and `1.0` are strings. Keys are strings and unique. Anchors, aliases, merge keys, tags and further documents are
refused. Every value knows its line and column, and so does every character of a text: a mistake in the middle of an
expression is reported where it stands in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import yaml

from barrier_policy.errors import Issue, PolicyError

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 24
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WORDS = {"": None, "null": None, "true": True, "false": False}
_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}
_BLANK = r" \t\r\n\x85\u2028\u2029"
_WRITTEN = {
    "'": re.compile(f"''|[^{_BLANK}]"),
    '"': re.compile(rf"\\(?:x..|u.{{4}}|U.{{8}}|[^xUu{_BLANK}tnrLNP])|[^\\{_BLANK}]|\\[tnrLNP{_BLANK}]()"),
    "": re.compile(f"[^{_BLANK}]"),
}
"""What stands for one character that is no blank, by the quote; with an empty group what stands for a blank or for nothing."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One value with its place; lists are tuples of nodes, mappings are dicts from key to node.

    `path` is the way to it (`$.rules[0].condition`). `key_line` and `key_column` are the place of its key in a mapping.
    `source` is a string as it stands in the file, with its quotes, or its block indicator and lines.
    """

    value: str | int | bool | tuple[Node, ...] | dict[str, Node] | None
    file: str
    line: int
    column: int
    path: str
    key_line: int = 0
    key_column: int = 0
    source: str = ""

    def issue(self, message: str) -> Issue:
        """An issue at the value."""
        return Issue(file=self.file, line=self.line, column=self.column, message=message, path=self.path)

    def key_issue(self, message: str) -> Issue:
        """An issue at the key."""
        return Issue(file=self.file, line=self.key_line, column=self.key_column, message=message, path=self.path)

    @property
    def is_folded(self) -> bool:
        """Whether line breaks of the file became spaces."""
        return self.source.startswith(">") or ("\n" in self.source and not self.source.startswith("|"))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in the file of a character of the text; of the value itself where it is no text of the file."""
        if not isinstance(self.value, str) or not self.source:
            return self.line, self.column
        if self.is_folded:
            before = self.source[: _folded_offset(self.source, self.value, offset)]
            breaks = before.count("\n")
            return self.line + breaks, len(before) - before.rfind("\n") if breaks else self.column + len(before)
        if self.source.startswith("|"):
            return self._place_in_block(self.value, offset)
        return self.line, self.column + _source_offset(self.source, offset)

    def _place_in_block(self, text: str, offset: int) -> tuple[int, int]:
        before = text[:offset].split("\n")
        lines = text.split("\n")
        source_lines = self.source.split("\n")
        number = min(len(before), len(source_lines) - 1)
        indent = len(source_lines[number].rstrip("\r")) - len(lines[number - 1])
        return self.line + number, max(indent, 0) + len(before[-1]) + 1


def parse_yaml(text: str, file: str) -> Node:
    """The one document of a text. Raises PolicyError with everything that is wrong with it."""
    if len(text) > MAX_CHARACTERS:
        message = f"the file has {len(text):,} characters (at most {MAX_CHARACTERS:,})"
        raise PolicyError([Issue(file=file, message=message)])
    composer = _Composer(text, file)
    try:
        node = composer.document()
    except yaml.MarkedYAMLError as error:
        composer.refuse(error.problem_mark, f"not valid YAML: {error.problem}")
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line, column = before.count("\n") + 1, error.position - before.rfind("\n")
        composer.issues.append(Issue(file=file, line=line, column=column, message="this character is not allowed in YAML"))
    except _TooDeepError:
        pass
    if composer.issues:
        raise PolicyError(composer.issues)
    return node


class _TooDeepError(Exception):
    """Nesting over the limit; the issue is already noted."""


class _Composer:
    """Builds nodes from PyYAML's events: its own composer would expand aliases and keep no text as written."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.issues: list[Issue] = []
        self.events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)

    def refuse(self, mark: Any, message: str) -> None:
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        self.issues.append(Issue(file=self.file, line=line, column=column, message=message))

    def document(self) -> Node:
        node = Node(value=None, file=self.file, line=1, column=1, path="$")
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents == 2:
                    self.refuse(event.start_mark, "a second document is not allowed (use one file for each)")
                found = self.node(next(self.events), "$", None, 0)
                node = found if documents == 1 else node
        return node

    def node(self, event: Any, path: str, key: Any, depth: int) -> Node:
        """The node that starts with an event; takes its events up to the end."""
        if depth > MAX_DEPTH:
            self.refuse(event.start_mark, f"nested more than {MAX_DEPTH} deep")
            raise _TooDeepError
        if event.anchor is not None:
            what = "aliases" if isinstance(event, yaml.AliasEvent) else "anchors"
            self.refuse(event.start_mark, f"{what} are not allowed (write the value out)")
        if getattr(event, "tag", None) is not None:
            self.refuse(event.start_mark, "tags are not allowed (a text that starts with `!` needs quotes)")
        written = self.text[event.start_mark.index : event.end_mark.index]
        value: str | int | bool | tuple[Node, ...] | dict[str, Node] | None = None
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = tuple(self.items(path, depth))
        elif isinstance(event, yaml.MappingStartEvent):
            value = self.mapping(path, depth)
        return Node(
            value=value,
            file=self.file,
            line=event.start_mark.line + 1,
            column=event.start_mark.column + 1,
            path=path,
            key_line=key.start_mark.line + 1 if key else 0,
            key_column=key.start_mark.column + 1 if key else 0,
            source=written if isinstance(value, str) else "",
        )

    def items(self, path: str, depth: int) -> Iterator[Node]:
        number = 0
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            yield self.node(event, f"{path}[{number}]", None, depth + 1)
            number += 1

    def mapping(self, path: str, depth: int) -> dict[str, Node]:
        nodes: dict[str, Node] = {}
        while not isinstance(key := next(self.events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                self.refuse(key.start_mark, "a key must be a string")
                self.node(key, path, None, depth + 1)
            elif key.anchor is not None or key.tag is not None:
                self.refuse(key.start_mark, "a key can't have an anchor or a tag")
            name = key.value if isinstance(key, yaml.ScalarEvent) else ""
            node = self.node(next(self.events), f"{path}.{name}", key, depth + 1)
            if name == "<<":
                self.refuse(key.start_mark, "merge keys are not allowed (write the values out)")
            elif name in nodes:
                self.refuse(key.start_mark, f"key `{name}` is already used at line {nodes[name].key_line}")
            else:
                nodes[name] = node
        return nodes


def _scalar(event: yaml.ScalarEvent) -> str | int | bool | None:
    text = str(event.value)
    if event.style in ("'", '"', "|", ">"):
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def _source_offset(source: str, offset: int) -> int:
    """The offset in a one-line scalar as written of a character of its text."""
    if source[:1] not in ("'", '"'):
        return offset
    position = 1
    for _ in range(offset):
        if source[position : position + 2] == "''" and source[0] == "'":
            position += 2
        elif source[position : position + 1] == "\\" and source[0] == '"':
            position += _ESCAPE_LENGTHS.get(source[position + 1 : position + 2], 2)
        else:
            position += 1
    return position


def _folded_offset(source: str, text: str, offset: int) -> int:
    """The offset in a scalar of several lines as written of a character of its text: to fold changes nothing but blanks."""
    number = len(_WRITTEN[""].findall(text[:offset]))
    quote = source[0] if source[0] in _WRITTEN else ""
    start = source.find("\n") if source[0] == ">" else len(quote)
    end = len(source) - len(quote)
    found = (match for match in _WRITTEN[quote].finditer(source, start, end) if not match.groups() or match[1] is None)
    return next((match.start() for match in islice(found, number, None)), end)
