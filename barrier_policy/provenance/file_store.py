"""The store in a folder, the default: objects as files named by their digest, documents as files named by their name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError, reason_of
from barrier_policy.provenance.files import (
    TEMPORARY,
    append_line,
    create_file,
    flush,
    locked,
    make_folder,
    read_file,
    replace_file,
)
from barrier_policy.provenance.names import document_name, is_document_name, named_object, object_name
from barrier_policy.provenance.store import Pointer, StoredObject, available

ABSENT = (FileNotFoundError, NotADirectoryError)


class FileStore:
    """A store below one folder, safe with many processes and threads, and with a crash at any point (see `Store`).

        objects/ab/cdef…    an object, by the hex digits of its digest
        documents/name      a document; or documents/folder/name
        .lock               held together while an object is put, alone while one is removed

    Raises StoreError for what can't be the name of a folder.
    """

    def __init__(self, root: Path) -> None:
        if "\0" in str(root):
            raise StoreError("a folder's name can't hold a NUL character (give another folder)")
        self.root = root
        self._objects = root / "objects"
        self._documents = root / "documents"

    def uri(self, digest: str) -> str:
        """`store:<digest>`: independent of the machine, so that decisions are the same everywhere."""
        return f"store:{digest}"

    def read(self, digest: str) -> bytes | None:
        """The bytes of an object, None where it is missing or can't be read."""
        path = os.path.join(
            self._objects, object_name(digest)
        )  # a decision asks for each span: `/` of pathlib takes as long as the look
        try:
            return read_file(path)
        except OSError:
            return None

    def put(self, data: bytes) -> Pointer:
        """Keep bytes under their digest: written aside, flushed, read back, moved into place, read back. Raises StoreError."""
        digest = digest_bytes(data)
        path = self._object(digest)
        with self._told("can't be written"):
            make_folder(path.parent)
            # INVARIANT: what is put here counts as put now before anybody can remove it
            with locked(self.root / ".lock", exclusive=False):
                if not _kept_anew(path, data):
                    replace_file(path, data)
        if not available(self, digest, len(data)):
            raise StoreError(f"{self.root}: object {digest} does not read back as it was written")
        return Pointer(uri=self.uri(digest), digest=digest, length=len(data))

    def stat(self, digest: str) -> StoredObject | None:
        """Length and time of an object, None where there is none."""
        path = self._object(digest)
        with self._told("can't be read"):
            try:
                found = path.lstat()
            except ABSENT:
                return None
        return StoredObject(length=found.st_size, modified=datetime.fromtimestamp(found.st_mtime, UTC))

    def digests(self) -> Iterator[str]:
        """All objects, sorted; files with other names are none."""
        for folder in self._names(self._objects):
            for name in self._names(self._objects / folder):
                if digest := named_object(folder, name):
                    yield digest

    def delete(self, digest: str, *, before: datetime | None = None) -> bool:
        """Remove an object; with `before`, only if it was last put before that time. Whether it was removed."""
        path = self._object(digest)
        if self.stat(digest) is None:
            return False
        with self._told("can't be cleaned"), locked(self.root / ".lock", exclusive=True):
            found = self.stat(digest)  # again: it may have been put while we waited
            if found is None or (before and (found.modified is None or found.modified >= before)):
                return False
            path.unlink()
            return True

    def sweep(self, before: datetime, *, dry_run: bool) -> tuple[int, int]:
        """Remove temporary files that crashed writers left before that time. Their number, and their sizes in bytes."""
        number = size = 0
        for path in self._temporary():
            with self._told("can't be cleaned"):
                try:
                    found = path.lstat()
                    if found.st_mtime >= before.timestamp():
                        continue
                    if not dry_run:
                        path.unlink()
                except FileNotFoundError:  # its writer was alive
                    continue
                number, size = number + 1, size + found.st_size
        return number, size

    def documents(self, prefix: str = "") -> list[str]:
        """The names of all documents that begin with `prefix`, sorted."""
        found = []
        for name in self._names(self._documents):
            path = self._documents / name
            inner = [f"{name}/{entry}" for entry in self._names(path)] if path.is_dir() else [name]
            found += [each for each in inner if each.startswith(prefix) and is_document_name(each)]
        return sorted(found)

    def read_document(self, name: str) -> bytes | None:
        """The bytes of a document, None where there is none. Raises StoreError where it is there and can't be read."""
        path = self._document(name)
        with self._told(f"document `{name}` can't be read"):
            try:
                return None if path.is_dir() else read_file(path)
            except ABSENT:
                return None

    def write_document(self, name: str, data: bytes) -> None:
        """Replace a document, or make it: readers see the old bytes or the new ones."""
        path = self._document(name)
        with self._told(f"document `{name}` can't be written"):
            make_folder(path.parent)
            replace_file(path, data)

    def append_document(self, name: str, line: bytes) -> None:
        """Add a line (without its line feed) at the end, durably, and whole or not at all. Raises StoreError."""
        path = self._document(name)
        if b"\n" in line:
            raise StoreError(f"document `{name}`: a line can't hold a line feed (append the lines one by one)")
        with self._told(f"document `{name}` can't be written"):
            make_folder(path.parent)
            append_line(path, line)

    def create_document(self, name: str, data: bytes) -> bool:
        """Make a document that does not exist. False where it does: of many who try at once, one gets True."""
        path = self._document(name)
        with self._told(f"document `{name}` can't be written"):
            make_folder(path.parent)
            return create_file(path, data)

    def delete_document(self, name: str) -> None:
        """Remove a document; one that does not exist is no error."""
        path = self._document(name)
        with self._told(f"document `{name}` can't be removed"):
            try:
                path.unlink()
                flush(path.parent)
            except ABSENT:
                return

    def _object(self, digest: str) -> Path:
        return self._objects / object_name(digest)

    def _document(self, name: str) -> Path:
        return self._documents / document_name(name)

    def _names(self, folder: Path) -> list[str]:
        """The names in a folder, sorted; none where it is no folder."""
        with self._told("can't be read"):
            try:
                return sorted(os.listdir(folder))
            except ABSENT:
                return []

    def _temporary(self) -> Iterator[Path]:
        for top in (self._objects, self._documents):
            folders = [top, *(top / name for name in self._names(top) if (top / name).is_dir())]
            yield from (folder / name for folder in folders for name in self._names(folder) if name.startswith(TEMPORARY))

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.root}: {what} ({reason_of(error)})") from None


def _kept_anew(path: Path, data: bytes) -> bool:
    """Whether the object is there and reads back equal; then it counts as put now, and is durable whoever wrote it."""
    try:
        if read_file(path) != data:
            return False
    except OSError:  # missing, or nothing that can be read: to be replaced
        return False
    os.utime(path)
    flush(path)
    flush(path.parent)
    return True
