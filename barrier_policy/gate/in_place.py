"""A file that others write to gets new content, and what they write at that moment is not lost (design section 5, transaction).

Whoever opened the file before it was replaced still writes to the old one. So that stays under a second name: its end is looked at again
once nobody has it open any more. Everything here raises OSError.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from barrier_policy.errors import JournalError

if sys.platform != "win32":
    import fcntl

PATIENCE = 2.0
"""Seconds to wait for whoever has the file open or locked. Who keeps it open longer than that writes to a file without a name."""
PAUSE = 0.01


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the advisory lock of a file, so that two of us, or a runtime that locks, take turns. Raises JournalError where it stays locked."""
    fd = os.open(path, os.O_RDONLY)
    try:
        if sys.platform != "win32" and not _within(PATIENCE, lambda: _lock(fd)):
            raise JournalError(f"{path}: locked by another program (try again when that has finished)")
        yield
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def keep_old(path: Path, name: Path) -> bool:
    """Give a file a second name, under which it outlives its replacement. False where the file system can't."""
    try:
        os.link(path, name)
    except OSError:
        return False
    return True


def wait_for_writers(path: Path) -> None:
    """Return once nobody has the file open, or after PATIENCE. Where the system can't tell, at once."""
    if not hasattr(os, "O_CLOEXEC") or not sys.platform.startswith("linux"):
        return
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _within(PATIENCE, lambda: _is_alone(fd))
        finally:
            os.close(fd)


def _is_alone(fd: int) -> bool:
    """Whether no other descriptor of the file is open: only then does Linux grant a lease for writing."""
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file of another user, or a file system without leases
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return True


def _within(seconds: float, done: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(PAUSE)
    return True
