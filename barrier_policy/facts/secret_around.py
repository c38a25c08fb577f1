"""What stands around a label: the rest of its name, words that only speak about a secret, and values that look like nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import ABOUT_AFTER, ABOUT_HEAD, ABOUT_NAME, SecretType
from barrier_policy.facts.secret_shapes import is_placeholder, is_scrambled, is_signed
from barrier_policy.facts.secret_words import Label

REACH: Final = 100
"""How far from its label a secret may stand in a sentence, in characters."""
IDENTIFIER: Final = re.compile(r"[\w.-]*\Z")
WORD: Final = re.compile(r"[^\s\"'`<>(),;，。、：“”「」\\]+")


def name_of(text: str, label: Label) -> str:
    """The whole label: the identifier around the word."""
    before = IDENTIFIER.search(text, max(0, label.start - 40), label.start)
    return (before[0] if before else "") + text[label.start : label.end]


def speaks_about(text: str, label: Label, name: str) -> bool:
    """Whether a label is about a secret without giving one."""
    return any(
        pattern is not None
        for pattern in (ABOUT_AFTER.match(text, label.end), ABOUT_NAME.search(name), ABOUT_HEAD.match(name))
    )


def found_at(place: tuple[int, int], kind: SecretType, name: str) -> Secret:
    """The finding at a place."""
    return Secret(start=place[0], end=place[1], type=kind, name=name)


def word_before(lowered: str, start: int) -> str:
    """What stands before a label, up to the sign that joins them."""
    return lowered[max(0, start - 24) : start].rstrip(" _-.'’の用")


def is_option(text: str, label: Label) -> bool:
    """Whether the label is a command-line option: `--db-password X`."""
    head = IDENTIFIER.search(text, max(0, label.start - 40), label.start)
    return head is not None and head[0].startswith("--")


def nearby(text: str, label: Label, kind: SecretType, name: str) -> Iterator[Secret]:
    """A word of the same line that looks like nothing but a secret: `use X as the password`, `a key for tests: X`."""
    if text[label.end : label.end + 1] == "-":  # `token-free` names no token
        return
    left = max(text.rfind("\n", 0, label.start) + 1, label.start - REACH)
    right = text.find("\n", label.end, label.end + REACH)
    right = right if right >= 0 else min(len(text), label.end + REACH)
    for match in WORD.finditer(text, left, right):
        word = match[0].rstrip(".:!?")
        cut = text[match.start() - 1 : match.start()].isalnum() or text[match.end() : match.end() + 1].isalnum()
        looks = is_scrambled(word, 3 if kind is SecretType.CODE else 4) or (kind is SecretType.PASSWORD and is_signed(word))
        if not cut and looks and not is_placeholder(word):
            yield Secret(start=match.start(), end=match.start() + len(word), type=kind, name=name)
