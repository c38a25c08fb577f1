"""How a value is told after its label: by a sign, by a word like `is`, in quotes, or right beside it (design section 5, bindings)."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import Final

import msgspec

from barrier_policy.facts.secret_words import any_of, words_of


class How(StrEnum):
    """What leads from a label to its value."""

    SIGN = "sign"
    COPULA = "copula"
    BESIDE = "beside"


class Told(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value that may stand at `[start, end)`, and what leads to it."""

    start: int
    end: int
    how: How
    quoted: bool = False
    copula: str = ""


_UNSPACED: Final = "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_COPULAS: Final = [word for word in words_of("copulas") if not re.match(_UNSPACED, word)]
_MODALS: Final = words_of("modals")
"""Words that say what a secret is to be: what follows may also say what it has to be like, so that only letters with digits count."""
_PARTICLES: Final = [word for word in words_of("copulas") if re.match(_UNSPACED, word)]
_THINGS: Final = (
    r"wi-?fi|wlan|router|hotspot|guests?|admin|root|vpn|ssh|ftp|sftp|smtp|imap|e-?mail|mail|laptop|pc|computer|phone|portal|panel|nas|server|db|database"
    r"|الواي[ ]فاي|الشبكة|вай-?фай|וויפי|ה?ווייפיי|वाईफाई|ไวไฟ|와이파이|ワイファイ|無線"
)
"""What a password is for, written right after it."""
_NEW: Final = (
    "new|now|neu|nueva|nuevo|nouveau|nouvelle|nova|novo|nuova|nuovo|nieuw|nowe|nowy|nové|nytt|ny|nya|uusi|yeni|новый|новая|новий|baru|mới|default|temporary|temp|current"
    "|admina?|админа|адміна|administrateur|administrador|amministratore"
)
_STILL: Final = "now|still|always|just|simply|currently|actually|again|jetzt|nun|immer[ ]noch|immer|noch|toujours|encore|maintenant|ahora|siempre|sempre|ora|ancora|agora|nog|nu|teraz|nadal|teď|teraz|сейчас|теперь|всё[ ]ещё"
_NOT_BETWEEN: Final = any_of(words_of("predicates")) + "|" + any_of(words_of("nouns"))
_QUOTE: Final = r"(?P<quote>\\{0,7}[\"'`“„«「『‘‚])?"
_BESIDE: Final = re.compile(rf"(?i)(?:[ ](?:{_THINGS}))?[ \t　]+{_QUOTE}")
_CLOSING_QUOTES: Final = {"“": '”“"', "„": '“”"', "«": "»", "「": "」", "『": "』", "‘": "’'", "‚": "‘’"}
_BARE: Final = re.compile(r"[^\s\"'`<>,;|&\\。，、！？；：「」（）“”„«»]{1,1024}")
_BARE_TAG: Final = re.compile(r"[^\s<>]{1,200}(?=</)")
_HEAD: Final = re.compile(r"[!-~]*")
_NATIVE: Final = re.compile(_UNSPACED)
_ENDINGS: Final = tuple(
    sorted((word for word in words_of("closing") if re.match("[\u3040-\u30ff\uac00-\ud7af]", word)), key=len, reverse=True)
)
MAX_QUOTED: Final = 200
MAX_NATIVE: Final = 24
"""How much is read of a word in a script that sets no blanks, in characters."""


