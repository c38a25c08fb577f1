"""Shell text as commands and redirections: the one place that knows tree-sitter.

A text that does not parse to the end is marked `broken`; what was found in it is still returned, but nobody may conclude
from it that something is absent.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec
import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Query, QueryCursor

MAX_TEXT: Final = 32_768
MAX_COMMANDS: Final = 400
MAX_OPENERS: Final = 300

_LANGUAGE: Final = Language(tree_sitter_bash.language())
_QUERY: Final = Query(
    _LANGUAGE,
    "(command) @command (file_redirect) @redirect (heredoc_redirect) @heredoc (function_definition) @function "
    '"&" @background',
)
_QUOTES: Final = re.compile(r"""["']|\\(?=.)""")
_EXPANDS: Final = re.compile(r"[$`]")
_OPENERS: Final = re.compile(
    r"`|<<|\$\(|\(\(|\{ "
)  # the parser needs quadratic time for many of these that are never closed
_SKIPPED: Final = frozenset({"variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment"})


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word of a command: `text` without its quotes; `expands` where the shell would still replace parts of it."""

    text: str
    expands: bool = False


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A simple command with the heredoc that it reads, "" where there is none."""

    words: tuple[Word, ...]
    heredoc: str = ""


class Redirect(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Output that goes to a file; `appends` for `>>`."""

    target: str
    appends: bool = False


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """All commands of a text, inner ones too (pipelines, loops, substitutions, functions), in order."""

    commands: tuple[Command, ...] = ()
    writes: tuple[Redirect, ...] = ()
    functions: frozenset[str] = frozenset()
    background: bool = False
    broken: bool = False


@lru_cache(maxsize=8)
def parse_script(text: str) -> Script:
    """Parse shell text; a text over 32 KiB or with hundreds of nested constructs is not looked into and comes back broken.

    The last few answers are remembered: several extractors ask about the same command.
    """
    if len(text) > MAX_TEXT or sum(1 for _ in _OPENERS.finditer(text)) > MAX_OPENERS:
        return Script(broken=True)
    source = text.encode("utf-8", "replace")
    root = Parser(_LANGUAGE).parse(source).root_node
    found = QueryCursor(_QUERY).captures(root)
    nodes = sorted(found.get("command", ()), key=_start)
    heredocs = _heredocs(nodes, found.get("heredoc", ()))
    return Script(
        commands=tuple(
            Command(words=_words(node), heredoc=heredocs.get(index, "")) for index, node in enumerate(nodes[:MAX_COMMANDS])
        ),
        writes=tuple(
            redirect
            for node in sorted(found.get("redirect", ()), key=_start)[:MAX_COMMANDS]
            if (redirect := _redirect(node)) is not None
        ),
        functions=frozenset(_text(name) for node in found.get("function", ()) if (name := node.child_by_field_name("name"))),
        background=any(_is_operator(node) for node in found.get("background", ())),
        broken=root.has_error or len(nodes) > MAX_COMMANDS,
    )


def _start(node: Node) -> int:
    return node.start_byte


def _is_operator(ampersand: Node) -> bool:
    """Whether a `&` sends something to the background, as opposed to the `&` of arithmetic."""
    return ampersand.parent is None or ampersand.parent.type != "binary_expression"


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _words(command: Node) -> tuple[Word, ...]:
    return tuple(_word(child) for child in command.children if child.type not in _SKIPPED)


def _word(node: Node) -> Word:
    text = _text(node)
    kind = node.type
    if kind == "word" or kind == "number":
        return Word(text.replace("\\", "") if "\\" in text else text)
    if kind == "raw_string":
        return Word(text[1:-1])
    if kind == "ansi_c_string":
        return Word(text[2:-1])
    expands = _EXPANDS.search(text) is not None
    if kind == "string":
        return Word(text[1:-1].replace('\\"', '"'), expands)
    return Word(_QUOTES.sub("", text) if kind != "command_substitution" else text, expands)


def _heredocs(commands: Sequence[Node], heredocs: Sequence[Node]) -> dict[int, str]:
    """Heredoc bodies by the index of the command that reads them: the last one that begins before the `<<`."""
    starts = [node.start_byte for node in commands]
    bodies: dict[int, str] = {}
    for heredoc in heredocs:
        reader = bisect_left(starts, heredoc.start_byte) - 1
        body = next((child for child in heredoc.children if child.type == "heredoc_body"), None)
        if body is not None and reader >= 0:
            bodies[reader] = _text(body)
    return bodies


def _redirect(node: Node) -> Redirect | None:
    operator = next((child.type for child in node.children if not child.is_named), "")
    target = node.child_by_field_name("destination")
    if ">" not in operator or target is None or (operator == ">&" and target.type == "number"):
        return None
    name = _word(target).text
    if name.startswith(("/dev/null", "/dev/std", "/dev/fd", "/dev/tty", "&")):
        return None
    return Redirect(target=name, appends=operator in (">>", "&>>"))
