"""Stores of both shipped kinds: what holds for one must hold for the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.fsspec_store import FsspecStore
from barrier_policy.provenance.store import Store


@pytest.fixture
def files(tmp_path: Path) -> FileStore:
    """An empty store in a folder."""
    return FileStore(tmp_path / "store")


@pytest.fixture(params=["folder", "url"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store of each kind."""
    return FileStore(tmp_path / "store") if request.param == "folder" else FsspecStore(f"memory://{tmp_path}")
