"""The search for secrets: by an issuer's prefix, by form, and by a label in words (the labels are here)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from barrier_policy.facts.secret_codes import LABELS, SELF_LABELS, find_codes
from barrier_policy.facts.secret_forms import Secret, by_form, by_prefix
from barrier_policy.facts.secret_labels import (
    ABOUT_AFTER,
    ABOUT_NAME,
    CODE_OWNERS,
    CODE_OWNERS_AFTER,
    CODE_STEMS,
    KEY_OWNERS,
    KEY_OWNERS_AFTER,
    KEY_STEMS,
    LOGIN_STEMS,
    NETWORK_AFTER,
    NETWORKS,
    OTHER_TOKEN_WORDS,
    OTHER_TOKENS,
    PASSWORD_STEMS,
    PIN_STEMS,
    PLAIN_WORDS,
    TOKEN_STEMS,
    SecretType,
)
from barrier_policy.facts.secret_shapes import (
    HEX,
    is_password,
    is_placeholder,
    is_random,
    is_scrambled,
    is_signed,
    is_strong,
)

REACH = 100
"""How far from its label a secret may stand in a sentence, in characters."""
MAX_LABELS = 2_000

IDENTIFIER = re.compile(r"[\w.-]*\Z")
REST = re.compile(r"[A-Za-z0-9_]*")
GIVEN = re.compile(
    r"""(?x)
    [\w-]{0,20}[\\"'`\]*]{0,6}
    (?:[ ](?:for|of|to|on|at|für|von|vom|zum|zur|pour|de|du|del|para|per|di|van|voor|do|od|dla|для|от|к|til|för|till|k|ke)[ ][\w -]{1,40}?)?
    (?:[ \t]*(?::=|=>|->|[:=：|])[ \t]*|[ \t]+[—–-][ \t]+
     |[ \t]+(?:is|was|ist|war|lautet|est|c['’]est|es|é|è|to|auf|jest|to[ ]jest|je|är|er|on|este|είναι|là|adalah|היא|هي|هو|है|คือ)[ ]?:?[ \t]+
     |[ \t]*(?:是|为|為|は|が|는|은)[ \t]*:?)
    (?P<quote>\\{0,4}["'`“„«「]?)
    """
)
QUOTED_VALUE = re.compile(r"[^\s\"'`”“»」\\]+")
BARE_VALUE = re.compile(r"[^\s\"'`<>,;|&\\]+")
WORD = re.compile(r"[^\s\"'`<>(),;，。、：“”「」\\]+")
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
ASCII_HEAD = re.compile(r"[!-~]*")
WORD_EDGE = " \t\n\"':=_-,;("
PAIR = re.compile(r"[^\n/|]{0,24}?[\s:：=][\w.@+-]{2,60}\s?[/|:]\s?([^\s,;\"'`]{6,60})")
MIXED_PIN = re.compile(
    r"(?i)[\"'’]?\s{0,2}(?:is|ist|est|es|è|é|[:=])\s{0,2}[\"'‘]?((?=[\w-]*\d)[a-z0-9]+(?:[-#_][a-z0-9]+)+)(?![\w.])"
)
"""A PIN with letters: it has a joint, as neither the pin of a chip nor the version of a package has."""
MIN_DIGITS = 3
STEMS = (
    *PASSWORD_STEMS, "pw", "pass", *TOKEN_STEMS, *KEY_STEMS, *CODE_STEMS, *PIN_STEMS, *LOGIN_STEMS, *SELF_LABELS, *LABELS,
)  # fmt: skip
ASCII_STEMS = tuple(filter(str.isascii, STEMS))
"""One of these stands in every text with a label: most texts are done with after them."""
DIGITS = re.compile(
    r"[\\\"'`]{0,2}[ \t]*(?:[:=#]|code|number|nummer|numéro|número|is|ist|lautet|est|es|è|é|は|是)?[ \t]*[:=]?[ \t]*[\"'`]?(\d{4,8})(?!\w|[.:/,-]\w)"
)


def search_secrets(text: str) -> Iterator[Secret]:
    """Every finding, in no order; findings may overlap."""
    yield from by_prefix(text)
    yield from by_form(text)
    yield from _by_label(text)


def _by_label(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have longer lower-case forms, which would shift the places
        lowered = "".join(letter if len(letter.lower()) != 1 else letter.lower() for letter in text)
    if not any(map(lowered.__contains__, ASCII_STEMS if lowered.isascii() else STEMS)):
        return
    for start, end in _stems(lowered, PASSWORD_STEMS):
        yield from _password(text, start, end)
    for start, end in _stems(lowered, ("pw",)):
        if text[start - 1 : start] in WORD_EDGE and text[end : end + 1] in WORD_EDGE:
            yield from _password(text, start, end)
    for start, end in _stems(lowered, ("pass",)):
        if text[end : end + 1] in (":", "=", '"', "'") and _is_pass(text, start, end):
            yield from _password(text, start, end)
    for start, end in _stems(lowered, TOKEN_STEMS):
        if not _is_other_token(lowered, start):
            yield from _token(text, start, end, SecretType.TOKEN)
    for start, end in _stems(lowered, KEY_STEMS):
        before = _before(lowered, start)
        if before.endswith(NETWORKS) or NETWORK_AFTER.match(text, end):
            yield from _password(text, start, end)
        elif before.endswith(KEY_OWNERS) or KEY_OWNERS_AFTER.match(text, end):
            yield from _token(text, start, end, SecretType.API_KEY)
    for start, end in _stems(lowered, CODE_STEMS):
        owner = CODE_OWNERS_AFTER.match(text, end)
        if owner or _before(lowered, start).endswith(CODE_OWNERS):
            yield from _code(text, start, owner.end() if owner else end, SecretType.CODE)
    for start, end in _stems(lowered, PIN_STEMS):
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield from _code(text, start, end, SecretType.PIN)
    for value, stop, label in find_codes(text, lowered):
        yield Secret(start=value, end=stop, type=SecretType.CODE, name=_name(text, label, label))
    for _, end in _stems(lowered, LOGIN_STEMS):
        yield from _pair(text, end)


def _is_pass(text: str, start: int, end: int) -> bool:
    """Whether `pass` is short for a password, not the verdict of a test."""
    before = text[start - 1 : start]
    return not before.isalpha() and (before == "_" or not text[start:end].isupper())


def _before(lowered: str, start: int) -> str:
    """What stands before a label, up to the sign that joins them."""
    return lowered[max(0, start - 24) : start].rstrip(" _-.'’の用")


def _is_other_token(lowered: str, start: int) -> bool:
    before = _before(lowered, start)
    return before.endswith(OTHER_TOKENS) or before[before.rfind(" ") + 1 :] in OTHER_TOKEN_WORDS


def _stems(lowered: str, stems: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Places of label words; their number is bounded, text that is full of them is about something else."""
    for stem in stems:
        start = lowered.find(stem)
        count = 0
        while start >= 0 and count < MAX_LABELS:
            yield start, start + len(stem)
            count += 1
            start = lowered.find(stem, start + len(stem))


def _name(text: str, start: int, end: int) -> str:
    """The whole label: the identifier around the word."""
    before = IDENTIFIER.search(text, max(0, start - 40), start)
    rest = REST.match(text, end)
    return (before[0] if before else "") + text[start : rest.end() if rest else end]


def _speaks_about(text: str, end: int, name: str) -> bool:
    """Whether a label is about a secret without giving one."""
    return ABOUT_AFTER.match(text, end) is not None or ABOUT_NAME.search(name) is not None


def _password(text: str, start: int, end: int) -> Iterator[Secret]:
    label_end = REST.match(text, end).end()  # type: ignore[union-attr]  # it matches the empty string
    name = _name(text, start, end)
    if _speaks_about(text, label_end, name):
        return
    given = GIVEN.match(text, label_end)
    if given:
        value = _value_at(text, given.end(), bool(given["quote"]))
        if value and is_password(text[value[0] : value[1]], quoted=bool(given["quote"])):
            yield Secret(start=value[0], end=value[1], type=SecretType.PASSWORD, name=name)
            return
    elif value := _value_at(text, label_end + 1, False):
        word = text[value[0] : value[1]]
        if _is_told(word) or is_strong(word) or (_is_option(text, start) and not is_placeholder(word)):
            yield Secret(start=value[0], end=value[1], type=SecretType.PASSWORD, name=name)
            return
    yield from _nearby(text, start, label_end, SecretType.PASSWORD, name)


def _is_told(word: str) -> bool:
    """Whether a word right after `password` is one although no sign or `is` says so: a number, or letters with digits."""
    if word.isdigit():
        return 4 <= len(word) <= 8 and not word.startswith(("19", "20"))
    mixed = word.isalnum() and not word.isalpha() and len(word) >= 8
    return (
        (mixed or is_signed(word))
        and not is_placeholder(word)
        and word.lower() not in PLAIN_WORDS
        and HEX.fullmatch(word) is None
    )


def _token(text: str, start: int, end: int, kind: SecretType) -> Iterator[Secret]:
    label_end = REST.match(text, end).end()  # type: ignore[union-attr]
    name = _name(text, start, end)
    if _speaks_about(text, end, name):
        return
    given = GIVEN.match(text, label_end)
    value = _value_at(text, given.end(), bool(given["quote"])) if given else None
    if value is None and _is_option(text, start):
        value = _value_at(text, label_end + 1, False)
    if value and (is_random(text[value[0] : value[1]]) or (given and is_scrambled(text[value[0] : value[1]], 3))):
        yield Secret(start=value[0], end=value[1], type=kind, name=name)
    else:
        yield from _nearby(text, start, label_end, kind, name)


def _code(text: str, start: int, end: int, kind: SecretType) -> Iterator[Secret]:
    """PINs and access codes: a few digits right after a plain label."""
    digits = DIGITS.match(text, end)
    if digits:
        yield Secret(start=digits.start(1), end=digits.end(1), type=kind, name=_name(text, start, end))
    elif kind is SecretType.CODE:
        yield from _nearby(text, start, end, kind, _name(text, start, end))
    elif (mixed := MIXED_PIN.match(text, end)) and sum(map(str.isdigit, mixed[1])) >= MIN_DIGITS:
        yield Secret(start=mixed.start(1), end=mixed.end(1), type=kind, name=_name(text, start, end))


def _pair(text: str, end: int) -> Iterator[Secret]:
    """The second half of `login: anna / Xy12!abc`."""
    match = PAIR.match(text, end)
    if match is not None and is_strong(match[1]):
        yield Secret(start=match.start(1), end=match.end(1), type=SecretType.PASSWORD, name="login")


def _is_option(text: str, start: int) -> bool:
    """Whether the label is a command-line option: `--db-password X`."""
    head = IDENTIFIER.search(text, max(0, start - 40), start)
    return head is not None and (head[0].startswith("-") or text[max(0, start - 2) : start] == "--")


def _value_at(text: str, start: int, quoted: bool) -> tuple[int, int] | None:
    match = (QUOTED_VALUE if quoted else BARE_VALUE).match(text, start)
    if match is None:
        return None
    end = match.end()
    while end > start and text[end - 1] in ".,:;)]}" and not quoted:
        end -= 1
    if not quoted and UNSPACED.search(text, end - 1, end):  # a particle or verb is written onto the value: `4481이에요`
        end = start + len(ASCII_HEAD.match(text, start, end)[0])  # type: ignore[index]  # it matches the empty string
    return (start, end) if end > start else None


def _nearby(text: str, start: int, end: int, kind: SecretType, name: str) -> Iterator[Secret]:
    """A word of the same line that looks like nothing but a secret: `use X as the password`, `a key for tests: X`."""
    if text[end : end + 1] == "-":  # `token-free` names no token
        return
    left = max(text.rfind("\n", 0, start) + 1, start - REACH)
    right = text.find("\n", end, end + REACH)
    right = right if right >= 0 else min(len(text), end + REACH)
    for match in WORD.finditer(text, left, right):
        word = match[0].rstrip(".:!?")
        cut = text[match.start() - 1 : match.start()].isalnum() or text[match.end() : match.end() + 1].isalnum()
        looks = is_scrambled(word, 3 if kind is SecretType.CODE else 4) or (kind is SecretType.PASSWORD and is_signed(word))
        if not cut and looks and not is_placeholder(word):
            yield Secret(start=match.start(), end=match.start() + len(word), type=kind, name=name)
