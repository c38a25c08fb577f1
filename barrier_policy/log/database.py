"""A log in a SQLite database: the same lines, the same chain, one row each.

Write-ahead log, and every append is a transaction that takes the write lock first (`BEGIN IMMEDIATE`), so that several processes can
write and read at once.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from barrier_policy.errors import LogError, reason_of
from barrier_policy.log.chain import Line
from barrier_policy.log.record import Head, head_of
from barrier_policy.log_spec import Fsync
from barrier_policy.provenance.files import FILE_MODE

MAGIC = b"SQLite format 3\x00"
WAIT = 60.0
"""Seconds to wait for another writer."""

TABLE = "CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, line BLOB NOT NULL)"
LAST = "SELECT line FROM records ORDER BY number DESC LIMIT 1"
ALL = "SELECT number, line FROM records ORDER BY number"
SYNCHRONOUS = {Fsync.ALWAYS: "FULL", Fsync.BATCH: "NORMAL", Fsync.NEVER: "OFF"}


class DatabaseLog:
    """A `Storage` in SQLite. Every error of SQLite becomes a LogError that names the file."""

    def __init__(self, path: Path, *, fsync: Fsync = Fsync.ALWAYS) -> None:
        self.path = path
        self._fsync = fsync

    def append(self, make: Callable[[Head], bytes]) -> None:
        """Add the line that `make` gives for the present head. It is there whole, or not at all."""
        with self._connection(write=True) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(TABLE)
                connection.execute("INSERT INTO records (line) VALUES (?)", (make(self._head(connection)),))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def lines(self) -> Iterator[Line]:
        """All lines that were there when the first was asked for, oldest first."""
        with self._connection(write=False) as connection:
            for number, line in connection.execute(ALL):
                data = line if isinstance(line, bytes) else str(line).encode("utf-8", "backslashreplace")
                yield Line(file=str(self.path), number=number, data=data, numbered=True)

    def start(self) -> Head:
        """What the first line follows: nothing, because no line is ever removed."""
        return Head()

    def close(self) -> None:
        """Nothing to do: every append is a transaction of its own."""

    def _head(self, connection: sqlite3.Connection) -> Head:
        row = connection.execute(LAST).fetchone()
        if row is None:
            return Head()
        try:
            return head_of(bytes(row[0]))
        except (LogError, TypeError, ValueError) as error:
            raise LogError(
                f"{self.path}: nothing was added: last record: {error} (see `barrier-policy log verify`)"
            ) from None

    @contextmanager
    def _connection(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """A connection for one use: none is shared by threads or inherited by a forked process."""
        if not write and not self.path.is_file():
            raise LogError(f"{self.path}: there is no such log")
        address = f"file:{quote(str(self.path.absolute()))}?mode={'rw' if write else 'ro'}"
        try:
            if write and not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, FILE_MODE))  # SQLite would let everybody read it
            with closing(sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)) as connection:
                if write:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS[self._fsync]}")
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise LogError(f"{self.path}: {str(error).lower()} (is it a decision log?)") from None


def is_database(path: Path) -> bool:
    """Whether a file is there and is a database of SQLite. Raises LogError where it can't be read."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise LogError(f"{path}: {reason_of(error)}") from None
