"""Garbage collection: what nothing names, nobody holds and nobody may be about to name (design sections 2 and 9).

Live is every object that a document of the store names, as `sha256:<hex>` anywhere in it, or that a hold names; and whatever a live
manifest names.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from barrier_policy.provenance.holds import HOLDS, holds
from barrier_policy.provenance.manifest import reachable
from barrier_policy.provenance.names import find_digests
from barrier_policy.provenance.store import Store, StoredObject

GRACE = timedelta(days=1)
"""How long an object that nothing names is kept: another process may have put it and be about to name it."""


class Fate(StrEnum):
    """What happens to an object, and why."""

    NAMED = "named"
    HELD = "held"
    YOUNG = "young"
    REMOVED = "removed"


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """So many things of so many bytes together."""

    number: int = 0
    bytes: int = 0

    def plus(self, size: int) -> Tally:
        """One more, of this size in bytes."""
        return Tally(number=self.number + 1, bytes=self.bytes + size)


class Garbage(msgspec.Struct, frozen=True, kw_only=True):
    """What a collection did, or would do where `dry_run`: each object is in one of the first four.

    `removed` has the digests as well, sorted, in `digests`. `temporary` are files that crashed writers left behind.
    """

    dry_run: bool
    named: Tally
    held: Tally
    young: Tally
    removed: Tally
    temporary: Tally
    digests: tuple[str, ...]


def collect_garbage(
    store: Store, live: Iterable[str] = (), *, now: datetime, grace: timedelta = GRACE, dry_run: bool
) -> Garbage:
    """Remove what nothing names, nobody holds and is older than the grace period; nothing where `dry_run`.

    `live` are digests that are named outside of the store; what its own documents and holds name is found here. Raises StoreError,
    and removes nothing, where a document or a live object can't be read: what it names is not known then.
    """
    held = reachable(store, {hold.digest for hold in holds(store)})
    named = reachable(store, {*live, *named_digests(store)})
    cutoff = now - grace
    tallies = dict.fromkeys(Fate, Tally())
    digests = []
    for digest in store.digests():
        found = store.stat(digest)
        if found is None:  # somebody else removed it
            continue
        fate = (
            Fate.HELD if digest in held else Fate.NAMED if digest in named else _fate(store, digest, found, cutoff, dry_run)
        )
        tallies[fate] = tallies[fate].plus(found.length)
        if fate is Fate.REMOVED:
            digests.append(digest)
    number, size = store.sweep(cutoff, dry_run=dry_run)
    return Garbage(
        dry_run=dry_run,
        named=tallies[Fate.NAMED],
        held=tallies[Fate.HELD],
        young=tallies[Fate.YOUNG],
        removed=tallies[Fate.REMOVED],
        temporary=Tally(number=number, bytes=size),
        digests=tuple(digests),
    )


def _fate(store: Store, digest: str, found: StoredObject, cutoff: datetime, dry_run: bool) -> Fate:
    """Of an object that nothing names. One of unknown age stays; so does one that is put again while we look."""
    if found.modified is None or found.modified >= cutoff:
        return Fate.YOUNG
    return Fate.REMOVED if dry_run or store.delete(digest, before=cutoff) else Fate.YOUNG


def named_digests(store: Store) -> set[str]:
    """Every digest that a document of the store names. Holds are left out: a released one stays on record."""
    found: set[str] = set()
    for name in store.documents():
        if name != HOLDS:
            found |= find_digests(store.read_document(name) or b"")
    return found
