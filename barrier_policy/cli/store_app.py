"""The commands below `store`, with their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import Format, Now, OutputFormat, ProfileFile, Request, StoreFolder

store_app = typer.Typer(help="Originals: get one back, verify all, collect garbage, hold some.", no_args_is_help=True)
hold_app = typer.Typer(help="Legal holds: objects that stay whatever happens.", no_args_is_help=True)
store_app.add_typer(hold_app, name="hold")

Digest = Annotated[str, typer.Argument(metavar="DIGEST", help="sha256:<64 hex digits>, also as store:sha256:….")]
Owner = Annotated[str, typer.Option("--owner", metavar="WHO", help="Who holds it.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; kept for whoever asks later.")]


@store_app.command()
@guarded
def get(
    digest: Digest,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to standard output.")
    ] = None,
    store: StoreFolder = None,
    profile: ProfileFile = None,
) -> int:
    """Write the bytes of one object, if they read back under its digest."""
    from barrier_policy.cli.store import get_object

    return get_object(Request(store=store, profile=profile), digest, output)


@store_app.command()
@guarded
def verify(format: Format = OutputFormat.TABLE, store: StoreFolder = None, profile: ProfileFile = None) -> int:
    """Read every object back. Exit code 4 where one is damaged, or held and missing."""
    from barrier_policy.cli.store import verify_objects

    return verify_objects(Request(store=store, profile=profile), format)


@store_app.command()
@guarded
def gc(
    apply: Annotated[
        bool, typer.Option("--apply/--dry-run", help="Remove what is found, or only say what would be removed.")
    ] = False,
    grace_hours: Annotated[
        int, typer.Option("--grace-hours", min=0, max=876_000, metavar="N", help="Keep what was put in the last N hours.")
    ] = 24,
    format: Format = OutputFormat.TABLE,
    now: Now = "",
    store: StoreFolder = None,
    profile: ProfileFile = None,
) -> int:
    """Find objects that no document names, nobody holds and that are older than the grace period. Removes with --apply only."""
    from barrier_policy.cli.store import collect

    return collect(Request(store=store, profile=profile, now=now), grace_hours, format, apply=apply)


@hold_app.command()
@guarded
def add(
    digest: Digest, owner: Owner, reason: Reason, now: Now = "", store: StoreFolder = None, profile: ProfileFile = None
) -> int:
    """Hold an object, whatever else names it or not."""
    from barrier_policy.cli.store import hold_object

    return hold_object(Request(store=store, profile=profile, now=now), digest, owner, reason)


@hold_app.command()
@guarded
def release(
    digest: Digest, owner: Owner, reason: Reason, now: Now = "", store: StoreFolder = None, profile: ProfileFile = None
) -> int:
    """End the owner's hold on an object. That it was held stays on record."""
    from barrier_policy.cli.store import release_object

    return release_object(Request(store=store, profile=profile, now=now), digest, owner, reason)


@hold_app.command("list")
@guarded
def list_(format: Format = OutputFormat.TABLE, store: StoreFolder = None, profile: ProfileFile = None) -> int:
    """List the holds in force."""
    from barrier_policy.cli.store import list_holds

    return list_holds(Request(store=store, profile=profile), format)
