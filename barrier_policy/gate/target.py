"""Where the new context goes: written aside, and put in the place of the old one only where nobody has changed that meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from barrier_policy.errors import BarrierPolicyError
from barrier_policy.transcript.source import Source


class Target(Protocol):
    """What a transaction needs of the place that it writes to."""

    def head(self) -> Source:
        """The transcript as it is now."""

    def stage(self, data: bytes) -> dict[str, str]:
        """Write the new context aside, durably; a second call replaces the first. Returns where, for the journal."""

    def commit(self) -> None:
        """Put what was staged in place, at once or not at all."""

    def discard(self) -> None:
        """Forget what was staged."""

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

    def commit(self) -> None:
        """The caller takes the result."""

    def discard(self) -> None:
        """Nothing was written."""

    def give_back(self) -> Source:
        """The caller's messages now."""
        return self.head()


class FileTarget:
    """A file that is read, and the file that is written: another one, or the same."""

    def __init__(self, path: Path, output: Path) -> None:
        self.path = path
        self.output = output.resolve()  # a link stays a link: what it leads to is replaced
        self.staged: Path | None = None

    def head(self) -> Source:
        """The file now. Raises BarrierPolicyError where it can't be read."""
        try:
            return Source(self.path.read_bytes(), path=str(self.path))
        except OSError as error:
            raise BarrierPolicyError(f"{self.path}: can't be read ({(error.strerror or str(error)).lower()})") from None

    def stage(self, data: bytes) -> dict[str, str]:
        """Write beside the output, so that it can be moved in place at once. Raises BarrierPolicyError."""
        self.discard()
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
            self.staged.chmod(
                self.output.stat().st_mode & 0o777 if self.output.exists() else self.path.stat().st_mode & 0o777
            )
        except OSError as error:
            self.discard()
            reason = (error.strerror or str(error)).lower()
            raise BarrierPolicyError(f"{self.output}: can't be written ({reason}; the transcript is as it was)") from None
        return {"staged": str(self.staged.resolve()), "output": str(self.output)}

    def commit(self) -> None:
        """Move it in place, durably. Raises BarrierPolicyError."""
        assert self.staged is not None
        try:
            os.replace(self.staged, self.output)
            _sync_folder(self.output.parent)
        except OSError as error:
            self.discard()
            reason = (error.strerror or str(error)).lower()
            raise BarrierPolicyError(f"{self.output}: can't be written ({reason}; the transcript is as it was)") from None
        self.staged = None

    def discard(self) -> None:
        """Remove what was written aside."""
        if self.staged is not None:
            self.staged.unlink(missing_ok=True)
            self.staged = None

    def give_back(self) -> Source:
        """Copy the file to the output; a file that is its own output is left alone, as it may be growing. Raises BarrierPolicyError."""
        head = self.head()
        if not (self.output.exists() and self.output.samefile(self.path)):
            self.stage(head.data)
            self.commit()
        return head


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
