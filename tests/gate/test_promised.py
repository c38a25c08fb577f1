"""What compactions and logged decisions keep in a store has to be there when it is verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from barrier_policy import Gate, Profile
from barrier_policy.cli.app import app
from barrier_policy.gate.journal import read_journal, transactions
from barrier_policy.gate.promised import promised
from barrier_policy.log_spec import LogSpec
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import object_name
from barrier_policy.provenance.verify import verify_store

Messages = list[dict[str, Any]]
NOW = "2026-06-01T12:00:00Z"


def verified(store: FileStore) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["store", "verify", "--store", str(store.root), "--format", "json"])
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture
def store(conversation: Messages, tmp_path: Path) -> FileStore:
    """A store of a compaction whose decisions are logged."""
    store = FileStore(tmp_path / "store")
    profile = Profile(log=LogSpec(path=tmp_path / "log.jsonl"))
    Gate(profile, store=store, summarizer=lambda request: "They worked.").compact(conversation, keep_last=2, now=NOW)
    return store


def test_a_store_in_which_nothing_is_missing_is_good(store: FileStore) -> None:
    assert verified(store)[0] == 0
    assert promised(store) == set(store.digests())


def test_each_object_that_is_lost_is_named(store: FileStore) -> None:
    for digest in sorted(promised(store)):
        path = store.root / "objects" / object_name(digest)
        data = path.read_bytes()
        path.unlink()
        code, found = verified(store)
        assert code == 4 and digest in found["missing"] and not found["damaged"]
        path.write_bytes(data)
    assert verify_store(store, promised(store)).good


def test_what_a_damaged_manifest_named_is_not_known_and_the_manifest_is_told(store: FileStore) -> None:
    (name,) = transactions(store)
    manifest = next(entry.detail["manifest"] for entry in read_journal(store, name) if "manifest" in entry.detail)
    (store.root / "objects" / object_name(manifest)).write_bytes(b"{")
    assert verified(store)[1]["damaged"] == [manifest]
