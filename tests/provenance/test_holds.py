"""Legal holds: owner, reason and time, never forgotten."""

from __future__ import annotations

import json

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.holds import HOLDS, Hold, add_hold, holds, release_hold
from barrier_policy.provenance.store import Store

NOW, LATER = "2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z"
ONE = digest_bytes(b"one")


def add(store: Store, owner: str = "legal", reason: str = "case 17", now: str = NOW) -> Hold:
    return add_hold(store, ONE, owner=owner, reason=reason, now=now)


def test_a_hold_names_owner_reason_and_time(store: Store) -> None:
    store.put(b"one")
    assert holds(store) == ()
    assert add(store, " legal ", "case 17\nand more") == Hold(
        digest=ONE, owner="legal", reason="case 17\nand more", time=NOW
    )
    assert [hold.reason for hold in holds(store)] == ["case 17\nand more"]


def test_each_owner_releases_a_hold_of_their_own(store: Store) -> None:
    store.put(b"one")
    add(store, "legal")
    add(store, "audit", now=LATER)
    add(store, "legal", "case 18", now=LATER)
    assert [(hold.owner, hold.reason, hold.time) for hold in holds(store)] == [
        ("audit", "case 17", LATER),
        ("legal", "case 18", LATER),
    ]
    release_hold(store, ONE, owner="legal", reason="closed", now=LATER)
    assert [hold.owner for hold in holds(store)] == ["audit"]
    add(store, "legal", "reopened")
    assert [hold.reason for hold in holds(store)] == ["case 17", "reopened"]


def test_what_was_held_stays_on_record(store: Store) -> None:
    store.put(b"one")
    add(store)
    release_hold(store, ONE, owner="legal", reason="closed", now=LATER)
    lines = [json.loads(line) for line in (store.read_document(HOLDS) or b"").splitlines()]
    assert [(line["action"], line["owner"], line["reason"], line["time"]) for line in lines] == [
        ("add", "legal", "case 17", NOW),
        ("release", "legal", "closed", LATER),
    ]


def test_only_an_object_that_reads_back_can_be_held(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError, match="no object"):
        add(store)
    store.put(b"one")
    with monkeypatch.context() as patch:
        patch.setattr(type(store), "read", lambda self, digest: b"two")
        with pytest.raises(StoreError, match="is damaged"):
            add(store)
    with pytest.raises(StoreError, match="is no digest"):
        add_hold(store, "sha256:../x", owner="a", reason="b", now=NOW)
    assert holds(store) == ()


@pytest.mark.parametrize(("owner", "reason", "what"), [("", "b", "an owner"), ("a", " \n", "a reason")])
def test_a_hold_without_owner_or_reason_is_refused(store: Store, owner: str, reason: str, what: str) -> None:
    store.put(b"one")
    add(store, "a")
    for use in (add_hold, release_hold):
        with pytest.raises(StoreError, match=f"a hold needs {what}"):
            use(store, ONE, owner=owner, reason=reason, now=NOW)


def test_a_hold_that_nobody_has_can_not_be_released(store: Store) -> None:
    store.put(b"one")
    add(store, "legal")
    with pytest.raises(StoreError, match=f"`audit` holds no object {ONE}"):
        release_hold(store, ONE, owner="audit", reason="mine?", now=NOW)


UNREADABLE = [
    f'{{"action":"add","digest":"{ONE}","own',
    f'{{"action":"keep","digest":"{ONE}","owner":"a","reason":"b","time":"c"}}',
    f'{{"action":"add","digest":"{ONE}","owner":"a","reason":"b","time":"c","until":"d"}}',
    f'["{ONE}", "\ufffd"]',
    f"{ONE} " + "[" * 100_000,
]


@pytest.mark.parametrize("line", [*(line.encode() for line in UNREADABLE), ONE.encode() + b"\xff"])
def test_a_line_that_can_not_be_read_holds_what_it_names_until_that_is_released(store: Store, line: bytes) -> None:
    store.put(b"one")
    store.append_document(HOLDS, line)
    assert [(hold.digest, hold.owner, hold.reason) for hold in holds(store)] == [
        (ONE, "?", f"line 1 of {HOLDS} can't be read")
    ]
    release_hold(store, ONE, owner="?", reason="looked at", now=NOW)
    assert holds(store) == ()
