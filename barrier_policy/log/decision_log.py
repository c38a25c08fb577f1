"""The decision log: records in, records out, by one interface whatever it is kept in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from barrier_policy.errors import LogError
from barrier_policy.log.chain import Anchor, Chain, Line, Verification, verify_chain
from barrier_policy.log.database import DatabaseLog, is_database
from barrier_policy.log.files import FileLog
from barrier_policy.log.record import Head, Record, read_record, says_more, seal, to_line
from barrier_policy.log_spec import LogKind, LogSpec

DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
MEGABYTE = 1_000_000
UNKNOWN = "fields that this version does not know"
SHORTEST_NAME = 6
"""Hexadecimal digits of a decision's id that are enough to name it, where no other begins with them."""


class Storage(Protocol):
    """What a log is kept in. Its methods raise LogError."""

    def append(self, make: Callable[[Head], bytes]) -> None:
        """Add the line that `make` gives for the present head, whole or not at all, while nobody else adds one."""

    def lines(self) -> Iterator[Line]:
        """All lines, oldest first."""

    def start(self) -> Head:
        """What the first line follows: the last record that was removed on purpose, or nothing."""

    def close(self) -> None:
        """Make durable what is not yet."""


class DecisionLog:
    """A log of decisions (design section 4, last arrow). Safe with several threads and processes that write at once."""

    def __init__(self, storage: Storage, spec: LogSpec) -> None:
        self.spec = spec
        self._storage = storage

    @classmethod
    def open(cls, spec: LogSpec | Path | str) -> DecisionLog:
        """A log by its settings or its path. What is not there yet is made by the first `append`. Raises LogError."""
        if not isinstance(spec, LogSpec):
            spec = LogSpec(path=Path(spec))
        return cls(_storage(spec), spec)

    def __enter__(self) -> DecisionLog:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def append(self, record: Record) -> Record:
        """Add a record at the end; returns it with its place in the chain. Raises LogError where it can't be written: then it is not there."""
        sealed = record

        def make(head: Head) -> bytes:
            nonlocal sealed
            sealed = seal(record, head)
            return to_line(sealed)

        self._storage.append(make)
        return sealed

    def records(self, tell: Callable[[str], None] | None = None) -> Iterator[Record]:
        """All records, oldest first, each verified on the way, in one pass.

        Raises LogError at the first line that is not as it was written, or has fields that this version does not know. With `tell` this is
        told instead, once, and what can be read of the rest follows: it may be right, and nothing shows it.
        """
        chain, strange, unknown = Chain(self._storage.start()), 0, 0
        for line in self._storage.lines():
            good = not chain.problem
            chain.take(line)
            if good and chain.problem:
                if tell is None:
                    raise LogError(chain.problem)
                tell(chain.problem)
            record = _read(line) if line.whole else None
            if record is None:
                strange += line.whole
                continue
            if says_more(line.data, record):
                if tell is None:
                    raise LogError(f"{line.place}: the record has {UNKNOWN}")
                unknown += 1
            yield record
        for count, problem in ((strange, "line(s) are no records and are left out"), (unknown, f"record(s) have {UNKNOWN}")):
            if tell is not None and count:
                tell(f"{self.spec.path}: {count:,} {problem}")

    def find(self, decision_id: str, tell: Callable[[str], None] | None = None) -> tuple[Record, ...]:
        """The records of a decision, oldest first: the same decision can be made again and again. The whole log is verified, as by `records`.

        The id may be shortened to its first digits. Raises LogError where no decision, or more than one, has it.
        """
        wanted = decision_id.removeprefix("sha256:").lower()
        if not re.fullmatch(rf"[0-9a-f]{{{SHORTEST_NAME},64}}", wanted):
            raise LogError(
                f"`{decision_id}` is no decision id (give sha256:<64 hex digits>, or the first {SHORTEST_NAME} or more)"
            )
        found = [record for record in self.records(tell) if record.decision_id.startswith(f"sha256:{wanted}")]
        ids = sorted({record.decision_id for record in found})
        if not found:
            raise LogError(f"{self.spec.path}: no decision {decision_id} (see `barrier-policy log show`)")
        if len(ids) > 1:
            raise LogError(f"{self.spec.path}: {len(ids)} decisions begin with {decision_id} (give more digits)")
        return tuple(found)

    def verify(self, anchor: Anchor | None = None) -> Verification:
        """Whether the log is whole, up to an anchor that was taken earlier and beyond."""
        return verify_chain(self._storage.lines(), anchor, name=str(self.spec.path), start=self._storage.start())

    def files(self) -> FileLog:
        """The files that the log is kept in. Raises LogError for a database, of which nothing can be removed."""
        if not isinstance(self._storage, FileLog):
            raise LogError(f"{self.spec.path}: the log is a database, one file (files are put aside with kind `jsonl`)")
        return self._storage

    def close(self) -> None:
        """Make durable what is not yet."""
        self._storage.close()


def _storage(spec: LogSpec) -> Storage:
    path = spec.path.expanduser()
    if not path.name:
        raise LogError(f"`{path}` is no name of a log (name a file)")
    database = is_database(path)
    kind = spec.kind
    if kind is LogKind.AUTO:
        kind = LogKind.SQLITE if database or path.suffix.lower() in DATABASE_SUFFIXES else LogKind.JSONL
    if database and kind is not LogKind.SQLITE:
        raise LogError(f"{path}: the file is a database (give `kind: sqlite`, or another path)")
    if kind is LogKind.SQLITE and not database and path.is_file() and path.stat().st_size:
        raise LogError(f"{path}: the file is no database (give `kind: jsonl`, or another path)")
    if kind is LogKind.SQLITE:
        return DatabaseLog(path, fsync=spec.fsync)
    rotate = None if spec.rotate_mb is None else spec.rotate_mb * MEGABYTE
    return FileLog(path, fsync=spec.fsync, rotate_bytes=rotate)


def _read(line: Line) -> Record | None:
    """The record of a line; None where it is none, which the chain has told."""
    try:
        return read_record(line.data)
    except LogError:
        return None
