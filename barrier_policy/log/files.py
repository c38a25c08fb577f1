"""A log as files of JSON lines: one that grows, and those that were put aside when they were large enough.

`decisions.jsonl` grows; `decisions.jsonl.1`, `.2` … came before it, in that order. The chain goes on from one to the next. Writers take
turns by a lock on `decisions.jsonl.lock`, which threads and processes respect, and find the end of the chain in the file each time, so
none of them has to know of the others.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from barrier_policy.errors import LogError, reason_of
from barrier_policy.log.chain import Line
from barrier_policy.log.record import Head, head_of
from barrier_policy.log.removed import Removal, note_removal, removals
from barrier_policy.log_spec import Fsync
from barrier_policy.provenance.files import FILE_MODE, NO_LINK, flush, lock, open_plain, write_all

BATCH = 64
"""Records of one writer after which `fsync: batch` makes them durable."""

MAX_LINE = 256 * 1024 * 1024
"""Bytes. A decision about 500,000 spans is a shorter line; a longer one is no record."""

_BLOCK = 64 * 1024
_BEGINNING = b'{"bundle":{"digest":"sha256:'
"""How every record begins: its keys are sorted."""


class FileLog:
    """A `Storage` of JSON lines. Every OSError becomes a LogError that names the file."""

    def __init__(self, path: Path, *, fsync: Fsync = Fsync.ALWAYS, rotate_bytes: int | None = None) -> None:
        self.path = path
        self._fsync = fsync
        self._rotate_bytes = rotate_bytes
        self._waiting = 0

    def append(self, make: Callable[[Head], bytes]) -> None:
        """Add the line that `make` gives for the present head. It is there whole, or not at all."""
        with self._errors(), self._locked(exclusive=True):
            fd = open_plain(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            try:
                size = self._mend(fd)
                line = make(self._head(fd, size)) + b"\n"
                if self._rotate_bytes is not None and size and size + len(line) > self._rotate_bytes:
                    fd, size = self._rotate(fd), 0
                self._write(fd, line, size)
            finally:
                os.close(fd)

    def lines(self) -> Iterator[Line]:
        """All lines that were there when the first was asked for, oldest first. Raises LogError where there is no log."""
        with self._errors(), ExitStack() as opened:
            with self._locked(exclusive=False):
                aside = self._aside()
                growing = (
                    opened.enter_context(open(open_plain(self.path, os.O_RDONLY), "rb")) if self.path.exists() else None
                )
                size = os.fstat(growing.fileno()).st_size if growing else 0
            if growing is None and not aside:
                raise LogError(f"{self.path}: there is no such log")
            for path in aside:
                with open(open_plain(path, os.O_RDONLY), "rb") as file:
                    yield from _lines(file, path, os.fstat(file.fileno()).st_size)
            if growing is not None:
                yield from _lines(growing, self.path, size)

    def start(self) -> Head:
        """What the first line follows: the last record that was removed on purpose, or nothing."""
        found = removals(self.path)
        return found[-1].head if found else Head()

    def remove(self, through: Path, head: Head, *, time: str) -> None:
        """Remove the files that were put aside up to one of them, whose last record is `head`. That they are gone is noted first.

        Raises LogError where that file is not there any more.
        """
        number = _number(through)
        with self._errors(), self._locked(exclusive=True):
            if through not in self._aside():
                raise LogError(f"{through}: the file is not there any more, nothing was removed")
            note_removal(self.path, Removal(time=time, through=number, count=head.count, digest=head.digest))
            for path in self._numbered():
                if _number(path) <= number:
                    path.unlink()

    def close(self) -> None:
        """Make what was written durable, unless `fsync` is `never`."""
        if self._fsync is Fsync.BATCH and self._waiting and self.path.exists():
            with self._errors():
                flush(self.path)
        self._waiting = 0

    def _aside(self) -> list[Path]:
        """Files that were put aside, oldest first, without those that a crash left of a removal."""
        through = self._removed_through()
        return [path for path in self._numbered() if _number(path) > through]

    def _numbered(self) -> list[Path]:
        pattern = re.compile(re.escape(self.path.name) + r"\.\d{1,9}")
        return sorted((path for path in self.path.parent.iterdir() if pattern.fullmatch(path.name)), key=_number)

    def _removed_through(self) -> int:
        return max((removal.through for removal in removals(self.path)), default=0)

    def _head(self, fd: int, size: int) -> Head:
        """The head of the file that grows or, where it is empty, of the last one that was put aside."""
        if size:
            return self._head_of(_last_line(fd, size), self.path)
        aside = self._aside()
        if not aside:
            return self.start()
        before = open_plain(aside[-1], os.O_RDONLY)
        try:
            return self._head_of(_last_line(before, os.fstat(before).st_size), aside[-1])
        finally:
            os.close(before)

    def _head_of(self, line: bytes, path: Path) -> Head:
        try:
            return head_of(line.removesuffix(b"\n"))
        except LogError as error:
            raise LogError(f"{path}: nothing was added: last line: {error} (see `barrier-policy log verify`)") from None

    def _mend(self, fd: int) -> int:
        """Put aside what a crash left of a line, and return the size of the file then.

        INVARIANT: nothing is taken from a file that is not a log of ours, and nothing is thrown away.
        """
        size = os.fstat(fd).st_size
        torn = _last_line(fd, size) if size else b"\n"
        if torn.endswith(b"\n"):
            return size
        start = size - len(torn)
        if start:
            self._head_of(_last_line(fd, start), self.path)
        elif not torn.startswith(_BEGINNING) and not _BEGINNING.startswith(torn):
            raise LogError(f"{self.path}: the file is no decision log, nothing was added (name another one)")
        try:
            head_of(torn)
        except LogError:
            _keep_torn(self.path.with_name(self.path.name + ".torn"), torn)
            os.ftruncate(fd, start)
            return start
        write_all(fd, b"\n")  # only the line feed is missing
        return size + 1

    def _rotate(self, fd: int) -> int:
        """Put the file aside and begin another. The descriptor of the old one is closed."""
        aside = self._aside()
        number = (_number(aside[-1]) if aside else self._removed_through()) + 1
        new = self.path.with_name(f"{self.path.name}.{number}")
        if self._fsync is not Fsync.NEVER:
            os.fsync(fd)
        os.rename(self.path, new)
        opened = open_plain(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        os.close(fd)
        return opened

    def _write(self, fd: int, line: bytes, size: int) -> None:
        try:
            write_all(fd, line)
            self._waiting += 1
            if self._fsync is Fsync.ALWAYS or (self._fsync is Fsync.BATCH and self._waiting >= BATCH):
                os.fsync(fd)
                self._waiting = 0
        except OSError:
            os.ftruncate(fd, size)
            raise
        if not size and self._fsync is not Fsync.NEVER:
            flush(self.path.parent)

    @contextmanager
    def _locked(self, *, exclusive: bool) -> Iterator[None]:
        """Hold the log's lock. A reader makes no file: it reads a copy that has no lock as it is. Windows has no such lock."""
        flags = os.O_RDWR | os.O_CREAT if exclusive else os.O_RDONLY
        try:
            fd = os.open(self.path.with_name(self.path.name + ".lock"), flags | NO_LINK, FILE_MODE)
        except OSError:
            if exclusive:
                raise
            fd = -1
        try:
            if fd >= 0:
                lock(fd, exclusive=exclusive)
            yield
        finally:
            if fd >= 0:
                os.close(fd)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LogError(f"{self.path}: {reason_of(error)}") from None


