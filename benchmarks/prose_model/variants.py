"""Variants of labelled sentences, for the teacher to score."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

import numpy as np

TOKEN = re.compile(r"\s*(?:[^\W_]+|[^\w\s])")
NEIGHBOURS = 8
LIKENESS = 0.35


class Variants(NamedTuple):
    """Texts and the number of the sentence that each was made of."""

    texts: list[str]
    origins: np.ndarray


class Swaps:
    """Words that mean something like a word, in any language, by the encoder's input vectors."""

    def __init__(self, pieces: list[str], vectors: np.ndarray) -> None:
        words = [number for number, piece in enumerate(pieces) if piece.startswith(" ") and len(piece) > 2]
        rows = vectors[words] - vectors[words].mean(0)
        self._rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._words = [pieces[number][1:] for number in words]
        self._place = {word: place for place, word in enumerate(self._words)}
        self._found: dict[str, list[str]] = {}

    def of(self, word: str) -> list[str]:
        """The neighbours of a word in lower case."""
        if word not in self._place:
            return []
        if word not in self._found:
            likeness = self._rows @ self._rows[self._place[word]]
            best = np.argsort(-likeness)[1 : NEIGHBOURS + 1]
            self._found[word] = [self._words[place] for place in best if likeness[place] > LIKENESS]
        return self._found[word]


def make_variants(texts: list[str], swaps: Swaps, each: int) -> Variants:
    """So many variants of each sentence, always the same for the same input."""
    chance = random.Random(99)
    made: dict[str, int] = {}
    for number, text in enumerate(texts):
        tokens = TOKEN.findall(text)
        for _ in range(each):
            variant = "".join(_cut([_swap(token, swaps, chance) for token in tokens], texts, chance)).strip()
            if len(variant) > 2 and variant != text:
                made.setdefault(variant, number)
    return Variants(list(made), np.array(list(made.values())))


def _swap(token: str, swaps: Swaps, chance: random.Random) -> str:
    word = token.strip()
    others = swaps.of(word.lower()) if chance.random() < 0.3 else []
    if not others:
        return token
    other = chance.choice(others)
    return token[: len(token) - len(token.lstrip())] + (other.capitalize() if word[:1].isupper() else other)


def _cut(tokens: list[str], texts: list[str], chance: random.Random) -> list[str]:
    """Drop words, an end or a beginning, or go on with another sentence; mostly leave it."""
    fate = chance.random()
    if fate < 0.35 and len(tokens) > 3:
        return [token for token in tokens if chance.random() > 0.15]
    if fate < 0.5 and len(tokens) > 6:
        cut = chance.randrange(len(tokens) // 2)
        return tokens[cut:] if chance.random() < 0.5 else tokens[: len(tokens) - cut]
    if fate < 0.6:
        return [*tokens[:-1], chance.choice([",", ";", " and", " -"]), " ", *TOKEN.findall(chance.choice(texts))[:8]]
    return tokens
