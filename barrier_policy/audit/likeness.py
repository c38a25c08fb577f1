"""Near misses: what stands where an exact value or line should stand (one digit, a unit, a cut hash, a look-alike letter)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

LOOK_ALIKES = str.maketrans(
    "аеорсухкмтвнізЅѕјԁոοαεικνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХІ",
    "aeopcyxkmtbhi3SsjdnoaeikvptuxABEZHIKMNOPTYXABEKMHOPCTYXI",
)
"""Letters of other scripts that look like Latin ones (the commonest of Unicode Technical Standard 39)."""
DIGITS = re.compile(r"\d")
NUMBER = re.compile(r"\d[\d.,]*")
EDGE = 5
"""So many equal characters at the beginning or the end of a value make another one like it."""
MAX_ALIKE = 20
SHORT = 4
"""A shorter value is like too many others."""


def fold(text: str) -> str:
    """A text as it looks: compatibility forms, case and look-alike letters undone."""
    return unicodedata.normalize("NFKC", text).translate(LOOK_ALIKES).casefold()


def likeness_keys(value: str) -> Iterator[tuple[str, str]]:
    """What like values have in common, the surest first."""
    folded = fold(value)
    yield "look", folded
    yield "digits", DIGITS.sub("0", folded)
    yield "letters", "".join(character for character in folded if character.isalnum())
    number = NUMBER.match(folded)
    if number and number.end() < len(folded):
        yield "number", number.group()
    if len(folded) > EDGE:
        yield "head", folded[:EDGE]
        yield "end", folded[-EDGE:]


class Likes:
    """Values that are wanted, found again by what stands instead of them."""

    def __init__(self, wanted: Iterable[tuple[str, str]]) -> None:
        self._wanted: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for name, value in wanted:
            for key in likeness_keys(value):
                self._wanted.setdefault(key, []).append((name, value))

    def nearest(self, found: str) -> str:
        """The name of the wanted value that is most like this one, "" where none is."""
        for key in likeness_keys(found):
            alike = self._alike(key, found)
            if alike:
                return min(alike, key=lambda entry: (_distance(entry[1], found), entry))[0]
        return ""

    def same_but(self, found: str) -> str:
        """The name of a wanted value that differs from this one in its look, in one or two digits, or in where it was cut."""
        if len(found) < SHORT:
            return ""
        for key in list(likeness_keys(found))[:3]:
            alike = [
                (name, value) for name, value in self._alike(key, found) if _distance(value, found) <= 2 or key[0] == "look"
            ]
            if alike:
                return min(alike)[0]
        edges = (
            [entry for key in list(likeness_keys(found))[-2:] for entry in self._alike(key, found)]
            if len(found) >= 8
            else []
        )
        near = [(name, value) for name, value in edges if len(value) == len(found) and _distance(value, found) <= 2]
        if near:
            return min(near)[0]
        cut = [(name, value) for name, value in self._alike(("head", fold(found)[:EDGE]), found) if _is_cut(value, found)]
        return min(cut)[0] if cut else ""

    def _alike(self, key: tuple[str, str], found: str) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self._wanted.get(key, ())[:MAX_ALIKE] if value != found]


def _is_cut(value: str, found: str) -> bool:
    """Whether what was found is the beginning of an id or hash."""
    whole = " " not in value and "/" not in value and any(character.isdigit() for character in value)
    return whole and len(found) > EDGE and value.startswith(found)


def _distance(left: str, right: str) -> int:
    """How much two values differ: characters outside their common head and end."""
    head = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    rest = list(zip(reversed(left[head:]), reversed(right[head:]), strict=False))
    end = next((n for n, (a, b) in enumerate(rest) if a != b), len(rest))
    return max(len(left), len(right)) - head - end
