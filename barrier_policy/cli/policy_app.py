"""The commands on policies. What they do is imported when they run, so that `--help` is fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import LintFormat, LintLevel, ScaffoldKind, SchemaKind

policy_app = typer.Typer(
    name="policy",
    help="Check, test, document and start policies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@policy_app.command("lint")
@guarded
def lint(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR", help="Folders or files; default: the shipped ones.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what can be put right safely; writes the files.")] = False,
    format: Annotated[LintFormat, typer.Option("--format", help="How to print the findings.")] = LintFormat.TEXT,
    select: Annotated[list[str] | None, typer.Option("--select", metavar="IDS", help="Only these lint rules.")] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="IDS", help="Not these lint rules.")] = None,
    level: Annotated[LintLevel, typer.Option("--level", help="Only findings of at least this level.")] = LintLevel.INFO,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    alone: Annotated[bool, typer.Option("--alone", help="Not on top of the shipped policies.")] = False,
    now: Annotated[str, typer.Option("--now", metavar="TIME", help="Time for what expires; default: the clock.")] = "",
    explain: Annotated[str, typer.Option("--explain", metavar="ID", help="Show the page of a lint rule.")] = "",
) -> int:
    """Report what is wrong with policies, their cases and exceptions. Exit code 4 where there is an error."""
    from barrier_policy.cli.policy_lint import LintRequest, explain_rule, lint_policies

    if explain:
        return explain_rule(explain)
    request = LintRequest(
        paths=tuple(paths or ()),
        fix=fix,
        format=format,
        select=tuple(select or ()),
        ignore=tuple(ignore or ()),
        level=level,
        strict=strict,
        alone=alone,
        now=now,
    )
    return lint_policies(request)


@policy_app.command("docs")
@guarded
def docs(
    path: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A folder of policies; default: the shipped ones.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="OUT", help="The file to write; default: standard output.")
    ] = None,
) -> int:
    """Write the reference of a policy set as Markdown, each rule with an example from its cases."""
    from barrier_policy.cli.policy_files import write_reference

    return write_reference(path, output)


@policy_app.command("new")
@guarded
def new(
    kind: Annotated[ScaffoldKind, typer.Argument(help="What to start.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="`area.verb-phrase` for a rule, else a word in kebab.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where.")] = Path("."),
) -> int:
    """Start a rule, a policy or an overlay, with cases that pass. Overwrites nothing."""
    from barrier_policy.cli.policy_files import start

    return start(kind, name, folder)


@policy_app.command("schema")
@guarded
def schema(kind: Annotated[SchemaKind, typer.Argument(help="Of which file.")]) -> int:
    """Print the JSON Schema of a kind of file, for editors."""
    from barrier_policy.cli.policy_files import print_schema

    return print_schema(kind)
