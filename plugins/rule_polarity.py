"""What a rule sentence demands: something, nothing of a kind, or something on a condition; how strictly; and about what.

A sentence is a rule already when this is asked. A first guess goes by which words it has. A linear model decides: it weighs the guess, every
other mark of the sentence (`rule_marks`) and what the filters of the sentence model see in it. Trained by
`benchmarks/prose_model/polarity.py`, in whole numbers (design section 5, constraints).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Final

import msgspec
from barrier_policy_plugins.rule_language import soft_words
from barrier_policy_plugins.rule_marks import (
    MAX_JUDGED,
    START,
    Seen,
    find_marks,
    has_amount,
    has_only_clause,
    is_bounded,
    leads_in,
    look_at,
    waits,
)

from barrier_policy.facts.words import lower_case

MUST: Final = "must"
MUST_NOT: Final = "must_not"
ONLY_IF: Final = "only_if"
POLARITIES: Final = (MUST, MUST_NOT, ONLY_IF)

Weights = tuple[int, int, int]
"""One for each polarity, in the order of POLARITIES."""

_SCOPE: Final = re.compile(
    r"\b(?:(?:anything|everything|nothing|whoever|whatever|whenever|while|until|till|unless|during|throughout|between|within|inside|under|above|over|below|across|against|before|after"
    r"|in|on|for|from|to|per|at(?! \d)|when|if"
    r"|in der|im|in|bei|für|ab|bis|während|wenn|auf|an|dans|en|pour|sur|quand|jusqu'|para|sobre|cuando|hasta|nel|nella|per|quando|fino|até|voor|bij|tot|w|dla|do|przy|v|pro|при|для|до)\b)[^,.;:!?]+"
)


class PolarityModel(msgspec.Struct, frozen=True, kw_only=True):
    """The score of each polarity is its bias plus the weights of the marks that the sentence bears and of what each filter sees.

    `sights` has one row a polarity.
    """

    bias: Weights
    marks: dict[str, Weights]
    sights: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def judge_polarity(sentence: str, sights: Sequence[int]) -> str:
    """`must`, `must_not` or `only_if`; `sights` are those of `SentenceModel.sights` for the sentence."""
    model = _model()
    rows = [model.bias, *(model.marks[mark] for mark in name_marks(sentence) if mark in model.marks)]
    scores = [
        sum(column) + sum(map(mul, sights, seen)) for column, seen in zip(zip(*rows, strict=True), model.sights, strict=True)
    ]
    return POLARITIES[scores.index(max(scores))]


def name_marks(sentence: str) -> list[str]:
    """The marks of a sentence and the first guess, as the model knows them."""
    seen = look_at(sentence)
    return [*find_marks(seen), f"guess {guess_polarity(seen)}"]


def guess_polarity(seen: Seen) -> str:
    """What the words alone say: the first of these that holds."""
    is_only = seen.has("only") if seen.language != "en" else has_only_clause(seen)
    if seen.has("ask") and (seen.has("first") or seen.has("until") or seen.has("without")):
        return ONLY_IF
    if seen.has("forget", "not"):
        return MUST
    if seen.has("not", "without") or seen.has("only_if") or seen.has("except") or is_only:
        return ONLY_IF
    if leads_in(seen) and is_bounded(seen):
        return ONLY_IF
    if seen.has("limit") and (seen.has("not") or has_amount(seen)):
        return MUST
    if seen.places.get("if", START) < START:
        return ONLY_IF
    if seen.has("not"):
        return _guess_negated(seen)
    return ONLY_IF if is_bounded(seen) else MUST


def _guess_negated(seen: Seen) -> str:
    if seen.places["not"] < START <= seen.places.get("instead", 0):
        return MUST
    return ONLY_IF if waits(seen) and seen.places["not"] * 2 < len(seen.kept) else MUST_NOT


def judge_strength(sentence: str) -> str:
    """`soft` where the speaker words it as a wish, else `hard`."""
    return "soft" if soft_words().search(sentence[:MAX_JUDGED].lower()) else "hard"


def find_scope(sentence: str) -> str:
    """The words that say where or when the rule holds, "" where none do."""
    match = _SCOPE.search(lower_case(sentence), 0, MAX_JUDGED)
    return sentence[match.start() : match.end()].strip() if match else ""


@cache
def _model() -> PolarityModel:
    data = files("barrier_policy_plugins").joinpath("polarity_weights.json").read_text(encoding="utf-8")
    return msgspec.convert(json.loads(data), PolarityModel)
