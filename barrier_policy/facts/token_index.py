"""Which messages contain an exact value (design section 1: the join): an index from tokens to messages.

A value is looked up by the words in it; only messages that have them all are searched for the value itself. The index
holds eight bytes for each distinct word of a message, in flat arrays. It refers to the texts and copies only those pieces
that read differently once escapes and line breaks are undone.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from barrier_policy.facts.value_words import UNSEPARATED

WORD = re.compile(rf"[^\W{UNSEPARATED}]+|[{UNSEPARATED}]")
UNSEPARATED_LETTER = re.compile(rf"[{UNSEPARATED}]")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\([nrtbf\"/\\])")
NEEDS_DECODING = re.compile(r"\\u[0-9a-fA-F]{4}|\\\\[nrt\"/\\]")
PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
CONTROL = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
BUCKETS = 256
STRETCH = 65_536
"""A long text is cut into words in stretches of about this many characters, which bounds the memory for it."""
WRAP_WIDTH = 40
"""A line is only taken for a wrapped one from this width on."""
TERMINAL_WIDTHS = frozenset((80, 100, 120, 132, 160, 200))
"""Widths at which one full line alone is taken for a wrapped one; at others it takes two of them."""
LISTED = re.compile(r"-\d+-")
"""What a search prints between the name of a file and a line of its context."""
THOUSANDS = re.compile(r"\d{3}(?!\d)")
PROBES = 6
"""How many words of a value are looked up, the longest ones."""


class TokenIndex:
    """Messages by the exact values in them.

    Texts are added in order of their messages; several for one message are allowed. A value is found byte for byte, on
    token boundaries, also where a text has it JSON-escaped, URL-encoded, or broken over two lines by a terminal.
    """

    def __init__(self) -> None:
        self._buckets = [array("Q") for _ in range(BUCKETS)]
        self._sorted = [0] * BUCKETS
        self._texts: dict[int, list[str]] = {}

    def add(self, message: int, text: str) -> None:
        """Index one text of a message. The cost is linear in the text."""
        if not text:
            return
        texts = self._texts.setdefault(message, [])
        texts.append(text)
        texts.extend(_other_readings(text))
        buckets = self._buckets
        for stretch in _stretches(text):
            words = set(WORD.findall(stretch))
            for reading in _other_readings(stretch):
                words.update(WORD.findall(reading))
            if "\\" in stretch:
                words.update(WORD.findall(_unescaped(stretch)))
            for code in map(_code, words):
                buckets[code % BUCKETS].append(code << 32 | message)

    def messages(self, value: str) -> tuple[int, ...]:
        """Indices of the messages that contain the value, ascending; () for a value without a letter or digit."""
        return tuple(self.find(value))

    def find(self, value: str) -> Iterator[int]:
        """The same, one by one: whoever only asks whether there is one pays for one."""
        words = sorted(set(WORD.findall(value)), key=_longest_first)[:PROBES]
        if not words:
            return
        rarest, *others = sorted(map(self._range, map(_code, words)), key=_length)
        for message in self._messages(rarest):
            if all(self._has(other, message) for other in others) and self._holds(message, value):
                yield message

    def holds(self, value: str) -> bool:
        """Whether any message contains the value."""
        return next(self.find(value), -1) >= 0

    def _range(self, code: int) -> tuple[int, int, int]:
        """The places of a word in its bucket, and its code."""
        number = code % BUCKETS
        bucket = self._buckets[number]
        if self._sorted[number] != len(bucket):
            bucket = self._buckets[number] = array("Q", sorted(bucket))
            self._sorted[number] = len(bucket)
        start = bisect_left(bucket, code << 32)
        return start, bisect_left(bucket, code + 1 << 32, start), code

    def _messages(self, places: tuple[int, int, int]) -> Iterator[int]:
        start, end, code = places
        last = -1
        for entry in self._buckets[code % BUCKETS][start:end]:
            message = entry & 0xFFFFFFFF
            if message != last:
                last = message
                yield message

    def _has(self, places: tuple[int, int, int], message: int) -> bool:
        start, end, code = places
        bucket = self._buckets[code % BUCKETS]
        entry = code << 32 | message
        place = bisect_left(bucket, entry, start, end)
        return place < end and bucket[place] == entry

    def _holds(self, message: int, value: str) -> bool:
        for text in self._texts[message]:
            if _stands_in(value, text):
                return True
            if "\\" in text and any(_stands_in(form, text) for form in _escaped_forms(value)):
                return True
        return False


def _code(word: str) -> int:
    """32 bits of a word's hash. Equal codes of different words only cost a search: no answer depends on them."""
    return hash(word) & 0xFFFFFFFF


