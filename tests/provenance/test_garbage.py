"""Garbage collection: what nothing names, nobody holds and nobody may be about to name."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.fsspec_store import FsspecStore
from barrier_policy.provenance.garbage import Garbage, Tally, collect_garbage, named_digests
from barrier_policy.provenance.holds import add_hold, release_hold
from barrier_policy.provenance.manifest import MANIFEST, reachable
from barrier_policy.provenance.names import object_name
from barrier_policy.provenance.store import Store
from barrier_policy.provenance.verify import Verification, verify_store

NOW = "2026-03-01T08:00:00Z"
NEXT_YEAR = datetime.now(UTC) + timedelta(days=365)


def collect(store: Store, *live: str, dry_run: bool = False, now: datetime = NEXT_YEAR) -> Garbage:
    return collect_garbage(store, live, now=now, dry_run=dry_run)


def manifest(*digests: str, schema: str = MANIFEST) -> bytes:
    return json.dumps({"schema": schema, "originals": [{"digest": digest} for digest in digests]}).encode()


def test_what_a_document_names_stays_and_the_rest_goes(store: Store) -> None:
    one, two, three = (store.put(data).digest for data in (b"one", b"two two", b"three"))
    store.append_document("journal/a.jsonl", b'{"archived":{"digest":"' + one.encode() + b'"}}')
    store.write_document("head", b"store:" + three.encode() + b" and some more text")
    assert named_digests(store) == {one, three}
    found = collect(store)
    assert found == Garbage(
        dry_run=False,
        named=Tally(number=2, bytes=8),
        held=Tally(),
        young=Tally(),
        removed=Tally(number=1, bytes=7),
        temporary=Tally(),
        digests=(two,),
    )
    assert list(store.digests()) == sorted([one, three])


def test_a_dry_run_says_the_same_and_removes_nothing(store: Store) -> None:
    digests = [store.put(data).digest for data in (b"one", b"two")]
    dry = collect(store, dry_run=True)
    assert list(store.digests()) == sorted(digests)
    wet = collect(store)
    assert dry.digests == wet.digests == tuple(sorted(digests))
    assert (dry.removed, dry.dry_run, wet.dry_run) == (wet.removed, True, False)
    assert list(store.digests()) == []


def test_what_the_caller_calls_live_stays(store: Store) -> None:
    one, two = store.put(b"one").digest, store.put(b"two").digest
    assert collect(store, one).digests == (two,)


@pytest.mark.parametrize(
    ("age", "stays"), [(timedelta(hours=23), True), (timedelta(hours=25), False), (-timedelta(hours=5), True)]
)
def test_a_young_object_stays(store: Store, age: timedelta, stays: bool) -> None:
    digest = store.put(b"one").digest
    found = collect(store, now=datetime.now(UTC) + age)
    assert (found.young.number, found.removed.number) == ((1, 0) if stays else (0, 1))
    assert (store.read(digest) is not None) is stays


def test_an_object_of_unknown_age_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put(b"one")
    seen = type(store).stat

    def ageless(self: Store, digest: str) -> object:
        import msgspec

        found = seen(self, digest)  # type: ignore[arg-type]
        return found and msgspec.structs.replace(found, modified=None)

    monkeypatch.setattr(type(store), "stat", ageless)
    assert collect(store).young.number == 1


def test_putting_an_object_again_makes_it_young(files: FileStore) -> None:
    digest = files.put(b"one").digest
    path = files.root / "objects" / object_name(digest)
    os.utime(path, (1, 1))
    assert collect(files, dry_run=True, now=datetime.now(UTC)).removed.number == 1
    files.put(b"one")
    assert collect(files, now=datetime.now(UTC)).young.number == 1


def test_a_held_object_stays_until_every_hold_is_released(store: Store) -> None:
    digest = store.put(b"one").digest
    for owner in ("legal", "audit"):
        add_hold(store, digest, owner=owner, reason="case 17", now=NOW)
    assert collect(store).held == Tally(number=1, bytes=3)
    release_hold(store, digest, owner="legal", reason="closed", now=NOW)
    assert collect(store).held.number == 1
    release_hold(store, digest, owner="audit", reason="closed", now=NOW)
    assert collect(store).digests == (digest,), "the record of released holds does not name it"


def test_what_a_live_manifest_names_stays_and_so_on(store: Store) -> None:
    leaf = store.put(b"leaf").digest
    inner = store.put(manifest(leaf, digest_bytes(b"never archived"))).digest
    outer = store.put(manifest(inner)).digest
    dead = store.put(manifest(leaf, schema="something else")).digest
    store.write_document("journal/a", outer.encode())
    assert collect(store).digests == (dead,)
    assert set(store.digests()) == {leaf, inner, outer}


def test_a_held_manifest_holds_what_it_names(store: Store) -> None:
    leaf = store.put(b"leaf").digest
    held = store.put(manifest(leaf)).digest
    add_hold(store, held, owner="legal", reason="case 17", now=NOW)
    assert collect(store).held.number == 2


def test_a_new_hold_makes_what_it_holds_young(files: FileStore) -> None:
    """A collection that read the holds just before removes nothing of it."""
    leaf = files.put(b"leaf").digest
    held = files.put(manifest(leaf)).digest
    for digest in (leaf, held):
        os.utime(files.root / "objects" / object_name(digest), (1, 1))
    add_hold(files, held, owner="legal", reason="case 17", now=NOW)
    cutoff = datetime.now(UTC) - timedelta(hours=1)
    assert not files.delete(leaf, before=cutoff) and not files.delete(held, before=cutoff)


def test_an_original_that_mentions_a_digest_names_nothing(store: Store) -> None:
    leaf = store.put(b"leaf").digest
    quoted = json.dumps([{"text": manifest(leaf).decode()}]).encode()
    live = store.put(quoted).digest
    assert reachable(store, {live}) == {live}


def test_a_long_chain_of_manifests_is_followed_to_its_end() -> None:
    store = FsspecStore("memory://chain")
    chain = store.put(b"leaf").digest
    for _ in range(1500):
        chain = store.put(manifest(chain)).digest
    assert len(reachable(store, {chain})) == 1501


def test_nothing_goes_where_a_live_object_is_damaged(files: FileStore) -> None:
    live, dead = files.put(manifest()).digest, files.put(b"dead").digest
    files.write_document("journal/a", live.encode())
    path = files.root / "objects" / object_name(live)
    path.write_bytes(b"{}")
    with pytest.raises(StoreError, match=f"object {live} is named and damaged"):
        collect(files)
    assert files.read(dead) == b"dead"
    path.unlink()
    assert collect(files).digests == (dead,)


def test_nothing_goes_where_a_document_can_not_be_read(files: FileStore) -> None:
    dead = files.put(b"dead").digest
    (files.root / "documents").mkdir()
    (files.root / "documents" / "journal").symlink_to("/proc/self/mem")
    with pytest.raises(StoreError, match="document `journal` can't be read"):
        collect(files)
    assert files.read(dead) == b"dead"


def test_what_a_crashed_writer_left_goes(files: FileStore) -> None:
    files.put(b"one")
    left = files.root / "objects" / ".new-abc"
    left.write_bytes(b"half of it")
    assert collect(files, dry_run=True).temporary == Tally(number=1, bytes=10)
    assert collect(files, dry_run=True, now=datetime.now(UTC)).temporary == Tally(), "its writer may be alive"
    assert collect(files).temporary == Tally(number=1, bytes=10)
    assert not left.exists()


def test_verifying_names_what_is_damaged_and_what_is_held_and_missing(files: FileStore) -> None:
    one, two, three = (files.put(data).digest for data in (b"one", b"two", b"three"))
    assert verify_store(files) == Verification(objects=3, bytes=11, damaged=(), missing=())
    add_hold(files, three, owner="legal", reason="case 17", now=NOW)
    (files.root / "objects" / object_name(two)).write_bytes(b"tw0")
    (files.root / "objects" / object_name(three)).unlink()
    found = verify_store(files)
    assert found == Verification(objects=2, bytes=6, damaged=(two,), missing=(three,))
    assert not found.good and files.read(one) == b"one"
