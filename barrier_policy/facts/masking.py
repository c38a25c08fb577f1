"""Keeping secret values out of everything that leaves the process (design section 5; invariant 20).

How far a value is masked depends on what else it could be. A distinct one is masked wherever it turns up, a short one as a word of its
own. An ordinary word (`the password is bluewhale`) is masked as a whole word in its own message, in those that stand near it, and
where it stands after a word for a login or a password; elsewhere it is the word.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import unquote

import msgspec

from barrier_policy.facts.model import Fact, FactValue
from barrier_policy.facts.secret_digits import digits_of
from barrier_policy.facts.secret_labels import SecretType
from barrier_policy.facts.secret_values import is_letters
from barrier_policy.facts.secret_words import Family, find_labels
from barrier_policy.transcript.model import Message

GLOBAL_LENGTH = 6
"""A secret at least this long is masked wherever it turns up."""
WORD_LENGTH = 4
"""A shorter one of this length is masked elsewhere only as a word of its own, and not where it may be a year or a round number; the rest only in
its own message and in the one before, which may be the question that it replies to."""
NEAR = 8
"""An ordinary word is masked in this many messages before and after the one that tells it."""
BEFORE = 60
"""How far before an ordinary word a word for a login may stand, in characters of one line."""
COMMON = re.compile(r"(?:19|20)\d\d|\d+00")
UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NUMBER = re.compile(r"\d+(?:[ -]\d+)+")
KEY_LINE_LENGTH = 16
"""A line of a private key at least this long is masked wherever it turns up without the others."""
LINE_END = re.compile(r"\\+[nr]|\s+")
MAX_SECRETS = 2_000
LOGINS = frozenset(
    (
        Family.PASSWORD,
        Family.LOOSE,
        Family.PHRASE,
        Family.PIN,
        Family.ONE_TIME,
        Family.KEY,
        Family.TOKEN,
        Family.ANSWER,
        Family.LOGIN,
    )
)


class Masker:
    """Replaces the secret values of one transcript by `[secret <type> <digest>]`.

    Built from `secret` facts, which carry places and keyed digests and never the value.
    """

    def __init__(self, messages: Sequence[Message], facts: Iterable[Sequence[Fact]]) -> None:
        self._everywhere: dict[str, str] = {}
        self._local: dict[int, dict[str, str]] = {}
        self._words: dict[str, str] = {}
        self._told_at: dict[str, list[int]] = {}
        for found in facts:
            for fact in found:
                if fact.kind == "secret":
                    self._learn(messages[fact.message], fact)
        self._pattern = _pattern(self._everywhere, _spelled)
        self._word_pattern = _pattern(self._words, _whole)
        self._own = {index: _pattern(values, _locally) for index, values in self._local.items()}
        if self._word_pattern is not None:
            self._find_words_told_again(messages)

    def _learn(self, message: Message, fact: Fact) -> None:
        value = message.parts[fact.part].text[fact.start : fact.end]
        if not value.strip():
            return
        shown = f"[secret {fact.get('type', '')} {fact.get('digest', '')}]"
        if is_letters(value) and len(self._words) < MAX_SECRETS:
            self._words.setdefault(value, shown)
            insort(self._told_at.setdefault(value, []), message.index)
            return
        for spelling in (*_spellings(value), *_key_lines(value, str(fact.get("type", "")))):
            if _is_distinct(spelling) and len(self._everywhere) < MAX_SECRETS:
                self._everywhere[spelling] = shown
            if len(spelling) < GLOBAL_LENGTH or spelling not in self._everywhere:
                for index in (message.index, message.index - 1):  # a question is told together with its reply
                    self._local.setdefault(index, {})[spelling] = shown

    def _find_words_told_again(self, messages: Sequence[Message]) -> None:
        """Far messages that repeat an ordinary word after a word for a login: there it is the secret as well."""
        for message in messages:
            for part in message.parts:
                for match in self._word_pattern.finditer(part.text or "") if self._word_pattern else ():
                    if not self._is_near(match[0], message.index) and _follows_login(part.text, match.start()):
                        insort(self._told_at[match[0]], message.index)

    def _is_near(self, word: str, message: int) -> bool:
        if message < 0:
            return False
        told_at = self._told_at[word]
        place = bisect_left(told_at, message - NEAR)
        return place < len(told_at) and told_at[place] <= message + NEAR

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._everywhere or self._local or self._words)

    def text(self, text: str, message: int) -> str:
        """A text that stands in, or was made from, the given message, without secret values; with -1 for a text of none of them."""
        if self._pattern is not None:
            text = self._pattern.sub(lambda match: self._everywhere[match.group()], text)
        own = self._own.get(message)
        if own is not None:
            local = self._local[message]
            text = own.sub(lambda match: local[match.group()], text)
        if self._word_pattern is not None:
            text = self._word_pattern.sub(lambda match: self._word(match, message), text)
        return text

    def _word(self, match: re.Match[str], message: int) -> str:
        word = match.group()
        hidden = self._is_near(word, message) or _follows_login(match.string, match.start())
        return self._words[word] if hidden else word

    def fact(self, fact: Fact) -> Fact:
        """A fact whose text and attributes hold no secret value."""
        attributes = {name: self._value(value, fact.message) for name, value in fact.attributes.items()}
        text = self.text(fact.text, fact.message)
        if text == fact.text and attributes == fact.attributes:
            return fact
        return msgspec.structs.replace(fact, text=text, attributes=attributes)

    def _value(self, value: FactValue, message: int) -> FactValue:
        if isinstance(value, str):
            return self.text(value, message)
        if isinstance(value, tuple):
            return tuple(self.text(entry, message) for entry in value)
        return value


def _follows_login(text: str, place: int) -> bool:
    """Whether a word for a login or a password stands before a place in its line."""
    before = text[max(0, place - BEFORE) : place].rsplit("\n", 1)[-1]
    lowered = before.lower()
    return len(lowered) == len(before) and any(label.family in LOGINS for label in find_labels(before, lowered))


def _spellings(value: str) -> Iterator[str]:
    """A value as it stands, and as it reads where escapes are undone, blanks left out or digits written."""
    yield value
    other = ""
    if "\\" in value:
        try:
            other = json.loads(f'"{value}"')
        except ValueError:
            return
    elif "%" in value:
        other = unquote(value)
    elif NUMBER.fullmatch(value):
        other = value.replace(" ", "").replace("-", "")
    else:
        other = digits_of(value)
    if len(other) >= WORD_LENGTH and other != value:
        yield other


def _key_lines(value: str, kind: str) -> Iterator[str]:
    """The lines of a private key: whoever quotes some of it shows as much of the key."""
    if kind == SecretType.PRIVATE_KEY:
        for line in LINE_END.split(value):
            if len(line) >= KEY_LINE_LENGTH and not line.startswith("-"):
                yield line


def _is_distinct(value: str) -> bool:
    """Whether a value that stands elsewhere is the secret, and no number that happens to be the same."""
    return len(value) >= GLOBAL_LENGTH or (len(value) >= WORD_LENGTH and COMMON.fullmatch(value) is None)


def _pattern(secrets: Iterable[str], spell: Callable[[str], str]) -> re.Pattern[str] | None:
    """One pattern for all secrets, longest first."""
    ordered = sorted(secrets, key=lambda secret: (-len(secret), secret))
    return re.compile("|".join(spell(secret) for secret in ordered)) if ordered else None


def _spelled(secret: str) -> str:
    """A pattern for a secret; a short one must be a word of its own."""
    spelled = re.escape(secret)
    return spelled if len(secret) >= GLOBAL_LENGTH else rf"(?<![\w.,/-]){spelled}(?![\w/-]|[.,]\d)"


def _locally(secret: str) -> str:
    """A pattern for a secret in its own message: a number must not be a piece of another one."""
    spelled = re.escape(secret)
    return rf"(?<!\d){spelled}(?!\d)" if secret.isdigit() else spelled


def _whole(word: str) -> str:
    """A pattern for an ordinary word as a whole word; some scripts set no blanks between words."""
    spelled = re.escape(word)
    return spelled if UNSPACED.match(word) else rf"(?<![^\W_]){spelled}(?![^\W_])"
