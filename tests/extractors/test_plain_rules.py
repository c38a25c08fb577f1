"""Rules in plain words, `must not` and its like in 19 languages, and sentences with the same words that are none.

`tests/data/sentences/plain.jsonl`: 150 and 120 sentences by one who had not seen the lists of words.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from barrier_policy_plugins.prose import RULES

from barrier_policy import extract_facts

PLAIN: Final = Path(__file__).parents[1] / "data" / "sentences" / "plain.jsonl"
NOW: Final = "2026-06-01T00:00:00Z"


def is_rule(text: str) -> bool:
    return any(fact.kind in RULES for fact in extract_facts([{"role": "user", "content": text}], now=NOW))


def found(kind: str) -> tuple[int, int]:
    records = [json.loads(line) for line in PLAIN.read_text(encoding="utf-8").splitlines()]
    texts = [str(record["text"]) for record in records if record["kind"] == kind]
    return sum(map(is_rule, texts)), len(texts)


def test_nearly_all_plain_rules_are_found() -> None:
    rules, texts = found("rule")
    assert texts == 150
    assert rules >= 140


def test_guesses_needs_and_tales_in_the_same_words_are_mostly_none() -> None:
    rules, texts = found("none")
    assert texts == 120
    assert rules <= 36


@pytest.mark.parametrize(
    "text",
    [
        "birth date must not be in the file",
        "the key must never be in the log",
        "you must not include the birth date",
        "the invoice has to be in there",
        "that folder is off limits",
        "do not merge on red",
        "Der Schlüssel darf nie im Log stehen.",
        "La clé ne doit jamais être dans le journal.",
        "La fecha de nacimiento no debe estar en el archivo.",
        "Klucz nigdy nie może trafić do logów.",
        "Дата рождения не должна быть в файле.",
        "Doğum tarihi dosyada olmamalı.",
        "出生日期不得出现在文件里。",
    ],
)
def test_a_word_that_demands_or_forbids_makes_a_rule(text: str) -> None:
    assert is_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "it must be the cache again",
        "that must have been Petra",
        "I have to go to a meeting now",
        "you must be joking",
        "Mark each 'shall' and 'shall not' in the contract.",
        "Ich muss jetzt los.",
        "never mind",
    ],
)
def test_a_guess_a_need_of_ones_own_and_a_quoted_word_make_none(text: str) -> None:
    assert not is_rule(text)


@pytest.mark.parametrize(
    "text", ["Thank you.", "Merci beaucoup.", "Grazie mille.", "Dziękuję bardzo.", "ありがとうございます。"]
)
def test_thanks_tell_nothing(text: str) -> None:
    assert list(extract_facts([{"role": "user", "content": text}], now=NOW)) == []


def test_what_is_declined_with_thanks_is_told() -> None:
    facts = extract_facts([{"role": "user", "content": "preprints no thanks"}], now=NOW)
    assert "instruction" in {fact.kind for fact in facts}
