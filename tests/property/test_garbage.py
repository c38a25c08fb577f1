"""Garbage collection against a naive model: whatever is named, held or young stays, directly or through manifests."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.digest import digest_bytes
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.garbage import GRACE, collect_garbage
from barrier_policy.provenance.holds import HOLDS, add_hold, release_hold
from barrier_policy.provenance.manifest import MANIFEST
from barrier_policy.provenance.names import object_name

NOW = datetime(2030, 1, 1, tzinfo=UTC)
OWNERS = ("legal", "audit")


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[bytes], list[tuple[str, int, str]], list[int]]:
    """Objects (some are manifests of earlier ones), what is done to them, and their ages in hours."""
    objects: list[bytes] = []
    for number in range(draw(st.integers(1, 8))):
        named = draw(st.lists(st.sampled_from(objects), max_size=3)) if objects and draw(st.booleans()) else []
        content = {"number": number, "originals": [digest_bytes(data) for data in named]}
        objects.append(json.dumps({"schema": MANIFEST, **content} if named else content).encode())
    index = st.integers(0, len(objects) - 1)
    acts = draw(
        st.lists(st.tuples(st.sampled_from(["name", "hold", "release"]), index, st.sampled_from(OWNERS)), max_size=8)
    )
    ages = draw(st.lists(st.sampled_from([0, 23, 25, 1000]), min_size=len(objects), max_size=len(objects)))
    return objects, acts, ages


def expected(objects: list[bytes], acts: list[tuple[str, int, str]], ages: list[int]) -> set[str]:
    """What must be left: the naive way."""
    named, held = set(), set()
    for act, index, owner in acts:
        if act == "name":
            named.add(objects[index])
        elif act == "hold":
            held.add((objects[index], owner))
        else:
            held.discard((objects[index], owner))
    live = named | {data for data, _ in held}
    for _ in objects:
        live |= {
            data
            for parent in live
            for data in objects
            if MANIFEST.encode() in parent and digest_bytes(data).encode() in parent
        }
    young = {data for data, age in zip(objects, ages, strict=True) if timedelta(hours=age) <= GRACE}
    return {digest_bytes(data) for data in live | young}


@given(stores())
@settings(max_examples=150, deadline=None)
def test_exactly_what_is_named_held_or_young_stays(
    made: tuple[list[bytes], list[tuple[str, int, str]], list[int]],
) -> None:
    objects, acts, ages = made
    with tempfile.TemporaryDirectory() as folder:
        store = FileStore(Path(folder))
        digests = [store.put(data).digest for data in objects]
        held: set[tuple[str, str]] = set()
        for act, index, owner in acts:
            digest = digests[index]
            if act == "name":
                store.append_document("journal/a.jsonl", digest.encode())
            elif act == "hold":
                add_hold(store, digest, owner=owner, reason="r", now="t")
                held.add((digest, owner))
            elif (digest, owner) in held:
                release_hold(store, digest, owner=owner, reason="r", now="t")
                held.discard((digest, owner))
        for digest, age in zip(digests, ages, strict=True):
            then = (NOW - timedelta(hours=age)).timestamp()
            os.utime(store.root / "objects" / object_name(digest), (then, then))
        records = store.read_document(HOLDS)
        dry = collect_garbage(store, now=NOW, dry_run=True)
        assert list(store.digests()) == sorted(digests)
        wet = collect_garbage(store, now=NOW, dry_run=False)
        left = set(store.digests())
        assert left == expected(objects, acts, ages)
        assert set(wet.digests) == set(dry.digests) == set(digests) - left
        assert wet.named.number + wet.held.number + wet.young.number == len(left) and store.read_document(HOLDS) == records
        assert collect_garbage(store, now=NOW, dry_run=False).digests == ()
