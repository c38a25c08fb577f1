"""`barrier-policy policy test`: what came out, as text, JSON or XML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from barrier_policy.cases.record import record_case
from barrier_policy.cases.row import Row, table_lines
from barrier_policy.cases.run import Asked, Report, run_tests
from barrier_policy.cases.transcripts import rules_of
from barrier_policy.cases.xml import cobertura as cobertura_xml
from barrier_policy.cases.xml import junit
from barrier_policy.cli.console import cell, indented, make_table, out, show, write_bytes, write_output
from barrier_policy.cli.explain import find_span
from barrier_policy.cli.guard import FAILED, OK
from barrier_policy.cli.log_access import named_log
from barrier_policy.cli.options import Request, TestFormat, only_of_log
from barrier_policy.cli.session import Session, chosen_profile
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.log.replay import analyse_again
from barrier_policy.plugins import load_plugins
from barrier_policy.policy.coverage import Coverage, RuleCoverage
from barrier_policy.policy.loader import shipped_policies
from barrier_policy.policy.mutants import Mutation
from barrier_policy.walk import Analysis, Decider, open_store


def test_policies(
    asked: Asked, *, format: TestFormat, coverage: bool, fail_under: float | None, cobertura: Path | None
) -> int:
    """Run the cases and print what came out. `fail_under` is in per cent of what is to be shown."""
    report = run_tests(asked)
    if cobertura is not None:
        write_output(
            cobertura_xml(report.coverage, (Path.cwd(), shipped_policies().parent)), cobertura, option="--cobertura"
        )
    if format is TestFormat.JSON:
        write_bytes(_json(report))
    elif format is TestFormat.JUNIT:
        write_bytes(junit(report))
    else:
        _print(report, coverage=coverage or fail_under is not None)
    short = fail_under is not None and report.coverage.percent < fail_under
    mutants = report.mutation is not None and bool(report.mutation.unexplained or report.mutation.stale)
    return FAILED if report.failed or short or mutants else OK


def record_cases(request: Request, source: str, span: str, rules: tuple[str, ...]) -> int:
    """Print a case for each rule. Raises BarrierPolicyError where none decided about the span, or the span is in the tail."""
    decider, analysis = _logged(request, source) if request.log is not None else _decided(request, source)
    number = find_span(analysis, span, source)
    if number is None:
        raise BarrierPolicyError(f"message {span} is in the tail, which no rule judges (name another, or lower --keep-last)")
    chosen = rules or rules_of(analysis.decision.spans[number])
    if not chosen:
        raise BarrierPolicyError(f"no rule decided about span {span} (name one with --rule)")
    cases = [record_case(decider, analysis, number, rule) for rule in chosen]
    write_bytes("".join(cases).encode())
    return OK


def _decided(request: Request, file: str) -> tuple[Decider, Analysis]:
    session = Session(request)
    return session.decider, session.analyse(file)


def _logged(request: Request, decision: str) -> tuple[Decider, Analysis]:
    """A decision of the log, from the newest record that has its inputs."""
    only_of_log(request, "reader", "keep_last", "now", "no_store", "policies", "engine")
    records = named_log(request).find(decision)
    record = next((record for record in reversed(records) if record.inputs.archive), records[-1])
    plugins = load_plugins()
    store = open_store(request.store, chosen_profile(request), plugins.stores)
    return analyse_again(record, store, plugins=plugins)


def _print(report: Report, *, coverage: bool) -> None:
    console = out()
    for row in report.failed:
        for line in _failure(row):
            show(console, cell(line))
    engines = " and ".join(name.split()[0] for name in report.engines)
    show(console, cell(f"{len(report.rows)} cases, {len(report.failed)} failed, with {engines}"))
    if coverage:
        _print_coverage(report.coverage)
    if report.mutation is not None:
        for line in _mutation(report.mutation):
            show(console, cell(line))


def _failure(row: Row) -> Iterator[str]:
    about = f" of {row.rule}" if row.rule else ""
    yield f"{row.file}:{row.line}: case `{row.name}`{about}: {row.message}"
    yield from (f"  {line}" for line in table_lines(row))


def _print_coverage(coverage: Coverage) -> None:
    console = out()
    table = make_table("rule", "true", "false", "error", "clauses", right=("true", "false", "error", "clauses"))
    for rule in coverage.rules:
        table.add_row(cell(rule.rule), *_counts(rule))
    show(console)
    show(console, table)
    show(console)
    for issue in coverage.missing():
        show(console, cell(str(issue)))
    show(console, cell(f"coverage {coverage.percent:.1f} % ({coverage.shown} of {coverage.points})"))


def _counts(rule: RuleCoverage) -> list[str]:
    """Cases by outcome; of the clauses both ways, how many are shown."""
    clauses = [point.hits > 0 for point in rule.points if point.clause]
    counts = [str(point.hits) for point in rule.points if not point.clause]
    return [*counts, f"{sum(clauses)}/{len(clauses)}" if clauses else ""]


def _mutation(mutation: Mutation) -> Iterator[str]:
    for survivor in mutation.survivors:
        what = f"{survivor.file}:{survivor.line}: {survivor.rule}: no case notices: {survivor.mutation}"
        yield f"{what} (explained: {survivor.why})" if survivor.why else what
    for entry in mutation.stale:
        yield f"{entry.file}:{entry.line}: {entry.rule}: `{entry.mutation}` does not survive (remove its explanation)"
    for rule in mutation.too_long:
        yield f"{rule}: the condition is too long with its variables, only effect and mode were changed"
    unexplained = len(mutation.unexplained)
    yield f"{mutation.mutants} mutants, {len(mutation.survivors)} survived, {unexplained} of them unexplained"


def _json(report: Report) -> bytes:
    coverage = report.coverage
    found = msgspec.to_builtins(report)
    for row, original in zip(found["rows"], report.rows, strict=True):
        row["passed"] = original.passed
    found["coverage"] |= {"percent": round(coverage.percent, 1), "shown": coverage.shown, "points": coverage.points}
    return indented(msgspec.json.encode(found))
