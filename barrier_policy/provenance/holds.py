"""Legal holds: who says that an object must stay, why, and since when. Never forgotten: a release is a line of its own."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from barrier_policy.digest import stable_json
from barrier_policy.errors import StoreError
from barrier_policy.provenance.manifest import reachable
from barrier_policy.provenance.names import find_digests
from barrier_policy.provenance.store import Store, read_verified

HOLDS = "holds.jsonl"
"""The document that they stand in, a line for every time that one was added or released."""

UNREADABLE = "?"
"""Owner of the holds on a line that can't be read."""


class Action(StrEnum):
    """What a line of the document does."""

    ADD = "add"
    RELEASE = "release"


class Hold(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One hold on one object. `time` is ISO 8601 with a zone. An owner has at most one on an object."""

    digest: str
    owner: str
    reason: str
    time: str


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    action: Action
    digest: str
    owner: str
    reason: str
    time: str


def add_hold(store: Store, digest: str, *, owner: str, reason: str, now: str) -> Hold:
    """Hold an object that is in the store and reads back, and with a manifest what it names.

    Raises StoreError, also for an empty owner or reason.
    """
    hold = _hold(digest, owner, reason, now)
    read_verified(store, digest)
    for each in sorted(reachable(store, {digest})):
        if (data := store.read(each)) is not None:
            store.put(data)  # so that a collection that runs now, and does not know of the hold, finds it young
    store.append_document(HOLDS, _line(Action.ADD, hold))
    return hold


def release_hold(store: Store, digest: str, *, owner: str, reason: str, now: str) -> Hold:
    """End an owner's hold on an object. Raises StoreError where there is none, also for an empty owner or reason."""
    release = _hold(digest, owner, reason, now)
    if not any((hold.digest, hold.owner) == (digest, release.owner) for hold in holds(store)):
        raise StoreError(f"`{release.owner}` holds no object {digest} (see `barrier-policy store hold list`)")
    store.append_document(HOLDS, _line(Action.RELEASE, release))
    return release


def holds(store: Store) -> tuple[Hold, ...]:
    """All holds in force, sorted by digest and owner.

    A line that can't be read holds every object that it names, for owner `?`, until that hold is released: unknown protects.
    """
    found: dict[tuple[str, str], Hold] = {}
    for number, line in enumerate((store.read_document(HOLDS) or b"").splitlines(), start=1):
        entry = _read(line)
        if entry is None:
            for digest in find_digests(line):
                reason = f"line {number} of {HOLDS} can't be read"
                found[digest, UNREADABLE] = Hold(digest=digest, owner=UNREADABLE, reason=reason, time="")
        elif entry.action is Action.RELEASE:
            found.pop((entry.digest, entry.owner), None)
        else:
            hold = Hold(digest=entry.digest, owner=entry.owner, reason=entry.reason, time=entry.time)
            found[entry.digest, entry.owner] = hold
    return tuple(sorted(found.values()))


def _hold(digest: str, owner: str, reason: str, now: str) -> Hold:
    for name, text in (("an owner", owner), ("a reason", reason)):
        if not text.strip():
            raise StoreError(f"a hold needs {name}")
    return Hold(digest=digest, owner=owner.strip(), reason=reason.strip(), time=now)


def _line(action: Action, hold: Hold) -> bytes:
    return stable_json({"action": action, **msgspec.structs.asdict(hold)})


def _read(line: bytes) -> _Line | None:
    try:
        return msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
