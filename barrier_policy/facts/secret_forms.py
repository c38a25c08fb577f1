"""Secrets that give themselves away: by an issuer's prefix, or by their form."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from barrier_policy.facts.secret_labels import PLAIN_WORDS, VENDOR_KEYS, SecretType
from barrier_policy.facts.secret_shapes import is_key_tail, is_placeholder, is_random, is_scrambled

JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")
PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|-----END|-----BEGIN|\Z")
ENCODED_PEM = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}={0,2}")
"""A block of a key or a certificate that is itself written in Base64, as in the files of clusters."""
PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
"""A line of a private key, or what is left of one that was folded."""
PEM_GAP = 160
"""How much else may stand before and between lines of a private key (its headers), in characters."""
MIN_PEM = 40
URL_USER = re.compile(r"://[^\s/:@\"'<>]*:([^\s/@\"'<>]{3,})@[\w.\[-]")
ENVIRONMENTS = ("live", "test", "prod", "secret", "sandbox", "sbx", "tst", "stg", "dev")
ENVIRONMENT_KEY = re.compile(
    rf"(?<![A-Za-z0-9_-])([a-z][a-z0-9]{{1,15}})[_-](?:{'|'.join(ENVIRONMENTS)})[_-]([A-Za-z0-9]{{6,}})(?![A-Za-z0-9_-])"
)
"""Many issuers write the environment into their keys: `xk_live_…`, `sk-test-…`."""
CARD = re.compile(r"(?<![\w.-])(?:\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}|3\d{3}[ -]\d{6}[ -]\d{5})(?![\w.-]?\d)")
ACCOUNT_HEAD = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){0,6} ?\Z")
"""How the number of a bank account (ISO 13616) begins; what follows is no card."""
FOUR_DIGITS = re.compile(r"\d{4}")
"""What every number of a card or of a social security has: quickly found, and hardly ever there."""
AUTHORIZATION = re.compile(r"(?i)\b(?:bearer|basic)[ ]+([A-Za-z0-9._~+/=-]{12,})")
AUTHORIZATION_HEADER = re.compile(
    r"(?i)\bauthorization[\\\"']{0,3}[ ]*[:=][ ]*[\\\"']{0,3}(?:bearer|basic|token|apikey|digest|bot|key)[ ]+([A-Za-z0-9._~+/=:-]{8,})"
)
QUERY = re.compile(
    r"(?i)(?:[?&#;](?:amp;)?|(?<=\s)(?=sig=|signature=))(?:sig|signature|x-amz-(?:signature|security-token)|x-goog-signature|access_token|refresh_token|id_token|auth_token|token|api[_-]?key|apikey"
    r"|key|auth|secret|client_secret|password|passwd|pwd|pass|otp|pin|code|ticket|session|sessionid|sid|jwt|hmac|hash_key)=([^&\s\"'<>#\\)\]}`|,;]+)"
)
"""What a URL carries to let its reader in."""
SHORT_QUERIES = re.compile(r"(?i)[?&#;](?:amp;)?(?:password|passwd|pwd|pass|otp|pin|secret|client_secret)=")
"""Parameters whose value is a secret however short it is."""
PASSWORD_OPTION = re.compile(
    r"(?:\bmysql\w*|\bmariadb\w*|\bmongo\w*)\b[^\n|;]{0,80}?\s-p[ =]?['\"]?([^\s'\"-][^\s'\"]{2,})|\bnet\s+use\b[^\n]{0,40}/user:\S+\s+([^\s'\"/]{3,})|(?:IDENTIFIED|identified)\s+(?:BY|by)\s+['\"]([^'\"\s]{3,})|\becho\s+['\"]?[\w.-]+:([^\s'\"|]{3,})['\"]?\s*\|\s*(?:sudo\s+)?chpasswd\b"
    r"|\s-U\s*[\w.\\-]+%([^\s'\"]{3,})|\b(?:zip|unzip|7z|7za|rar|unrar)\b[^\n|;]{0,40}?\s-[pP]\s*([^\s'\"-][^\s'\"]{2,})|\bsshpass\s+-p\s*['\"]?([^\s'\"]{3,})"
    r"|\bredis-cli\b[^\n|;]{0,60}?\s-a\s+['\"]?([^\s'\"]{4,})|\becho\s+['\"]?([^\s'\"|]{4,})['\"]?\s*\|\s*sudo\s+-S\b"
)
"""Options of programs that take a password on the command line."""
KEYPAD = re.compile(r"(?<![\w#&./*+-])(?:\*\d{4,10}|\*?\d{2,5}-\d{2,5}|\d{4,10})#(?![\w#-])")
"""What is typed into the lock of a door: four digits or more, ended by a hash sign. Service codes of telephones (`*21#`) are shorter."""
LICENCE = re.compile(r"(?<![\w-])(?=[A-Z-]{0,28}\d)(?=[\d-]{0,28}[A-Z])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}(?![\w-])")
"""Keys of products: four to six groups of five."""
HEADER = re.compile(
    r"(?i)(?<![?&;\w-])x-[a-z-]{0,30}(?:key|token|secret|signature|auth)[\\\"']{0,3}[ ]*[:=][ ]*[\\\"']{0,3}([^\s\"'\\,;&]{8,})"
)
CARD_NAME = re.compile(
    r"(?i)(?:card|karte|visa|mastercard|amex|carte|tarjeta|carta|cartão|kaart|kart|карт|kort)[^\n\d]{0,24}\Z"
)
CARD_REST = re.compile(
    r"[\s,;|]{1,4}(?:[^\W\d]{2,12}\.?\s?){0,2}\d{2}\s?/\s?\d{2,4}[\s,;|]{1,4}(?:[^\W\d_]{2,12}\W{1,3})?(\d{3,4})(?![\w/-]|[.,]\d)"
)
"""The date until which a card is valid, and its check number."""
COOKIE = re.compile(r"(?i)\bcookie: *[\w.-]+=([^;\s\"']{12,})")
USER_OPTION = re.compile(r"(?:^|\s)(?:-u|--user)[ =]['\"]?[^\s:'\"]+:([^\s'\"]{4,})")


class Secret(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """A secret at `[start, end)` of a text; `name` is the label that gave it away, never the value."""

    start: int
    end: int
    type: str
    name: str = ""


Find = Callable[[str], Iterator[Secret]]


def by_prefix(text: str) -> Iterator[Secret]:
    """Keys that begin as their issuer has them begin."""
    for prefix, pattern in VENDOR_KEYS:
        if prefix in text:
            for match in re.finditer(pattern, text):
                before = text[match.start() - 1 : match.start()]
                if not before.isalnum() and not is_placeholder(match[0]) and len(set(match[0])) > 7:
                    yield Secret(start=match.start(), end=match.end(), type=SecretType.API_KEY, name=prefix.strip("-_.:/"))


def by_form(text: str, *, has_number: bool) -> Iterator[Secret]:
    """What is a secret by its form, whatever stands around it. `has_number`: FOUR_DIGITS are in the text."""
    if has_number:
        yield from _cards(text)
    for marks, find in FORMS:
        for mark in marks:
            if mark in text:
                yield from find(text)
                break


def _cards(text: str) -> Iterator[Secret]:
    """Numbers of payment cards: 13 to 19 digits, in four groups or with the right check digit (ISO/IEC 7812)."""
    for match in CARD.finditer(text):
        digits = [int(character) for character in match[0] if character.isdigit()]
        grouped = match[0].count(" ") == 3 or match[0].count("-") == 3
        if (
            13 <= len(digits) <= 19
            and digits[0] in (2, 3, 4, 5, 6)
            and len(set(digits)) > (1 if _checks(digits) else 2)
            and ACCOUNT_HEAD.search(text, max(0, match.start() - 36), match.start()) is None
            and (grouped or _checks(digits) or CARD_NAME.search(text, max(0, match.start() - 40), match.start()))
        ):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.CARD, name="card")
            rest = CARD_REST.match(text, match.end())
            if rest is not None:
                yield Secret(start=rest.start(1), end=rest.end(1), type=SecretType.CARD_CODE, name="card")


def _checks(digits: list[int]) -> bool:
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _queries(text: str) -> Iterator[Secret]:
    """What lets a URL's reader in: a signature, a token; short ones only where the parameter is for a password."""
    for match in QUERY.finditer(text):
        value = match[1]
        short = SHORT_QUERIES.match(match[0]) is not None
        random = len(value) >= 10 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        if (random or (short and len(value) >= 3)) and not is_placeholder(value) and value.lower() not in PLAIN_WORDS:
            yield Secret(start=match.start(1), end=match.end(1), type=SecretType.TOKEN, name="query")


