"""Where the new context goes: written aside, and put in the place of the old one only where nobody has changed that meanwhile."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Protocol

from barrier_policy.errors import BarrierPolicyError, JournalError, reason_of
from barrier_policy.gate.in_place import held, keep_old, wait_for_writers
from barrier_policy.provenance.files import flush
from barrier_policy.transcript.source import Source


class Target(Protocol):
    """What a transaction needs of the place that it writes to."""

    def head(self) -> Source:
        """The transcript as it is now."""

    def stage(self, data: bytes) -> dict[str, str]:
        """Write the new context aside, durably; a second call replaces the first. Returns where, for the journal."""

    def commit(self, sealed: Source) -> Source | None:
        """Put what was staged in place, at once or not at all, where the transcript still is what was sealed. Else returns what it is now:

        then the old context stands where it stood, or the staged one does and `head` is that of both.
        """

    def discard(self) -> None:
        """Forget what was staged, and what was put in place and not committed."""

    def give_back(self) -> Source:
        """Have the transcript in place as it is now, because nothing leaves it. Returns it."""


class MemoryTarget:
    """A caller's own list of messages; `read` returns it as it is now, None where it can't change."""

    def __init__(self, source: Source, read: Callable[[], Source] | None = None) -> None:
        self._source = source
        self._read = read

    def head(self) -> Source:
        """The caller's messages now."""
        return self._read() if self._read else self._source

    def stage(self, data: bytes) -> dict[str, str]:
        """Nothing to write: the caller takes the result."""
        return {}

    def commit(self, sealed: Source) -> Source | None:
        """The caller takes the result."""
        head = self.head()
        return None if head.data == sealed.data else head

    def discard(self) -> None:
        """Nothing was written."""

    def give_back(self) -> Source:
        """The caller's messages now."""
        return self.head()


class FileTarget:
    """A file that is read, and the file that is written: another one, or the same.

    `old` are files that were replaced and may still be written to, the original first, each with what it held when it was put in place.
    """

    def __init__(self, path: Path, output: Path) -> None:
        self.path = path
        self.output = output.resolve()  # a link stays a link: what it leads to is replaced
        self.staged: Path | None = None
        self._data = b""
        self._old: list[tuple[Path, bytes]] = []
        self._placed = b""

    @property
    def _is_same(self) -> bool:
        return self.output.exists() and self.output.samefile(self.path)

    def head(self) -> Source:
        """The file now; once it was replaced, the old one with what was written to either since. Raises BarrierPolicyError."""
        if not self._old:
            return Source.open(self.path)
        try:
            return Source(self._written(), path=str(self.path))
        except OSError as error:
            raise BarrierPolicyError(f"{self.path}: can't be read ({reason_of(error)})") from None

    def _written(self) -> bytes:
        files = [*self._old[1:], (self.output, self._placed)]
        found = self._old[0][0].read_bytes()
        for path, base in files:
            data = path.read_bytes()
            if not data.startswith(base):
                raise JournalError(f"{self.path}: written anew while it was replaced (what it was is in {self._old[0][0]})")
            found += data[len(base) :]
        return found

    def stage(self, data: bytes) -> dict[str, str]:
        """Write beside the output, so that it can be moved in place at once. Raises BarrierPolicyError."""
        self._forget_staged()
        if self.output.exists() and not self.output.is_file():
            raise BarrierPolicyError(f"{self.output}: not a plain file (name a file to write)")
        try:
            with tempfile.NamedTemporaryFile(
                dir=self.output.parent, prefix=f".{self.output.name}.", suffix=".staged", delete=False
            ) as file:
                self.staged = Path(file.name)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            self.staged.chmod(self._mode())
        except OSError as error:
            self._forget_staged()
            raise self._failed(error) from None
        self._data = data
        staged = self.staged.resolve()
        return {"staged": str(staged), "output": str(self.output), "old": str(_old_name(staged))}

    def _mode(self) -> int:
        """What the output may be used for: as before, a new one as the file that is read, and its owner may write to it."""
        if self.output.exists():
            return self.output.stat().st_mode & 0o777
        return self.path.stat().st_mode & 0o777 | stat.S_IWUSR

    def commit(self, sealed: Source) -> Source | None:
        """Move it in place, durably, and look at the old file once more. Raises BarrierPolicyError."""
        assert self.staged is not None
        try:
            with held(self.output) if self._is_same else nullcontext():
                return self._commit(self.staged, sealed)
        except OSError as error:
            self.discard()
            raise self._failed(error) from None

    def _commit(self, staged: Path, sealed: Source) -> Source | None:
        head = self.head()
        if head.data != sealed.data:
            return head
        old = _old_name(staged)
        kept = self._is_same and keep_old(self.output, old)
        try:
            os.replace(staged, self.output)
        except OSError:
            old.unlink(missing_ok=True)
            raise
        flush(self.output.parent)
        self.staged = None
        if not kept:
            return None
        self._old.append((old, self._placed))
        self._placed = self._data
        wait_for_writers(old)
        head = self.head()
        if head.data != sealed.data:
            return head
        self._forget_old()
        return None

    def _failed(self, error: OSError) -> BarrierPolicyError:
        return BarrierPolicyError(f"{self.output}: can't be written ({reason_of(error)}; the transcript is as it was)")

    def discard(self) -> None:
        """Remove what was written aside, and put the old file back in its place unless somebody has written to the new one."""
        self._forget_staged()
        with suppress(OSError):
            if self._old and self.output.read_bytes() == self._placed:
                os.replace(self._old.pop(0)[0], self.output)
                self._forget_old()

    def _forget_staged(self) -> None:
        if self.staged is not None:
            self.staged.unlink(missing_ok=True)
            self.staged = None

    def _forget_old(self) -> None:
        for path, _ in self._old:
            path.unlink(missing_ok=True)
        self._old = []

    def give_back(self) -> Source:
        """Copy the file to the output; a file that is its own output is left alone, as it may be growing. Raises BarrierPolicyError."""
        head = self.head()
        while not self._is_same:
            self.stage(head.data)
            later = self.commit(head)
            if later is None:
                break
            head = later
        return head


def _old_name(staged: Path) -> Path:
    """The second name of a file that what was staged takes the place of."""
    return staged.with_suffix(".old")
