"""What stands around a value and belongs to it: the unit of a number, the name before a value."""

from __future__ import annotations

import re

from barrier_policy.facts.value_words import (
    COUNTERS,
    CURRENCY_CODES,
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    FUNCTION_WORDS,
    LONG_UNITS,
    MONTHS,
    SPACED_UNITS,
)

REACH = 40
"""How far before a value its name may begin, in characters."""

AFTER_NUMBER = re.compile(
    rf"""
    [ \u00a0\u202f]?(?P<amount>(?:{CURRENCY_CODES}|{CURRENCY_WORDS})\b|[{CURRENCY_SIGNS}])
  | [ ](?P<time>(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:[ ]?(?:Z|UTC|[+-]\d\d:?\d\d))?)(?![\w:])
  | [ ]?(?P<share>(?:of|out[ ]of|von|de|sur|di|van|z|из)[ ]\d[\d.,]*)\b(?![.,]\d)
  | [ ]?(?P<range>(?:to|till|until|and|or|bis|und|oder|à|et|ou|a|y|o|e|do|i|до|и|–|\.\.\.?|-|&)[ ]?\#?\d[\d.,]*)\b(?![.,]\d)
  | \.?[ ](?P<date>(?:de[ ])?(?:{MONTHS})\.?(?:[ ](?:de[ ])?\d{{4}})?)(?!\w)
  | (?P<grouped>(?:[ ]\d{{3}})+(?=[ ][^\W\d])|(?:[\u00a0\u202f]\d{{3}})+)(?!\d)
  | [ \u00a0\u202f](?P<unit>{SPACED_UNITS}|{LONG_UNITS})(?![\w%])
  | (?P<counter>{COUNTERS})
    """,
    re.VERBOSE,
)
COUNTED = re.compile(r"[ ]([^\W\d_]{3,})\b")
TYPE_AFTER = {"amount": "amount", "time": "timestamp", "date": "timestamp", "range": "sequence"}
BEFORE_AMOUNT = re.compile(rf"(?:\b(?:{CURRENCY_CODES}|R|US|CA|A)|[{CURRENCY_SIGNS}])[{CURRENCY_SIGNS}]?[ \u00a0]?$")
WORD_PART = re.compile(r"[\w.-]+")
OPENING = frozenset(" \t\"'`([{#“„«「*_~")


def with_unit(text: str, kind: str, start: int, end: int, counted: bool) -> tuple[str, int, int, bool]:
    """A number with what belongs to it on either side, and whether there is anything."""
    if text[end : end + 1] not in ("\n", "\t", ")", ""):
        match = AFTER_NUMBER.match(text, end)
        if match and not (match.lastgroup == "date" and end - start > 2):
            return TYPE_AFTER.get(str(match.lastgroup), kind), start, match.end(), True
        if (
            counted
            and text[start:end].isdigit()
            and (noun := COUNTED.match(text, end))
            and noun[1].lower() not in FUNCTION_WORDS
        ):
            return kind, start, noun.end(), True
    before = text[max(0, start - 2) : start].rstrip()[-1:]
    if before and kind == "quantity" and (before in CURRENCY_SIGNS or before.isupper()):
        sign = BEFORE_AMOUNT.search(text, max(0, start - 5), start)
        if sign:
            return "amount", sign.start(), end, True
    return kind, start, end, False


def explicit_name(text: str, start: int) -> str:
    """The name that a sign ties to the value at `start`: `name: v`, `name = v`, `"name": "v"`, `--name v`."""
    end = start
    while end and start - end < 6 and text[end - 1] in OPENING:
        end -= 1
    if not end:
        return ""
    if text[end - 1] in ":=":
        if end == start and text[end - 1] == ":":  # `a.py:12`; inside a token the token itself knows
            return ""
        while end and start - end < 12 and text[end - 1] in ":=> \t\"'`]*":
            end -= 1
        return word_before(text, end).strip("-.")
    if end < start and text[end] == " " and "-" in text[max(0, end - REACH) : end]:
        word = word_before(text, end)
        return word.strip("-.") if word.startswith("-") else ""
    return ""


def implicit_name(text: str, start: int) -> str:
    """The plain word before the value, unless it names nothing."""
    end = start
    while end and start - end < 3 and text[end - 1] in OPENING:
        end -= 1
    if end == start:
        return ""
    word = word_before(text, end).strip(".-")
    return word if len(word) > 1 and word.isalpha() and word.lower() not in FUNCTION_WORDS else ""


def word_before(text: str, end: int) -> str:
    """The word that ends at `end`; "" where it has no letter."""
    backwards = WORD_PART.match(text[max(0, end - REACH) : end][::-1])  # forwards, each place would be tried
    word = backwards[0][::-1] if backwards else ""
    return word if any(map(str.isalpha, word)) else ""
