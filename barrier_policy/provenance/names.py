"""Names in a store: digests of objects, names of documents. What is neither never becomes a path."""

from __future__ import annotations

import re

from barrier_policy.digest import DIGEST
from barrier_policy.errors import StoreError

_DIGEST_BYTES = re.compile(DIGEST.pattern.encode())
_DOCUMENT = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,99}(/[a-z0-9_-][a-z0-9._-]{0,99})?")
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):")
SHOWN = 80
"""Characters of a wrong name that an error quotes."""


def object_name(digest: str) -> str:
    """Where an object lies below `objects/`: its first two hex digits are a folder. Raises StoreError for what is no digest."""
    if not DIGEST.fullmatch(digest):
        raise StoreError(f"`{digest[:SHOWN]}` is no digest (sha256:<64 hex digits>)")
    return f"{digest[7:9]}/{digest[9:]}"


def named_object(folder: str, name: str) -> str | None:
    """The digest of the object at `objects/<folder>/<name>`; None for any other file."""
    digest = f"sha256:{folder}{name}"
    return digest if len(folder) == 2 and DIGEST.fullmatch(digest) else None


def document_name(name: str) -> str:
    """The name itself. Raises StoreError for a name that is not `[a-z0-9._-]+` with at most one folder, or begins with a dot."""
    if not is_document_name(name):
        raise StoreError(f"`{name[:SHOWN]}` is no document name (a-z, 0-9, `.`, `_` and `-`, with at most one folder)")
    return name


def is_document_name(name: str) -> bool:
    """Whether a document can have this name."""
    return _DOCUMENT.fullmatch(name) is not None


def find_digests(data: bytes) -> set[str]:
    """Every `sha256:<hex>` in the bytes, wherever it stands."""
    return {match.decode() for match in _DIGEST_BYTES.findall(data)}


def address_kind(text: str) -> str | None:
    """The `kind` of an address `kind:…` or `scheme://…`; None for a folder (one with a colon is written `./a:b`)."""
    match = _ADDRESS.match(text)
    return match[1] if match else None
