"""Orders in new text that nobody gave (design section 9, invariant 23: a compaction never adds an obligation).

A summary tells; it seldom speaks to its reader. A clause is an order if it begins like one, speaks to its reader with a demand, wants
something under way anew or otherwise, or is mostly made of words that stand nowhere in before. What one line of what somebody said has
most of the words of was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from barrier_policy.audit.claim_words import (
    BEGUN,
    DEMANDS,
    DONE,
    HANGING,
    HEAD,
    NARRATIVE,
    ORDER,
    PARTIES,
    RENEWS,
    REPORTED,
    SPOKEN_TO,
    clauses,
)
from barrier_policy.audit.consent import claims_of
from barrier_policy.audit.deeds import Deeds
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.text import Sentence, split_sentences
from barrier_policy.transcript.model import Message, Origin, PartType

FEWEST, FEWEST_WISHED = 3, 4
"""Words of an order, and of a wish that is told."""
SAID = 0.6
"""The share of an order's words above which one line of what somebody said has given it."""
STRANGE = 0.34
"""A clause of whose words before has a smaller share comes from elsewhere."""
CODE = re.compile(r"[{}=\\|]|\w\(")
COLONS = (":", "：")
STOPS = (".", "!", "。")
FORMS = ("constraint", "approval_gate", "request")
"""Kinds of facts that have the form of a demand."""


class Orders:
    """What anybody said in before, and what it shows, to find the orders that come from neither."""

    def __init__(self, messages: Sequence[Message], deeds: Deeds) -> None:
        self._messages = messages
        self._deeds = deeds

    def unfounded(self, sentence: Sentence) -> Iterator[str]:
        """The clauses of a sentence that are orders which nobody gave."""
        if CODE.search(sentence.text):
            return
        if REPORTED.search(sentence.text):
            yield from self._wishes(sentence)
            return
        for clause in clauses(sentence.text):
            words = matter(clause)
            if len(words) < FEWEST or is_told(clause) or self.share_said(words) > SAID:
                continue
            if self._is_order(sentence, clause, words):
                yield clause

    def _wishes(self, sentence: Sentence) -> Iterator[str]:
        """The sentence, if it tells a wish of the user of which nobody said a word."""
        words = matter(sentence.text)
        if len(words) < FEWEST_WISHED or not PARTIES.search(sentence.text) or self.share_said(words) >= STRANGE:
            return
        if 2 * len(self._strange(words)) > len(words):
            yield sentence.text

    def _strange(self, words: frozenset[str]) -> frozenset[str]:
        """The words that stand nowhere in before."""
        return frozenset(word for word in words if word not in self._said and word not in self._shown)

    def share_said(self, words: frozenset[str]) -> float:
        """The greatest share of the words that one line of what users, instructions or the agent said has."""
        return self._said.best(words)[0]

    def _is_order(self, sentence: Sentence, clause: str, words: frozenset[str]) -> bool:
        if ORDER.match(clause) or (DEMANDS.search(clause) and SPOKEN_TO.search(clause)):
            return True
        formed = any(sentence.facts.get(kind) for kind in FORMS)
        if formed and RENEWS.search(clause) and self._deeds.is_under_way(words):
            return True
        return not clause.endswith(COLONS) and self._is_strange(sentence, clause, words, formed)

    def _is_strange(self, sentence: Sentence, clause: str, words: frozenset[str], formed: bool) -> bool:
        """Whether it asks for a deed that before has no word of, of something known; or is made of words that before lacks."""
        strange = self._strange(words)
        if sentence.hints("request") and matter(clause.split(" ", 1)[0]) <= strange and words - strange:
            return True
        return len(words) - len(strange) < STRANGE * len(words) and (formed or clause.endswith(STOPS))

    @cached_property
    def _said(self) -> Matters:
        """What users, instructions and the agent said, by lines and sentences."""
        return Matters(
            matter(line)
            for message in self._messages
            for part in message.parts
            if part.type is PartType.TEXT and message.origin.rank <= Origin.AGENT.rank
            for _, line in split_sentences(part.text)
        )

    @cached_property
    def _shown(self) -> frozenset[str]:
        """The words of calls and results."""
        texts = (part.text for message in self._messages for part in message.parts if part.type is not PartType.TEXT)
        return frozenset().union(*(matter(line) for text in texts for line in text.split("\n")))


def is_told(sentence: str) -> bool:
    """Whether it tells what happened, how things stand or what somebody wanted, and demands nothing of its reader."""
    text = HEAD.sub("", sentence)
    told = any(pattern.search(text) for pattern in (DONE, HANGING, BEGUN)) or any(map(claims_of, clauses(text)))
    return REPORTED.search(text) is not None or ((told or NARRATIVE.match(text) is not None) and not DEMANDS.search(text))
