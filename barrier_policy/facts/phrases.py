"""Lists of words and phrases, and where a text holds one of them. A list ends where it ends: what it lacks is not found.

An entry is one to five words; a star at the end of a word stands for any ending (`in attes* di`). In scripts that are written without
spaces an entry is found anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Generic, TypeVar

import msgspec

from barrier_policy.facts.remembered import Remembered

MAX_WORDS = 6
"""Words of the longest phrase."""
MAX_SPELLINGS = 64
"""Ways to spell the same words by stems that are looked up."""
USUAL_SIZE = 10
"""Characters for each word with its sign or space: in so many most texts have as many words as are asked for."""
MIN_STEM = 3
MAX_STEM = 16
MAX_MEMO = 20_000
"""Words whose spellings are remembered."""

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"«»„“”…،؛؟।。、，！？：；（）/|—–‑=`*#+-]+")
_EDGE = ".'’"
_OPAQUE = re.compile(r"[\d_\\.@]")
_MARKS = re.compile("[\u0591-\u05c7\u064b-\u065f\u0670\u200c\u200d\u00ad]")
"""Vowel points and joiners that people leave out."""

Value = TypeVar("Value")


class Hit(msgspec.Struct, Generic[Value], frozen=True):
    """An entry of a list found in a text; `word` is the number of its first word, -1 in a script without spaces."""

    value: Value
    start: int
    end: int
    phrase: str
    word: int = -1


def spell(text: str) -> str:
    """A text as lists spell it: lower case, composed, one kind of apostrophe."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).lower().replace("’", "'")


def words_of(text: str, limit: int) -> list[str]:
    """The first words of a text as lists spell them, "" for a path, a name with a number in it and the like."""
    usual = limit * USUAL_SIZE
    words = _bare_words(text[:usual])
    if len(words) <= limit and len(text) > usual:  # the last one may have been cut off
        words = _bare_words(text)
    if text.isascii():
        return [word if word.isalpha() else _spelled(word) for word in words[:limit]]
    return [*map(_spelled, words[:limit])]


def places_of(text: str, limit: int) -> list[tuple[int, int]]:
    """Where each of these words begins and ends."""
    places: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if len(places) >= limit:
            break
        bare = match[0].lstrip(_EDGE)
        start = match.end() - len(bare)
        if bare := bare.rstrip(_EDGE):
            places.append((start, start + len(bare)))
    return places


def _bare_words(text: str) -> list[str]:
    """The words without the signs at their edges, where the text is plain in lower case."""
    return [bare for word in _WORD.findall(text.lower() if text.isascii() else text) if (bare := word.strip(_EDGE))]


def _spelled(word: str) -> str:
    if not (word.isalpha() or word.isdigit()) and _OPAQUE.search(word):
        return ""
    spelled = spell(word)
    return spelled if spelled.isascii() else _MARKS.sub("", spelled)


class Phrases(Generic[Value]):
    """Lists of entries, spelled as `spell_entry` does it, and what each list stands for; the first list with an entry counts."""

    def __init__(self, lists: Iterable[tuple[Sequence[str], Value]]) -> None:
        self._known: dict[str, Value] = {}
        self._unspaced: dict[str, list[tuple[str, Value]]] = {}
        for entries, value in reversed([*lists]):
            self._known.update(dict.fromkeys(entries, value))
        for entry in [entry for entry in self._known if UNSPACED.search(entry)]:
            self._unspaced.setdefault(entry[0], []).append((entry, self._known.pop(entry)))
        for unspaced in self._unspaced.values():
            unspaced.sort(key=lambda known: -len(known[0]))
        parts = frozenset(" ".join(self._known).split(" "))
        self._reach: dict[str, int] = {}
        """By what entries begin with, the words of the longest one."""
        for entry in self._known:
            first, size = entry.partition(" ")[0], entry.count(" ") + 1
            self._reach[first] = min(max(size, self._reach.get(first, 1)), MAX_WORDS)
        self._openings = Remembered(partial(_spellings, self._reach), MAX_MEMO)
        self._spellings = Remembered(partial(_spellings, parts), MAX_MEMO)

    def find(self, text: str, words: Sequence[str]) -> list[Hit[Value]]:
        """The entries that a text holds, in order, the longest at each place; `words` are those of the text."""
        found = [*self._hits(text, [*self._in_words(words)]), *self._anywhere(text)]
        found.sort(key=lambda hit: hit.start)
        return found

    def hold(self, text: str, words: Sequence[str]) -> bool:
        """Whether a text holds an entry, as `find` would find it."""
        return next(self._in_words(words), None) is not None or next(self._anywhere(text), None) is not None

    def _hits(self, text: str, found: Sequence[tuple[int, str]]) -> Iterator[Hit[Value]]:
        if not found:
            return
        places = places_of(text, found[-1][0] + MAX_WORDS)
        for number, phrase in found:
            yield Hit(self._known[phrase], places[number][0], places[number + phrase.count(" ")][1], phrase, number)

    def _in_words(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The number of the first word of each entry, and the entry."""
        after = 0
        for number, openings in enumerate(map(self._openings.__getitem__, words)):
            if openings and number >= after:
                end = number + max(map(self._reach.__getitem__, openings))
                if phrase := self._longest(openings, words[number + 1 : end]):
                    after = number + phrase.count(" ") + 1
                    yield number, phrase

    def _longest(self, openings: Sequence[str], words: Sequence[str]) -> str:
        """The entry of most words that begins with an opening, the one with the longest stems of several; "" where there is none."""
        best = self._first_known(openings)
        phrases = openings
        for word in words:
            parts = self._spellings[word]
            if not parts:
                break
            phrases = [f"{phrase} {part}" for phrase in phrases for part in parts][:MAX_SPELLINGS]
            best = self._first_known(phrases) or best
        return best

    def _first_known(self, phrases: Iterable[str]) -> str:
        for phrase in phrases:
            if phrase in self._known:
                return phrase
        return ""

    def _anywhere(self, text: str) -> Iterator[Hit[Value]]:
        """The entries in scripts without spaces."""
        if not self._unspaced or text.isascii() or not UNSPACED.search(text):
            return
        spelled = spell(text)
        text = spelled if len(spelled) == len(text) else text
        place = 0
        while place < len(text):
            known = next((known for known in self._unspaced.get(text[place], ()) if text.startswith(known[0], place)), None)
            if known is None:
                place += 1
                continue
            yield Hit(known[1], place, place + len(known[0]), known[0])
            place += len(known[0])


def _spellings(parts: Collection[str], word: str) -> tuple[str, ...]:
    """How entries may spell a word: as it is, or by a stem of it; only what is among some parts of entries."""
    stems = (word[:length] + "*" for length in range(min(len(word), MAX_STEM), MIN_STEM - 1, -1))
    return tuple(part for part in (word, *stems) if part in parts)


def spell_entry(entry: str) -> str:
    """An entry as lists hold it; "" where nothing is left of it."""
    if UNSPACED.search(entry):
        return spell(entry).replace("*", "").strip()
    return " ".join(_parts(entry))


def _parts(entry: str) -> Iterator[str]:
    for match in re.finditer(r"[^\s,;:!?()/—–-]+", spell(entry)):
        word = _MARKS.sub("", match[0].strip(".'"))
        if word.strip("*"):
            yield word if not word.endswith("*") or len(word) > MIN_STEM else word[:-1]
