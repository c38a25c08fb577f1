"""What a rule sentence demands: something, nothing of a kind, or something on a condition; how strictly; and about what.

A sentence is a rule already when this is asked. Words are those of its language, which its commonest words give away;
quoted words don't count (design section 5, constraints).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from barrier_policy.facts.prose import without_quotes
from barrier_policy.facts.words import lower_case

MUST: Final = "must"
MUST_NOT: Final = "must_not"
ONLY_IF: Final = "only_if"
POLARITIES: Final = (MUST, MUST_NOT, ONLY_IF)

MAX_JUDGED: Final = 600
"""Of a longer sentence, so many characters at its beginning are judged."""
MAX_LIKELY: Final = 4
"""Of so many languages that fit equally well, the first one whose words of negation occur is taken."""
CLASSES: Final = ("not", "without", "only_if", "if", "until", "above", "not_but", "may")
SUFFIXES: Final = {
    "en": r"|\w+n't|cant|dont|wont|(?:leave|let|keep)s? (?:\S+ ){1,5}(?:out|alone|be|free|away|sleep)|stays? (?:out|off|closed|shut|grounded)|no-\w+",
    "cs": r"|ne(?!bo\b|bot|moc|dě|zbyt)\w{3,}",
    "ja": r"|[うくぐすつぬぶむる]な(?=[。！!]?$)",
    "tr": r"|\w+(?:may[ıi]n\w*|mey[ıi]n\w*|mas[ıi]n|mes[ıi]n|maz|mez|m[ıiuü]yor\w*|mamal[ıi]\w*|memeli\w*)|\w{3,}(?:ma|me)(?=[.!]?$)",
}
"""Negation that is part of a verb."""
_SIGNS: Final = "\u0900-\u0903\u093a-\u094f"
"""Vowel signs of Devanagari belong to their word, though `\\b` sees an edge before and after them."""
WORD_STARTS: Final = rf"(?<![\w{_SIGNS}])"
WORD_ENDS: Final = rf"(?![\w{_SIGNS}])"
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
    "fr": "êèàçùœ",
    "es": "ñ¿¡",
    "pt": "ãõ",
    "pl": "łąęśżźćń",
    "cs": "řěůčťďžš",
    "tr": "ğışİ",
}
_CONTRAST: Final = re.compile(
    r"(?<=[\w\"])(?:[,;:]| and| und| et| y| e| en| i| a| и| ve) (?:not|never|nothing|nicht|nichts|pas|rien|non|mai|niet|niets|nie|ne|не|değil)\b[^,.;]{1,40}(?=[,.;!]|$)"
    r"|(?<=\w), no [^,.;]{1,25}$|, [^,.;]{1,25} değil(?=[,.;!]|$)"
    r"|\b(?:instead of|rather than|statt|anstatt|au lieu de|plutôt que|en vez de|invece d\w+|em vez de|in plaats van|zamiast|místo|вместо)\b",
    re.IGNORECASE,
)
"""`this, not that` demands this."""
_AMOUNT: Final = re.compile(
    r"\d|[一二三四五六七八九十百千两]|\b(?:one|two|three|four|five|six|ten|hundred|thousand|tausend|hundert|mil|mille|cent)\b"
)
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
_SCOPE: Final = re.compile(
    r"\b(?:(?:anything|everything|nothing|whoever|whatever|whenever|while|until|till|unless|during|throughout|between|within|inside|under|above|over|below|across|against|before|after"
    r"|in|on|for|from|to|per|at(?! \d)|when|if"
    r"|in der|im|in|bei|für|ab|bis|während|wenn|auf|an|dans|en|pour|sur|quand|jusqu'|para|sobre|cuando|hasta|nel|nella|per|quando|fino|até|voor|bij|tot|w|dla|do|przy|v|pro|при|для|до)\b)[^,.;:!?]+"
)


def judge_polarity(sentence: str, *, gate: bool) -> str:
    """`must`, `must_not` or `only_if`; a sentence that lets an action wait for somebody's word is the last."""
    if gate:
        return ONLY_IF
    text = without_quotes(sentence[:MAX_JUDGED]).replace("’", "'").lower()
    words = _words_of(guess_language(text))
    if _find(words, "only_if", text) is not None or _ONLY_CLAUSE.search(text):
        return ONLY_IF
    kept = words["not_but"].sub(" ", _CONTRAST.sub(" ", text))
    forbids = _find(words, "not", kept)
    if forbids is not None:
        if _find(words, "without", kept) is not None:
            return ONLY_IF
        return ONLY_IF if _waits(words, kept) and forbids < len(kept) // 2 else MUST_NOT
    if _bounded(words, text) or _starts_with_condition(words, text):
        return ONLY_IF
    return MUST


