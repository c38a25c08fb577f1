"""Linear models over pieces of words: letters in a row within a word, neighbouring words, and how long a text is.

Weights and scores are whole thousandths, so that they are the same on every machine. A score is the sum of the weights of a text's known
pieces over the root of their number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isqrt
from sys import intern
from typing import Final

from barrier_policy.facts.remembered import Remembered

WORD: Final = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
SIZES: Final = (3, 4, 5)
LENGTHS: Final = ((4, "\x02s"), (9, "\x02m"), (18, "\x02l"))
LONG: Final = "\x02x"
MAX_WORDS: Final = 60
MAX_MEMO: Final = 4_000
"""Words whose known pieces are remembered."""
SCALE: Final = 1_000


def pieces(text: str) -> Iterator[str]:
    """Pieces of a text: letters in a row within a word, neighbouring words, and how long it is."""
    words = split_words(text)
    for word in words:
        yield from word_pieces(word)
    yield from frame_pieces(words)


def split_words(text: str) -> list[str]:
    """The first words and signs of a text, alike however they are written; of a number only its length is kept."""
    words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())[:MAX_WORDS]
    return ["0" * min(len(word), 4) if word[0].isdigit() else word for word in words]


def word_pieces(word: str) -> Iterator[str]:
    """Letters in a row within a word."""
    padded = f" {word} "
    return (padded[start : start + size] for size in SIZES for start in range(len(padded) - size + 1))


def frame_pieces(words: Sequence[str]) -> Iterator[str]:
    """Neighbouring words, and how many there are."""
    yield from (f"{before}_{word}" for before, word in pairwise(("^", *words, "$")))
    if len(words) > 1:
        yield f"^^{words[0]}_{words[1]}"
    yield next((mark for limit, mark in LENGTHS if len(words) < limit), LONG)


class PieceWeights:
    """What each known piece counts, in thousandths."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = weights
        self._known = Remembered(self._find, MAX_MEMO)

    def score(self, text: str) -> int:
        """What the known pieces of a text count together, in thousandths."""
        words = split_words(text)
        known = {piece for piece in frame_pieces(words) if piece in self._weights}.union(
            *map(self._known.__getitem__, words)
        )
        total = sum(map(self._weights.__getitem__, known))
        # the root in thousandths, so that the division stays in whole numbers
        return total * SCALE // isqrt(max(1, len(known)) * SCALE * SCALE)

    def _find(self, word: str) -> tuple[str, ...]:
        return tuple(intern(piece) for piece in word_pieces(word) if piece in self._weights)
