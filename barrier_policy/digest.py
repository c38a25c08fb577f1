"""Canonical JSON (RFC 8785) and digests in the text form `sha256:<64 hex>`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import msgspec
import rfc8785

DIGEST = re.compile("sha256:[0-9a-f]{64}")
"""A digest in text form."""
SAFE_INTEGER = 2**53 - 1


def plain_value(value: Any) -> Any:
    """Builtins without what RFC 8785 and strict JSON readers can't take: lone surrogates and integers beyond 2**53 as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        return {plain_value(str(key)): plain_value(item) for key, item in value.items()}
    return [plain_value(item) for item in value]


def canonical_json(value: Any) -> bytes:
    """The canonical UTF-8 bytes of a value made of builtins or msgspec structs."""
    return rfc8785.dumps(plain_value(msgspec.to_builtins(value)))


def stable_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, the same bytes for the same value; lone surrogates are escaped. Fast, for bulk data.

    Equal to `canonical_json` for values without floats, without integers beyond 2**53 and with ASCII keys.
    """
    try:
        return msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:
        return msgspec.json.encode(plain_value(msgspec.to_builtins(value, order="sorted")), order="sorted")


def digest_bytes(data: bytes) -> str:
    """`sha256:<hex>` of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest_lines(lines: Iterable[bytes]) -> str:
    """`sha256:<hex>` of lines, each followed by a line feed."""
    total = hashlib.sha256()
    for line in lines:
        total.update(line)
        total.update(b"\n")
    return "sha256:" + total.hexdigest()


def digest_text(text: str) -> str:
    """`sha256:<hex>` of a text in UTF-8; lone surrogates are escaped."""
    return digest_bytes(text.encode("utf-8", "backslashreplace"))


def digest_value(value: Any) -> str:
    """`sha256:<hex>` of a value's JSON with sorted keys."""
    return digest_bytes(stable_json(value))