def judge_strength(sentence: str) -> str:
    """`soft` where the speaker words it as a wish, else `hard`."""
    return "soft" if _soft_words().search(sentence[:MAX_JUDGED].lower()) else "hard"


def find_scope(sentence: str) -> str:
    """The words that say where or when the rule holds, "" where none do."""
    match = _SCOPE.search(lower_case(sentence), 0, MAX_JUDGED)
    return sentence[match.start() : match.end()].strip() if match else ""


def guess_language(text: str) -> str:
    """The language of a sentence in lower case, among those with a word list; English where nothing tells."""
    if not text.isascii():
        for language, script in _SCRIPTS:
            if script.search(text):
                return language
    counts = dict.fromkeys(_lists()["languages"], 0)
    for word in set(_LETTERS.findall(text)):
        for language in _languages_of().get(word, ()):
            counts[language] += 1
    if not text.isascii():
        for language, letters in _LANGUAGE_LETTERS.items():
            counts[language] += 2 * any(letter in text for letter in letters)
    best = max(counts.values())
    likely = [language for language, count in counts.items() if count == best]
    return next((language for language in likely[:MAX_LIKELY] if _words_of(language)["not"].search(text)), likely[0])


def _waits(words: Mapping[str, re.Pattern[str]], text: str) -> bool:
    """A word like `until` before an event, not before a time of day or a date."""
    place = words["until"].search(text)
    return place is not None and _SPAN_OF_TIME.match(text, place.end()) is None


def _bounded(words: Mapping[str, re.Pattern[str]], text: str) -> bool:
    """A threshold in the first half: a word like `above` with an amount soon after it. At the end it is a limit."""
    place = words["above"].search(text)
    if place is None or place.start() * 2 > len(text):
        return False
    return _AMOUNT.search(text, place.end(), place.end() + 15) is not None and _LIMIT.search(text, place.end()) is None


def _starts_with_condition(words: Mapping[str, re.Pattern[str]], text: str) -> bool:
    place = _find(words, "if", text)
    return place is not None and place < 3


def _find(words: Mapping[str, re.Pattern[str]], kind: str, text: str) -> int | None:
    match = words[kind].search(text)
    return match.start() if match else None


@cache
def _lists() -> dict[str, dict[str, dict[str, str]]]:
    loaded: dict[str, dict[str, dict[str, str]]] = json.loads(
        files("barrier_policy_plugins").joinpath("rule_words.json").read_text(encoding="utf-8")
    )
    return loaded


@cache
def _languages_of() -> dict[str, list[str]]:
    """The languages of each word that a language has in its lists."""
    found: dict[str, list[str]] = {}
    for language, lists in _lists()["languages"].items():
        for word in sorted(set(" ".join(lists.values()).replace("_", " ").split())):
            found.setdefault(word, []).append(language)
    return found


@cache
def _words_of(language: str) -> Mapping[str, re.Pattern[str]]:
    """A pattern for each class of words of a language; languages without spaces match inside words."""
    lists = _lists()
    if language in lists["scripts"]:
        suffix = SUFFIXES.get(language, "")
        return {
            kind: _alternatives(lists["scripts"][language].get(kind, ""), "", "", suffix if kind == "not" else "")
            for kind in CLASSES
        }
    suffix = SUFFIXES.get(language, "")
    return {
        kind: _alternatives(
            lists["languages"][language].get(kind, ""), WORD_STARTS, WORD_ENDS, suffix if kind == "not" else ""
        )
        for kind in CLASSES
    }


@cache
def _soft_words() -> re.Pattern[str]:
    words = [word.replace("_", " ") for word in str(_lists()["soft"]).split()]
    whole = "|".join(word for word in words if word.isascii())
    anywhere = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(rf"\b(?:{whole})\b|{anywhere}")


def _alternatives(words: str, before: str, after: str, suffix: str) -> re.Pattern[str]:
    """Any of the words, an underscore standing for a space, a star for any ending; nothing where there are none."""
    escaped = (re.escape(word.replace("_", " ").strip()).replace(r"\*", r"\w*") for word in words.split())
    found = sorted(escaped, key=lambda word: (-len(word), word))
    return re.compile(f"{before}(?:{'|'.join(found)}{suffix}){after}" if found else r"(?!)")
