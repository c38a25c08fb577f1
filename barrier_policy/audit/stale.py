"""Superseded values, and text that tells one as what holds now (design section 2: superseded values must not come back as current)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from barrier_policy.audit.items import Known
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.currency.corrections import replaced_in, values_in

PAST = re.compile(
    r"\b(?:was|were|had|been|earlier|previous(?:ly)?|former(?:ly)?|initial(?:ly)?|at first|originally|superseded|replaced|no longer"
    r"|war(?:en)?|vorher|zuerst|früher|ursprünglich\w*|était|auparavant|ancien\w*|era|fue|antes|anterior|precedente|был[аои]?|раньше)\b|以前|之前|原来|前の",
    re.IGNORECASE,
)
"""Words by which something is told as past or as replaced."""
NOT = r"\b(?:not|instead of|rather than|nicht|statt|pas|au lieu de|no|en vez de|non|invece di|não|niet|inte|nie|не|вместо) (?:\w+ )?"
NAMED = re.compile(r"(\S*\d\S*)(?: [^\W\d_a-z]\w*)+")
"""A value with its name, `12 Elm Street`: found again by the value."""
SHORTEST = 4
"""Letters of a plain word that can be a state."""
MAX_ENTRIES = 40
"""Superseded values of one spelling that are looked at."""


class Stale(msgspec.Struct, frozen=True, kw_only=True):
    """An item with a superseded value that a text tells as current, and what holds instead."""

    known: Known
    old: str
    new: str


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """Superseded values by their spelling, with the words of what each was a value of. A look-up costs time in the text."""

    entries: dict[str, list[tuple[Stale, frozenset[str]]]]

    def told(self, text: str) -> Stale | None:
        """What a text tells as current and is not: the old value without the newer one, in words of what it was a value of."""
        if not self.entries or PAST.search(text):
            return None
        words = content_words(text)
        for value in _spelt(text):
            for stale, about in self.entries.get(value, ()):
                if (
                    stale.old in text
                    and (_is_distinct(stale) or _speaks_of(words, about, value))
                    and not _is_corrected(text, stale)
                ):
                    return stale
        return None


def _is_distinct(stale: Stale) -> bool:
    """Whether the value was corrected wherever it stood, and has letters and digits: nothing else is likely to be spelt like it."""
    item = stale.known.item
    corrected = stale.known.is_value and not item.subject
    return corrected and any(map(str.isdigit, stale.old)) and any(map(str.isalpha, stale.old))


def _is_corrected(text: str, stale: Stale) -> bool:
    """Whether a text with the old value says that it does not hold: with the newer one beside it, or with a `not` before it."""
    return stale.new in text or re.search(NOT + re.escape(stale.old), text, re.IGNORECASE) is not None


def _speaks_of(words: frozenset[str], about: frozenset[str], value: str) -> bool:
    """Whether words speak of the same thing: by any word of content, a plain word only by something exact."""
    common = (words & about) - content_words(value)
    if any(character.isdigit() for character in value):
        return bool(common)
    return any(any(character.isdigit() for character in word) for word in common)


def find_superseded(known: Sequence[Known]) -> Superseded:
    """The values that before knows as superseded, with the words of what each was a value of."""
    entries: dict[str, list[tuple[Stale, frozenset[str]]]] = {}
    for item in known:
        for old, new in _replaced(item):
            named = NAMED.fullmatch(old)
            held = entries.setdefault(named[1] if named else old, [])
            if len(held) < MAX_ENTRIES and (any(c.isdigit() for c in old) or len(old) >= SHORTEST):
                held.append((Stale(known=item, old=old, new=new), _about(item)))
    return Superseded(entries=entries)


def _spelt(text: str) -> dict[str, None]:
    """All that may be a value in a text."""
    return dict.fromkeys((*values_in(text), *text.split(), *(word.strip(".,;:!?`'\"()") for word in text.split())))


def _replaced(known: Known) -> Iterator[tuple[str, str]]:
    attributes = known.item.attributes
    yield from replaced_in(attributes.get("replaced", "")).items()
    if known.is_value and not known.current and "newer" in attributes:
        yield known.item.text, attributes["newer"]


def _about(known: Known) -> frozenset[str]:
    """The words of a statement; of a value its name, with the parts that it is made of, and the key that it was read under."""
    if not known.is_value:
        return content_words(known.item.text.replace("_", " ")) | content_words(known.item.text)
    names = (known.item.attributes.get("name", ""), known.item.subject.partition(" ")[0], known.item.text)
    return frozenset().union(*(content_words(re.sub(r"[_.]", " ", name)) for name in names))
