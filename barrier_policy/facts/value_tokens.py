"""What a single token is: a path, an id, a version, a number, or nothing (design section 5, types of bindings).

A token is a run of characters without blanks, quotes and brackets. The same tokens come again and again in a transcript,
so the verdict on a token is computed once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from barrier_policy.facts.value_forms import PIECE, PLAIN_PIECE, TYPES
from barrier_policy.facts.value_words import CURRENCY_SIGNS, FILE_TYPES, UNSEPARATED

MAX_TOKEN = 1_024
"""A longer token is a blob: no value in it is one that somebody reads or types."""
MAX_ASSIGNMENTS = 3

TRAILING = ".,:;!?…*_-=+\\&~"
LEADING = ",;:?*=&"
ASSIGNMENT = re.compile(r"(-{0,2}[^\W\d][\w.\[\]/-]*)(?:[:+]?=)(?!=)(.+)", re.DOTALL)
LABEL = re.compile(r"([^\W\d][\w-]*):(?!/|:|\\).+", re.DOTALL)
COMPOUND = re.compile(r"[\w.+/-]+(?::[\w.+/-]+)+|[^\W\d][\w-]*(?:\.[\w-]+)+")
LOCATION = re.compile(r":\d+(?::\d+)?(?!\w)")
VERSIONED = re.compile(r"\d\.\d")
GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+,\d+")
COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
LISTING_PLACE = re.compile(rf"(.*\.(?:{FILE_TYPES}))-\d+")
"""A file name as the context lines of a search print it: `file.go-141-`."""
UNSEPARATED_RUN = re.compile(rf"[{UNSEPARATED}]+")


class Piece(msgspec.Struct, frozen=True, gc=False):
    """A value inside a token: where, of what type, under what name.

    `type` is one of the types of values, or `place` for a path with a line number. A `weak` piece counts only with a name
    or a unit.
    """

    type: str
    start: int
    end: int
    name: str = ""
    weak: bool = False


@lru_cache(maxsize=1_024)
def token_pieces(token: str) -> tuple[Piece, ...]:
    """The values in one token, in order of place; a compound comes before its parts."""
    if len(token) > MAX_TOKEN or (len(token) > 40 and token.isdigit()):
        return ()
    if token.isascii():
        return tuple(_pieces(token, 0))
    found: list[Piece] = []
    start = 0
    for gap in UNSEPARATED_RUN.finditer(token):
        found.extend(_pieces(token[start : gap.start()], start))
        start = gap.end()
    found.extend(_pieces(token[start:], start))
    return tuple(found)


def _pieces(token: str, offset: int, assignments: int = 0) -> Iterator[Piece]:
    body = token.rstrip(TRAILING)
    cut = len(body) - len(body.lstrip(LEADING))
    body, offset = body[cut:], offset + cut
    if not body or COLOUR.fullmatch(body):
        return
    if "=" in body and "==" not in body and assignments < MAX_ASSIGNMENTS:
        assigned = ASSIGNMENT.fullmatch(body)
        if assigned:
            yield from _assigned(assigned, offset, assignments + 1)
            return
    if "," in body and "://" not in body and not GROUPED.fullmatch(body) and body[0] not in CURRENCY_SIGNS:
        yield from _listed(body, offset)
    else:
        yield from _whole(body, offset)


def _assigned(match: re.Match[str], offset: int, assignments: int) -> Iterator[Piece]:
    """`key=value`: the name says that the value matters, however short it is."""
    name, value = match[1].lstrip("-"), match[2].rstrip(TRAILING)
    start = offset + match.start(2)
    pieces = list(_pieces(value, start, assignments))
    if not pieces and value[:1].isalnum():
        pieces = [Piece("literal", start, start + len(value), name)]
    for piece in pieces:
        yield Piece(piece.type, piece.start, piece.end, piece.name or name)


def _listed(body: str, offset: int) -> Iterator[Piece]:
    """`a_b,c_d`: the list, then what its items are by themselves."""
    items = list(re.finditer(r"[^,]+", body))
    kind = list_type([item[0] for item in items])
    if kind:
        yield Piece(kind, offset, offset + len(body))
    for item in items:
        yield from _whole(item[0], offset + item.start())


def list_type(items: list[str]) -> str:
    """`sequence` for numbers and codes, `column_set` for identifiers, "" for the words of a sentence."""
    if len(set(items)) < 2:
        return ""
    if all(any(map(str.isdigit, item)) for item in items):
        return "sequence"
    marked = sum(item.strip("_.") != "" and _is_marked(item) for item in items)
    return "column_set" if marked >= 2 and 2 * marked >= len(items) else ""


def _is_marked(word: str) -> bool:
    """Whether the word's form says that it names something technical."""
    inner = word.rstrip(".")
    return any(mark in inner for mark in "_/.") or not (word.islower() or word.istitle() or word.isupper())


