"""Where originals can be kept: folders, and whatever fsspec opens (extras `remote` and `s3`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from barrier_policy.errors import MissingExtraError, StoreError
from barrier_policy.hookspecs import hookimpl
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.store import Store, StoreKind

OBJECT_STORES = ("abfs", "az", "gcs", "gs", "memory", "s3", "s3a")
"""Schemes of fsspec that write an object all at once, which documents rely on."""

ANY = "fsspec"
"""`fsspec:URL` opens every other scheme that fsspec knows."""


@hookimpl
def barrier_stores() -> Iterable[StoreKind]:
    """A folder as a URL, object stores by their scheme, and any other URL of fsspec."""
    yield StoreKind(name="file", open=open_folder)
    yield StoreKind(name=ANY, open=lambda address: open_url(address.removeprefix(f"{ANY}:")))
    yield from (StoreKind(name=scheme, open=open_url) for scheme in OBJECT_STORES)


def open_folder(address: str) -> Store:
    """`file:///folder`: the store in a folder, the same as the plain folder. Raises StoreError for one that is not absolute."""
    path = Path(address.removeprefix("file:").removeprefix("//"))
    if not path.is_absolute():
        raise StoreError(f"`{address}` names no folder (give an absolute one, file:///folder, or the plain folder)")
    return FileStore(path)


def open_url(url: str) -> Store:
    """The store at a URL of fsspec. Raises MissingExtraError where fsspec or the file system is not installed."""
    try:
        from barrier_policy.provenance.fsspec_store import FsspecStore
    except ImportError:
        raise MissingExtraError("a store at a URL needs fsspec (pip install 'barrier-policy[remote]')") from None
    return FsspecStore(url)
