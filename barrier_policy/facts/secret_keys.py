"""Keys and tokens: what a service, a licence or a network asks for (design section 5, bindings).

Their labels mean much else (a sort key, a page token), so the value has to look handed out, or the key be called a secret one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from barrier_policy.facts.secret_around import found_at, is_option, name_of, nearby, speaks_about, word_before
from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import (
    KEY_OWNERS,
    KEY_OWNERS_AFTER,
    NETWORK_AFTER,
    NETWORKS,
    OTHER_TOKEN_WORDS,
    OTHER_TOKENS,
    SecretType,
)
from barrier_policy.facts.secret_passwords import find_password
from barrier_policy.facts.secret_shapes import is_random, is_scrambled
from barrier_policy.facts.secret_told import How, Told, beside, told
from barrier_policy.facts.secret_values import is_distinct, is_distinct_beside, is_keyish, is_mixed
from barrier_policy.facts.secret_words import Label

SAME_LINE_NETWORK: Final = re.compile(r"(?i)(?:wi-?fi|wlan|hotspot|ssid|network)\b[^\n]{0,40}\Z")
HEX_KEY: Final = re.compile(r"[0-9a-f]{10,}|[0-9A-F]{10,}")
SETTING: Final = re.compile(r"(?:\A|[\s;])(?:export )?[A-Z][A-Z0-9_]*=\Z")
"""A variable of the environment that is set, which holds a key whatever it looks like."""
MINE: Final = re.compile(
    r"(?i)(?<![^\W_])(?:mi|tu|su|mis|sus|my|your|our|her|his|secreta|mein|meine|mon|ma|mio|mia|meu|minha)\s\Z"
)


def find_key(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The key of a service or a licence."""
    name = name_of(text, label)
    if speaks_about(text, label, name):
        return
    value = told(text, label.end) or beside(text, label.end)
    if value is not None:
        word = text[value.start : value.end]
        if is_random(word) or is_keyish(word):
            yield found_at((value.start, value.end), SecretType.API_KEY, name)
            return
    yield from nearby(text, label, SecretType.API_KEY, name)


def find_key_word(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """A key that is called a secret one, or one to a network."""
    before = word_before(lowered, label.start)
    if (
        before.endswith(NETWORKS)
        or SAME_LINE_NETWORK.search(text, max(0, label.start - 60), label.start)
        or NETWORK_AFTER.match(text, label.end)
    ):
        yield from find_password(text, lowered, label)
    elif before.endswith(KEY_OWNERS) or KEY_OWNERS_AFTER.match(text, label.end):
        yield from _named(text, label, SecretType.API_KEY)


def find_token(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """A token that lets its bearer in, and no page token or count of tokens."""
    before = word_before(lowered, label.start)
    if not (before.endswith(OTHER_TOKENS) or before[before.rfind(" ") + 1 :] in OTHER_TOKEN_WORDS):
        yield from _named(text, label, SecretType.TOKEN)


def _named(text: str, label: Label, kind: SecretType) -> Iterator[Secret]:
    name = name_of(text, label)
    if speaks_about(text, label, name):
        return
    value = told(text, label.end)
    if value is None and (found := beside(text, label.end)) is not None:
        is_given = kind is SecretType.API_KEY and is_random(text[found.start : found.end])
        value = found if is_given or is_option(text, label) else None
    word = text[value.start : value.end] if value else ""
    if value is not None and (
        is_random(word)
        or is_scrambled(word, 3)
        or (kind is SecretType.API_KEY and _is_set(text, value) and HEX_KEY.fullmatch(word))
        or (value.how is How.SIGN and (is_keyish(word) or (value.quoted and is_mixed(word))))
    ):
        yield found_at((value.start, value.end), kind, name)
    else:
        yield from nearby(text, label, kind, name)


def _is_set(text: str, value: Told) -> bool:
    return text[value.start - 1] == "=" and SETTING.search(text, max(0, value.start - 60), value.start) is not None


def find_loose(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """A label that means other things too: its value is a secret where it can't be a word of the language."""
    name = name_of(text, label)
    if speaks_about(text, label, name) or text[label.start - 1 : label.start] in (":", "/"):  # a piece of a resource's name
        return
    value = told(text, label.end) or beside(text, label.end)
    if value is not None and not is_random(text[value.start : value.end]):
        word = text[value.start : value.end]
        if _is_pin_like(text, label, value) or (
            is_distinct(word) and (value.how is not How.BESIDE or is_distinct_beside(word))
        ):
            yield found_at((value.start, value.end), SecretType.PASSWORD, name)
            return
    yield from find_token(text, lowered, label)


def _is_pin_like(text: str, label: Label, value: Told) -> bool:
    word = text[value.start : value.end]
    return word.isdigit() and 4 <= len(word) <= 8 and _owner_before(text, label)


def _owner_before(text: str, label: Label) -> bool:
    """`mi clave 4471`: somebody's."""
    return MINE.search(text, max(0, label.start - 12), label.start) is not None
