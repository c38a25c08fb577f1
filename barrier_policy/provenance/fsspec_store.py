"""The store at a URL, through fsspec: object stores such as S3 and Google Cloud Storage (extras `remote` and `s3`).

The layout is that of the folder, with one difference: object stores can't append, so each line that is appended to a document is an
object of its own, `lines/<document>/<number>-<chance>`: of two that are appended at once both stay, also where a server would let the one
replace the other. What a writer leaves behind when it crashes is
nothing: an object store shows an object when all of it is there.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import fsspec

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import BarrierPolicyError, MissingExtraError, StoreError
from barrier_policy.provenance.names import document_name, is_document_name, named_object, object_name
from barrier_policy.provenance.store import Pointer, StoredObject, available

NUMBER_WIDTH = 12

EXTRAS = {"s3": "s3", "s3a": "s3"}
"""Which extra brings the file system of a scheme, where one of ours does."""

_LINE = re.compile(rf"[0-9]{{{NUMBER_WIDTH}}}(?:-[0-9a-f]{{16}})?")
_USER = re.compile(r"//[^/]*@")


class FsspecStore:
    """A store below one URL (see `Store`). As durable, and as exclusive where it makes a document, as the file system behind it.

    Raises MissingExtraError where the package for the URL's scheme is not installed, StoreError where the URL can't be used.
    """

    def __init__(self, url: str) -> None:
        self.url = _USER.sub("//", url).partition("?")[0]  # INVARIANT: what is shown of a URL holds no password
        self._fs, root = _file_system(url, self.url)
        self._root = root.rstrip("/")

    def uri(self, digest: str) -> str:
        """`store:<digest>`: independent of where the store is, so that decisions are the same everywhere."""
        return f"store:{digest}"

    def read(self, digest: str) -> bytes | None:
        """The bytes of an object, None where it is missing or can't be read."""
        path = self._object(digest)
        try:
            return self._read(path)
        except Exception:  # a file system may raise anything; what is wrong with it, `stat` says
            return None

    def put(self, data: bytes) -> Pointer:
        """Keep bytes under their digest and read them back. Raises StoreError where that fails."""
        digest = digest_bytes(data)
        with self._told("can't be written"):
            if not (available(self, digest, len(data)) and self._touched(digest)):
                self._write(self._object(digest), data)
        if not available(self, digest, len(data)):
            raise StoreError(f"{self.url}: object {digest} does not read back as it was written")
        return Pointer(uri=self.uri(digest), digest=digest, length=len(data))

    def stat(self, digest: str) -> StoredObject | None:
        """Length and time of an object, None where there is none."""
        path = self._object(digest)
        with self._told("can't be read"):
            self._fs.invalidate_cache()
            try:
                length = self._fs.info(path)["size"]
                modified = self._modified(path)
            except FileNotFoundError:
                return None
        return StoredObject(length=int(length or 0), modified=modified)

    def digests(self) -> Iterator[str]:
        """All objects, sorted; files with other names are none."""
        for place in self._below("objects"):
            folder, _, name = place.rpartition("/")
            if digest := named_object(folder, name):
                yield digest

    def delete(self, digest: str, *, before: datetime | None = None) -> bool:
        """Remove an object; with `before`, only if it was last put before that time. Whether it was removed.

        Between the look at the time and the removal there is a moment in which another process may put the object again.
        """
        found = self.stat(digest)
        if found is None or (before and (found.modified is None or found.modified >= before)):
            return False
        return self._remove(self._object(digest))

    def sweep(self, before: datetime, *, dry_run: bool) -> tuple[int, int]:
        """There are no temporary files."""
        return 0, 0

    def documents(self, prefix: str = "") -> list[str]:
        """The names of all documents that begin with `prefix`, sorted."""
        appended = {place.rpartition("/")[0] for place in self._below("lines")}
        return sorted(
            name for name in {*self._below("documents"), *appended} if name.startswith(prefix) and is_document_name(name)
        )

    def read_document(self, name: str) -> bytes | None:
        """The bytes of a document, None where there is none. Raises StoreError where it is there and can't be read."""
        path, lines = self._document(name), self._lines(name)
        with self._told(f"document `{name}` can't be read"):
            if lines:
                return b"".join(self._read(line) + b"\n" for line in lines)
            try:
                return self._read(path)
            except FileNotFoundError:
                return None

    def write_document(self, name: str, data: bytes) -> None:
        """Replace a document, or make it: readers see the old bytes or the new ones."""
        path = self._document(name)
        with self._told(f"document `{name}` can't be written"):
            self._write(path, data)

    def append_document(self, name: str, line: bytes) -> None:
        """Add a line (without its line feed) at the end, durably, and whole or not at all. Raises StoreError."""
        folder = f"{self._root}/lines/{document_name(name)}"
        if b"\n" in line:
            raise StoreError(f"document `{name}`: a line can't hold a line feed (append the lines one by one)")
        taken = self._lines(name)
        number = int(taken[-1].rpartition("/")[2][:NUMBER_WIDTH]) + 1 if taken else 0
        with self._told(f"document `{name}` can't be written"):
            self._write(f"{folder}/{number:0{NUMBER_WIDTH}}-{secrets.token_hex(8)}", line)

    def create_document(self, name: str, data: bytes) -> bool:
        """Make a document that does not exist. False where it does: of many who try at once, one gets True."""
        return self._created(self._document(name), data, name)

    def delete_document(self, name: str) -> None:
        """Remove a document; one that does not exist is no error."""
        for path in (*reversed(self._lines(name)), self._document(name)):
            self._remove(path)

    def _object(self, digest: str) -> str:
        return f"{self._root}/objects/{object_name(digest)}"

    def _document(self, name: str) -> str:
        return f"{self._root}/documents/{document_name(name)}"

    def _lines(self, name: str) -> list[str]:
        """The objects that hold a document's lines, in order."""
        place = f"lines/{document_name(name)}"
        return [f"{self._root}/{place}/{entry}" for entry in self._below(place) if _LINE.fullmatch(entry)]

    def _below(self, place: str) -> list[str]:
        """What lies below `place`, at any depth, as paths from there, sorted."""
        top = f"{self._root}/{place}/"
        with self._told("can't be read"):
            self._fs.invalidate_cache()
            try:
                found = self._fs.find(top)
            except FileNotFoundError:
                return []
        cut = len(top.lstrip("/"))
        return sorted(path.lstrip("/")[cut:] for path in found if path.lstrip("/").startswith(top.lstrip("/")))

    def _write(self, path: str, data: bytes, **options: Any) -> None:
        """Write a file; where file systems have folders, in one that is made for it."""
        try:
            self._fs.pipe_file(path, data, **options)
        except FileNotFoundError:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(path, data, **options)

    def _read(self, path: str) -> bytes:
        return bytes(self._fs.cat_file(path))

    def _created(self, path: str, data: bytes, name: str) -> bool:
        """Make a file that does not exist. A server that knows no conditional writes would replace it, so it is looked for first."""
        with self._told(f"document `{name}` can't be written"):
            self._fs.invalidate_cache()
            if self._fs.exists(path):
                return False
            try:
                self._write(path, data, mode="create")
            except FileExistsError:
                return False
            return True

    def _remove(self, path: str) -> bool:
        with self._told("can't be cleaned"):
            try:
                self._fs.rm_file(path)
            except FileNotFoundError:
                return False
            return True

    def _modified(self, path: str) -> datetime | None:
        try:
            found = self._fs.modified(path)
        except NotImplementedError:
            return None
        if not isinstance(found, datetime):
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def _touched(self, digest: str) -> bool:
        """Whether the file system could set the time of an object without writing it again."""
        try:
            self._fs.touch(self._object(digest), truncate=False)
        except (NotImplementedError, ValueError):
            return False
        return True

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except BarrierPolicyError:
            raise
        except Exception as error:  # each file system has errors of its own
            raise StoreError(f"{self.url}: {what} ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    """What went wrong, without the text of foreign errors, which may quote credentials."""
    number = error.errno if isinstance(error, OSError) else None
    return os.strerror(number).lower() if number else type(error).__name__


def _file_system(url: str, shown: str) -> tuple[Any, str]:
    scheme = url.partition(":")[0]
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        extra = EXTRAS.get(scheme)
        how = f"pip install 'barrier-policy[{extra}]'" if extra else str(error)
        raise MissingExtraError(f"{shown}: the file system of `{scheme}` is not installed ({how})") from None
    except Exception as error:  # see _told
        raise StoreError(f"{shown}: can't be opened ({_reason(error)})") from None
    return fs, str(path)
