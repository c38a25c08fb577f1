"""What every shipped store does: objects under their digests, documents under their names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.store import Pointer, Store, available, read_verified

ABSENT = digest_bytes(b"never put")
PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("data", [b"", b"one", b"\x00\xff\n" * 5, b"x" * 3_000_000], ids=len)
def test_what_was_put_reads_back_and_its_pointer_says_where(store: Store, data: bytes) -> None:
    digest = digest_bytes(data)
    assert store.put(data) == Pointer(uri=f"store:{digest}", digest=digest, length=len(data))
    assert store.read(digest) == read_verified(store, digest) == data
    assert available(store, digest, len(data))
    found = store.stat(digest)
    assert found is not None and found.length == len(data) and found.modified is not None
    assert abs(found.modified - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_pointer_of_another_length_is_not_available(store: Store) -> None:
    digest = store.put(b"one").digest
    assert not available(store, digest, 4)


def test_nothing_is_in_an_empty_store(store: Store) -> None:
    assert store.read(ABSENT) is None
    assert store.stat(ABSENT) is None
    assert not available(store, ABSENT, 9)
    assert list(store.digests()) == store.documents() == []
    assert store.read_document("a") is None
    assert not store.delete(ABSENT)
    store.delete_document("a")
    assert store.sweep(FUTURE, dry_run=False) == (0, 0)
    with pytest.raises(StoreError, match=f"no object {ABSENT} in this store"):
        read_verified(store, ABSENT)


def test_objects_are_listed_once_and_sorted(store: Store) -> None:
    digests = {store.put(str(number).encode()).digest for number in range(40)}
    store.put(b"7")
    assert list(store.digests()) == sorted(digests)


def test_an_object_is_removed_and_can_be_put_again(store: Store) -> None:
    digest = store.put(b"one").digest
    assert store.delete(digest)
    assert store.read(digest) is None and list(store.digests()) == []
    assert store.put(b"one").digest == digest


def test_an_object_that_was_put_since_is_not_removed(store: Store) -> None:
    digest = store.put(b"one").digest
    assert not store.delete(digest, before=PAST)
    assert store.read(digest) == b"one"
    assert store.delete(digest, before=FUTURE)


@pytest.mark.parametrize(
    "digest",
    [
        "",
        "sha256:",
        "sha256:abc",
        ABSENT[7:],
        ABSENT.upper(),
        ABSENT + "0",
        ABSENT + "\n",
        "sha256:" + "../" * 21 + "x",
        "x" * 10000,
        "sha256:" + "g" * 64,
        "md5:" + "a" * 64,
        "sha256:" + "a" * 61 + "/..",
        "sha256:" + "\x00" * 64,
        "sha256:" + "٣" * 64,
    ],
)
def test_what_is_no_digest_is_refused(store: Store, digest: str) -> None:
    for use in (store.read, store.stat, store.delete, lambda name: read_verified(store, name)):
        with pytest.raises(StoreError, match="is no digest") as caught:
            use(digest)
        assert len(str(caught.value)) < 200


HOSTILE = [
    "",
    ".",
    "..",
    "../a",
    "a/..",
    "a/../../b",
    "/a",
    "a/",
    "a//b",
    "a/b/c",
    ".hidden",
    "a/.hidden",
    ".new-x",
    "A",
    "a b",
    "ä",
    "a\0b",
]


@pytest.mark.parametrize("name", [*HOSTILE, "a\n", "a\\b", "~", "a" * 101, "-" * 5000, "c:a"])
def test_what_is_no_document_name_is_refused(store: Store, name: str) -> None:
    uses = (
        store.read_document,
        store.delete_document,
        lambda name: store.write_document(name, b""),
        lambda name: store.append_document(name, b""),
        lambda name: store.create_document(name, b""),
    )
    for use in uses:
        with pytest.raises(StoreError, match="is no document name") as caught:
            use(name)
        assert len(str(caught.value)) < 300
    assert store.documents() == []


@pytest.mark.parametrize("name", ["a", "a.json", "journal/t-1_2.jsonl", "0", "_", "a" * 100 + "/" + "b" * 100])
def test_a_document_is_written_replaced_and_removed(store: Store, name: str) -> None:
    store.write_document(name, b"old and long")
    store.write_document(name, b"new\n")
    assert store.read_document(name) == b"new\n"
    assert store.documents() == [name]
    store.delete_document(name)
    assert store.read_document(name) is None and store.documents() == []


@pytest.mark.parametrize("name", ["log", "journal/log.jsonl"])
def test_lines_are_appended_in_order(store: Store, name: str) -> None:
    for line in (b"one", b"", b"\xff three"):
        store.append_document(name, line)
    assert store.read_document(name) == b"one\n\n\xff three\n"
    assert store.documents() == [name]
    store.delete_document(name)
    assert store.read_document(name) is None
    store.append_document(name, b"again")
    assert store.read_document(name) == b"again\n"


def test_a_line_feed_within_a_line_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="a line can't hold a line feed"):
        store.append_document("log", b"one\ntwo")
    assert store.read_document("log") is None


def test_a_document_is_made_once(store: Store) -> None:
    assert store.create_document("locks/head", b"mine")
    assert not store.create_document("locks/head", b"yours")
    assert store.read_document("locks/head") == b"mine"
    store.delete_document("locks/head")
    assert store.create_document("locks/head", b"yours")


def test_documents_are_listed_by_prefix(store: Store) -> None:
    for name in ("journal/b", "journal/a", "journals", "holds.jsonl"):
        store.write_document(name, b"")
    store.append_document("journal/c", b"line")
    assert store.documents("journal/") == ["journal/a", "journal/b", "journal/c"]
    assert store.documents("journal") == ["journal/a", "journal/b", "journal/c", "journals"]
    assert store.documents("x") == []
    assert len(store.documents()) == 5


def test_documents_are_no_objects_and_objects_no_documents(store: Store) -> None:
    digest = store.put(b"one").digest
    store.write_document("one", b"one")
    assert list(store.digests()) == [digest]
    assert store.documents() == ["one"]
