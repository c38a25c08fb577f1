"""Edits of a file, and which of them leave its values as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from barrier_policy.errors import PolicyError
from barrier_policy.policy.lint.model import Edit
from barrier_policy.policy.lint.source import SourceFile
from barrier_policy.policy.yaml import Node, parse_yaml


def applied(content: str, edits: Sequence[Edit]) -> str:
    """The text with its edits; one that begins before the end of an earlier one is left out."""
    pieces, position = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, edit.end)):
        if edit.start >= position:
            pieces += [content[position : edit.start], edit.text]
            position = edit.end
    return "".join([*pieces, content[position:]])


def keeping_values(file: SourceFile, edits: Sequence[Edit]) -> frozenset[Edit]:
    """Of edits of the layout those that change no value: all, or those outside of texts that go over several lines, or none."""
    texts = set(_lines_of_texts(file.document))
    for chosen in (edits, [edit for edit in edits if file.place(edit.start)[0] not in texts]):
        if chosen and _plain(applied(file.text, chosen)) == _plain(file.text):
            return frozenset(chosen)
    return frozenset()


def _lines_of_texts(node: Node | None) -> Iterator[int]:
    """The lines of texts that go over several, where a blank at the end may be a part of the value."""
    if node is None:
        return
    if "\n" in node.source:
        yield from range(node.line, node.line + node.source.count("\n") + 1)
    children = node.value.values() if isinstance(node.value, dict) else node.value if isinstance(node.value, tuple) else ()
    for child in children:
        yield from _lines_of_texts(child)


def _plain(content: str) -> object:
    """The values of a YAML text without their places; the text itself where it is no YAML."""
    try:
        return _values(parse_yaml(content, ""))
    except PolicyError:
        return content


def _values(node: Node) -> object:
    if isinstance(node.value, dict):
        return {key: _values(child) for key, child in node.value.items()}
    return [_values(child) for child in node.value] if isinstance(node.value, tuple) else node.value
