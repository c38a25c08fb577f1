"""Rules that no word for a rule gives away, and sentences that look like them and are none: `tests/data/sentences/kinds.jsonl`.

Twelve of each kind in several languages, written beside the patterns of `benchmarks/prose_model` and not among them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from barrier_policy_plugins.prose import RULES

from barrier_policy import extract_facts

KINDS: Final = Path(__file__).parents[1] / "data" / "sentences" / "kinds.jsonl"
NOW: Final = "2026-06-01T00:00:00Z"
EACH: Final = 12
FEWEST: Final = {"cannot": 10, "standing": 10, "preference": 11, "noun phrase": 12, "reason": 12, "gate": 11}
MOST: Final = {"habit": 4, "mention": 7, "task": 6}
"""As measured: mentions and tasks are the weak side."""


def is_rule(text: str) -> bool:
    return any(fact.kind in RULES for fact in extract_facts([{"role": "user", "content": text}], now=NOW))


def found(kind: str) -> int:
    records = [json.loads(line) for line in KINDS.read_text(encoding="utf-8").splitlines()]
    texts = [str(record["text"]) for record in records if record["kind"] == kind]
    assert len(texts) == EACH
    return sum(map(is_rule, texts))


@pytest.mark.parametrize("kind", FEWEST)
def test_rules_without_a_word_for_a_rule_are_found(kind: str) -> None:
    assert found(kind) >= FEWEST[kind]


@pytest.mark.parametrize("kind", MOST)
def test_habits_quotations_and_tasks_are_seldom_taken_for_rules(kind: str) -> None:
    assert found(kind) <= MOST[kind]


@pytest.mark.parametrize(
    "text",
    [
        "Never lend the cello before ten.",
        "Do not repaint the balcony.",
        "Always lock the loft twice.",
        "Niemals das Cello verleihen.",
        "Nunca prestes el violonchelo.",
        "Nigdy nie pożyczaj wiolonczeli.",
        "Altijd eerst de zolder sluiten.",
        "Никогда не одалживай виолончель.",
        "绝对不要借出大提琴。",
    ],
)
def test_a_plain_order_for_always_or_never_is_a_rule(text: str) -> None:
    assert is_rule(text)


@pytest.mark.parametrize(
    "text", ["Never mind the weather, we had fun.", "Nunca había probado un pan así.", "Never mind.", "Always welcome!"]
)
def test_what_only_begins_like_such_an_order_is_no_rule(text: str) -> None:
    assert not is_rule(text)
