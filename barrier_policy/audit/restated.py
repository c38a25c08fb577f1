"""Rules that new text states in nearly their words: under another name, or as a wish (design section 9, invariant 17)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from barrier_policy.audit.claim_words import REPORTED, SOFTENED
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Place
from barrier_policy.audit.text import Sentence, split_sentences
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.ledger.model import Family
from barrier_policy.transcript.model import Message, Origin, PartType

NEARLY = 0.5
"""The share of a rule's words by which a sentence states it again."""
ALIKE = 0.7
"""The share of the words of both by which a sentence with a known name in it is one that was said with another."""
MOSTLY = 0.6
"""The share of a sentence's words that must have been said in one."""
MAX_TEXT = 20_000
"""Characters from which a message is pasted."""
NAME = re.compile(r"(?<!^)(?<![\w.'’-])[^\W\d_a-z][^\W\d_]*[^\W\d_A-Z][^\W\d_]*")
"""A capitalized word within a sentence."""


class Rules:
    """The live rules of before, and what else users and instructions say: a name counts there, too."""

    def __init__(self, known: Sequence[Known], messages: Sequence[Message]) -> None:
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT and k.current]
        self._words = Matters(matter(k.item.text) for k in self._rules)
        self._said = list(_said(messages))
        self._said_words = Matters(matter(text) for _, text in self._said)

    def softened_by(self, sentence: Sentence) -> Known | None:
        """The rule that a sentence tells as a wish."""
        number = _stated(self._words, matter(sentence.text))
        if number < 0 or self._rules[number].item.text in sentence.text or REPORTED.search(sentence.text):
            return None
        return self._rules[number] if _softens(self._rules[number].item.text, sentence.text) else None

    def renamed_by(self, sentence: Sentence, there: TokenIndex, *, exact: bool) -> tuple[Place, str] | None:
        """What somebody said, and where, that a sentence tells with another name in it.

        A name is never written small in before (`there`); a foreign summary has it from nowhere.
        """

        words = matter(sentence.text)
        share, numbers = self._said_words.best(words)
        near = [
            n
            for n in numbers
            if share >= MOSTLY or len(self._said_words.texts[n] & words) >= NEARLY * len(self._said_words.texts[n])
        ]

        def is_name(word: str, said: frozenset[str]) -> bool:
            if there.holds(word.lower()):
                return False
            return not there.holds(word) or (exact and len(words & said) >= ALIKE * max(len(words), len(said)))

        for number in near:
            said = self._said_words.texts[number]
            if is_renamed(self._said[number][1], sentence.text, lambda word, said=said: is_name(word, said)):  # type: ignore[misc]
                return self._said[number]
        return None


def _said(messages: Sequence[Message]) -> Iterator[tuple[Place, str]]:
    for message in messages:
        for number, part in enumerate(message.parts):
            if part.type is PartType.TEXT and message.origin.rank <= Origin.USER.rank and len(part.text) <= MAX_TEXT:
                yield from ((place_of(message, number), text) for _, text in split_sentences(part.text))


def _stated(index: Matters, words: frozenset[str]) -> int:
    """The number of the text most of whose words a sentence has, -1 for none."""
    _, numbers = index.best(words)
    share, number = max(((len(index.texts[n] & words) / len(index.texts[n]), n) for n in numbers), default=(0.0, -1))
    return number if share >= NEARLY else -1


def _softens(rule: str, sentence: str) -> bool:
    return SOFTENED.search(sentence) is not None and SOFTENED.search(rule) is None


def is_renamed(said: str, told: str, is_name: Callable[[str], bool]) -> bool:
    """Whether a name in what was said is gone, and what is told has another one right where it stood."""
    old, new = Counter(NAME.findall(said)), Counter(NAME.findall(told))
    gone = [name for name in old if len(re.findall(rf"\b{re.escape(name)}\b", told)) < old[name]]
    come = [name for name in new if not re.search(rf"\b{re.escape(name)}\b", said, re.IGNORECASE)]
    return any(_stands_for(told, one, said, other) and is_name(one) for one in come for other in gone)


def _stands_for(told: str, new: str, said: str, old: str) -> bool:
    """Whether the same word stands before both names, and the same one, or none, behind them."""
    return any(
        left == right and (behind == after or not (behind and after))
        for left, behind in _around(told, new)
        for right, after in _around(said, old)
    )


def _around(text: str, name: str) -> set[tuple[str, str]]:
    """The words right before and right behind a name, "" where it ends a sentence or clause."""
    found = re.finditer(rf"(\w+)\W*\b{re.escape(name)}\b(?:[^\w\s]|\s+(\w+)|$)", text)
    return {(match[1].casefold(), (match[2] or "").casefold()) for match in found}
