"""Secrets that a text tells because the one before it asked for them: `And the password?` `Gooseberry!4` (design section 5, bindings).

What is asked for is written before the reply as a file would have it (`password: Gooseberry!4`) and judged as there, so that places,
refusals and placeholders are none. Words that stand before a value in a reply (`it's`, `take`, `nimm`) are passed over first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from barrier_policy.facts.secret_asking import Asked, Sureness, asking_words, find_asked
from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_shapes import DATE, is_signed, is_strong
from barrier_policy.facts.secret_values import ends_clause, is_distinct, is_letters, is_predicate
from barrier_policy.facts.secret_words import Family, any_of, find_labels, words_of
from barrier_policy.facts.secrets import find_secrets

MAX_REPLY: Final = 400
"""How much of a reply is read, in characters."""
MAX_LEADS: Final = 8
"""Words before the value that are passed over, one after another."""
MAX_FURTHER: Final = 6
"""Signs and words like `is` further on that may lead to the value."""
MIN_WORD: Final = 4
_UNSPACED: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEADING: Final = asking_words("leads")
_UNSPACED_LEAD: Final = re.compile(
    rf"(?:{any_of(word for word in _LEADING if _UNSPACED.match(word))})[\s,.:;!，、。：！—–-]*(?=[\"'「『“]?[!-~])"
)
_FURTHER: Final = re.compile(
    r"(?::|：|->|→|=|(?<![^\W_])(?:is|it's|it’s|ist|lautet|est|c'est|c’est|es|è|é|jest|är|er|je|это|meant|says|reads))\s+(?=[\"'`“„«]?\S)"
)
_JOINT: Final = r"(?:and|und|et|y|e|i|en|och|og|ja|és|ve|и|та|si|și|dan)"
_PIECE: Final = re.compile(
    rf"[\s,;，、/|]*(?:{_JOINT}\s+)?([^\s,;，、/|](?:[^\n,;，、/|]|(?<=\S)[/,](?=\S))*?)(?=\s*[\n,;，、|]|\s+/|/\s|\s{_JOINT}\s|\s*\Z)"
)
_QUOTES: Final = tuple("\"'`“„«「『")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_KEEPER: Final = re.compile(r"(?i)1password|keepass\w*|lastpass|bitwarden|office365|o365|auth0|web3|oauth2")
"""Names with digits of what keeps secrets, or asks for them."""
_REST: Final = re.compile(r"(?i)[\s\"'”’»」』)*`.,:;!?…]*(?:\([^()\n]{0,40}\))?[\s.,!]*")
_TRAILING: Final = re.compile(
    r"(?i)[\s,.;!–—-]*(?:please|thanks|thank you|thx|bitte|danke|merci|gracias|grazie|obrigad[oa]|:\)|👍|)[\s.!]*\Z"
)
_DECLINING: Final = frozenset(asking_words("declines"))
_SMALL: Final = _DECLINING | frozenset(
    word for kind in ("of", "copulas", "after") for phrase in words_of(kind) for word in phrase.split()
)
_NUMBERS: Final = frozenset(
    (Family.PIN, Family.ONE_TIME, Family.CARD, Family.CODE_WORD, Family.COMBINATION, Family.SELF_CODE)
)
_PHRASES: Final = frozenset((Family.PHRASE, Family.SEED, Family.ANSWER))


def find_replied(question: str, reply: str) -> Iterator[Secret]:
    """The secrets that a reply tells because its question asks for them. Bounded: the end of the one and the beginning of the other are read."""
    head = reply[:MAX_REPLY]
    if not head.strip():
        return
    end = 0
    for found in sorted(filter(None, (_told(asked, head) for asked in find_asked(question))), key=lambda found: found.start):
        if found.start >= end:
            yield found
            end = found.end


def _told(asked: Asked, reply: str) -> Secret | None:
    """The value at the beginning of the reply, of the piece that answers this question, or further on after a sign or `is`."""
    start = _after_leads(reply, _start_of_piece(asked, reply))
    found = _at(asked, reply, start)
    if found is not None:
        return found
    for match in islice(_FURTHER.finditer(reply, start), MAX_FURTHER):
        found = _at(asked, reply, _after_leads(reply, match.end()))
        if found is not None and not is_letters(reply[found.start : found.end]):
            return found
    return _signed(asked, reply)


def _start_of_piece(asked: Asked, reply: str) -> int:
    """Where the reply to this question begins, where several were asked and as many things are told."""
    if asked.count == 1 and not asked.joined:
        return 0
    pieces = [match.start(1) for match in _PIECE.finditer(reply)]
    if len(pieces) < 2:
        return 0
    if asked.joined and asked.count == 1:
        return pieces[-1]
    return pieces[asked.place] if len(pieces) == asked.count else pieces[0]


@cache
def _spaced_lead() -> re.Pattern[str]:
    """A word that leads to a value. Compiled once a question asks for one."""
    words = any_of(word for word in _LEADING if not _UNSPACED.match(word))
    return re.compile(rf"(?i)(?:{words})(?![^\W_])(?=[\s,.:;!—–-])[\s,.:;!—–-]+|[\s>*-]+")


def _after_leads(reply: str, start: int) -> int:
    """Where a reply begins after the words that lead to its value."""
    for _ in range(MAX_LEADS):
        match = _spaced_lead().match(reply, start) or _UNSPACED_LEAD.match(reply, start)
        if match is None or match.end() >= len(reply):
            break
        start = match.end()
    return start


def _at(asked: Asked, reply: str, start: int) -> Secret | None:
    """What would be a secret after its label here."""
    shift = start - len(asked.lead)
    first = next(iter(find_secrets(asked.lead + reply[start:])), None)
    if first is None or first.start + shift > start + 1:
        return None
    start, end = first.start + shift, first.end + shift
    bare = end - len(reply[start:end]) + len(reply[start:end].rstrip("?!"))
    end = bare if is_letters(reply[start:bare]) else end  # `marigold!` is the word
    found = Secret(start=start, end=end, type=first.type, name=asked.name)
    return found if _is_told(asked, reply, found) else None


def _is_told(asked: Asked, reply: str, found: Secret) -> bool:
    value = reply[found.start : found.end]
    if _KEEPER.fullmatch(value) or (asked.family not in _NUMBERS and DATE.fullmatch(value)):
        return False
    alone = _TRAILING.fullmatch(reply, _rest(reply, found.end)) is not None
    if is_letters(value):
        return asked.sureness is not Sureness.NAMED and alone and "?" not in reply and _is_plain_value(value)
    quoted = reply[found.start - 1 : found.start] in _QUOTES
    if " " in value and not quoted and not (asked.family in _NUMBERS and any(map(str.isdigit, value))):
        return asked.family in _PHRASES and alone and asked.sureness is Sureness.ASKED and _is_plain_phrase(asked, value)
    if asked.sureness is Sureness.ASKED and not (asked.count > 1 and asked.place < asked.count - 1):
        return is_distinct(value) or not value.isdigit() or alone or asked.family in _NUMBERS
    if value.strip("*#").isdigit():
        fits = asked.sureness is Sureness.FRAGMENT or (asked.is_question and asked.family in _NUMBERS)
        return alone and fits and not _YEAR.fullmatch(value)
    return is_signed(value) or is_strong(value) or (alone and asked.sureness is Sureness.FRAGMENT)


def _rest(reply: str, end: int) -> int:
    match = _REST.match(reply, end)
    return match.end() if match else end


def _is_plain_value(word: str) -> bool:
    """Whether a lone word can be a value and no answer about one: `marigold`, but not `later` or `Bitwarden`."""
    lowered = word.lower()
    least = 2 if _UNSPACED.match(word) else MIN_WORD
    return (
        len(word) >= least
        and lowered not in _SMALL
        and not is_predicate(word)
        and not _KEEPER.fullmatch(word)
        and not any(True for _ in find_labels(lowered, lowered))
    )


def _is_plain_phrase(asked: Asked, words: str) -> bool:
    """Whether several words are a phrase and no sentence about one."""
    found = words.lower().split()
    if asked.family is Family.ANSWER:
        return len(found) <= 3 and not any(word in _SMALL or is_predicate(word) for word in found)
    return len(found) >= 3 and 4 * sum(word in _SMALL or is_predicate(word) for word in found) <= len(found)


def _signed(asked: Asked, reply: str) -> Secret | None:
    """A word that looks like nothing but a password, wherever it stands in a reply of one line."""
    if asked.sureness is not Sureness.ASKED or asked.family in _NUMBERS:
        return None
    for match in re.finditer(r"[^\s\"'`<>(),;，。、：“”「」]+", reply):
        word = match[0].rstrip(".:!?")
        if (
            (is_signed(word) or is_strong(word))
            and ends_clause(reply, match.start() + len(word))
            and not DATE.fullmatch(word)
        ):
            return Secret(start=match.start(), end=match.start() + len(word), type="password", name=asked.name)
    return None
