"""The words of `secret_words.json`: how people and files say that a secret follows, in many languages (design section 5, bindings).

One pattern finds every label of a text in one pass; what a label needs around it is told by its mark (`*`) and its family.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec


class Family(StrEnum):
    """What a label speaks of, and so what its value may be."""

    PASSWORD = "password"
    LOOSE = "loose"  # may also mean something else: only a distinct value is one
    PHRASE = "phrase"
    SEED = "seed"
    PIN = "pin"
    ONE_TIME = "one_time"
    CARD = "card"
    KEY = "key"
    KEY_WORD = "key_word"  # a secret only where it is called one: `API-Schlüssel`, no sort key
    TOKEN = "token"
    CODE_WORD = "code_word"  # a secret only where it opens something
    SELF_CODE = "self_code"
    COMBINATION = "combination"
    BOX = "box"
    ANSWER = "answer"
    LOGIN = "login"
    OPENS = "opens"
    OPEN_WITH = "open_with"
    OTHERS = "others"  # names that hold a label's word and speak of no secret


class Label(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A label at `[start, end)` of a text, with its endings and the rest of its identifier."""

    start: int
    end: int
    word_end: int
    family: Family


SPACED_SCRIPTS_END: Final = 0x0590
"""Letters below are Latin, Greek, Cyrillic or Armenian, which stand between blanks; other scripts write articles and particles onto a word."""
LETTERS: Final = re.compile(r"[^\W\d_]*")
IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_]*")
HEAD: Final = 5
"""Letters of a label that are looked for; a pattern of whole labels would take a quarter of a second to compile."""
MAX_LABELS: Final = 4_000
"""Labels looked at in one text; a text that is full of them is about something else."""


def _load() -> Mapping[str, Mapping[str, Any]]:
    data = files("barrier_policy.facts").joinpath("secret_words.json").read_text(encoding="utf-8")
    return {language: words for language, words in json.loads(data).items() if language != "about"}


WORDS: Final = _load()


def words_of(kind: str) -> tuple[str, ...]:
    """The words of one kind, of all languages, in a fixed order and each once."""
    found: dict[str, None] = {}
    for words in WORDS.values():
        entries = words.get(kind, ())
        found.update(dict.fromkeys(entries.split() if isinstance(entries, str) else entries))
    return tuple(found)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of many words that looks at each character once: words with the same beginning share it."""
    rests: dict[str, list[str]] = {}
    ends = False
    for word in words:
        if word:
            rests.setdefault(word[0], []).append(word[1:])
        ends = ends or not word
    branches = [re.escape(head) + any_of(rests[head]) for head in sorted(rests)]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)})" + ("?" if ends else "")


class _Entry(msgspec.Struct, frozen=True, gc=False):
    """A word, the families that it may speak of, and whether it goes on to the left or to the right."""

    families: tuple[Family, ...]
    open_left: bool
    open_right: bool


def _writings(word: str) -> Iterable[str]:
    """A label of several words as prose and files write it: `security code`, `security_code`, `security-code`, `securityCode`."""
    return dict.fromkeys(word.replace(" ", joint) for joint in " _-") | (
        {word.replace(" ", ""): None} if word.isascii() else {}
    )


def _entries() -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for family in Family:
        for marked in words_of(family):
            for word in _writings(marked.strip("*")):
                known = found.get(word, _Entry((), False, False))
                families = known.families if family in known.families else (*known.families, family)
                found[word] = _Entry(families, known.open_left or marked[0] == "*", known.open_right or marked[-1] == "*")
    return found


def _by_head(words: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """By what words begin with, those that may stand where it stands, the longest first."""
    heads: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        heads.setdefault(word[:HEAD], []).append(word)
    shorter = [word for word in heads if len(word) < HEAD]
    for head, found in heads.items():
        found += [word for word in shorter if word != head and head.startswith(word)]
    return {head: tuple(sorted(found, key=len, reverse=True)) for head, found in heads.items()}


_ENTRIES: Final = _entries()
_WORDS_OF_HEAD: Final = _by_head(_ENTRIES)


@cache
def _label_head(is_ascii: bool) -> re.Pattern[str]:
    """What any label begins with, or any that an ASCII text can have. Compiled once such a text is searched."""
    return re.compile(any_of(head for head in _WORDS_OF_HEAD if head.isascii() or not is_ascii))


@lru_cache(maxsize=4)
def find_labels(text: str, lowered: str) -> tuple[Label, ...]:
    """Every label of a text, from left to right. `lowered` is the text in lower case, of the same length.

    The last few answers are remembered: what a text tells and what the next one replies to are looked for in the same words.
    """
    return tuple(_labels(text, lowered))


def _labels(text: str, lowered: str) -> Iterator[Label]:
    pattern = _label_head(text.isascii())
    found, match = 0, pattern.search(lowered)
    while match is not None and found < MAX_LABELS:
        start = match.start()
        word = next((word for word in _WORDS_OF_HEAD[match[0]] if lowered.startswith(word, start)), "")
        end = start + len(word)
        entry = _ENTRIES.get(word)
        ends = _ends(text, lowered, start, end, entry) if entry else None
        if entry and ends:
            found += 1
            if Family.OTHERS not in entry.families:
                for family in entry.families:
                    yield Label(start=start, end=ends[1], word_end=ends[0], family=family)
        match = pattern.search(lowered, end if ends else start + 1)


def _ends(text: str, lowered: str, start: int, end: int, entry: _Entry) -> tuple[int, int] | None:
    """Where the word and its identifier end; None where it is a piece of another word."""
    word_end = end
    if ord(lowered[start]) < SPACED_SCRIPTS_END:
        if not entry.open_left and lowered[start - 1 : start].isalnum() and not _is_hump(text, start):
            return None
        if entry.open_right:
            word_end = LETTERS.match(lowered, end, end + 16).end()  # type: ignore[union-attr]  # it matches the empty string
        elif lowered[end : end + 1].isalpha() and ord(lowered[end]) < SPACED_SCRIPTS_END and not _is_hump(text, end):
            return None
    return word_end, IDENTIFIER.match(text, word_end).end() if text[end - 1].isascii() else word_end  # type: ignore[union-attr]


def _is_hump(text: str, place: int) -> bool:
    """Whether a word begins here within an identifier: `userPin`."""
    return place > 0 and text[place].isupper() and text[place - 1].islower()


def is_label(lowered: str) -> bool:
    """Whether a word names a secret itself: `new_password`, `Kennwort`."""
    return any(label.family in (Family.PASSWORD, Family.PHRASE) for label in find_labels(lowered, lowered))
