"""What can be seen in a rule sentence in any language: which classes of words it has, where, together with which others.

Quoted words don't count. The marks are names, so that weights can be read; what a rule demands follows from them in
`rule_polarity` (design section 5, constraints).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

import msgspec
from barrier_policy_plugins.prose_cues import find_cues
from barrier_policy_plugins.rule_language import CLASSES, guess_language, soft_words, words_of

from barrier_policy.facts.prose import without_quotes

MAX_JUDGED: Final = 600
"""Of a longer sentence, so many characters at its beginning are judged."""
CONDITIONS: Final = frozenset(("without", "only_if", "only", "except", "if", "until", "above", "ask", "first", "cue"))
SHORT: Final = 30
"""Characters of a last clause that only adds `not that`."""
START: Final = 3
"""A word that stands before this character begins the sentence."""
NEAR: Final = 20
"""Characters between a word of threshold and its amount."""

_CLAUSE_ENDS: Final = re.compile(r"[,;:.!?](?:\s+|$)|[،。、，；：？！।—–]\s*| - ")
_CONTRAST: Final = re.compile(
    r"(?<=[\w\"])(?:[,;:]| and| und| et| y| e| en| i| a| и| ve) (?:not|never|nothing|nicht|nichts|pas|jamais|rien|nunca|non|não|mai|niet|nooit|niets|nie|nigdy|ne|nikdy|не|никогда|değil)\b[^,.;]{1,40}(?=[,.;!]|$)"
    r"|(?<=\w), no [^,.;]{1,25}(?=[.!]?$)|, [^,.;]{1,25} değil(?=[,.;!]|$)"
    r"|\b(?:instead of|rather than|statt|anstatt|au lieu de|plutôt que|en vez de|invece d\w+|em vez de|in plaats van|zamiast|místo|вместо)\b",
    re.IGNORECASE,
)
"""`this, not that` demands this."""
_DIGIT: Final = re.compile(r"\d")
_ONLY_CLAUSE: Final = re.compile(
    r"\b(?:only|just)\b[^.;]*\b(?:if|when|once|after|with|provided|those|within|on request)\b|\bonly(?: \w+)?[.!]?$"
)
_SPAN_OF_TIME: Final = re.compile(
    r"\W*(?:further notice|auf weiteres|nouvel ordre|nuevo aviso|the \d|(?:\w+ )?\d|(?:six|seven|eight|nine|ten|eleven|noon|midnight"
    r"|neun|acht|nove|otto|oito|nueve|ocho|dziewiąt\w+|ósm\w+|osm\w*|восьми|девяти)\b)"
)
"""After `until` or `before`: a time, not a condition."""
_LIMIT: Final = re.compile(
    r"\d+ ?(?:words?|characters?|chars|pages?|lines?|slides?|minutes?|seconds?|hours?|%|percent|decibels|mm|cm|degrees|wörter|seiten|zeilen|mots|pages|palabras|páginas|parole|palavras|woorden|słów|slov|слов)"
)
"""An amount of this kind is a size to be kept to, not a case in which the rule holds."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence in lower case, its clauses, and where the first word of each class stands.

    `kept` is the sentence without what looks like a negation and forbids nothing.
    """

    language: str
    words: Mapping[str, re.Pattern[str]]
    text: str
    kept: str
    clauses: tuple[str, ...]
    places: Mapping[str, int]

    def has(self, *classes: str) -> bool:
        """All of the classes are there."""
        return all(name in self.places for name in classes)


def look_at(sentence: str) -> Seen:
    """A sentence as its words and clauses."""
    text = without_quotes(sentence[:MAX_JUDGED]).replace("’", "'").lower()
    language = guess_language(text)
    words = words_of(language)
    kept = words["not_but"].sub(" ", _CONTRAST.sub(" ", text))
    found = {name: words[name].search(kept if name in ("not", "without") else text) for name in CLASSES}
    places = {name: match.start() for name, match in found.items() if match}
    if "approval_gate" in find_cues(sentence[:MAX_JUDGED]):
        places["cue"] = len(text)
    if soft_words().search(text):
        places["soft"] = len(text)
    clauses = tuple(clause for clause in _CLAUSE_ENDS.split(text) if clause.strip())
    return Seen(language=language, words=words, text=text, kept=kept, clauses=clauses or (text,), places=places)


def find_marks(seen: Seen) -> list[str]:
    """The names of the marks that a sentence bears."""
    return [*_of_classes(seen), *_of_shape(seen), *_of_clauses(seen)]


def _of_classes(seen: Seen) -> Iterator[str]:
    for name, place in seen.places.items():
        yield name
        if place * 2 < len(seen.text):
            yield f"{name} early"
        if place < START:
            yield f"{name} first"
    yield from (f"{one} + {other}" for one, other in combinations(seen.places, 2))


def _of_shape(seen: Seen) -> Iterator[str]:
    if seen.places.keys().isdisjoint(CONDITIONS):
        yield "no condition"
    if _CONTRAST.search(seen.text):
        yield "contrast"
    if has_only_clause(seen):
        yield "only clause"
    if is_bounded(seen):
        yield "bounded"
    if waits(seen):
        yield "waits"
    if len(seen.words["not"].findall(seen.kept)) > 1:
        yield "not twice"
    lead = seen.words["lead"].match(seen.text)
    if lead and _has_amount(seen, seen.text[lead.end() : lead.end() + NEAR]):
        yield "lead amount"


def _of_clauses(seen: Seen) -> Iterator[str]:
    negated = [seen.words["not"].search(clause) for clause in seen.clauses]
    if negated[0] and negated[0].start() < START:
        yield "begins with not"
    if len(seen.clauses) < 2:
        return
    yield "clauses"
    if negated[0] and not any(negated[1:]):
        yield "not in the first clause only"
    if negated[-1] and not any(negated[:-1]):
        yield "not in the last clause only"
    if any(match and match.start() < START and len(match.string) < SHORT for match in negated[1:]):
        yield "a short clause begins with not"
    if has_threshold_first(seen):
        yield "threshold in the first clause"
    for name in ("if", "only_if", "only", "except"):
        for place, clause in (("first", seen.clauses[0]), ("last", seen.clauses[-1])):
            if seen.words[name].search(clause):
                yield f"{name} in the {place} clause"


def waits(seen: Seen) -> bool:
    """A word like `until` before an event, not before a time of day or a date."""
    place = seen.words["until"].search(seen.kept)
    return place is not None and _SPAN_OF_TIME.match(seen.kept, place.end()) is None


def has_only_clause(seen: Seen) -> bool:
    """English `only … if`, `only … with`, or `only` at the end."""
    return _ONLY_CLAUSE.search(seen.text) is not None


def is_bounded(seen: Seen) -> bool:
    """A threshold in the first half: a word like `above` with an amount soon after it. At the end it is a limit."""
    place = seen.words["above"].search(seen.text)
    if place is None or place.start() * 2 > len(seen.text):
        return False
    before, after = seen.text[max(place.start() - NEAR, 0) : place.start()], seen.text[place.end() : place.end() + NEAR]
    return (_has_amount(seen, after) or _has_amount(seen, before)) and not _LIMIT.search(seen.text, place.end())


def has_threshold_first(seen: Seen) -> bool:
    """A threshold with an amount in the first of several clauses."""
    first = seen.clauses[0]
    return len(seen.clauses) > 1 and bool(seen.words["above"].search(first)) and _has_amount(seen, first)


def leads_in(seen: Seen) -> bool:
    """The sentence begins with the case in which it holds."""
    return seen.words["lead"].match(seen.text) is not None or has_threshold_first(seen)


def has_amount(seen: Seen) -> bool:
    """A number, in digits or in words."""
    return _has_amount(seen, seen.text)


def _has_amount(seen: Seen, stretch: str) -> bool:
    return any(pattern.search(stretch) for pattern in (_DIGIT, seen.words["amount"]))
