"""The commands below `store`, with their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import DryRun, Format, OutputFormat, Request, asking, is_applied

store_app = typer.Typer(help="Originals: get one back, verify all, collect garbage, hold some.", no_args_is_help=True)
hold_app = typer.Typer(help="Legal holds: objects that stay whatever happens.", no_args_is_help=True)
store_app.add_typer(hold_app, name="hold")

Digest = Annotated[str, typer.Argument(metavar="DIGEST", help="sha256:<64 hex digits>, also as store:sha256:….")]
Owner = Annotated[str, typer.Option("--owner", metavar="WHO", help="Who holds it.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; kept for whoever asks later.")]


@store_app.command()
@guarded
@asking("store", "profile")
def get(
    digest: Digest,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to standard output.")
    ] = None,
    *,
    request: Request,
) -> int:
    """Write the bytes of one object, if they read back under its digest."""
    from barrier_policy.cli.store import get_object

    return get_object(request, digest, output)


@store_app.command()
@guarded
@asking("store", "profile")
def verify(format: Format = OutputFormat.TABLE, *, request: Request) -> int:
    """Read every object back. Exit code 4 where one is damaged, or one that is held or that a compaction named is missing."""
    from barrier_policy.cli.store import verify_objects

    return verify_objects(request, format)


@store_app.command()
@guarded
@asking("now", "store", "profile")
def gc(
    apply: Annotated[bool, typer.Option("--apply", help="Remove what is found.")] = False,
    dry_run: DryRun = False,
    grace_hours: Annotated[
        int, typer.Option("--grace-hours", min=0, max=876_000, metavar="N", help="Keep what was put in the last N hours.")
    ] = 24,
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
) -> int:
    """Find objects that no document names, nobody holds and that are older than the grace period. Removes with --apply only."""
    from barrier_policy.cli.store import collect

    return collect(request, grace_hours, format, apply=is_applied(apply=apply, dry_run=dry_run))


@hold_app.command()
@guarded
@asking("now", "store", "profile")
def add(digest: Digest, owner: Owner, reason: Reason, *, request: Request) -> int:
    """Hold an object, whatever else names it or not."""
    from barrier_policy.cli.store import hold_object

    return hold_object(request, digest, owner, reason)


@hold_app.command()
@guarded
@asking("now", "store", "profile")
def release(digest: Digest, owner: Owner, reason: Reason, *, request: Request) -> int:
    """End the owner's hold on an object. That it was held stays on record."""
    from barrier_policy.cli.store import release_object

    return release_object(request, digest, owner, reason)


@hold_app.command("list")
@guarded
@asking("store", "profile")
def list_(format: Format = OutputFormat.TABLE, *, request: Request) -> int:
    """List the holds in force."""
    from barrier_policy.cli.store import list_holds

    return list_holds(request, format)
