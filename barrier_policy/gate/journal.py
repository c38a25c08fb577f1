"""The journal of a transaction: states in order, each durable before the next step begins (design section 5, transaction).

    planned → archived → rebound → sealed → applied → audited → committed | rolled_back

The new context is written aside (applied), audited there, and only then put in the place of the old one (committed): nobody ever
reads a context that was not audited, and a crash leaves the old one or the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec

from barrier_policy.digest import stable_json
from barrier_policy.errors import StoreError
from barrier_policy.provenance.store import Store

FOLDER = "transactions"


class State(StrEnum):
    """How far a compaction has come."""

    PLANNED = "planned"
    ARCHIVED = "archived"
    REBOUND = "rebound"
    SEALED = "sealed"
    APPLIED = "applied"
    AUDITED = "audited"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled_back"


FINAL = frozenset({State.COMMITTED, State.ROLLED_BACK})
ORDER = tuple(State)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a journal. `detail` says what the state rests on: digests, places, the reason of a roll-back."""

    state: State
    at: str
    detail: dict[str, Any] = {}


Watch = Callable[[State], None]
"""Called after each state has been made durable."""


class Journal:
    """The journal of one transaction. Without a store it is kept in memory only, and so is the guarantee."""

    def __init__(
        self, store: Store | None, name: str, *, now: str, watch: Watch | None = None, entries: tuple[Entry, ...] = ()
    ) -> None:
        self.name = name
        self.entries = entries
        self._store = store
        self._now = now
        self._watch = watch

    def record(self, state: State, **detail: Any) -> None:
        """Add a state. Raises StoreError where it can't be made durable, ValueError where it is not the next one."""
        _check_order(self.entries, state)
        entry = Entry(state=state, at=self._now, detail=detail)
        if self._store is not None:
            self._store.append_document(f"{FOLDER}/{self.name}.jsonl", stable_json(entry))
        self.entries = (*self.entries, entry)
        if self._watch is not None:
            self._watch(state)

    @property
    def state(self) -> State | None:
        """The present state, None before the first."""
        return self.entries[-1].state if self.entries else None


def _check_order(entries: tuple[Entry, ...], state: State) -> None:
    """INVARIANT: no state is skipped, nothing follows a final one, any other can be rolled back, and only a moved head is sealed again."""
    last = entries[-1].state if entries else None
    if last in FINAL:
        raise ValueError(f"{state} after {last}")
    expected = ORDER[0] if last is None else ORDER[ORDER.index(last) + 1]
    sealed_again = state is State.SEALED and last is State.AUDITED  # the head has moved
    if state is not expected and state is not State.ROLLED_BACK and not sealed_again:
        raise ValueError(f"{state} where {expected} is next")


def read_journal(store: Store, name: str) -> tuple[Entry, ...]:
    """The entries of a journal; a last line that breaks off was never durable and does not count. Raises StoreError."""
    data = store.read_document(f"{FOLDER}/{name}.jsonl") or b""
    *lines, _ = data.split(b"\n")
    try:
        return tuple(msgspec.json.decode(line, type=Entry) for line in lines if line.strip())
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise StoreError(f"{FOLDER}/{name}.jsonl: a line can't be read ({error}; restore the file from a backup)") from None


def transactions(store: Store) -> tuple[str, ...]:
    """The names of all transactions in a store, oldest first."""
    names = store.documents(f"{FOLDER}/")
    return tuple(sorted(name.removeprefix(f"{FOLDER}/").removesuffix(".jsonl") for name in names if name.endswith(".jsonl")))