@cache
def _lead() -> re.Pattern[str]:
    """What leads from a label to its value. Compiled once a label is found, for it is long and most texts have none."""
    return re.compile(
        rf"""(?xi)
        (?:-[\w-]{{1,20}})?[\\"'`\]*)»”_]{{0,8}}
        (?:[ ]?[(（][^()\n]{{1,40}}[)）])?
        (?:[ ](?:{any_of(words_of("of"))})(?:[ ]|(?<=['’]))(?:[^\n.;:=!?,"“”„«»|(){{}}<>]|\.(?=\w)){{1,40}}?)?
        (?:[ ](?:{_THINGS}))?(?:(?:[ ](?:{_NEW}))|(?:[ ](?!(?:{_NOT_BETWEEN})\b)[^\W\d_]{{2,14}}){{1,2}}(?=[ ]?[:：]|[ ]=[ ]))?
        (?:(?:[ ][\u0600-\u06ff]{{2,14}}){{1,2}}(?=[ ](?:هي|هو)[ ]))?
        (?:(?P<sign>[ \t]*(?::=|=>|->|→|[:：][*_`]{{0,3}}|=(?!=))[ \t]*(?:(?:\n|\\n)[ \t]*(?=[^\s\\:]+[ \t]*(?:\n|\\n|"|\Z)))?|[ \t]+[—–|-][ \t]+)
          |[ \t]+(?P<copula>{any_of(_COPULAS)})(?:[ ](?:{_STILL}))?(?:[ \t]*[:：][ \t]*|[ \t]+|(?=[\"“„«]))
          |[ ](?:now|jetzt|neu|ahora|maintenant|ora|agora|teraz|теперь)[ ]+(?=\S*[\d!#$&*?])
          |[ ](?:in|auf|zu)[ ](?=\S+[ ](?:geändert|gesetzt|umgestellt|gewechselt)\b)
          |[ ]+(?P<modal>{any_of(_MODALS)})[ ]+(?=[\"'`“„«]?\S*\d)(?=[\"'`“„«]?[\d\W_]*[^\W\d_])(?=[\"'`“„«]?\S{{5}})
          |['’]s[ ]+|[?,][ ](?:it['’]s|it[ ]is|that['’]s|c['’]est|es[ ]ist|das[ ]ist|es|è|é)[ ]+
          |[ \t]*(?:を|를|을)[ \t]*(?=[「"'『]?[!-~])
          |[ \t]*(?:{any_of(_PARTICLES)})[ \t]*[:：]?[ \t]*
          |(?P<tag>(?<!=)>))
        {_QUOTE}"""
    )


def told(text: str, end: int) -> Told | None:
    """The value that a sign or a word leads to from a label that ends here."""
    lead = _lead().match(text, end)
    if lead is None:
        return None
    how = How.COPULA if lead["sign"] is None and lead["tag"] is None else How.SIGN
    if lead["tag"] is not None:
        match = _BARE_TAG.match(text, lead.end())
        return Told(start=match.start(), end=match.end(), how=how, quoted=True) if match else None
    value = _value(text, lead.end(), lead["quote"] or "", how)
    return msgspec.structs.replace(value, copula=lead["copula"].lower()) if value and lead["copula"] else value


def beside(text: str, end: int) -> Told | None:
    """The value right beside a label that ends here."""
    lead = _BESIDE.match(text, end)
    return _value(text, lead.end(), lead["quote"] or "", How.BESIDE) if lead else None


def _value(text: str, start: int, quote: str, how: How) -> Told | None:
    if quote:
        end = _closing(text, start, quote)
        return Told(start=start, end=end, how=how, quoted=True) if end > start else None
    native = _NATIVE.match(text, start) is not None
    match = _BARE.match(text, start, start + MAX_NATIVE if native else len(text))
    if match is None:
        return None
    end = match.end()
    while end > start and text[end - 1] in ".,:;)]}*_" and not text[start:end].strip("*"):
        end -= 1
    while end > start and text[end - 1] in ".,:;)]}":
        end -= 1
    if end > start and _NATIVE.match(text, end - 1):
        end = _without_particles(text, start, end)
    return Told(start=start, end=end, how=how) if end > start else None


def _without_particles(text: str, start: int, end: int) -> int:
    """Where a value ends that a particle or verb is written onto: `4481이에요`, `あじさいです`."""
    head = _HEAD.match(text, start, end)
    if head is not None and head.end() > start:
        return head.end()
    for ending in _ENDINGS:
        if text.endswith(ending, start + 1, end):
            return end - len(ending)
    return end


def _closing(text: str, start: int, quote: str) -> int:
    """Where a quoted value ends: at the same quote, escaped as often; without one, at the end of its first word."""
    escapes, mark = len(quote) - 1, quote[-1]
    slashes = 0
    for place in range(start, min(len(text), start + MAX_QUOTED)):
        sign = text[place]
        if sign == "\n":
            break
        if sign in _CLOSING_QUOTES.get(mark, mark) and slashes == escapes:
            return place - escapes
        slashes = slashes + 1 if sign == "\\" else 0
    match = _BARE.match(text, start)
    return match.end() if match else start
