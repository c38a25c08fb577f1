"""`barrier-policy policy`: the commands for those who own the rules. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import (
    Alone,
    EngineOption,
    Folders,
    Format,
    LintFormat,
    LintLevel,
    Now,
    OutputFormat,
    ProfileFile,
    Report,
    Request,
    ScaffoldKind,
    SchemaKind,
    asking,
    named_folder,
)
from barrier_policy.cli.policy_test_app import test_app

policy_app = typer.Typer(
    help="Check, test, show, compare, document, start and bundle policies.",
    no_args_is_help=True,
)
bundle_app = typer.Typer(
    help="Build, sign and verify bundles of policies.",
    no_args_is_help=True,
)
policy_app.add_typer(bundle_app, name="bundle")
policy_app.add_typer(test_app, name="test")

BundleFile = Annotated[Path, typer.Argument(metavar="FILE", help="A bundle, as `policy bundle build` makes it.")]


@policy_app.command()
@guarded
def show(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", parser=named_folder, help="Folders or bundles on top of the shipped policies."),
    ] = None,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Every key of every rule, with the place it comes from.")
    ] = False,
    format: Format = OutputFormat.TABLE,
    now: Now = "",
    profile: ProfileFile = None,
    engine: EngineOption = None,
) -> int:
    """Show the rules in force after all folders, their modes and exceptions, and where each comes from."""
    from barrier_policy.cli.policy_show import show_policies

    request = Request(now=now, profile=profile, policies=tuple(folders or ()), engine=engine or "")
    return show_policies(request, resolved=resolved, format=format)


@policy_app.command()
@guarded
@asking("reader", "keep_last", "now", "store", "no_store", "profile", "engine")
def diff(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="`shipped`, a folder or bundle on top of it, or several: a+b.")
    ],
    head: Annotated[str, typer.Argument(metavar="HEAD", help="What is compared with BASE, named in the same way.")],
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE", help="Compare on what a decision log decided.")
    ] = None,
    transcripts: Annotated[
        list[Path] | None, typer.Option("--transcripts", metavar="PATH", help="Compare on these; may be repeated.")
    ] = None,
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE", help="More transcripts.")] = None,
    bare: Annotated[bool, typer.Option("--bare", help="Folders are whole policies, and not on top of the shipped.")] = False,
    acknowledge: Annotated[
        list[str] | None, typer.Option("--acknowledge", metavar="RULE", help="It may loosen; may be repeated.")
    ] = None,
    acknowledgements: Annotated[
        Path | None, typer.Option("--acknowledgements", metavar="FILE", help="Rules that may loosen, with owner and reason.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=64, metavar="N", help="Processes; default: one for each processor.")
    ] = None,
    format: Annotated[Report, typer.Option("--format", help="How to print the result.")] = Report.TEXT,
    *,
    request: Request,
) -> int:
    """Say what HEAD would change against BASE. Exit code 4 if it loosens something that nobody has acknowledged."""
    from barrier_policy.cli.policy_diff import Comparison, diff_policies

    comparison = Comparison(
        base=base,
        head=head,
        bare=bare,
        log=log,
        transcripts=(*(transcripts or ()), *(files or ())),
        acknowledge=tuple(acknowledge or ()),
        acknowledgements=acknowledgements,
        jobs=jobs,
    )
    return diff_policies(request, comparison, format)


@bundle_app.command()
@guarded
@asking("profile", "engine")
def build(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", parser=named_folder, help="Folders, later ones on top of earlier ones.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The bundle to write, `*.bundle`.")],
    *,
    request: Request,
) -> int:
    """Put folders of policies into one file, the same bytes for the same policies."""
    from barrier_policy.cli.policy_bundle import build_bundle

    return build_bundle(request, tuple(folders), output)


@bundle_app.command()
@guarded
def sign(
    file: BundleFile,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="The private key, as `policy keygen` makes it.")
    ] = None,
    key_env: Annotated[
        str, typer.Option("--key-env", metavar="NAME", help="Environment variable that holds the private key.")
    ] = "",
) -> int:
    """Add a signature to a bundle. The key is never shown."""
    from barrier_policy.cli.policy_bundle import sign_file

    return sign_file(file, key, key_env)


@bundle_app.command()
@guarded
def verify(
    file: BundleFile,
    keys: Annotated[
        list[Path] | None,
        typer.Option("--keys", metavar="PATH", help="Public keys, or folders of `*.pub`; default: the profile's."),
    ] = None,
    profile: ProfileFile = None,
) -> int:
    """Check that a bundle is whole and signed by one of these keys. Exit code 3 if it is not."""
    from barrier_policy.cli.policy_bundle import verify_file

    return verify_file(Request(profile=profile), file, tuple(keys or ()))


@policy_app.command()
@guarded
def keygen(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="Writes NAME.key, which is secret, and NAME.pub.")],
) -> int:
    """Make a pair of keys to sign bundles with and to verify them."""
    from barrier_policy.cli.policy_bundle import write_keys

    return write_keys(name)


@policy_app.command("lint")
@guarded
def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", parser=named_folder, help="Folders or files; default: the shipped ones."),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what can be put right safely; writes the files.")] = False,
    format: Annotated[LintFormat, typer.Option("--format", help="How to print the findings.")] = LintFormat.TEXT,
    select: Annotated[list[str] | None, typer.Option("--select", metavar="IDS", help="Only these lint rules.")] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="IDS", help="Not these lint rules.")] = None,
    level: Annotated[LintLevel, typer.Option("--level", help="Only findings of at least this level.")] = LintLevel.INFO,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    alone: Alone = False,
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
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", parser=named_folder, help="Folders or bundles; default: the shipped policies."),
    ] = None,
    alone: Alone = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="The file to write; default: standard output.")
    ] = None,
    profile: ProfileFile = None,
) -> int:
    """Write the reference of what folders add and change as Markdown, each rule with an example from its cases."""
    from barrier_policy.cli.policy_files import write_reference

    return write_reference(Request(profile=profile), tuple(folders or ()), alone=alone, output=output)


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


@policy_app.command()
@guarded
def lsp(folders: Folders = None, alone: Alone = False) -> int:
    """Serve editors: findings, and completion and meaning of facts in expressions. DIR are folders below the one that is edited."""
    from barrier_policy.cli.policy_lsp import serve

    return serve(tuple(folders or ()), alone=alone)
