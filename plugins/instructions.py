"""What users say that later turns may depend on, told from mere questions and small talk: fact kind `instruction`.

A sentence that is in doubt counts as one: carrying a short sentence costs less than losing an instruction. The weights are a linear
model over pieces of words; `benchmarks/instruction_model` trains them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import isqrt
from sys import intern
from typing import Final

import msgspec

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind, FactValue
from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.remembered import Remembered
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

WORD: Final = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
SIZES: Final = (3, 4, 5)
LENGTHS: Final = ((4, "\x02s"), (9, "\x02m"), (18, "\x02l"))
LONG: Final = "\x02x"
MAX_WORDS: Final = 60
MAX_MEMO: Final = 1_000
"""Sentences that are remembered."""
SCALE: Final = 1_000
"""Weights and scores are whole thousandths, so that they are the same on every machine."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence's score is `bias` plus the sum of its pieces' weights over the root of their number; above zero: small talk."""

    bias: int
    threshold: int
    weights: dict[str, int]


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The shipped weights."""
    data = files("barrier_policy_plugins").joinpath("instruction_weights.json").read_text(encoding="utf-8")
    return msgspec.convert(json.loads(data), Model)


def pieces(sentence: str) -> Iterator[str]:
    """Pieces of a sentence: letters in a row within a word, neighbouring words, and how long it is."""
    words = split_words(sentence)
    for word in words:
        yield from word_pieces(word)
    yield from frame_pieces(words)


def split_words(sentence: str) -> list[str]:
    """The first words and signs of a sentence, alike however they are written; of a number only its length is kept."""
    words = WORD.findall(unicodedata.normalize("NFKC", sentence).casefold())[:MAX_WORDS]
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


def small_talk_score(sentence: str) -> int:
    """How sure it is, in thousandths, that a user's sentence only asks or chats; below zero it tells or orders something."""
    model = load_model()
    words = split_words(sentence)
    known = {piece for piece in frame_pieces(words) if piece in model.weights}.union(*map(_known_pieces, words))
    total = sum(map(model.weights.__getitem__, known))
    # the root in thousandths, so that the division stays in whole numbers
    return model.bias + total * SCALE // isqrt(max(1, len(known)) * SCALE * SCALE)


@lru_cache(maxsize=4_000)
def _known_pieces(word: str) -> tuple[str, ...]:
    """The pieces of a word that have a weight."""
    weights = load_model().weights
    return tuple(intern(piece) for piece in word_pieces(word) if piece in weights)


def is_nod(sentence: str) -> bool:
    """A single word without a digit, in a script that parts its words: it answers, and says nothing that a record could hold."""
    words = WORD.findall(sentence)
    return sentence.isascii() and sum(map(str.isalpha, words)) < 2 and not any(map(str.isdigit, words))


@cache
def _remembered() -> Remembered[dict[str, FactValue]]:
    """What is told of sentences."""
    return Remembered(_told, MAX_MEMO)


def _told(sentence: str) -> dict[str, FactValue]:
    """The attributes of a fact that a sentence tells or orders something; none where it only asks or chats."""
    score = small_talk_score(sentence)
    if score >= load_model().threshold or is_nod(sentence):
        return {}
    return {"confidence": min(100, max(0, 50 - score * 20 // SCALE))}


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`instruction`."""
    return (
        FactKind(
            name="instruction",
            doc="A sentence of the user that tells or orders something, and does not only ask or chat.",
            attributes=(Attribute(name="confidence", type="int", doc="0 to 100"),),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """One fact for each such sentence of a user's own message."""
    if message.kind is not MessageKind.MESSAGE or message.origin is not Origin.USER:
        return ()
    return _facts(message)


def _facts(message: Message) -> Iterator[Fact]:
    told = _remembered()
    for index, part in enumerate(message.parts):
        if part.type is not PartType.TEXT:
            continue
        for sentence in prose_sentences(part.text):
            if attributes := told[sentence.text]:
                yield Fact(
                    kind="instruction",
                    message=message.index,
                    part=index,
                    start=sentence.start,
                    end=sentence.end,
                    text=sentence.text,
                    attributes=attributes,
                )
