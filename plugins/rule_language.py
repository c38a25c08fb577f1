"""The words that rules are made of, by language, from `rule_words.json`, and which language a sentence is in.

`one_two` are neighbours, `stem*` stands for any ending, `*ending` for any beginning; words of languages without spaces are found anywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final

CLASSES: Final = (
    *("not", "without", "only_if", "only", "except", "if", "until", "above", "not_but", "may"),
    *("ask", "first", "forget", "limit", "instead", "always", "lead", "amount"),
)
"""Negation and what forbids; `without`; what makes a condition of what follows (`only if`, `provided`); a plain `only`; `unless`; a plain `if`; what waits for an
event; thresholds; negations that forbid nothing (`not only`); permission; asking, showing and consent; what comes first; forgetting (`don't
forget` demands); limits of size; `instead`; `always`; prepositions that lead in a case (`at minus ten`); and numbers."""
SUFFIXES: Final = {
    "en": r"|\w+n't|cant|dont|wont|(?:leave|let|keep)s? (?:\S+ ){1,5}(?:out|alone|be|free|away|sleep)|stays? (?:out|off|closed|shut|grounded)|no-\w+",
    "cs": r"|ne(?!bo\b|bot|moc|dě|zbyt|chte\b|jd[řr]|jprv|jvý|jvíc|jm[ée]n|jlép|jpozd|jen\b)\w{3,}",
    "ja": r"|[うくぐすつぬぶむる]な(?=[。！!]?$)",
    "tr": r"|\w+(?:may[ıi]n\w*|mey[ıi]n\w*|mas[ıi]n|mes[ıi]n|maz|mez|m[ıiuü]yor\w*|mamal[ıi]\w*|memeli\w*)|\w{3,}(?:ma|me)(?=[.!]?$)",
}
"""Negation that is part of a verb or has words between its words."""
MAX_LIKELY: Final = 4
"""Of so many languages that fit equally well, the first one whose words of negation occur is taken."""
VOTE: Final = 12
"""What a word counts for its language; a word of several languages is shared among them."""
LETTER_VOTE: Final = 8

_SIGNS: Final = "\u0900-\u0903\u093a-\u094f"
"""Vowel signs of Devanagari belong to their word, though `\\b` sees an edge before and after them."""
_WORD_STARTS: Final = rf"(?<![\w{_SIGNS}])"
_WORD_ENDS: Final = rf"(?![\w{_SIGNS}])"
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SCRIPTS: Final = (
    ("ja", re.compile("[぀-ヿ]")),
    ("zh", re.compile("[一-鿿]")),
    ("ko", re.compile("[가-힯]")),
    ("ru", re.compile("[Ѐ-ӿ]")),
    ("ar", re.compile("[؀-ۿ]")),
    ("hi", re.compile("[ऀ-ॿ]")),
)
_LANGUAGE_LETTERS: Final = {
    "de": "ßäöü",
    "fr": "êèàçùœâîô",
    "es": "ñ¿¡ú",
    "it": "òìù",
    "pt": "ãõç",
    "pl": "łąęśżźćńó",
    "cs": "řěůčťďžšý",
    "tr": "ğışçöü",
}


def guess_language(text: str) -> str:
    """The language of a sentence in lower case, among those with a word list; English where nothing tells."""
    for language, script in _SCRIPTS:
        if script.search(text):
            return language
    words = {part for word in _LETTERS.findall(text) for part in (word, *_elided(word))}
    votes = dict.fromkeys(_lists()["languages"], 0)
    speakers = _speakers()
    for word in words:
        languages = speakers.get(word, ())
        for language in languages:
            votes[language] += VOTE // len(languages)
    for language, letters in _LANGUAGE_LETTERS.items():
        votes[language] += LETTER_VOTE * sum(letter in text for letter in letters)
    best = max(votes.values())
    likely = [language for language, count in votes.items() if count == best]
    return next((language for language in likely[:MAX_LIKELY] if words_of(language)["not"].search(text)), likely[0])


def _elided(word: str) -> tuple[str, ...]:
    """Both words of one with an apostrophe."""
    before, sign, after = word.partition("'")
    return (before + sign, after) if sign else ()


@cache
def words_of(language: str) -> Mapping[str, re.Pattern[str]]:
    """A pattern for each class of words of a language; languages without spaces match inside words."""
    lists = _lists()
    unspaced = language in lists["scripts"]
    words = lists["scripts" if unspaced else "languages"][language]
    suffix = SUFFIXES.get(language, "")
    before, after = ("", "") if unspaced else (_WORD_STARTS, _WORD_ENDS)
    return {kind: _alternatives(words.get(kind, ""), before, after, suffix if kind == "not" else "") for kind in CLASSES}


@cache
def soft_words() -> re.Pattern[str]:
    """Words by which a rule is worded as a wish, in any language."""
    words = str(_lists()["soft"]).split()
    spaced = "|".join(word.replace("_", " ") for word in words if word.isascii())
    others = (re.escape(word.replace("_", " ")) for word in words if not word.isascii())
    return re.compile("|".join((rf"\b(?:{spaced})\b", *others)))


@cache
def _lists() -> dict[str, dict[str, dict[str, str]]]:
    loaded: dict[str, dict[str, dict[str, str]]] = json.loads(
        files("barrier_policy_plugins").joinpath("rule_words.json").read_text(encoding="utf-8")
    )
    return loaded


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """The languages that have a word."""
    speakers: dict[str, tuple[str, ...]] = {}
    for language, lists in _lists()["languages"].items():
        for word in dict.fromkeys(" ".join(lists.values()).replace("_", " ").split()):
            speakers[word] = (*speakers.get(word, ()), language)
    return speakers


def _alternatives(words: str, before: str, after: str, suffix: str) -> re.Pattern[str]:
    """Any of the words, an underscore standing for a space, a star for any letters; nothing where there are none.

    Words with the same first letter stand together, which saves most of the work at each place of a text.
    """
    spaced = sorted({word.replace("_", " ") for word in words.split()}, key=lambda word: (word[0], -len(word), word))
    groups = groupby(spaced, key=lambda word: word[0])
    found = [f"{_escape(letter)}(?:{'|'.join(_escape(word[1:]) for word in group)})" for letter, group in groups]
    return re.compile(f"{before}(?:{'|'.join(found)}{suffix}){after}" if found else r"(?!)")


def _escape(text: str) -> str:
    return re.escape(text).replace(r"\*", r"\w*")
