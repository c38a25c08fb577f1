"""Words of content, for telling whether two sentences speak of the same thing. No word list of one language decides."""

from __future__ import annotations

import re
import unicodedata

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
