"""The leaves of a JSON text with their keys and places, which a parsed value no longer has."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|(-?\d[\d.eE+-]*)|([\[\]{}])')
ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
SHORT_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\\": "\\", r"\/": "/", r"\r": "\r"}


class Leaf(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A string, a number, an array of scalars, or a key that is no identifier (`{"P-66": …}` names a thing, not a field).

    `text` is a string's content with its escapes undone, a number as written, an array as written. `[start, end)` is the
    place of that in the JSON text, quotes left out. `key` is the nearest key, `path` the last two keys. `items` are an
    array's scalars as written. `escapes` are pairs (end in `text`, end as written, relative to `start`).
    """

    text: str
    start: int
    end: int
    key: str
    path: str
    is_string: bool = False
    is_key: bool = False
    items: tuple[str, ...] = ()
    escapes: tuple[tuple[int, int], ...] = ()

    def place(self, position: int) -> int:
        """The place in the JSON text of a position in `text`."""
        index = bisect_right(self.escapes, position, key=_decoded_end) - 1
        shift = self.escapes[index][1] - self.escapes[index][0] if index >= 0 else 0
        return self.start + position + shift


def _decoded_end(escape: tuple[int, int]) -> int:
    return escape[0]


class _Open(msgspec.Struct, gc=False):
    """An object or array whose end has not come yet."""

    bracket: str
    start: int
    key: str
    items: list[str]


def is_json(text: str) -> bool:
    """Whether a text is one JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text)
    except (ValueError, RecursionError):  # msgspec's errors and lone surrogates are ValueErrors
        return False
    return True


def json_leaves(text: str) -> Iterator[Leaf]:
    """All leaves of a valid JSON text, in order; an array of two or more scalars follows its items."""
    key = ""
    opened: list[_Open] = []
    for match in TOKEN.finditer(text):
        string, colon, number, bracket = match.groups()
        if colon:
            key = string
            if not string.isidentifier() and "\\" not in string:
                above = opened[-1].key if opened else ""
                yield Leaf(text=string, start=match.start(1), end=match.end(1), key=above, path=above, is_key=True)
        elif bracket is None:
            raw = number if string is None else string
            if opened:
                opened[-1].items.append(raw)
            yield _scalar(raw, match.start(1 if number is None else 3), number is None, key, _path(opened, key))
        elif bracket in "{[":
            opened.append(_Open(bracket, match.start(), key, []))
        elif opened:
            closed = opened.pop()
            key = closed.key
            if closed.bracket == "[" and len(closed.items) > 1:
                whole = text[closed.start : match.end()]
                yield Leaf(
                    text=whole,
                    start=closed.start,
                    end=match.end(),
                    key=key,
                    path=_path(opened, key),
                    items=tuple(closed.items),
                )


def _path(opened: list[_Open], key: str) -> str:
    """The last two keys of the path to a leaf."""
    for container in reversed(opened):
        if container.key and container.key != key:
            return f"{container.key}.{key}" if key else container.key
    return key


def _scalar(raw: str, start: int, is_string: bool, key: str, path: str) -> Leaf:
    end = start + len(raw)
    if not is_string or "\\" not in raw:
        return Leaf(text=raw, start=start, end=end, key=key, path=path, is_string=is_string)
    pieces: list[str] = []
    escapes: list[tuple[int, int]] = []
    length = position = 0
    for escape in ESCAPE.finditer(raw):
        character = SHORT_ESCAPES.get(escape[0]) or msgspec.json.decode(f'"{escape[0]}"', type=str)
        pieces += (raw[position : escape.start()], character)
        length += escape.start() - position + len(character)
        position = escape.end()
        escapes.append((length, position))
    text = "".join([*pieces, raw[position:]])
    return Leaf(text=text, start=start, end=end, key=key, path=path, is_string=True, escapes=tuple(escapes))
