"""What users say that later turns may depend on, told from mere questions and small talk: fact kind `instruction`.

A sentence that is in doubt counts as one: carrying a short sentence costs less than losing an instruction. The weights are a linear
model over pieces of words; `benchmarks/instruction_model` trains them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from barrier_policy_plugins.piece_weights import SCALE, WORD, PieceWeights
from barrier_policy_plugins.prose_cues import find_cues

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind, FactValue
from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.remembered import Remembered
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

FEW: Final = 4
"""Words and signs of thanks that say nothing else: `Thank you very much`, `Grazie mille.`."""
MAX_MEMO: Final = 1_000
"""Sentences that are remembered."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence's score is `bias` plus what its pieces count; above zero: small talk."""

    bias: int
    threshold: int
    weights: dict[str, int]


@cache
def load_model() -> Model:
    """The shipped weights."""
    data = files("barrier_policy_plugins").joinpath("instruction_weights.json").read_text(encoding="utf-8")
    return msgspec.convert(json.loads(data), Model)


def small_talk_score(sentence: str) -> int:
    """How sure it is, in thousandths, that a user's sentence only asks or chats; below zero it tells or orders something."""
    return load_model().bias + _weights().score(sentence)


@cache
def _weights() -> PieceWeights:
    return PieceWeights(load_model().weights)


def is_nod(sentence: str) -> bool:
    """A single word without a digit, in a script that parts its words: it answers, and says nothing that a record could hold."""
    words = WORD.findall(sentence)
    return sentence.isascii() and sum(map(str.isalpha, words)) < 2 and not any(map(str.isdigit, words))


def only_thanks(sentence: str) -> bool:
    """A few words of thanks, whatever the weights make of them."""
    return len(WORD.findall(sentence)) <= FEW and "thanks" in find_cues(sentence)


@cache
def _remembered() -> Remembered[dict[str, FactValue]]:
    """What is told of sentences."""
    return Remembered(_told, MAX_MEMO)


def _told(sentence: str) -> dict[str, FactValue]:
    """The attributes of a fact that a sentence tells or orders something; none where it only asks or chats."""
    score = small_talk_score(sentence)
    if score >= load_model().threshold or is_nod(sentence) or only_thanks(sentence):
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
