"""What a store owes to everybody after it (docs/store.md), one check a promise. Each check gets a store that is empty."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.store import Store, available, read_verified
from barrier_policy.provenance.verify import verify_store

DATA = (b"", b"one", b"\x00\xff\n" * 5, b"x" * 300_000)
ABSENT = digest_bytes(b"never put")
BAD_NAMES = ("", "..", "../up", "/etc/passwd", "a/b/c", "UPPER", "a b", "a\x00b")


def what_was_put_reads_back(store: Store) -> None:
    """Under its digest, with its length, and the pointer says both."""
    for data in DATA:
        pointer = store.put(data)
        digest = digest_bytes(data)
        assert (pointer.digest, pointer.length, pointer.uri) == (digest, len(data), store.uri(digest))
        assert store.read(digest) == read_verified(store, digest) == data
        assert available(store, digest, len(data)) and not available(store, digest, len(data) + 1)
        found = store.stat(digest)
        assert found is not None and found.length == len(data)
    assert list(store.digests()) == sorted(map(digest_bytes, DATA))
    assert verify_store(store).good


def putting_twice_keeps_one(store: Store) -> None:
    """The same bytes are one object."""
    assert store.put(b"one") == store.put(b"one")
    assert len(list(store.digests())) == 1


def what_is_not_there_is_none(store: Store) -> None:
    """An object or a document that was never put is None, and removing it is no error."""
    assert store.read(ABSENT) is None and store.stat(ABSENT) is None and not available(store, ABSENT, 9)
    assert not store.delete(ABSENT)
    assert store.read_document("none") is None
    store.delete_document("none")
    assert list(store.digests()) == store.documents() == []


def what_was_deleted_is_gone(store: Store) -> None:
    """And only that."""
    gone, kept = store.put(b"gone"), store.put(b"kept")
    assert store.delete(gone.digest)
    assert store.read(gone.digest) is None and store.read(kept.digest) == b"kept"


def documents_are_replaced_made_once_and_appended_to(store: Store) -> None:
    """By name; the names are listed in order."""
    store.write_document("b.json", b"old")
    store.write_document("b.json", b"new")
    assert store.read_document("b.json") == b"new"
    assert store.create_document("folder/a", b"first") and not store.create_document("folder/a", b"second")
    assert store.read_document("folder/a") == b"first"
    store.append_document("lines", b"one")
    store.append_document("lines", b"two")
    assert store.read_document("lines") == b"one\ntwo\n"
    assert store.documents() == ["b.json", "folder/a", "lines"]
    assert store.documents("folder/") == ["folder/a"]
    store.delete_document("lines")
    assert store.documents() == ["b.json", "folder/a"]


def names_that_are_none_are_refused(store: Store) -> None:
    """No name leads out of the store: StoreError, and never another exception."""
    for name in BAD_NAMES:
        for use in (store.read_document, store.delete_document, store.read, store.stat):
            with pytest.raises(StoreError):
                use(name)
        with pytest.raises(StoreError):
            store.write_document(name, b"")


STORE_CHECKS: tuple[Callable[[Store], None], ...] = (
    what_was_put_reads_back,
    putting_twice_keeps_one,
    what_is_not_there_is_none,
    what_was_deleted_is_gone,
    documents_are_replaced_made_once_and_appended_to,
    names_that_are_none_are_refused,
)