def _private_keys(text: str) -> Iterator[Secret]:
    """From the first line of a key to its last one; where that is missing, as far as the text looks like a key."""
    end = 0
    for match in PEM.finditer(text):
        if match.start() < end:
            continue
        closing = PEM_END.search(text, match.end())
        last = closing.start() if closing else len(text)
        end = _key_end(text, match.end(), last)
        if last - end < PEM_GAP and closing is not None and closing[0].startswith("-----END"):
            end = closing.end()
        if end - match.end() > MIN_PEM:
            yield Secret(start=match.start(), end=end, type=SecretType.PRIVATE_KEY)


def _encoded_keys(text: str) -> Iterator[Secret]:
    for match in ENCODED_PEM.finditer(text):
        if b"PRIVATE KEY" in b64decode(match[0][:64]):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.PRIVATE_KEY)


def _key_end(text: str, start: int, last: int) -> int:
    """Where the lines of a key end that begin here; `start` where none do."""
    end = start
    for line in PEM_LINE.finditer(text, start, last):
        if line.start() - end > PEM_GAP:
            break
        end = line.end()
    return end


def _environment_keys(text: str) -> Iterator[Secret]:
    for match in ENVIRONMENT_KEY.finditer(text):
        if is_key_tail(match[1], match[2]) and not is_placeholder(match[0]):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.API_KEY)


