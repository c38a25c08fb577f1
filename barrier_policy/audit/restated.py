"""Rules that new text states in nearly their words: under another name, or as a wish (design section 9, invariant 17)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from barrier_policy.audit.claim_words import REPORTED, SOFTENED
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.text import Sentence
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.ledger.model import Family

NEARLY = 0.5
"""The share of a rule's words by which a sentence states it again."""
NAME = re.compile(r"(?<![.!?:\-*•] )(?<!^)(?<![\w.'’-])[^\W\d_a-z][^\W\d_]*[^\W\d_A-Z][^\W\d_]*")
"""A capitalized word within a sentence."""


class Restated(StrEnum):
    """What a sentence does to a rule."""

    RENAMED = "renamed"
    SOFTENED = "softened"


class Rules:
    """The live rules of before. `there` has the words of all its messages."""

    def __init__(self, known: Sequence[Known], there: TokenIndex) -> None:
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT and k.current]
        self._words = Matters(matter(k.item.text) for k in self._rules)
        self._there = there

    def bent_by(self, sentence: Sentence) -> Iterator[tuple[Known, Restated]]:
        """The rule that a sentence states again, and what it does to it."""
        rule = self._stated(sentence)
        if rule is None or rule.item.text in sentence.text:
            return
        if self._is_renamed(rule.item.text, sentence.text):
            yield rule, Restated.RENAMED
        if SOFTENED.search(sentence.text) and not SOFTENED.search(rule.item.text) and not REPORTED.search(sentence.text):
            yield rule, Restated.SOFTENED

    def _stated(self, sentence: Sentence) -> Known | None:
        """The rule most of whose words the sentence has."""
        words = matter(sentence.text)
        _, numbers = self._words.best(words)
        shares = [(len(self._words.texts[n] & words) / len(self._words.texts[n]), n) for n in numbers]
        share, number = max(shares, default=(0.0, -1))
        return self._rules[number] if share >= NEARLY else None

    def _is_renamed(self, rule: str, sentence: str) -> bool:
        """Whether a name of the rule is gone, and another one stands in the sentence that the rule does not have."""
        old, new = set(NAME.findall(rule)), set(NAME.findall(sentence))
        gone = {name for name in old if name.casefold() not in sentence.casefold()}
        come = {name for name in new if name.casefold() not in rule.casefold()}
        return bool(gone) and any(self._is_name(name, rule, sentence) for name in come)

    def _is_name(self, name: str, rule: str, sentence: str) -> bool:
        """Nobody has it in before, or it stands where the other one stood."""
        if not self._there.holds(name):
            return True
        left = sentence.partition(name)[0].rstrip().rsplit(" ", 1)[-1]
        return bool(left) and any(re.search(rf"{re.escape(left)}\s+{re.escape(old)}\b", rule) for old in NAME.findall(rule))
