"""`barrier-policy log prune`: old files of a log removed, and what somebody needs left."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from barrier_policy.cli.console import cell, make_table, out, show
from barrier_policy.cli.guard import OK
from barrier_policy.cli.log_access import log_spec, named_log
from barrier_policy.cli.options import Request
from barrier_policy.cli.session import chosen_profile, chosen_time
from barrier_policy.errors import LogError
from barrier_policy.log.retention import Limits, Plan, Segment, plan_retention, read_anchors
from barrier_policy.log_spec import LogSpec
from barrier_policy.plugins import load_plugins
from barrier_policy.provenance.holds import holds
from barrier_policy.walk import open_store

MOST_REASONS = 3


def prune_log(
    request: Request, keep_files: int | None, keep_days: int | None, anchors: Path | None, *, needed_too: bool, apply: bool
) -> int:
    """Say what may go and, with `apply`, remove it. Limits and anchors that are not given are the profile's.

    Raises LogError where neither gives a limit.
    """
    files, now = named_log(request).files(), chosen_time(request.now)
    profile = chosen_profile(request)
    spec = log_spec(request, profile) or LogSpec(path=files.path)
    given = keep_files is not None or keep_days is not None
    limits = Limits(files=keep_files, days=keep_days) if given else Limits(files=spec.keep_files, days=spec.keep_days)
    if limits == Limits():
        raise LogError("nothing says how much stays (give --keep-files or --keep-days, or set them in the profile's `log`)")
    named = anchors or spec.anchors
    store = open_store(request.store, profile, load_plugins(strict=False).stores)
    plan = plan_retention(
        files,
        limits,
        now=now,
        anchors=read_anchors(named) if named else (),
        held={hold.digest: hold.owner for hold in holds(store)} if store is not None else {},
        needed_too=needed_too,
    )
    if apply and plan.go:
        files.remove(Path(plan.go[-1].file), plan.go[-1].head, time=now)
    _print(plan, applied=apply)
    return OK


def _print(plan: Plan, *, applied: bool) -> None:
    table = make_table("file", "records", "newest", "what", right=("records",), wide="what")
    for segment in plan.go:
        what = "removed" if applied else "would be removed"
        _row(table, segment, f"{what}, although {_reasons(segment)}" if segment.needed else what)
    for segment in plan.stay:
        _row(table, segment, f"stays: {_reasons(segment)}" if segment.needed else "stays: it follows one that is needed")
    if plan.go or plan.stay:
        show(out(), table)
    count = len(plan.go)
    show(out(), f"{count} file{'' if count == 1 else 's'} {'removed' if applied else 'would be removed (see --apply)'}")


def _row(table: Table, segment: Segment, what: str) -> None:
    table.add_row(
        cell(Path(segment.file).name), f"{segment.head.count - segment.first + 1:,}", segment.newest[:19] + "Z", cell(what)
    )


def _reasons(segment: Segment) -> str:
    more = len(segment.needed) - MOST_REASONS
    return "; ".join([*segment.needed[:MOST_REASONS], *([f"{more} more"] if more > 0 else [])])
