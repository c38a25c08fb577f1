"""The commands below `plugin`, for authors of plugins. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded

plugin_app = typer.Typer(help="For authors of plugins: start a package.", no_args_is_help=True)


@plugin_app.callback()
def plugin() -> None:
    """For authors of plugins: start a package."""


@plugin_app.command()
@guarded
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The package's name, e.g. acme-tickets.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Where; default: NAME in the working directory.")
    ] = None,
) -> int:
    """Make an installable package with an extractor, a policy, cases and tests that pass. Overwrites nothing."""
    from barrier_policy.cli.plugin_new import new_plugin

    return new_plugin(name, folder)
