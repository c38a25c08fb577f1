"""Reading a whole store back: which objects are what their names say (design section 5, pointer)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from barrier_policy.digest import digest_bytes
from barrier_policy.provenance.holds import holds
from barrier_policy.provenance.store import Store


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: the number of objects and their bytes; digests of those that are damaged, and of those that have to be there and are not."""

    objects: int
    bytes: int
    damaged: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether every object reads back, and every one that has to be there is."""
        return not self.damaged and not self.missing


def verify_store(store: Store, promised: Iterable[str] = ()) -> Verification:
    """Read every object, one after another. Raises StoreError where the store itself can't be used.

    What is held has to be there, and so have the digests in `promised`.
    """
    size = 0
    seen, damaged = set(), []
    for digest in store.digests():
        data = store.read(digest)
        if data is None and store.stat(digest) is None:  # removed meanwhile
            continue
        seen.add(digest)
        size += len(data or b"")
        if data is None or digest_bytes(data) != digest:
            damaged.append(digest)
    missing = sorted({*promised, *(hold.digest for hold in holds(store))} - seen)
    return Verification(objects=len(seen), bytes=size, damaged=tuple(damaged), missing=tuple(missing))
