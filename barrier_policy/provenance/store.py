"""What a provenance store is: originals under their digests, and a small area of named documents (design section 5, pointer)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec
import platformdirs

from barrier_policy.digest import digest_bytes, stable_json
from barrier_policy.errors import DamagedObjectError, StoreError
from barrier_policy.transcript.model import Message


class Pointer(msgspec.Struct, frozen=True, kw_only=True):
    """The address of an original: uri, `sha256:<hex>` and length in bytes."""

    uri: str
    digest: str
    length: int


class StoredObject(msgspec.Struct, frozen=True, kw_only=True):
    """What a store says of an object without reading it.

    `length` is in bytes; `modified` is when it was last put, with a zone, None where the store doesn't know.
    """

    length: int
    modified: datetime | None


class Originals(Protocol):
    """What a decision asks of a store: where an original is, and what is there."""

    def uri(self, digest: str) -> str:
        """Where an object with this digest is, or would be."""

    def read(self, digest: str) -> bytes | None:
        """The bytes of an object as they are, None where there is none or where it can't be read."""


class Store(Originals, Protocol):
    """What a provenance store has to do.

    Objects are named by their digest and never change. Documents are named by people and programs: `[a-z0-9._-]+` with at most one
    folder. A document is either replaced (`write_document`) or appended to (`append_document`), never both. Every method raises
    StoreError for a name that is none, and where the store can't be reached or used.
    """

    def put(self, data: bytes) -> Pointer:
        """Keep bytes under their digest, durably, and read them back. Raises StoreError where that fails.

        An object that is there and reads back equal is not written again, but counts as put now: garbage collection keeps it for
        its grace period. So whoever is about to name an object puts it first, even where it is there already.
        """

    def stat(self, digest: str) -> StoredObject | None:
        """Length and time of an object, None where there is none."""

    def digests(self) -> Iterator[str]:
        """All objects, sorted."""

    def delete(self, digest: str, *, before: datetime | None = None) -> bool:
        """Remove an object; with `before`, only if it was last put before that time. Whether it was removed."""

    def sweep(self, before: datetime, *, dry_run: bool) -> tuple[int, int]:
        """Remove temporary files that crashed writers left before that time. Their number, and their sizes in bytes."""

    def documents(self, prefix: str = "") -> list[str]:
        """The names of all documents that begin with `prefix`, sorted."""

    def read_document(self, name: str) -> bytes | None:
        """The bytes of a document, None where there is none. Raises StoreError where it is there and can't be read."""

    def write_document(self, name: str, data: bytes) -> None:
        """Replace a document, or make it: readers see the old bytes or the new ones."""

    def append_document(self, name: str, line: bytes) -> None:
        """Add a line (without its line feed) at the end, durably, and whole or not at all."""

    def create_document(self, name: str, data: bytes) -> bool:
        """Make a document that does not exist. False where it does: of many who try at once, one gets True."""

    def delete_document(self, name: str) -> None:
        """Remove a document; one that does not exist is no error."""


class StoreKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of store: `open` takes an address `name:…` or `name://…` and returns the store. Raises StoreError."""

    name: str
    open: Callable[[str], Store]


def default_store() -> Path:
    """The store in the user's data directory."""
    return Path(platformdirs.user_data_dir("barrier-policy")) / "store"


def original_bytes(messages: Sequence[Message]) -> bytes:
    """What is archived of a span: its messages with all parts, as JSON with sorted keys."""
    return stable_json(messages)


def available(store: Originals, digest: str, length: int) -> bool:
    """Whether an object reads back now with equal digest and length. Never probed means unavailable."""
    data = store.read(digest)
    return data is not None and len(data) == length and digest_bytes(data) == digest


def read_verified(store: Store, digest: str) -> bytes:
    """The bytes of an object that reads back under its digest. Raises StoreError where it is missing, DamagedObjectError where it is not."""
    if store.stat(digest) is None:
        raise StoreError(f"no object {digest} in this store (look in the store that it was archived in)")
    data = store.read(digest)
    if data is None or digest_bytes(data) != digest:
        raise DamagedObjectError(
            f"object {digest} is damaged: it does not read back under its digest (restore it from a copy)"
        )
    return data
