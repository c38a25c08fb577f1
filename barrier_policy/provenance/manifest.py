"""Manifests: objects that name others, which live as long as they do.

A manifest is an object of at most MANIFEST_BYTES that has `"barrier_policy/manifest/v1"` as one of its JSON strings, as in
`{"schema":"barrier_policy/manifest/v1", …}`. It names every `sha256:<hex>` that stands in it. One that another JSON text quotes is
none: its quotes are escaped there.
"""

from __future__ import annotations

from collections.abc import Iterable

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.names import find_digests
from barrier_policy.provenance.store import Store

MANIFEST = "barrier_policy/manifest/v1"
MANIFEST_BYTES = 16 * 1024 * 1024
_MARK = f'"{MANIFEST}"'.encode()


def reachable(store: Store, roots: Iterable[str]) -> set[str]:
    """The roots, and what the manifests among them name, and so on. Raises StoreError where one can't be read."""
    found: set[str] = set()
    waiting = sorted(roots)
    while waiting:
        digest = waiting.pop()
        if digest not in found:
            found.add(digest)
            waiting += sorted(_names_of(store, digest) - found)
    return found


def _names_of(store: Store, digest: str) -> set[str]:
    found = store.stat(digest)
    if found is None or found.length > MANIFEST_BYTES:
        return set()
    data = store.read(digest)
    if data is None or digest_bytes(data) != digest:
        if store.stat(digest) is None:  # removed meanwhile
            return set()
        raise StoreError(
            f"object {digest} is named and damaged, so what it names is not known "
            "(restore it from a copy, or remove it by hand, and try again)"
        )
    return find_digests(data) if _MARK in data else set()
