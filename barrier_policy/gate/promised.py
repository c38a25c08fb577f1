"""What a store has promised to keep: the originals and records of its compactions, and what its logged decisions were derived from.

Not every digest that a document names is an object: a journal also names the new context, and a decision its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from barrier_policy.digest import digest_bytes
from barrier_policy.gate.journal import read_journal, transactions
from barrier_policy.log.inputs import DECISIONS
from barrier_policy.provenance.store import Store


def promised(store: Store) -> frozenset[str]:
    """The digests of all objects that have to be there. Raises StoreError where a journal can't be read."""
    roots = {digest for name in transactions(store) for entry in read_journal(store, name) for digest in _kept(entry.detail)}
    for line in (store.read_document(DECISIONS) or b"").splitlines():
        roots.add(str(_object(line).get("inputs", "")))
    named = {digest for root in roots for digest in _named(store, root)}
    return frozenset(digest for digest in roots | named if digest)


def _kept(detail: dict[str, Any]) -> Iterator[str]:
    yield from (str(detail.get(name, "")) for name in ("manifest", "records"))


def _named(store: Store, root: str) -> Iterator[str]:
    """What a manifest, or the inputs of a decision, name; one that is lost or damaged names nothing that is known."""
    data = store.read(root) if root else None
    if data is None or digest_bytes(data) != root:
        return
    found = _object(data)
    if "manifest" in found or "spans" in found:
        yield from (str(found.get(name, "")) for name in ("source", "transcript", "policies"))
        for name in ("spans", "runs"):
            yield from map(str, dict(found.get(name, {})).values())


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
