"""Whether a deed is settled, by the wording of its result and of what the agent says right after it: fact kind `doubt`.

No list of words holds what tools and clerks say of what is only taken in, half done or not yet in force. Two sums of weights over pieces of
words, one for results and one for replies, are added where the ledger sees both; `benchmarks/doubt_model` trains them. Doubt protects: it
never settles anything (design section 5).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from barrier_policy_plugins.piece_weights import PieceWeights

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.remembered import Remembered
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

HEAD: Final = 400
"""Characters of a text that are weighed."""
MAX_MEMO: Final = 1_000
"""Texts whose doubt is remembered."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Above zero the sum of `bias` and of what the pieces of a result and of its reply count is more likely unsettled than not."""

    bias: int
    result: dict[str, int]
    reply: dict[str, int]


@cache
def load_model() -> Model:
    """The shipped weights."""
    data = files("barrier_policy_plugins").joinpath("doubt_weights.json").read_text(encoding="utf-8")
    return msgspec.convert(json.loads(data), Model)


@cache
def of_results() -> Remembered[int]:
    """How far the words of a result's head speak for an unsettled deed, in thousandths of a logit, the model's bias with them."""
    weights = PieceWeights(load_model().result)
    return Remembered(lambda text: load_model().bias + weights.score(text), MAX_MEMO)


@cache
def of_replies() -> Remembered[int]:
    """What the head of the agent's reply adds to that."""
    return Remembered(PieceWeights(load_model().reply).score, MAX_MEMO)


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`doubt`."""
    return (
        FactKind(
            name="doubt",
            doc="What the agent says right after results: whether its words leave open what was done.",
            attributes=(Attribute(name="score", type="int", doc="thousandths of a logit; above zero they leave it open"),),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """One fact for the first text of an agent's message that follows results."""
    before = context.previous
    if message.kind is not MessageKind.MESSAGE or message.origin is not Origin.AGENT or before is None:
        return ()
    if before.origin is not Origin.AGENT or all(part.type is not PartType.TOOL_CALL for part in before.parts):
        return ()
    return _facts(message)


def _facts(message: Message) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.TEXT and part.text.strip():
            head = part.text[:HEAD]
            yield Fact(
                kind="doubt",
                message=message.index,
                part=index,
                start=0,
                end=len(head),
                text=head,
                attributes={"score": of_replies()[head]},
            )
            return
