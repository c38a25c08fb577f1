"""Secrets that give themselves away: by an issuer's prefix, or by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from barrier_policy.facts.secret_labels import PLAIN_WORDS, VENDOR_KEYS, SecretType
from barrier_policy.facts.secret_shapes import is_key_tail, is_placeholder, is_random

JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")
PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----")
URL_USER = re.compile(r"://[^\s/:@\"'<>]*:([^\s/@\"'<>]{3,})@[\w.\[-]")
ENVIRONMENTS = ("live", "test", "prod", "secret", "sandbox", "sbx", "tst", "stg", "dev")
ENVIRONMENT_KEY = re.compile(
    rf"(?<![A-Za-z0-9_-])([a-z][a-z0-9]{{1,15}})[_-](?:{'|'.join(ENVIRONMENTS)})[_-]([A-Za-z0-9]{{6,}})(?![A-Za-z0-9_-])"
)
"""Many issuers write the environment into their keys: `xk_live_…`, `sk-test-…`."""
KEY_BOX = re.compile(
    r"(?i)\b(?:key ?box|lock ?box|key ?safe|safe|strongbox|schlüssel(?:box|safe|tresor|kasten)|tresor|boîte à clés|coffre-fort|caja fuerte|cassaforte"
    r"|cofre|kluis|sejf|сейф)\b[^.\n]{0,30}?\b(?:is|on|to|code|combination|ist|auf|est|sur|es|en|è|é|op|kod|код)\b *:? *([A-Z0-9-]*\d[A-Z0-9-]{2,})(?![\w-])"
)
"""What opens a box with keys or money."""
BOXES = (
    "key", "lock", "safe", "strongbox", "schlüssel", "tresor", "boîte", "coffre", "caja fuerte", "cassaforte", "cofre", "kluis", "sejf", "сейф",
)  # fmt: skip
"""One of these stands in whatever KEY_BOX finds."""
CARD = re.compile(r"(?<![\w.-])\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w.-]?\d)")
AUTHORIZATION = re.compile(r"(?i)\b(?:bearer|basic)[ ]+([A-Za-z0-9._~+/=-]{12,})")
COOKIE = re.compile(r"(?i)\bcookie: *[\w.-]+=([^;\s\"']{12,})")
USER_OPTION = re.compile(r"(?:^|\s)(?:-u|--user)[ =]['\"]?[^\s:'\"]+:([^\s'\"]{4,})")


class Secret(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """A secret at `[start, end)` of a text; `name` is the label that gave it away, never the value."""

    start: int
    end: int
    type: str
    name: str = ""


def by_prefix(text: str) -> Iterator[Secret]:
    """Keys that begin as their issuer has them begin."""
    for prefix, pattern in VENDOR_KEYS:
        if prefix in text:
            for match in re.finditer(pattern, text):
                before = text[match.start() - 1 : match.start()]
                if not before.isalnum() and not is_placeholder(match[0]) and len(set(match[0])) > 7:
                    yield Secret(start=match.start(), end=match.end(), type=SecretType.API_KEY, name=prefix.strip("-_.:/"))


def by_form(text: str) -> Iterator[Secret]:
    """What is a secret by its form, whatever stands around it."""
    if "eyJ" in text:
        for match in JWT.finditer(text):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.JWT)
    if any(map(text.lower().__contains__, BOXES)):
        yield from _groups(KEY_BOX, text, SecretType.CODE, "key box")
    yield from _cards(text)
    if any(map(text.__contains__, ENVIRONMENTS)):
        for match in ENVIRONMENT_KEY.finditer(text):
            if is_key_tail(match[1], match[2]) and not is_placeholder(match[0]):
                yield Secret(start=match.start(), end=match.end(), type=SecretType.API_KEY)
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)
    if "://" in text and "@" in text:
        yield from _groups(URL_USER, text, SecretType.PASSWORD, "url user")
    if "asic " in text or "earer " in text:
        for secret in _groups(AUTHORIZATION, text, SecretType.TOKEN, "authorization"):
            if is_random(text[secret.start : secret.end]):
                yield secret
    if "ookie" in text:
        for secret in _groups(COOKIE, text, SecretType.TOKEN, "cookie"):
            if is_random(text[secret.start : secret.end]):
                yield secret
    if "-u" in text:
        yield from _groups(USER_OPTION, text, SecretType.PASSWORD, "user option")


def _cards(text: str) -> Iterator[Secret]:
    """Numbers of payment cards: 13 to 19 digits, in four groups or with the right check digit (ISO/IEC 7812)."""
    for match in CARD.finditer(text):
        digits = [int(character) for character in match[0] if character.isdigit()]
        grouped = match[0].count(" ") == 3 or match[0].count("-") == 3
        if (
            13 <= len(digits) <= 19
            and digits[0] in (2, 3, 4, 5, 6)
            and len(set(digits)) > 2
            and (grouped or _checks(digits))
        ):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.CARD, name="card")


def _checks(digits: list[int]) -> bool:
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _private_keys(text: str) -> Iterator[Secret]:
    for match in PEM.finditer(text):
        end = text.find("-----END", match.end())
        end = len(text) if end < 0 else end
        if end - match.end() > 40:
            yield Secret(start=match.start(), end=end, type=SecretType.PRIVATE_KEY)


def _groups(pattern: re.Pattern[str], text: str, kind: str, name: str) -> Iterator[Secret]:
    for match in pattern.finditer(text):
        if not is_placeholder(match[1]) and match[1].lower() not in PLAIN_WORDS:
            yield Secret(start=match.start(1), end=match.end(1), type=kind, name=name)