def _number(path: Path) -> int:
    return int(path.name.rpartition(".")[2])


def _lines(file: BinaryIO, path: Path, size: int) -> Iterator[Line]:
    """The lines of a file, up to a size in bytes; a longer line than MAX_LINE counts as broken off."""
    number = 0
    while size > 0 and (data := file.readline(min(size, MAX_LINE))):
        number += 1
        size -= len(data)
        yield Line(file=str(path), number=number, data=data.removesuffix(b"\n"), whole=data.endswith(b"\n"))


def _last_line(fd: int, size: int) -> bytes:
    """The last line before `size`, with its line feed where it has one. Raises OSError where it is too long for a record."""
    block = _BLOCK
    while True:
        start = max(0, size - block)
        data = _read(fd, start, size - start)
        cut = data.rfind(b"\n", 0, len(data) - 1)
        if cut >= 0 or start == 0:
            return data[cut + 1 :]
        if block > MAX_LINE:
            raise OSError(errno.EINVAL, "the last line is too long for a record")
        block *= 4


def _read(fd: int, start: int, length: int) -> bytes:
    data = b""
    while len(data) < length and (found := os.pread(fd, length - len(data), start + len(data))):
        data += found
    return data


def _keep_torn(path: Path, torn: bytes) -> None:
    """Keep what was put aside, for whoever wants to know what was being written."""
    fd = open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        write_all(fd, torn + b"\n")
        os.fsync(fd)
    finally:
        os.close(fd)
