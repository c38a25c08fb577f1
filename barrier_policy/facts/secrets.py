"""Secrets in a text: where they are, a keyed digest to name them by, and the text without them (design section 5, bindings).

A secret is found by an issuer's prefix, by its form (a private key, a signed token, the user part of a URL), or by a label in
words: `password: …`, `pin 4711`, `… as the password`. Labels alone decide nothing: what they point to has to look like a
secret, so that placeholders, references, paths, ids and hashes stay readable.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache

from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import SecretType
from barrier_policy.facts.secret_search import search_secrets
from barrier_policy.facts.secret_shapes import is_guessable

__all__ = ["DEFAULT_KEY", "Secret", "SecretType", "find_secrets", "redact", "secret_digest"]

DEFAULT_KEY = b"barrier_policy/secret/v1"
"""The key of digests where none is given. It is public, so it only tells secrets apart: see `secret_digest`."""


@lru_cache(maxsize=8)
def find_secrets(text: str) -> tuple[Secret, ...]:
    """All secrets of a text, by place, none overlapping. Linear in the text; the last few answers are remembered."""
    kept: list[Secret] = []
    for secret in sorted(search_secrets(text), key=_longest_first):
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return tuple(kept)


def _longest_first(secret: Secret) -> tuple[int, int, str, str]:
    return secret.start, -secret.end, secret.type, secret.name


def redact(text: str, *, key: bytes = DEFAULT_KEY) -> str:
    """The text with each secret replaced by `[secret <type> hmac:<12 hex>]`."""
    pieces: list[str] = []
    position = 0
    for secret in find_secrets(text):
        digest = secret_digest(text[secret.start : secret.end], key=key, label=f"{secret.type} {secret.name}")
        pieces += (text[position : secret.start], f"[secret {secret.type} {digest}]")
        position = secret.end
    return "".join([*pieces, text[position:]])


def secret_digest(value: str, *, key: bytes = DEFAULT_KEY, label: str = "") -> str:
    """`hmac:<12 hex>`, HMAC-SHA256 under `key`: equal for equal secrets.

    Whoever knows the key can try values. Under the public default key a guessable value (a PIN, a short word) is therefore
    named by its label instead: its digest says nothing about it. Give a key of your own to tell such values apart.
    """
    guessable = key == DEFAULT_KEY and is_guessable(value)
    subject = f"label\0{label}" if guessable else f"value\0{value}"
    return "hmac:" + hmac.new(key, subject.encode("utf-8", "backslashreplace"), hashlib.sha256).hexdigest()[:12]
