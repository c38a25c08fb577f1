"""Words of content, for telling whether two sentences speak of the same thing. No word list of one language decides."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property

WORD = re.compile(r"[^\W_]+(?:[-_.'/:][^\W_]+)*")
MIN_LENGTH = 4
STEM = 6


def content_words(text: str) -> frozenset[str]:
    """Folded stems of the longer words and of every token with a digit."""
    found = set()
    is_plain = text.isascii()
    for word in WORD.findall(text.lower() if is_plain else unicodedata.normalize("NFKC", text)):
        if not is_plain:
            word = word.casefold()
        if not word.isalpha() and any(map(str.isdigit, word)):
            found.add(word)
        elif len(word) >= MIN_LENGTH or not word.isascii():
            found.add(word[:STEM])
    return frozenset(found)


def lower_case(text: str) -> str:
    """The text in lower case, letter for letter, so that places stay: only `İ` has a lower case of two letters."""
    return text.replace("İ", "i").lower()


class AnyCase:
    """A pattern, written in lower case, that finds words in any case.

    ASCII texts are searched in lower case: told to ignore it, `re` tries each word at each place, which takes three times as long.
    What a match says its words are may be in lower case; their places hold.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._lower = re.compile(pattern)

    @cached_property
    def _ignoring(self) -> re.Pattern[str]:
        return re.compile(self._pattern, re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        """As that of a pattern."""
        return self._lower.search(text.lower()) if text.isascii() else self._ignoring.search(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As that of a pattern."""
        return self._lower.fullmatch(text.lower()) if text.isascii() else self._ignoring.fullmatch(text)

    def sub(self, instead: str, text: str) -> str:
        """As that of a pattern."""
        return self._ignoring.sub(instead, text)
