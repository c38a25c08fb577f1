"""What a secret looks like, and what only looks like one (design section 5, bindings)."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import groupby

from barrier_policy.facts.secret_labels import GENERATED_NAME, PLACEHOLDER, PLAIN_WORDS

SEGMENT = re.compile(r"[A-Za-z0-9]+")
HEX = re.compile(r"(?:0x)?[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")
ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\[.*)?\Z")
"""An expression of code: `settings.DB_PASSWORD`, `self.data[`."""
CHANGE = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z])")
SIGN_INSIDE = re.compile(r"(?<=\w)[!#$&*?](?=\w)")
REFERENCE = re.compile(r"[\w./-]+#\d+|.*[=:/].*|\$.*")
"""`repo#4471`, `a=1&b=2`."""
GUESSABLE_BITS = 56.0
MAX_PLACEHOLDER = 120
"""How much of a value is read to see whether it is a placeholder, in characters."""


def is_placeholder(value: str) -> bool:
    """Whether a value stands in place of a secret or refers to one kept elsewhere."""
    return PLACEHOLDER.fullmatch(value, 0, MAX_PLACEHOLDER) is not None


def is_password(value: str, *, quoted: bool) -> bool:
    """After `password:` nearly anything is one, but not a plain word of the sentence or a reference."""
    if len(value) < 4 or is_placeholder(value) or value.lower() in PLAIN_WORDS or DATE.fullmatch(value):
        return False
    if not quoted and ATTRIBUTE.match(value):
        return False
    if value.replace("_", "").isalpha() and value.isascii():
        return quoted and len(value) >= 8 and "_" not in value
    if value.strip("*#").isdigit():
        return len(value) <= 16
    return any(character.isalpha() for character in value) or len(value) > 7


def is_strong(word: str) -> bool:
    """Whether a word right after `password` uses all classes of characters, as no word of a sentence does."""
    classes = (str.isdigit, str.islower, str.isupper)
    return (
        len(word) >= 8
        and all(any(test(character) for character in word) for test in classes)
        and not word.isalnum()
        and not is_placeholder(word)
    )


def is_leet(word: str) -> bool:
    """Whether digits stand among the letters of a word, as nobody writes a name: `Tr0mbone99`."""
    return _changes(word) >= 2 and HEX.fullmatch(word) is None and not is_placeholder(word)


def shape(word: str) -> str:
    """The kinds of characters of a word, each run once: `Aa-9` for `Oldie-55`."""
    kinds = ("A" if sign.isupper() else "a" if sign.isalpha() else "9" if sign.isdigit() else sign for sign in word)
    return "".join(kind for kind, _ in groupby(kinds))


def is_signed(word: str) -> bool:
    """Whether a word joins letters, digits and a sign that no name holds, as passwords do: `Klon#7712x`."""
    return (
        len(word) >= 7
        and any(map(str.isalpha, word))
        and any(map(str.isdigit, word))
        and SIGN_INSIDE.search(word) is not None
        and REFERENCE.fullmatch(word) is None
        and not is_placeholder(word)
    )


def is_random(value: str) -> bool:
    """Whether a value after `token:` or `api key:` was made by a machine and is no name, path, version or short hash."""
    if len(value) < 12 or is_placeholder(value) or not any(character.isdigit() for character in value):
        return False
    if HEX.fullmatch(value):
        return len(value) >= 32
    entropy = _entropy(value) if any(character.isalpha() for character in value) else 0.0
    if "/" in value:
        return len(value) >= 24 and entropy > 4
    return is_scrambled(value, 4) or (len(value) >= 20 and entropy > 3.5)


def is_scrambled(word: str, changes: int) -> bool:
    """Whether letters and digits alternate inside the pieces of a word, as they do not in names, ids, dates and versions."""
    if len(word) < 2 + 2 * changes or "/" in word or HEX.fullmatch(word) or GENERATED_NAME.fullmatch(word):
        return False
    mixed = [piece for piece in SEGMENT.findall(word) if len(piece) >= 4 and _changes(piece) and not piece.isalpha()]
    total = sum(map(_changes, mixed))
    return total >= changes and (len(mixed) >= 2 or total > changes)


def is_key_tail(prefix: str, tail: str) -> bool:
    """Whether what follows `xk_live_` is random: after a prefix for keys a little suffices, since names of resources look alike."""
    if len(tail) >= 12 and is_scrambled(tail, 4):
        return True
    letters = sum(map(str.isalpha, tail))
    if not 0 < letters < len(tail) or len(set(tail)) < 5:
        return False
    mixed = tail != tail.lower() and tail != tail.upper()
    return _changes(tail) >= 2 and (mixed or (len(prefix) <= 3 and prefix.endswith("k")))


def _changes(piece: str) -> int:
    """How often the class of character changes."""
    return len(CHANGE.findall(piece))


def _entropy(value: str) -> float:
    """Shannon entropy in bits for each character."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


def is_guessable(value: str) -> bool:
    """Whether somebody who can test guesses would find the value: an upper bound of its entropy is low."""
    size = 26 * (value != value.upper()) + 26 * (value != value.lower()) + 10 * any(c.isdigit() for c in value)
    size += 32 * (not value.isalnum())
    return len(value) * math.log2(max(size, 2)) < GUESSABLE_BITS
