"""The commands below `log`, with their options. What they do is imported when they run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import DryRun, Format, Now, OutputFormat, ProfileFile, Request, StoreFolder, is_applied

log_app = typer.Typer(help="Decisions as they were logged: show, verify, export, anchor, prune.", no_args_is_help=True)

Log = Annotated[Path | None, typer.Argument(metavar="LOG", help="A decision log; default: the profile's.")]


class ExportFormat(StrEnum):
    """What a log is exported as."""

    JSONL = "jsonl"
    CSV = "csv"


@log_app.command()
@guarded
def show(
    log: Log = None,
    decision: Annotated[str, typer.Option("--decision", metavar="ID", help="Only this decision, span by span.")] = "",
    outcome: Annotated[str, typer.Option("--outcome", metavar="O", help="compact, nothing_to_reclaim or refuse.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Only what was logged then or later, ISO 8601.")
    ] = "",
    format: Format = OutputFormat.TABLE,
    profile: ProfileFile = None,
) -> int:
    """List the logged decisions, oldest first."""
    from barrier_policy.cli.log_show import show_log

    return show_log(Request(profile=profile, log=log), decision=decision, outcome=outcome, since=since, format=format)


@log_app.command()
@guarded
def verify(
    log: Log = None,
    head: Annotated[
        str, typer.Option("--head", metavar="ANCHOR", help="What `log anchor` printed: the log must have that record still.")
    ] = "",
    profile: ProfileFile = None,
) -> int:
    """Follow the chain of records. Exit code 4 where one was changed, removed, added or moved; the first bad line is named."""
    from barrier_policy.cli.log_check import verify_log

    return verify_log(Request(profile=profile, log=log), head)


@log_app.command()
@guarded
def anchor(log: Log = None, profile: ProfileFile = None) -> int:
    """Print the number and digest of the last record, to be kept elsewhere. Exit code 4 where the log is not whole."""
    from barrier_policy.cli.log_check import print_anchor

    return print_anchor(Request(profile=profile, log=log))


@log_app.command()
@guarded
def export(
    log: Log = None,
    format: Annotated[
        ExportFormat, typer.Option("--format", help="All records as they are, or a row for each.")
    ] = ExportFormat.JSONL,
    profile: ProfileFile = None,
) -> int:
    """Write all records to standard output. Exit code 4, before anything is written, where the log is not whole."""
    from barrier_policy.cli.log_check import export_log

    return export_log(Request(profile=profile, log=log), as_csv=format is ExportFormat.CSV)


@log_app.command()
@guarded
def prune(
    log: Log = None,
    keep_files: Annotated[
        int | None, typer.Option("--keep-files", min=0, metavar="N", help="Leave the last N files that were put aside.")
    ] = None,
    keep_days: Annotated[
        int | None, typer.Option("--keep-days", min=0, max=36_500, metavar="N", help="Leave records of the last N days.")
    ] = None,
    anchors: Annotated[
        Path | None, typer.Option("--anchors", metavar="FILE", help="Anchors, one a line, whose records stay.")
    ] = None,
    needed_too: Annotated[
        bool, typer.Option("--needed-too", help="What is anchored or held goes as well. It is named.")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Remove the files.")] = False,
    dry_run: DryRun = False,
    now: Now = "",
    store: StoreFolder = None,
    profile: ProfileFile = None,
) -> int:
    """Remove the oldest files that were put aside, where every limit lets them go and nobody needs them. Removes with --apply only."""
    from barrier_policy.cli.log_prune import prune_log

    request = Request(profile=profile, log=log, now=now, store=store)
    applied = is_applied(apply=apply, dry_run=dry_run)
    return prune_log(request, keep_files, keep_days, anchors, needed_too=needed_too, apply=applied)