def _longest_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _length(places: tuple[int, int, int]) -> int:
    return places[1] - places[0]


# --- a text and its other readings


def _stretches(text: str) -> Iterator[str]:
    """The text in pieces that end where a word does, if one ends near enough."""
    start = 0
    while len(text) - start > STRETCH:
        space = max(text.rfind(" ", start, start + STRETCH), text.rfind("\n", start, start + STRETCH))
        end = space if space > start else start + STRETCH
        yield text[start:end]
        start = end
    yield text[start:]


def _other_readings(text: str) -> Iterator[str]:
    """What a text says where it is read as JSON in JSON, as URL-encoded, or as lines that a terminal broke.

    Plain JSON escapes need none: a value is looked for in its escaped form too.
    """
    if "\\" in text and NEEDS_DECODING.search(text):
        yield _unescaped(_unescaped(text))
    if "%" in text:
        encoded = "\n".join(unquote(word) for word in text.split() if "%" in word and PERCENT.search(word))
        if encoded:
            yield encoded
    if "\n" in text:
        yield from _seams(text)


def _unescaped(text: str) -> str:
    return ESCAPED.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return CONTROL.get(escape[2], escape[2])


def _seams(text: str) -> Iterator[str]:
    """Lines that fill the whole width, each run of them joined with the line after it."""
    lines = text.split("\n")
    lengths = [len(line) for line in lines]
    width = max(lengths)
    if width < WRAP_WIDTH or (width not in TERMINAL_WIDTHS and lengths.count(width) < 2):
        return
    run: list[str] = []
    for line in lines:
        run.append(line)
        if len(line) < width:
            if len(run) > 1:
                yield "".join(run)
            run = []


# --- a value in a text


@lru_cache(maxsize=256)
def _escaped_forms(value: str) -> tuple[str, ...]:
    """The value as JSON may write it, where that differs."""
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    forms = (escaped, json.dumps(value)[1:-1], escaped.replace("/", "\\/"))
    return tuple(form for form in dict.fromkeys(forms) if form != value)


def _stands_in(value: str, text: str) -> bool:
    """Whether the value occurs on token boundaries."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        if _begins(text, start, value) and _ends(text, end, value):
            return True
        start = text.find(value, start + 1)
    return False


def _begins(text: str, start: int, value: str) -> bool:
    """Whether nothing before the place belongs to the same token."""
    if start == 0:
        return True
    before, first = text[start - 1], value[0]
    if _is_word(before):
        return _is_escape(text, start - 1) or not (_is_word(first) or first in "/.~-#@")
    if not _is_word(first):
        return True
    return not _joins(before, text[start - 2 : start - 1], first, value) and not (
        before == "," and text[start - 2 : start - 1].isdigit() and THOUSANDS.match(value) is not None
    )


def _ends(text: str, end: int, value: str) -> bool:
    """Whether nothing after the place belongs to the same token."""
    last = value[-1]
    if end == len(text) or not _is_word(last) or ("/" in value and LISTED.match(text, end)):
        return True
    if _is_word(text[end]) or _joins(text[end], text[end + 1 : end + 2], last, value):
        return False
    return not (text[end] == "," and last.isdigit() and THOUSANDS.match(text, end + 1))


def _joins(sign: str, outer: str, inner: str, value: str) -> bool:
    """Whether a sign makes one token of a value's edge and of what is beyond it.

    A hyphen does; a dot does between digits (`v1.2.3`) and at the end of a path; a dot between names does not
    (`state.session_id`).
    """
    if not outer or not _is_word(outer):
        return False
    if sign == ".":
        return (outer.isdigit() and inner.isdigit()) or "/" in value
    return sign == "-"


def _is_word(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() and UNSEPARATED_LETTER.match(character) is None


def _is_escape(text: str, place: int) -> bool:
    """Whether a letter is the second half of `\\n`, `\\t` and the like, so that a token begins after it."""
    return text[place] in CONTROL and place > 0 and text[place - 1] == "\\" and text[place - 2 : place - 1] != "\\"
