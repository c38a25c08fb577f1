"""Keeping secret values out of everything that leaves the process (design section 5; invariant 20)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from barrier_policy.facts.model import Fact, FactValue
from barrier_policy.transcript.model import Message

GLOBAL_LENGTH = 6
"""A secret at least this long is masked wherever it turns up."""
WORD_LENGTH = 4
"""A shorter one of this length is masked elsewhere only as a word of its own, and not where it may be a year or a round number; the rest only in
its own message."""
COMMON = re.compile(r"(?:19|20)\d\d|\d+00")
MAX_SECRETS = 2_000


class Masker:
    """Replaces the secret values of one transcript by `[secret <type> <digest>]`.

    Built from `secret` facts, which carry places and keyed digests and never the value.
    """

    def __init__(self, messages: Sequence[Message], facts: Iterable[Sequence[Fact]]) -> None:
        self._everywhere: dict[str, str] = {}
        self._local: dict[int, dict[str, str]] = {}
        for found in facts:
            for fact in found:
                if fact.kind == "secret":
                    self._learn(messages[fact.message], fact)
        self._pattern = _pattern(self._everywhere)

    def _learn(self, message: Message, fact: Fact) -> None:
        value = message.parts[fact.part].text[fact.start : fact.end]
        if not value.strip():
            return
        shown = f"[secret {fact.get('type', '')} {fact.get('digest', '')}]"
        if _is_distinct(value) and len(self._everywhere) < MAX_SECRETS:
            self._everywhere[value] = shown
        if len(value) < GLOBAL_LENGTH or value not in self._everywhere:
            self._local.setdefault(message.index, {})[value] = shown

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._everywhere or self._local)

    def text(self, text: str, message: int) -> str:
        """A text that stands in, or was made from, the given message, without secret values."""
        if self._pattern is not None:
            text = self._pattern.sub(lambda match: self._everywhere[match.group()], text)
        for value, shown in self._local.get(message, {}).items():
            text = text.replace(value, shown)
        return text

    def fact(self, fact: Fact) -> Fact:
        """A fact whose text and attributes hold no secret value."""
        attributes = {name: self._value(value, fact.message) for name, value in fact.attributes.items()}
        text = self.text(fact.text, fact.message)
        if text == fact.text and attributes == fact.attributes:
            return fact
        return msgspec.structs.replace(fact, text=text, attributes=attributes)

    def _value(self, value: FactValue, message: int) -> FactValue:
        if isinstance(value, str):
            return self.text(value, message)
        if isinstance(value, tuple):
            return tuple(self.text(entry, message) for entry in value)
        return value


def _is_distinct(value: str) -> bool:
    """Whether a value that stands elsewhere is the secret, and no number that happens to be the same."""
    return len(value) >= GLOBAL_LENGTH or (len(value) >= WORD_LENGTH and COMMON.fullmatch(value) is None)


def _pattern(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """One pattern for all secrets, longest first."""
    ordered = sorted(secrets, key=lambda secret: (-len(secret), secret))
    return re.compile("|".join(_spelled(secret) for secret in ordered)) if ordered else None


def _spelled(secret: str) -> str:
    """A pattern for a secret; a short one must be a word of its own."""
    spelled = re.escape(secret)
    return spelled if len(secret) >= GLOBAL_LENGTH else rf"(?<![\w.,/-]){spelled}(?![\w/-]|[.,]\d)"
