"""Several processes and threads on one store."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import object_name

WRITER = """
import sys
from pathlib import Path
from barrier_policy.provenance.file_store import FileStore
store = FileStore(Path(sys.argv[1]))
print(flush=True)
sys.stdin.readline()
wins = 0
for number in range(40):
    assert store.put(b"object %d" % number * 2000).length
    store.append_document("log", b"%s %d" % (sys.argv[2].encode() * 300, number))
    store.write_document("head", sys.argv[2].encode() * 5000)
    wins += store.create_document(f"locks/{number}", sys.argv[2].encode())
print(wins, flush=True)
"""


def test_processes_that_write_the_same_objects_and_documents_do_not_disturb_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, tmp_path / "store"]
    pipe = subprocess.PIPE
    writers = [subprocess.Popen([*command, name], stdin=pipe, stdout=pipe, text=True) for name in "abc"]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline()  # all are ready before one begins
    wins = [int(writer.communicate()[0]) for writer in _started(writers)]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    store = FileStore(tmp_path / "store")
    assert list(store.digests()) == sorted(digest_bytes(b"object %d" % number * 2000) for number in range(40))
    assert sum(wins) == 40, "each lock has one owner"
    lines = (store.read_document("log") or b"").decode().splitlines()
    for name in "abc":
        assert [line for line in lines if line.startswith(name)] == [f"{name * 300} {number}" for number in range(40)]
    assert store.read_document("head") in [name.encode() * 5000 for name in "abc"]
    assert store.sweep(datetime(2200, 1, 1, tzinfo=UTC), dry_run=True) == (0, 0)


def _started(writers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    return writers


def test_threads_that_put_one_object_all_get_its_pointer(files: FileStore) -> None:
    data = b"same" * 50_000
    with ThreadPoolExecutor(8) as pool:
        pointers = list(pool.map(files.put, [data] * 64))
    assert {pointer.digest for pointer in pointers} == {digest_bytes(data)}


def test_an_object_that_is_put_while_it_is_being_removed_stays(files: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The removal begins after `put` has found the old object and before it counts as put now: it has to wait, and look again."""
    digest = files.put(b"one").digest
    os.utime(files.root / "objects" / object_name(digest), (1, 1))
    touch, removed = os.utime, []
    remover = threading.Thread(target=lambda: removed.append(files.delete(digest, before=datetime(2020, 1, 1, tzinfo=UTC))))

    def slow_touch(path: Path) -> None:
        remover.start()
        remover.join(timeout=0.3)
        touch(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "utime", slow_touch)
        files.put(b"one")
    remover.join()
    assert (removed, files.read(digest)) == ([False], b"one")
