"""The commands below `carrier`, with their options. What they do is imported when they run."""

from __future__ import annotations

from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import File, Format, OutputFormat, Request, asking

carrier_app = typer.Typer(help="The records that a compaction keeps.", no_args_is_help=True)


@carrier_app.callback()
def group() -> None:
    """The records that a compaction keeps."""


@carrier_app.command("show")
@guarded
@asking("reader", "keep_last", "target_tokens", "now", "store", "no_store", "profile")
def carrier_show(
    file: File,
    planned: Annotated[bool, typer.Option("--planned", help="The records that a compaction of FILE would write.")] = False,
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
) -> int:
    """Print the carriers of a transcript by kind, with tokens; with --store, what their typed records say besides."""
    from barrier_policy.cli.carrier import show_carrier

    return show_carrier(request, file, planned=planned, format=format)