def _whole(body: str, offset: int) -> Iterator[Piece]:
    """The pieces of a token without assignment, preceded by the compound that they make together."""
    bare = body.replace("-", "").replace("_", "")
    numbered = any(map(str.isdigit, bare))
    if bare.isalnum() and not numbered:
        word = _word(body, offset, offset + len(body), "")
        if word is not None:
            yield word
        return
    matches = list((PIECE if numbered else PLAIN_PIECE).finditer(body))
    compound, parted = _compound(body, matches, numbered)
    if compound is not None:
        yield Piece(compound, offset, offset + (len(body) if compound != "place" else _place_end(body, matches)))
    label = LABEL.fullmatch(body) if ":" in body and compound != "place" else None
    for match in matches if parted else ():
        piece = _piece(match, offset, label[1] if label and match.start() and match.end() == len(body) else "")
        if piece is not None:
            yield piece


def _compound(body: str, matches: list[re.Match[str]], numbered: bool) -> tuple[str | None, bool]:
    """What a token is as a whole where that is more than its parts, and whether the parts count too.

    `api:2026.37.0`, `notice:n4:20260503`, `ff.new_ledger`; `main.yml:88` is a place in a file.
    """
    first = matches[0] if matches and matches[0].start() == 0 else None
    if first is None or first.end() == len(body):
        return None, True
    if first.lastgroup == "path" and LOCATION.match(body, first.end()):
        return "place", True
    if COMPOUND.fullmatch(body) is None:
        return None, True
    if ":" in body:
        return ("resource_id" if numbered else None), True
    if numbered or (len(body) > 4 and (body.islower() or "_" in body)):
        return "symbol", VERSIONED.search(body) is None
    return None, True


def _place_end(body: str, matches: list[re.Match[str]]) -> int:
    location = LOCATION.match(body, matches[0].end())
    return location.end() if location else len(body)


def _piece(match: re.Match[str], offset: int, name: str) -> Piece | None:
    kind, text = str(match.lastgroup), match[0]
    start, end = offset + match.start(), offset + match.end()
    if kind == "word":
        return _word(text, start, end, name)
    if kind == "path":
        return _path(text, start, end, name)
    if kind == "number" and text.isdigit() and text[0] == "0" and len(text) > 2:
        return Piece("resource_id", start, end, name)  # a leading zero is kept by ids only
    weak = kind == "number" and sum(map(str.isdigit, text)) < 4 and "," not in text[:-1]
    return Piece(TYPES[kind], start, end, name, weak)


def _path(text: str, start: int, end: int, name: str) -> Piece | None:
    """Two short plain words with a slash between them (`and/or`) are weak."""
    place = LISTING_PLACE.fullmatch(text)
    if place:
        text, end = place[1], start + len(place[1])
    if not any(map(str.isalnum, text)):
        return None
    segments = text.strip("/").split("/")
    weak = "".join(segments).isalpha() and text[0] != "/" and len(segments) < 3 and min(map(len, segments)) < 3
    return Piece("path", start, end, name, weak)


def _word(text: str, start: int, end: int, name: str) -> Piece | None:
    """With digits an id, with an underscore or inner capitals a symbol; any other word counts only with a name."""
    body = text.rstrip("-")
    end -= len(text) - len(body)
    if not body.isalpha() and any(map(str.isdigit, body)):
        letters = any(map(str.isalpha, body))
        marked = len(body) >= (3 if letters else 5) or (letters and ("-" in body or "_" in body or body[0].isupper()))
        return Piece("resource_id", start, end, name, not marked)
    if "_" in body.strip("_") and len(body) > 3:
        return Piece("symbol", start, end, name)
    if "-" in body:
        return Piece("resource_id", start, end, name, True)
    if len(body) > 3 and body.isascii() and not (body.islower() or body.isupper() or body.istitle()):
        return Piece("symbol", start, end, name)
    return Piece("literal", start, end, name, True) if name else None
