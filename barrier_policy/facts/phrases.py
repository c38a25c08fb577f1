"""Lists of words and phrases, and where a text holds one of them. A list ends where it ends: what it lacks is not found.

An entry is one to five words; a star at the end of a word stands for any ending (`in attes* di`). In scripts that are written without
spaces an entry is found anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

MAX_WORDS = 6
"""Words of the longest phrase."""
MIN_STEM = 3
MAX_STEM = 16
MAX_MEMO = 20_000
"""Words whose entries are remembered; then all are forgotten, so that hostile text can't fill the memory."""

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"«»„“”…،؛؟।。、，！？：；（）/|—–‑=`*#+-]+")
_OPAQUE = re.compile(r"[\d_\\.@]")
_MARKS = re.compile("[\u0591-\u05c7\u064b-\u065f\u0670\u200c\u200d\u00ad]")
"""Vowel points and joiners that people leave out."""

Value = TypeVar("Value")
Meaning = tuple[tuple[str, ...], Value]


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word at `[start, end)` of a text; `text` is as the lists spell it, "" where it is a number, path or name."""

    text: str
    start: int
    end: int


class Hit(msgspec.Struct, Generic[Value], frozen=True):
    """An entry of a list found in a text; `word` is the number of its first word, -1 in a script without spaces."""

    value: Value
    start: int
    end: int
    phrase: str
    word: int = -1


def spell(text: str) -> str:
    """A text as lists spell it: lower case, composed, one kind of apostrophe."""
    return unicodedata.normalize("NFC", text).lower().replace("’", "'")


def words_of(text: str, limit: int) -> list[Word]:
    """The first words of a text."""
    found = []
    for match in _WORD.finditer(text):
        bare = match[0].strip(".'’")
        if bare:
            start = match.start() + match[0].index(bare)
            known = bare.isdigit() or not _OPAQUE.search(bare)
            found.append(Word(_MARKS.sub("", spell(bare)) if known else "", start, start + len(bare)))
            if len(found) >= limit:
                break
    return found


class Phrases(Generic[Value]):
    """Entries with what each stands for; of two that are spelled alike, the first one counts."""

    def __init__(self, entries: Iterable[tuple[str, Value]]) -> None:
        self._spaced: dict[str, list[Meaning[Value]]] = {}
        self._unspaced: dict[str, list[tuple[str, Value]]] = {}
        self._memo: dict[str, tuple[Meaning[Value], ...]] = {}
        seen = set()
        for entry, value in entries:
            pattern = tuple(_pattern(entry))
            if pattern and pattern not in seen:
                seen.add(pattern)
                self._add(entry, pattern, value)
        for unspaced in self._unspaced.values():
            unspaced.sort(key=lambda known: -len(known[0]))

    def _add(self, entry: str, pattern: tuple[str, ...], value: Value) -> None:
        if UNSPACED.search(entry):
            bare = spell(entry).replace("*", "").strip()
            self._unspaced.setdefault(bare[:1], []).append((bare, value))
        else:
            self._spaced.setdefault(pattern[0], []).append((pattern, value))

    def find(self, text: str, words: list[Word]) -> list[Hit[Value]]:
        """The entries that a text holds, in order, the longest at each place; `words` are those of the text."""
        found = list(self._in_words(words))
        if self._unspaced and UNSPACED.search(text):
            found.extend(self._anywhere(spell(text) if len(spell(text)) == len(text) else text))
            found.sort(key=lambda hit: hit.start)
        return found

    def _in_words(self, words: list[Word]) -> Iterator[Hit[Value]]:
        number = 0
        while number < len(words):
            best = self._longest(words, number)
            if best is None:
                number += 1
                continue
            pattern, value = best
            last = words[number + len(pattern) - 1]
            yield Hit(value, words[number].start, last.end, " ".join(pattern), number)
            number += len(pattern)

    def _longest(self, words: list[Word], number: int) -> Meaning[Value] | None:
        first = words[number].text
        if not first:
            return None
        meanings = self._memo.get(first)
        if meanings is None:
            meanings = self._learn(first)
        for pattern, value in meanings:
            rest = words[number + 1 : number + len(pattern)]
            if len(rest) == len(pattern) - 1 and all(map(_fits, pattern[1:], rest)):
                return pattern, value
        return None

    def _learn(self, first: str) -> tuple[Meaning[Value], ...]:
        """The entries that may begin with a word, those of most words first, then those with the longest beginning."""
        if len(self._memo) >= MAX_MEMO:
            self._memo.clear()
        stems = (first[:length] + "*" for length in range(min(len(first), MAX_STEM), MIN_STEM - 1, -1))
        found = [meaning for beginning in (first, *stems) for meaning in self._spaced.get(beginning, ())]
        found.sort(key=lambda meaning: -len(meaning[0]))
        self._memo[first] = tuple(found)
        return self._memo[first]

    def _anywhere(self, text: str) -> Iterator[Hit[Value]]:
        place = 0
        while place < len(text):
            known = next((known for known in self._unspaced.get(text[place], ()) if text.startswith(known[0], place)), None)
            if known is None:
                place += 1
                continue
            yield Hit(known[1], place, place + len(known[0]), known[0])
            place += len(known[0])


def _pattern(entry: str) -> Iterator[str]:
    for match in re.finditer(r"[^\s,;:!?()/—–-]+", spell(entry)):
        word = _MARKS.sub("", match[0].strip(".'"))
        if word.strip("*"):
            yield word if not word.endswith("*") or len(word) > MIN_STEM else word[:-1]


def _fits(pattern: str, word: Word) -> bool:
    return word.text.startswith(pattern[:-1]) if pattern.endswith("*") else word.text == pattern
