"""The store in a folder: nothing half-written, nothing readable by others, and clear errors where the disk says no."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import StoreError
from barrier_policy.provenance import files as durable
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.store import available

FUTURE = datetime(2200, 1, 1, tzinfo=UTC)
ONE = digest_bytes(b"one")


def place(store: FileStore, digest: str) -> Path:
    return store.root / "objects" / digest[7:9] / digest[9:]


def everything(store: FileStore) -> list[Path]:
    return [path for path in store.root.rglob("*") if path.is_file() and path.name != ".lock"]


def failing(number: int) -> Callable[..., Any]:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_folders_and_files_are_for_their_owner_alone(files: FileStore) -> None:
    before = os.umask(0)
    try:
        files.put(b"one")
        files.append_document("journal/a", b"line")
        files.write_document("b", b"")
        files.create_document("c", b"")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in files.root.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in (files.root, *files.root.rglob("*")) if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


def test_an_object_that_reads_back_is_not_written_again_and_counts_as_put_now(files: FileStore) -> None:
    files.put(b"one")
    path = place(files, ONE)
    os.utime(path, (1, 1))
    before = path.stat().st_ino
    files.put(b"one")
    found = files.stat(ONE)
    assert path.stat().st_ino == before
    assert found is not None and found.modified is not None and found.modified.year > 2000


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not say which file a descriptor is")
def test_a_file_is_flushed_before_it_is_moved_and_the_folders_after_it(
    files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    flush, move = os.fsync, os.replace

    def noted_flush(fd: int) -> None:
        flush(fd)
        name = Path(os.readlink(f"/proc/self/fd/{fd}"))
        done.append("temporary file" if name.name.startswith(".new-") else name.relative_to(files.root.parent).as_posix())

    def noted_move(old: Path, new: Path) -> None:
        move(old, new)
        done.append("move")

    monkeypatch.setattr(os, "fsync", noted_flush)
    monkeypatch.setattr(os, "replace", noted_move)
    files.put(b"one")
    folder = f"store/objects/{ONE[7:9]}"
    assert done == [".", "store", "store/objects", "temporary file", "move", folder]
    done.clear()
    files.put(b"one")
    assert done == [f"{folder}/{ONE[9:]}", folder], "another process may have moved it and not flushed yet"
    done.clear()
    files.append_document("log", b"line")
    files.append_document("log", b"line")
    assert done == ["store", "store/documents/log", "store/documents", "store/documents/log"]


def damage_bytes(path: Path) -> None:
    path.write_bytes(b"two")


def damage_length(path: Path) -> None:
    path.write_bytes(b"on")


def damage_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def damage_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGE = (damage_bytes, damage_length, damage_link, damage_pipe)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_object_is_not_available_and_is_replaced_by_the_right_bytes(
    files: FileStore, damage: Callable[[Path], None]
) -> None:
    files.put(b"one")
    damage(place(files, ONE))
    assert not available(files, ONE, 3)
    files.put(b"one")
    assert available(files, ONE, 3)
    assert place(files, ONE).is_file() and not place(files, ONE).is_symlink()


@pytest.mark.parametrize("call", ["fsync", "replace", "mkdir"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO, errno.EDQUOT])
def test_a_disk_that_says_no_is_a_clear_error_and_leaves_nothing(
    files: FileStore, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing(number))
        with pytest.raises(StoreError) as caught:
            files.put(b"one")
    assert str(caught.value) == f"{files.root}: can't be written ({os.strerror(number).lower()})"
    assert everything(files) == []
    assert files.put(b"one").digest == ONE


LIMITED = """
import resource, sys
from pathlib import Path
from barrier_policy.errors import StoreError
from barrier_policy.provenance.file_store import FileStore
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
store = FileStore(Path(sys.argv[1]))
for use in (lambda: store.put(b"x" * 10_000), lambda: store.append_document("log", b"y" * 10_000)):
    try:
        use()
    except StoreError as error:
        print(error)
