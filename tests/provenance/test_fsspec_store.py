"""The store at a URL: what fails is a clear error, without credentials."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from barrier_policy_plugins.stores import open_url

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import MissingExtraError, StoreError
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.fsspec_store import FsspecStore

ONE = digest_bytes(b"one")


@pytest.fixture
def memory(tmp_path: Path) -> FsspecStore:
    return FsspecStore(f"memory://{tmp_path}")


def test_the_layout_is_that_of_the_folder(tmp_path: Path) -> None:
    FileStore(tmp_path / "store").put(b"one")
    FileStore(tmp_path / "store").write_document("journal/a", b"text")
    store = FsspecStore(f"file://{tmp_path}/store")
    assert list(store.digests()) == [ONE]
    assert store.read(ONE) == b"one"
    assert store.read_document("journal/a") == b"text"


@pytest.mark.parametrize("root", ["", "/", "/a", "/a/", "/a/b c/ä"])
def test_any_root_will_do(root: str) -> None:
    store = FsspecStore(f"memory://{root}")
    store.put(b"one")
    store.append_document("log", b"line")
    assert list(store.digests()) == [ONE] and store.documents() == ["log"]
    store.delete(ONE)
    store.delete_document("log")


def test_stores_side_by_side_do_not_see_each_other(tmp_path: Path) -> None:
    first, second = FsspecStore(f"memory://{tmp_path}/a"), FsspecStore(f"memory://{tmp_path}/ab")
    second.put(b"one")
    second.append_document("log", b"line")
    assert list(first.digests()) == first.documents() == []
    assert first.read_document("log") is None


def test_a_damaged_object_is_replaced_by_the_right_bytes(memory: FsspecStore) -> None:
    memory.put(b"one")
    memory._fs.pipe_file(memory._object(ONE), b"two")
    assert memory.read(ONE) == b"two"
    memory.put(b"one")
    assert memory.read(ONE) == b"one"


def test_lines_that_others_append_meanwhile_are_not_overwritten(
    memory: FsspecStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.append_document("log", b"one")
    seen, looks = memory._lines, []

    def slow(name: str) -> list[str]:
        found = seen(name)
        looks.append(len(found))
        if len(looks) == 1:
            FsspecStore("memory://" + memory._root).append_document(name, b"theirs")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(memory, "_lines", slow)
        memory.append_document("log", b"ours")
    first, *others = (memory.read_document("log") or b"").splitlines()
    assert first == b"one" and sorted(others) == [b"ours", b"theirs"]  # at once, so in either order


def test_lines_stay_in_order_beyond_ten(memory: FsspecStore) -> None:
    for number in range(12):
        memory.append_document("log", b"%d" % number)
    assert (memory.read_document("log") or b"").split() == [b"%d" % number for number in range(12)]


class Refused(Exception):
    """An error as cloud libraries raise it, with a key in its text."""


def refuse(*arguments: object, **options: object) -> None:
    raise Refused("key AKIA-SECRET is not valid")


USES: dict[str, tuple[str, Callable[[FsspecStore], Any]]] = {
    "put": ("pipe_file", lambda store: store.put(b"one")),
    "stat": ("info", lambda store: store.stat(ONE)),
    "digests": ("find", lambda store: list(store.digests())),
    "delete": ("rm_file", lambda store: store.delete(ONE)),
    "documents": ("find", lambda store: store.documents()),
    "read_document": ("cat_file", lambda store: store.read_document("a")),
    "write_document": ("pipe_file", lambda store: store.write_document("a", b"")),
    "append_document": ("pipe_file", lambda store: store.append_document("a", b"")),
    "create_document": ("pipe_file", lambda store: store.create_document("a", b"")),
    "delete_document": ("rm_file", lambda store: store.delete_document("a")),
}


@pytest.mark.parametrize("use", USES)
def test_what_a_file_system_raises_becomes_a_store_error_without_its_text(
    memory: FsspecStore, monkeypatch: pytest.MonkeyPatch, use: str
) -> None:
    call, work = USES[use]
    if use in ("stat", "delete"):
        memory.put(b"one")
    with monkeypatch.context() as patch:
        patch.setattr(memory._fs, call, refuse)
        with pytest.raises(StoreError, match=r"\(Refused\)$") as caught:
            work(memory)
    assert "SECRET" not in str(caught.value) and caught.value.__suppress_context__


def test_an_object_that_can_not_be_reached_is_not_available(memory: FsspecStore, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.put(b"one")
    with monkeypatch.context() as patch:
        patch.setattr(memory._fs, "cat_file", refuse)
        assert memory.read(ONE) is None
        with pytest.raises(StoreError, match="does not read back"):
            memory.put(b"one")


def test_a_password_in_the_url_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        FsspecStore("nowhere://user:hunter2@hunter2@host/path?token=hunter2")
    assert "hunter2" not in str(caught.value)
    assert str(caught.value).startswith("nowhere://host/path: can't be opened")


def test_without_fsspec_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "barrier_policy.provenance.fsspec_store")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'barrier-policy\[remote\]'"):
        open_url("s3://bucket/originals")


def test_without_the_package_of_a_file_system_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingExtraError, match=r"^s3://bucket/x: .*`s3`.*pip install 'barrier-policy\[s3\]'"):
        open_url("s3://bucket/x")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(MissingExtraError, match="gcsfs"):
        open_url("gs://bucket/x")


def test_a_file_system_with_folders_gets_those_that_it_needs(tmp_path: Path) -> None:
    store = FsspecStore(f"file://{tmp_path}/new/store")
    assert store.read(store.put(b"original").digest) == b"original"
    store.append_document("log", b"a line")
    assert store.create_document("locks/1", b"a") and not store.create_document("locks/1", b"b")
    assert (store.read_document("log"), store.read_document("locks/1")) == (b"a line\n", b"a")
