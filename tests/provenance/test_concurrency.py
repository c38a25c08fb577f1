"""Several processes and threads on one store."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from barrier_policy.digest import digest_bytes
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.garbage import collect_garbage

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


def test_an_object_that_is_put_while_garbage_is_collected_stays(files: FileStore) -> None:
    """Each is old garbage until it is put; after `put` returns it must be there, however the two interleave."""
    blocks = [b"block %d" % number for number in range(150)]
    digests = [files.put(block).digest for block in blocks]
    for digest in digests:
        os.utime(files.root / "objects" / digest[7:9] / digest[9:], (1, 1))
    stop = threading.Event()

    def collect() -> None:
        while not stop.is_set():
            collect_garbage(files, now=datetime.now(UTC), grace=timedelta(hours=1), dry_run=False)

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for block in blocks:
            files.put(block)
    finally:
        stop.set()
        collector.join()
    assert set(files.digests()) == set(digests)
