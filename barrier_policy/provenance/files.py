"""Files that survive a crash: written aside, flushed, read back, moved into place, and the folder flushed as well.

Everything here raises OSError. Folders are made for their owner alone (0700), files too (0600).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

TEMPORARY = ".new-"
"""How the name of a file begins that is not yet what it is going to be."""

FOLDER_MODE, FILE_MODE = 0o700, 0o600
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def read_file(path: str | Path) -> bytes:
    """The bytes of a plain file (see `open_plain`). Raises OSError."""
    with open(open_plain(path, os.O_RDONLY), "rb") as file:
        return file.read()


def open_plain(path: str | Path, flags: int) -> int:
    """A descriptor of a plain file: no link is followed, and no pipe or device waited for. One that is made is its owner's. Raises OSError."""
    fd = os.open(path, flags | NO_LINK | _NO_WAIT, FILE_MODE)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a plain file")
    return fd


def make_folder(folder: Path) -> None:
    """Make a folder and what is missing above it, durably. One that exists keeps its mode. Raises OSError."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():  # else another process was first
            raise NotADirectoryError(errno.ENOTDIR, "a file stands where a folder is needed") from None
    flush(folder.parent)


def flush(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    if sys.platform == "win32":
        return  # flushes only what is open for writing
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace_file(path: Path, data: bytes) -> None:
    """Make `path` hold exactly these bytes: whoever reads it meanwhile sees the old ones or the new ones."""
    with _aside(path.parent, data) as new:
        os.replace(new, path)
    flush(path.parent)


def create_file(path: Path, data: bytes) -> bool:
    """Make a file that does not exist, all its bytes at once. False where it does exist."""
    with _aside(path.parent, data) as new:
        try:
            os.link(new, path)
        except FileExistsError:
            return False
    flush(path.parent)
    return True


@contextmanager
def _aside(folder: Path, data: bytes) -> Iterator[Path]:
    """A temporary file with these bytes, flushed and read back; it is gone afterwards, whatever happens."""
    fd, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
    new = Path(name)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        if read_file(new) != data:
            raise OSError(errno.EIO, "what was written does not read back")
        yield new
    finally:
        new.unlink(missing_ok=True)


def append_line(path: Path, line: bytes) -> None:
    """Add a line at the end, durably. A line that a crash cut short is closed first; one that fails is taken back."""
    created = not path.exists()
    fd = open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        lock(fd, exclusive=True)
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        try:
            write_all(fd, b"\n" * torn + line + b"\n")
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, size)
            raise
    finally:
        os.close(fd)
    if created:
        flush(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """Write bytes, however often the system takes only some of them. Raises OSError."""
    while data:
        data = data[os.write(fd, data) :]


@contextmanager
def locked(path: Path, *, exclusive: bool) -> Iterator[None]:
    """Hold the lock that this file stands for, alone or together with others who don't need it alone; waits for it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, FILE_MODE)
    try:
        lock(fd, exclusive=exclusive)
        yield
    finally:
        os.close(fd)


def lock(fd: int, *, exclusive: bool) -> None:
    """Lock an open file until the descriptor is closed, also by the end of the process. Windows has no such lock."""
    if sys.platform != "win32":
        fcntl.flock(fd, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
