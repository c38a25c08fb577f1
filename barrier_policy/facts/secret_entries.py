"""Secrets as files and forms hold them: `auth` entries, hashes of passwords, and numbers that a state gives to a person."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from typing import Final

from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import SecretType
from barrier_policy.facts.secret_shapes import is_placeholder, is_random, is_strong

AUTH: Final = re.compile(
    r"(?m)(?:[\\\"']{1,4}_?auth[\\\"']{1,4}[ ]?:[ ]?|^[ \t-]{0,40}_?auth[ ]?[:=][ ]?|(?<=[\s:])_auth=)[\\\"']{0,4}([^\s\"'\\,}]{6,400})(?=[\\\"']{0,4}[ \t]*(?:$|[,}#\r]))"
)
"""What an entry `auth` of a file holds: a password, or a name and a password in Base64."""
HASH: Final = re.compile(
    r"\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}"
    r"|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,300}|\$(?:y|7|scrypt)\$[\w=,$+/.-]{20,300}|\{S?SHA\}[A-Za-z0-9+/]{27,60}={0,2}"
)
"""Hashes of passwords, as `htpasswd` and `/etc/shadow` hold them: made to be kept, but guessed in hours where the password is weak."""
SOCIAL_SECURITY: Final = re.compile(
    r"(?i)(?<![^\W_])(?:ssn|social[ _-]security(?:[ _-](?:number|no\.?|nr\.?|#))?)(?![^\W_])[^\d\n]{0,24}?(?<![\w-])(?!000|666|9)(\d{3}([- ]?)(?!00)\d{2}\2(?!0000)\d{4})(?![\w-]|[.,]\d)"
)
"""A number of the Social Security of the United States, after its name."""


def by_entry(text: str, *, has_number: bool) -> Iterator[Secret]:
    """What is a secret by the entry that holds it. `has_number`: FOUR_DIGITS are in the text."""
    if "auth" in text:
        for match in AUTH.finditer(text):
            if _is_login(match[1]) or is_strong(match[1]) or is_random(match[1]):
                yield Secret(start=match.start(1), end=match.end(1), type=SecretType.PASSWORD, name="auth")
    if "$" in text or "SHA}" in text:
        for match in HASH.finditer(text):
            yield Secret(start=match.start(), end=match.end(), type=SecretType.PASSWORD, name="hash")
    for match in SOCIAL_SECURITY.finditer(text) if has_number else ():
        yield Secret(start=match.start(1), end=match.end(1), type=SecretType.NATIONAL_ID, name="ssn")


def _is_login(value: str) -> bool:
    """Whether Base64 holds a name and a password, as a registry's entry does."""
    if is_placeholder(value):
        return False
    try:
        name, sign, password = b64decode(value, validate=True).decode("utf-8").partition(":")
    except (Error, ValueError):
        return False
    return bool(name and sign and password) and value.isprintable()
