"""Where originals are kept: content-addressed files, read back before they count (design section 5, pointer)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec
import platformdirs

from barrier_policy.digest import digest_bytes, stable_json
from barrier_policy.errors import StoreError
from barrier_policy.transcript.model import Message


class Pointer(msgspec.Struct, frozen=True, kw_only=True):
    """The address of an original: uri, `sha256:<hex>` and length in bytes."""

    uri: str
    digest: str
    length: int


class Store(Protocol):
    """What a provenance store has to do."""

    def uri(self, digest: str) -> str:
        """Where an object with this digest is, or would be."""

    def read(self, digest: str) -> bytes | None:
        """The bytes of an object, None where there is none. Never raises for a missing object."""

    def put(self, data: bytes) -> Pointer:
        """Keep bytes under their digest, durably, and read them back. Raises StoreError where that fails."""


class StoreKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of store: `open` takes an address `name:…` or `name://…` and returns the store. Raises StoreError."""

    name: str
    open: Callable[[str], Store]


class FileStore:
    """Objects as files named by their digest, two levels deep, below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, digest: str) -> Path:
        name = digest.removeprefix("sha256:")
        if len(name) != 64 or not all(character in "0123456789abcdef" for character in name):
            raise StoreError(f"`{digest}` is no digest (sha256:<64 hex digits>)")
        return self.root / "objects" / name[:2] / name[2:]

    def uri(self, digest: str) -> str:
        """`store:<digest>`: independent of the machine, so that decisions are the same everywhere."""
        return f"store:{digest}"

    def read(self, digest: str) -> bytes | None:
        """The bytes of an object, None where it is missing or can't be read."""
        try:
            return self._path(digest).read_bytes()
        except OSError:
            return None

    def put(self, data: bytes) -> Pointer:
        """Keep bytes under their digest: written aside, flushed, moved into place, read back. Raises StoreError."""
        digest = digest_bytes(data)
        path = self._path(digest)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError as error:
            raise StoreError(f"{self.root}: can't be written ({(error.strerror or str(error)).lower()})") from None
        if not available(self, digest, len(data)):
            raise StoreError(f"{self.root}: object {digest} does not read back as it was written")
        return Pointer(uri=self.uri(digest), digest=digest, length=len(data))


def default_store() -> Path:
    """The store in the user's data directory."""
    return Path(platformdirs.user_data_dir("barrier-policy")) / "store"


def original_bytes(messages: Sequence[Message]) -> bytes:
    """What is archived of a span: its messages with all parts, as JSON with sorted keys."""
    return stable_json(messages)


def available(store: Store, digest: str, length: int) -> bool:
    """Whether an object reads back now with equal digest and length. Never probed means unavailable."""
    data = store.read(digest)
    return data is not None and len(data) == length and digest_bytes(data) == digest
