"""`--store`, the profile's `store` and `decide(store=…)` take a folder or an address that a plugin opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy import Profile, decide
from barrier_policy.errors import BarrierPolicyError, StoreError
from barrier_policy.plugins import load_plugins
from barrier_policy.profile_file import load_profile
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.fsspec_store import FsspecStore
from barrier_policy.provenance.store import Store, StoreKind, default_store
from barrier_policy.walk import StoreLike, open_store

KINDS = load_plugins().stores


def opened(store: StoreLike, profile: Profile | None = None) -> Store | None:
    return open_store(store, profile or Profile(), KINDS)


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("originals", "originals"),
        ("./s3:x", "s3:x"),
        (Path("s3:x"), "s3:x"),
        ("/a:b/c", "/a:b/c"),
        ("C:/store", "C:/store"),
        ("file:///a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
    ],
)
def test_a_folder_is_opened_as_files(given: str | Path, folder: str) -> None:
    store = opened(given)
    assert isinstance(store, FileStore) and store.root == Path(folder)


@pytest.mark.parametrize("given", ["memory://originals", "fsspec:memory://originals"])
def test_an_address_is_opened_by_its_plugin(given: str) -> None:
    store = opened(given)
    assert isinstance(store, FsspecStore) and store.url == "memory://originals"


def test_what_is_not_said_comes_from_the_profile() -> None:
    assert opened(False) is None
    assert opened(None, Profile(store=None)) is None
    assert opened(False, Profile(store="originals")) is None
    for given in (None, True):
        named, default = opened(given, Profile(store="memory://p")), opened(given)
        assert isinstance(named, FsspecStore) and named.url == "memory://p"
        assert isinstance(default, FileStore) and default.root == default_store()
    mine = FileStore(Path("mine"))
    assert opened(mine) is mine


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("memry://x", r"^no plugin opens a store of kind `memry` \(did you mean `memory`\?\)"),
        ("ftp://host/x", r"^no plugin opens a store of kind `ftp` \(known: .*fsspec.*\)"),
        ("file:x", r"`file:x` names no folder"),
        ("file://host/x", r"`file://host/x` names no folder"),
    ],
)
def test_an_address_that_nobody_opens_is_a_clear_error(given: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        opened(given)


def test_a_plugin_that_fails_is_named_without_its_text() -> None:
    def fail(address: str) -> Store:
        raise KeyError("hunter2")

    with pytest.raises(StoreError) as caught:
        open_store("vault:x", Profile(), [StoreKind(name="vault", open=fail)])
    assert str(caught.value) == "the store of kind `vault` can't be opened (KeyError)"


def test_a_profile_keeps_an_address_and_resolves_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "barrier-policy.yaml"
    for text, store in (("s3://bucket/x", "s3://bucket/x"), ("./a:b", f"{tmp_path}/a:b"), ("none", None)):
        path.write_text(f"store: {text}\n")
        assert load_profile(path).store == store


def test_decide_finds_an_original_behind_an_address(tmp_path: Path) -> None:
    from barrier_policy.provenance.store import original_bytes
    from barrier_policy.walk import Decider

    talk = [{"role": "user", "content": "The roses look lovely."}, {"role": "assistant", "content": "Yes, they do."}]
    address = f"memory://{tmp_path}"
    analysis = Decider().analyse(talk, keep_last=1, now="2026-01-01T00:00:00Z")
    store = opened(address)
    assert store is not None
    store.put(original_bytes(analysis.join.messages[0:1]))
    found = decide(talk, keep_last=1, now="2026-01-01T00:00:00Z", store=address).spans[0].provenance
    assert (found.present, found.retrievable) == (True, True)


def test_an_unknown_address_is_refused_before_anything_is_decided() -> None:
    with pytest.raises(BarrierPolicyError, match="no plugin opens"):
        decide([{"role": "user", "content": "Hello."}], store="nowhere://x")
