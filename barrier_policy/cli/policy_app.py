"""The commands on policies. What they do is imported when they run, so that `--help` is fast."""

from __future__ import annotations

import typer

from barrier_policy.cli.policy_test_app import test_app

policy_app = typer.Typer(
    name="policy",
    help="Check, test, document and start policies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
policy_app.add_typer(test_app, name="test")
