"""JSON text cut at its values, so that what is copied stays as it was written: numbers, escapes, key order, white space."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

_LENIENT = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\n\r]*")


class Child(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A member of an object or an element of a list: its text is `[head, end)`, its value begins at `start`."""

    key: str
    head: int
    start: int
    end: int


class Item(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What stands in a rewritten list: the source's element number `index` (-1 for a new one), or `text` in its place."""

    index: int = -1
    text: str | None = None


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def children(text: str, at: int) -> list[Child]:
    """The members or elements of the container that begins at `at`; none where it is no container.

    `text` is JSON that has been decoded before: it is well formed and not too deep.
    """
    closing = {"{": "}", "[": "]"}.get(text[at : at + 1])
    found: list[Child] = []
    at = _space(text, at + 1)
    while closing and text[at] != closing:
        head, key = at, str(len(found))
        if closing == "}":
            key, at = _LENIENT.raw_decode(text, at)
            at = _space(text, _space(text, at) + 1)
        _, end = _LENIENT.raw_decode(text, at)
        found.append(Child(key=key, head=head, start=at, end=end))
        at = _space(text, end)
        if text[at] == ",":
            at = _space(text, at + 1)
    return found


def find_value(text: str, pointer: str) -> Child | None:
    """Where the value at an RFC 6901 pointer stands; of a repeated key the last one counts, as for decoders."""
    start = _space(text, 0)
    place = Child(key="", head=start, start=start, end=len(text.rstrip(" \t\r\n")))
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        named = [child for child in children(text, place.start) if child.key == key]
        if not named:
            return None
        place = named[-1]
    return place


def replace_value(text: str, pointer: str, value: str) -> str:
    """The text with another JSON text as the value at `pointer`; unchanged where there is none."""
    place = find_value(text, pointer)
    return text if place is None else text[: place.start] + value + text[place.end :]


def remove_member(text: str, pointer: str) -> str:
    """The text without the member or element at `pointer`; unchanged where there is none."""
    parent, _, token = pointer.rpartition("/")
    key = token.replace("~1", "/").replace("~0", "~")
    outer = find_value(text, parent)
    found = children(text, outer.start) if outer else []
    if outer is None or all(child.key != key for child in found):
        return text
    kept = [Item(index=index) for index, child in enumerate(found) if child.key != key]
    return text[: outer.start] + _joined(text, outer, found, kept) + text[outer.end :]


def list_text(text: str, pointer: str) -> str | None:
    """The text of the list at `pointer`, which may also stand there as a string of JSON text; None where there is no list."""
    place = find_value(text, pointer)
    if place is None:
        return None
    found = text[place.start : place.end]
    if found.startswith('"'):
        found = _LENIENT.decode(found).strip(" \t\r\n")
    return found if found.startswith("[") else None


def replace_list(text: str, pointer: str, changed: str) -> str:
    """The text with another list at `pointer`, again as a string of JSON text where it was one."""
    place = find_value(text, pointer)
    if place is not None and text[place.start] == '"':
        changed = quote(changed, ascii_only=text[place.start : place.end].isascii())
    return replace_value(text, pointer, changed)


def replace_items(text: str, pointer: str, items: Sequence[Item]) -> str:
    """The text with other elements in the list at `pointer`."""
    place = find_value(text, pointer)
    if place is None:
        return text
    changed = _joined(text, place, children(text, place.start), items)
    return text[: place.start] + changed + text[place.end :]


def select_items(text: str, pointer: str, indices: Iterable[int]) -> str:
    """The text with only these elements in the list at `pointer`, in their order."""
    return replace_items(text, pointer, [Item(index=index) for index in sorted(indices)])


def _joined(text: str, outer: Child, found: Sequence[Child], items: Sequence[Item]) -> str:
    """A container with other children; between neighbours of the source stands what stood there, else what stands elsewhere."""
    opening = text[outer.start : found[0].head] if found else text[outer.start]
    closing = text[found[-1].end : outer.end] if found else text[outer.end - 1]
    if not items:
        return opening[0] + closing[-1]
    usual = text[found[0].end : found[1].head] if len(found) > 1 else "," + opening[1:]
    pieces = [opening]
    for number, item in enumerate(items):
        if number:
            pieces.append(text[found[item.index - 1].end : found[item.index].head] if item.index > 0 else usual)
        pieces.append(text[found[item.index].head : found[item.index].end] if item.text is None else item.text)
    return "".join([*pieces, closing])


def quote(value: str, *, ascii_only: bool = False) -> str:
    """A string as JSON text; lone surrogates are escaped."""
    quoted = json.dumps(value, ensure_ascii=ascii_only)
    return quoted if ascii_only else quoted.encode("utf-8", "backslashreplace").decode("utf-8")


def new_text(value: Any, *, like: str = "", base: str = "") -> str:
    """A value as JSON text in the manner of the text `like`: indented where that is, spaced or dense where that is so.

    `base` is the indentation at which the value will stand.
    """
    lines = like.split("\n", 2)
    indent = len(lines[1]) - len(lines[1].lstrip()) - len(base) if len(lines) > 1 else 0
    if indent > 0:
        unit = lines[1][len(base) : len(base) + indent]
        written = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", "\n" + base)
    else:
        spaced = '": ' in like.split(",", 1)[0]
        written = json.dumps(value, ensure_ascii=False, separators=(", ", ": ") if spaced else (",", ":"))
    return written.encode("utf-8", "backslashreplace").decode("utf-8")