"""


def test_a_write_that_ends_half_way_leaves_nothing(files: FileStore) -> None:
    files.append_document("log", b"before")
    done = subprocess.run([sys.executable, "-c", LIMITED, files.root], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{files.root}: can't be written (file too large)",
        f"{files.root}: document `log` can't be written (file too large)",
    ]
    assert files.read_document("log") == b"before\n"
    assert [path.name for path in everything(files)] == ["log"]


@pytest.mark.parametrize("root", ["/proc/nowhere", "/dev/null", "/dev/null/store"])
def test_a_place_that_can_not_be_written_is_named(root: str) -> None:
    store = FileStore(Path(root))
    for use in (lambda: store.put(b"one"), lambda: store.write_document("a", b""), lambda: store.append_document("a", b"")):
        with pytest.raises(StoreError, match=f"^{root}: .*can't be written"):
            use()
    assert list(store.digests()) == []


def test_a_folder_whose_name_is_none_is_refused() -> None:
    with pytest.raises(StoreError, match="NUL"):
        FileStore(Path("a\0b"))


def test_bytes_that_do_not_read_back_never_stand_under_a_digest(files: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "read_file", lambda path: b"other")
    with pytest.raises(StoreError, match=r"can't be written \(what was written does not read back\)"):
        files.put(b"one")
    assert everything(files) == []


def test_a_store_that_reads_back_other_bytes_gives_no_pointer(files: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileStore, "read", lambda self, digest: b"other")
    with pytest.raises(StoreError, match=f"object {ONE} does not read back as it was written"):
        files.put(b"one")


KILLED = """
import os, signal, sys
from pathlib import Path
from barrier_policy.provenance.file_store import FileStore
name = sys.argv[2]
real = getattr(os, name)
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, die)
store = FileStore(Path(sys.argv[1]))
{use}
"""
USES = {
    "put": "store.put(b'one')",
    "write": "store.write_document('head', b'new')",
    "create": "store.create_document('lock', b'new')",
}


@pytest.mark.parametrize(("use", "call"), [("put", "fsync"), ("put", "replace"), ("write", "replace"), ("create", "link")])
def test_a_process_that_dies_before_the_move_leaves_the_old_state_and_a_temporary_file(
    files: FileStore, use: str, call: str
) -> None:
    files.write_document("head", b"old")
    (files.root / "objects" / ONE[7:9]).mkdir(parents=True)
    done = subprocess.run([sys.executable, "-c", KILLED.format(use=USES[use]), files.root, call], check=False)
    assert done.returncode == -signal.SIGKILL
    assert files.read(ONE) is None and list(files.digests()) == []
    assert files.read_document("head") == b"old" and files.documents() == ["head"]
    left = [path for path in everything(files) if path.name.startswith(".new-")]
    assert len(left) == 1
    size = left[0].stat().st_size
    assert files.sweep(datetime(2020, 1, 1, tzinfo=UTC), dry_run=False) == (0, 0), "its writer may be alive"
    assert files.sweep(FUTURE, dry_run=True) == (1, size) and left[0].exists()
    assert files.sweep(FUTURE, dry_run=False) == (1, size) and not left[0].exists()
    assert files.put(b"one").digest == ONE and files.create_document("lock", b"new")


def test_a_line_that_a_crash_cut_short_does_not_swallow_the_next(files: FileStore) -> None:
    files.append_document("log", b"whole")
    with (files.root / "documents" / "log").open("ab") as file:
        file.write(b'{"half":')
    files.append_document("log", b"next")
    assert files.read_document("log") == b'whole\n{"half":\nnext\n'


def test_a_document_that_can_not_be_read_is_not_taken_for_a_missing_one(files: FileStore) -> None:
    files.write_document("b", b"")
    (files.root / "documents" / "a").symlink_to("/etc/passwd")
    with pytest.raises(StoreError, match="document `a` can't be read"):
        files.read_document("a")
    with pytest.raises(StoreError, match="document `a` can't be written"):
        files.append_document("a", b"root::0:0::/:")
    files.write_document("a", b"mine")
    assert files.read_document("a") == b"mine" and Path("/etc/passwd").read_bytes() != b"mine"


def test_a_folder_of_documents_is_no_document(files: FileStore) -> None:
    files.write_document("a/b", b"")
    assert files.read_document("a") is None
    assert files.read_document("a/b/c".replace("/c", "")) == b""
    files.write_document("c", b"")
    assert files.read_document("c/d") is None
    with pytest.raises(StoreError, match="document `c/d` can't be written"):
        files.write_document("c/d", b"")


def test_other_files_in_the_folder_are_left_alone(files: FileStore) -> None:
    files.put(b"one")
    strangers = [files.root / "objects" / "README", files.root / "objects" / "zz" / ("a" * 62), files.root / "note"]
    strangers += [files.root / "documents" / "Capital", files.root / "objects" / ONE[7:9] / "short"]
    for path in strangers:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(b"")
    assert list(files.digests()) == [ONE]
    assert files.documents() == []
    assert files.sweep(FUTURE, dry_run=False) == (0, 0)
