"""The commands and their options. What they do is imported when they run, so that `--help` is fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barrier_policy.cli.carrier_app import carrier_app
from barrier_policy.cli.guard import guarded
from barrier_policy.cli.log_app import log_app
from barrier_policy.cli.options import (
    DECIDING,
    SPANNING,
    File,
    Files,
    Format,
    LogFile,
    OutputFormat,
    ProfileFile,
    Replayed,
    ReportFormat,
    Request,
    SpanName,
    StoreFolder,
    Unfolded,
    asking,
    parse_range,
)
from barrier_policy.cli.plugin_app import plugin_app
from barrier_policy.cli.policy_app import policy_app
from barrier_policy.cli.store_app import store_app
from barrier_policy.cli.usage import PlainGroup

EXIT_CODES = "Exit codes: 0 compaction may go on, 1 refused, 2 usage or unreadable input, 3 invalid policy, 4 what was checked is not good."

app = typer.Typer(
    name="barrier-policy",
    cls=PlainGroup,
    help=f"Decide, span by span, what of an agent's transcript may be summarized. {EXIT_CODES}",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(carrier_app, name="carrier")
app.add_typer(store_app, name="store")
app.add_typer(log_app, name="log")
app.add_typer(plugin_app, name="plugin")
app.add_typer(policy_app, name="policy")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"barrier-policy {version('barrier-policy')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options before the command."""


@app.command()
@guarded
@asking(*SPANNING, "log")
def decide(
    files: Files,
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
    all: Unfolded = False,
    excerpts: Annotated[
        bool, typer.Option("--excerpts", help="In JSON, the words at each piece of evidence, short, secrets masked.")
    ] = False,
) -> int:
    """Say of each span whether it may be summarized, with the rule that decided. Writes nothing but the decision log, if there is one."""
    from barrier_policy.cli.decide import decide_files

    return decide_files(request, files, format=format, fold=not all, excerpts=excerpts)


@app.command()
@guarded
@asking(*DECIDING)
def compact(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A transcript, in a format that can be written.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="The file to write, in the format of FILE.")
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Replace FILE; the original goes into the store.")] = False,
    span: Annotated[str, typer.Option("--span", metavar="START:END", help="Compact only these messages.")] = "",
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
) -> int:
    """Compact a transcript: originals archived, records written, the result audited, and never put in place if that fails."""
    from barrier_policy.cli.compact import compact_file

    return compact_file(
        request, file, output, in_place=in_place, span=parse_range(span, option="--span") if span else None, format=format
    )


@app.command()
@guarded
@asking(*SPANNING)
def explain(file: File, span: SpanName, *, request: Request) -> int:
    """Show the rules that decided about one span, clause by clause, with the places in the transcript that they rest on."""
    from barrier_policy.cli.explain import explain_span

    return explain_span(request, file, span)


@app.command()
@guarded
@asking("reader", "keep_last", "now", "store", "profile", "policies", "engine")
def audit(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="BEFORE AFTER … | SESSION",
            help="What was before and what was after, or each round after the other; or a session whose log has its compactions.",
        ),
    ],
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
    all: Unfolded = False,
    allow_inconclusive: Annotated[
        bool, typer.Option("--allow-inconclusive", help="What can't be decided does not fail the audit.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="All that was protected had to stand in the result, also where no gate made it.")
    ] = False,
) -> int:
    """Say what a compaction severed, weakened, contradicted or made up, whoever made it. Exit code 4 unless it passes."""
    from barrier_policy.cli.audit import audit_files

    return audit_files(request, files, format=format, fold=not all, allow_inconclusive=allow_inconclusive, exact=exact)


@app.command()
@guarded
@asking("reader", "now", "profile")
def facts(
    file: File,
    kind: Annotated[str, typer.Option("--kind", metavar="K", help="Only facts of this kind.")] = "",
    message: Annotated[int | None, typer.Option("--message", min=0, metavar="N", help="Only facts of this message.")] = None,
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
) -> int:
    """List what the extractors found."""
    from barrier_policy.cli.listings import list_facts

    return list_facts(request, file, kind=kind, message=message, format=format)


@app.command()
@guarded
@asking("reader", "keep_last", "now", "profile")
def ledger(
    file: File,
    family: Annotated[str, typer.Option("--family", metavar="F", help="obligation, effect, constraint or binding.")] = "",
    live: Annotated[bool, typer.Option("--live", help="Only what is still owed, in force, open or unsettled.")] = False,
    format: Format = OutputFormat.TABLE,
    *,
    request: Request,
) -> int:
    """List obligations, effects, constraints and bindings with their states."""
    from barrier_policy.cli.listings import list_ledger

    return list_ledger(request, file, family=family, live=live, format=format)


@app.command()
@guarded
def plugins(format: Format = OutputFormat.TABLE) -> int:
    """List the plugins that were found, loaded or refused and why, with what they provide."""
    from barrier_policy.cli.listings import list_plugins

    return list_plugins(format=format)


@app.command()
@guarded
def replay(
    decision: Annotated[str, typer.Argument(metavar="DECISION", help="The decision's id, or how it begins.")],
    log: LogFile = None,
    format: Annotated[
        Replayed, typer.Option("--format", help="`json`: the decision as `decide` prints it; `jsonl`: its bytes, a line.")
    ] = Replayed.TEXT,
    store: StoreFolder = None,
    profile: ProfileFile = None,
) -> int:
    """Derive a logged decision again from its archived inputs. Exit code 4 where it is another one, or an input is missing."""
    from barrier_policy.cli.replay import replay_decision

    return replay_decision(Request(store=store, profile=profile, log=log), decision, format=format)


@app.command()
@guarded
@asking(*SPANNING)
def report(
    file: File,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; default: standard output.")
    ] = "",
    format: Annotated[ReportFormat, typer.Option("--format", help="A page, or what CI systems read.")] = ReportFormat.HTML,
    *,
    request: Request,
) -> int:
    """Write a decision as a page for reviewers, or as SARIF or JUnit for CI. The exit code is that of `decide`."""
    from barrier_policy.cli.report import report_file

    return report_file(request, file, output, format)