def _password_options(text: str) -> Iterator[Secret]:
    for match in PASSWORD_OPTION.finditer(text):
        group = match.lastindex or 0
        if not is_placeholder(match[group]):
            yield Secret(start=match.start(group), end=match.end(group), type=SecretType.PASSWORD, name="option")


def _wholes(pattern: re.Pattern[str], kind: SecretType, name: str = "") -> Find:
    """Whatever a pattern matches."""

    def find(text: str) -> Iterator[Secret]:
        for match in pattern.finditer(text):
            yield Secret(start=match.start(), end=match.end(), type=kind, name=name)

    return find


def _groups(pattern: re.Pattern[str], kind: SecretType, name: str, is_one: Callable[[str], bool] = bool) -> Find:
    """What a pattern's group matches, if it is no placeholder and no plain word."""

    def find(text: str) -> Iterator[Secret]:
        for match in pattern.finditer(text):
            if not is_placeholder(match[1]) and match[1].lower() not in PLAIN_WORDS and is_one(match[1]):
                yield Secret(start=match.start(1), end=match.end(1), type=kind, name=name)

    return find


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


GIVEN: Final = re.compile(
    r"(?i:\b(?:use|take|try|here(?:'s| is)?|nimm|nehmen sie|benutze?|utilise[zr]?|prends|prenez|usa|use o|toma|prendi|gebruik|weź|użyj|använd|brug)\b[^\n:]{0,30}:\s{0,3})"
    r"((?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=(?:[A-Za-z_-]*\d){2})[A-Za-z]{2,8}[-_][A-Za-z0-9]{10,64})(?![\w-])"
)
"""What is handed over to be used and looks made by a machine: `use this one: glt-Qm8v…`."""
MADE: Final = re.compile(r"[-_][A-Za-z0-9]{10}")
"""What every such value has: quickly found."""


def _given(text: str) -> Iterator[Secret]:
    if MADE.search(text) is not None:
        yield from _groups(GIVEN, SecretType.API_KEY, "given", lambda value: is_scrambled(value, 3))(text)


FORMS: Final[tuple[tuple[tuple[str, ...], Find], ...]] = (
    (("eyJ",), _wholes(JWT, SecretType.JWT)),
    (("#",), _wholes(KEYPAD, SecretType.CODE, "keypad")),
    (ENVIRONMENTS, _environment_keys),
    (("PRIVATE KEY",), _private_keys),
    (("LS0tLS1CRUdJTi",), _encoded_keys),
    (("://",), _groups(URL_USER, SecretType.PASSWORD, "url user")),
    (("asic ", "earer "), _groups(AUTHORIZATION, SecretType.TOKEN, "authorization", is_random)),
    (("uthorization", "UTHORIZATION"), _groups(AUTHORIZATION_HEADER, SecretType.TOKEN, "authorization")),
    (("?", "&", "#"), _queries),
    ((" -p", " -a", "sudo -S", "net use", "chpasswd", " -P", " -U", "IDENTIFIED"), _password_options),
    (("-",), _wholes(LICENCE, SecretType.API_KEY, "licence")),
    (("x-", "X-"), _groups(HEADER, SecretType.TOKEN, "header", _has_digit)),
    (("ookie",), _groups(COOKIE, SecretType.TOKEN, "cookie", _has_digit)),
    ((":",), _given),
    (("-u",), _groups(USER_OPTION, SecretType.PASSWORD, "user option")),
)
"""Who finds what, and what a text has at least one of if there is any: most texts are done with after these."""
