"""Numbers that only one person should know: PINs, one-time codes, check numbers of cards (design section 5, bindings)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from barrier_policy.facts.secret_values import ends_clause
from barrier_policy.facts.secret_words import WORDS, Family, any_of, words_of

REACH: Final = 64
_STOP: Final = re.compile(r"[\n;!?。！？]|[.](?=\s|\Z)")
_NUMBER: Final = re.compile(
    r"(?<![A-Za-z0-9_.,#@/€$£+-])(?:\d{3} \d{3}|\d{4} \d{4}|\d{2}(?: \d{2}){1,3}|\d(?:[ -]\d){2,7}|\d{2,4}(?:-\d{2,4}){1,3}|\d{3,12})"
    r"(?![A-Za-z0-9_@/€$£%]|[.:,/-]\d|-[A-Za-z]| ?(?:%|€|\$|£|°|EUR\b|USD\b|CHF\b|[kKmM]m\b|[kKmM]?[bB]\b))"
)
_MIXED: Final = re.compile(r"(?=[A-Z0-9-]*\d)[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){0,3}(?![\w-])")
_JOINED_PIN: Final = re.compile(
    r"(?i)(?: (?:for|of|für|fürs|zum|vom|pour|du|de|del|della|per|para|do|da|voor|van|till|til|för|на|от|для) [^\n.,;!?=\d]{0,20}?(?:account|bank|card|phone|sim|portal|login"
    r"|konto|karte|handy|carte|compte|cuenta|tarjeta|conto|carta|conta|cartão|rekening|kaart|kort|kart|счет|счёт|карт)\w*)?"
    r"[\\\"'’]{0,4}\s{0,2}(?:is|ist|est|es|è|é|[:=])\s{0,2}[\\\"'‘]{0,4}((?=[\w-]*\d)[a-z0-9]+(?:[-#_][a-z0-9]+)+)(?![\w.])"
)
_CODE_NAME: Final = re.compile(
    r"(?i)[-\s]?(?:code|number|nummer|nr\.?|no\.?|numéro|número|numero|kod|kód|код|number|番号|コード|번호|코드|号|號)?(?![^\W\d_])"
)
_TELLS: Final = frozenset(words_of("copulas")) | frozenset(("this:", "van:", "code", "pin", "otp", "from", "von", "now"))
_PARTICLES: Final = tuple(
    word for word in words_of("copulas") if re.match("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", word)
)
_FILLER: Final = " \t\"'`*:=—–-„“”«»「」『』\\：.(（)）|>[]"
_TIMES: Final = frozenset(
    [
        "at",
        "in",
        "on",
        "since",
        "um",
        "seit",
        "ab",
        "am",
        "until",
        "till",
        "before",
        "after",
        "by",
        "to",
        "en",
        "à",
        "le",
        "el",
        "il",
        "em",
        "à",
        "o",
        "om",
        "op",
        "w",
        "we",
        "v",
        "ve",
        "på",
        "i",
        "den",
        "kl",
    ]
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_DIGITS: Final = tuple(
    {word: str(digit) for digit, alternatives in enumerate(words["digits"]) for word in alternatives.split()}
    for words in WORDS.values()
    if "digits" in words
)
_DIGIT_WORDS: Final = any_of(
    alternative for number in words_of("digits") for alternative in number.split() if len(alternative) > 1
)
_BEFORE: Final = re.compile(
    r"(?i)(?<![\w.,#@/€$£+-])(\d{3} \d{3}|\d{4,8}) (?:as|is|ist|als|comme|est|como|es|come|è|jako|to|é) (?:(?:the|my|our|your|his|her|their|die|der|das|meine?|ihre?|le|la|mon|ma"
    r"|el|mi|il|mio|o|a|meu|de|het|mijn|ons) )?(?:[\w-]{2,12} )?\Z"
)
_LIST: Final = re.compile(r"\s*(?:[,/&]|and|und|y|et|e|i|en)\s*")
_LEAST: Final = {Family.PIN: 4, Family.ONE_TIME: 4, Family.CARD: 3}
_MOST: Final = {Family.PIN: 12, Family.ONE_TIME: 12, Family.CARD: 4}


def find_numbers(text: str, end: int, family: Family, *, common: bool = False) -> Iterator[tuple[int, int]]:
    """The number that a label which ends here tells, and further ones of a list. `common`: the label is a word of other meanings as well."""
    stop = _STOP.search(text, end, end + REACH)
    limit = stop.start() if stop else min(len(text), end + REACH)
    name = _CODE_NAME.match(text, end)
    end = name.end() if name else end
    spelled = _spelled(text, end, limit)
    if spelled is not None:
        yield spelled
        return
    match = _NUMBER.search(text, end, limit + 1)
    if match is None or not _fits(match[0], family, common=common) or match.end() > limit:
        yield from _mixed(text, end, family)
        return
    between = text[end : match.start()]
    if between.startswith("(") or "==" in between or not (_leads(between) or _is_told_from_afar(text, match, between)):
        return
    while match is not None and _fits(match[0], family, common=common):
        yield match.start(), match.end()
        comma = _LIST.match(text, match.end())
        match = _NUMBER.match(text, comma.end()) if comma and family is not Family.CARD else None


def _fits(number: str, family: Family, *, common: bool) -> bool:
    digits = sum(map(str.isdigit, number))
    return _LEAST[family] + common <= digits <= _MOST[family]


def _leads(between: str) -> bool:
    """Whether nothing but a sign or a word like `is` stands between label and number."""
    bare = between.strip(_FILLER).lower()
    if not bare or between == ", ":
        return "," not in between or between == ", "
    words = bare.replace("’", "'").split()
    return (len(words) <= 3 and (words[-1] in _TELLS or bare in _TELLS)) or bare.endswith(_PARTICLES)


def _is_told_from_afar(text: str, match: re.Match[str], between: str) -> bool:
    """Whether a number at the end of its clause is told although other words stand before it: `PIN do karty to 3087`."""
    if any(sign in between for sign in ",={}<>") or any(map(str.isdigit, between)) or _YEAR.fullmatch(match[0]):
        return False
    words = between.split()
    return bool(words) and words[-1].lower() not in _TIMES and ends_clause(text, match.end())


@cache
def _spelled_number() -> re.Pattern[str]:
    """A number in words, digit by digit. Compiled once it is searched."""
    return re.compile(rf"(?i)(?:{_DIGIT_WORDS})(?:[ ,-]{{1,2}}(?:{_DIGIT_WORDS})){{2,11}}(?![^\W_])")


def _spelled(text: str, end: int, limit: int) -> tuple[int, int] | None:
    match = _spelled_number().search(text, end, limit)
    return match.span() if match is not None and _leads(text[end : match.start()]) else None


def _mixed(text: str, end: int, family: Family) -> Iterator[tuple[int, int]]:
    """A one-time code with letters (`AB12-CD34`), a PIN with a joint, as neither the pin of a chip nor a version has (`77-AB-12`)."""
    if family is Family.PIN:
        match = _JOINED_PIN.match(text, end)
        if match is not None and sum(map(str.isdigit, match[1])) >= 3:
            yield match.span(1)
    elif family is Family.ONE_TIME:
        match = _MIXED.search(text, end, end + REACH)
        if match is not None and len(match[0]) >= 5 and not match[0].isdigit() and _leads(text[end : match.start()]):
            yield match.span()


def number_before(text: str, start: int) -> tuple[int, int] | None:
    """The number before a label that starts here: `471882 as the TAN`."""
    match = _BEFORE.search(text, max(0, start - 48), start)
    return match.span(1) if match is not None and _YEAR.fullmatch(match[1]) is None else None


def digits_of(value: str) -> str:
    """The digits that a spelled-out number tells (`zero nine one seven`); empty where it is none in one language."""
    words = re.split(r"[ ,-]+", value.lower())
    for language in _DIGITS:
        digits = [language.get(word, "") for word in words]
        if len(digits) > 2 and all(digits):
            return "".join(digits)
    return ""
