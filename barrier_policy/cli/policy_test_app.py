"""`policy test` and `policy test record`, with their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from barrier_policy.cli.guard import guarded
from barrier_policy.cli.options import Alone, Folders, Request, SpanName, TestEngine, TestFormat, asking

RUN = "run"


class _RunByDefault(TyperGroup):
    """Folders where a command could stand: `policy test DIR` is `policy test run DIR`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Add the command that is left out. A folder that is called as a command is `./record`."""
        named = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if named else [RUN, *args])


test_app = typer.Typer(cls=_RunByDefault, help="Run the cases of policies, or make one (`policy test record --help`).")


@test_app.command(RUN)
@guarded
def run(
    folders: Folders = None,
    alone: Alone = False,
    engine: Annotated[
        TestEngine | None,
        typer.Option("--engine", help="`both` must agree, and is the default where both are installed."),
    ] = None,
    rule: Annotated[str, typer.Option("--rule", metavar="PATTERN", help="Only rules such as `zones.*`.")] = "",
    name: Annotated[str, typer.Option("--name", metavar="PATTERN", help="Only cases with such names.")] = "",
    format: Annotated[TestFormat, typer.Option("--format", help="How to print the result.")] = TestFormat.TEXT,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show which outcomes of rules and clauses cases show.")
    ] = False,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail-under", min=0, max=100, metavar="N", help="Fail where less than N % of these are shown."),
    ] = None,
    cobertura: Annotated[
        Path | None, typer.Option("--cobertura", metavar="FILE", help="Write the coverage as Cobertura XML.")
    ] = None,
    mutate: Annotated[
        bool,
        typer.Option("--mutate", help="Change rules, one thing at a time: some case must notice, or the test file explain."),
    ] = False,
) -> int:
    """Run the cases beside policies. `policy test record` makes a case. Exit code 4 where something fails, 3 for policies or cases that are not right."""
    from barrier_policy.cases.run import Asked
    from barrier_policy.cli.policy_test import test_policies

    asked = Asked(folders=tuple(folders or ()), alone=alone, engine=engine or "", rule=rule, name=name, mutate=mutate)
    return test_policies(asked, format=format, coverage=coverage, fail_under=fail_under, cobertura=cobertura)


@test_app.command()
@guarded
@asking("reader", "keep_last", "now", "log", "store", "no_store", "profile", "policies", "engine")
def record(
    source: Annotated[
        str, typer.Argument(metavar="FILE|DECISION", help="A transcript; with --log, the id of a logged decision.")
    ],
    span: SpanName,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="R", help="The rule; default: each that decided about the span.")
    ] = None,
    *,
    request: Request,
) -> int:
    """Print a case that shows what a rule says about a span of a transcript, or of a decision that is in a log."""
    from barrier_policy.cli.policy_test import record_cases

    return record_cases(request, source, span, tuple(rule or ()))
