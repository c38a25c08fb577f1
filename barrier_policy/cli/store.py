"""`barrier-policy store`: originals read back, verified, collected and held."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from rich.table import Table

from barrier_policy.cli.console import cell, clip, emit, make_table, out, show, write_output
from barrier_policy.cli.guard import FAILED, OK
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import chosen_profile, chosen_time
from barrier_policy.errors import StoreError
from barrier_policy.gate.promised import promised
from barrier_policy.plugins import load_plugins
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.garbage import Garbage, collect_garbage
from barrier_policy.provenance.holds import Hold, add_hold, holds, release_hold
from barrier_policy.provenance.store import Store, read_verified
from barrier_policy.provenance.verify import Verification, verify_store
from barrier_policy.walk import open_store

TEXT_LENGTH = 160


def get_object(request: Request, digest: str, output: Path | None) -> int:
    """Write a verified object to a file or to standard output. Raises BarrierPolicyError."""
    write_output(read_verified(_store(request), _digest(digest)), output)
    return OK


def verify_objects(request: Request, format: OutputFormat) -> int:
    """Read all objects and say which are bad."""
    store = _store(request)
    found = verify_store(store, promised(store))
    emit(found, format, lambda: _verification_table(found))
    return OK if found.good else FAILED


def collect(request: Request, grace_hours: int, format: OutputFormat, *, apply: bool) -> int:
    """Collect garbage, or say what would be removed."""
    now = datetime.fromisoformat(chosen_time(request.now))
    found = collect_garbage(_store(request), now=now, grace=timedelta(hours=grace_hours), dry_run=not apply)
    emit(found, format, lambda: _garbage_table(found, grace_hours))
    return OK


def hold_object(request: Request, digest: str, owner: str, reason: str) -> int:
    """Add a hold and show it."""
    now = chosen_time(request.now)
    _show_hold(add_hold(_store(request), _digest(digest), owner=owner, reason=reason, now=now), "held for")
    return OK


def release_object(request: Request, digest: str, owner: str, reason: str) -> int:
    """Release a hold and show it."""
    now = chosen_time(request.now)
    _show_hold(release_hold(_store(request), _digest(digest), owner=owner, reason=reason, now=now), "released by")
    return OK


def list_holds(request: Request, format: OutputFormat) -> int:
    """Print the holds in force."""
    found = holds(_store(request))
    emit(found, format, lambda: _holds_table(found))
    return OK


def _store(request: Request) -> Store:
    """The store that was named. A plugin that is refused does not keep anybody from their originals."""
    profile = chosen_profile(request)
    store = open_store(request.store, profile, load_plugins(strict=False).stores)
    if store is None:
        raise StoreError("the profile says `store: none` (give --store DIR)")
    if isinstance(store, FileStore) and not store.root.is_dir():
        raise StoreError(f"{store.root}: no store there (is `--store` right? nothing has been archived there yet)")
    return store


def _digest(text: str) -> str:
    """A digest as decisions write it, or the uri of a pointer."""
    return text.removeprefix("store:")


def _show_hold(hold: Hold, did: str) -> None:
    show(out(), cell(f"{hold.digest} {did} {hold.owner}, {hold.time}: {hold.reason}"))


def _verification_table(found: Verification) -> Table:
    table = make_table("objects", "number", "bytes", wide="bytes")
    table.add_row("read", f"{found.objects:,}", f"{found.bytes:,}")
    for what, digests in (("damaged", found.damaged), ("missing", found.missing)):
        table.add_row(what, f"{len(digests):,}", "")
        for digest in digests:
            table.add_row("", "", digest)
    return table


def _garbage_table(found: Garbage, grace_hours: int) -> Table:
    table = make_table("what", "number", "bytes", right=("number", "bytes"))
    would = " (would be removed)" if found.dry_run else " (removed)"
    rows = (
        ("objects that a document names", found.named),
        ("objects held", found.held),
        (f"objects put in the last {grace_hours} h", found.young),
        (f"objects that nothing names{would}", found.removed),
        (f"files of crashed writers{would}", found.temporary),
    )
    for what, tally in rows:
        table.add_row(what, f"{tally.number:,}", f"{tally.bytes:,}")
    return table


def _holds_table(found: tuple[Hold, ...]) -> Table:
    table = make_table("digest", "owner", "since", "reason", wide="reason")
    for hold in found:
        table.add_row(hold.digest, cell(clip(hold.owner, 40)), cell(hold.time), cell(clip(hold.reason, TEXT_LENGTH)))
    return table
