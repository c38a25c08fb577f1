"""`barrier-policy log show`: what was decided, when, and by which rules."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from barrier_policy.cli.console import cell, emit, make_table, out, show
from barrier_policy.cli.guard import FAILED, OK
from barrier_policy.cli.log_access import Told, named_log
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.log.record import Record
from barrier_policy.policy.hints import suggestion
from barrier_policy.report.rows import ACTIONS
from barrier_policy.walk import timestamp

OUTCOMES = ("compact", "nothing_to_reclaim", "refuse")
SHORT = 12
"""Hexadecimal digits that a table shows of a digest."""


def show_log(request: Request, *, decision: str, outcome: str, since: str, format: OutputFormat) -> int:
    """Print the records that are asked for. 4, and said why, where the log is not whole: what is printed then is not proven.

    Raises BarrierPolicyError.
    """
    if outcome and outcome not in OUTCOMES:
        raise BarrierPolicyError(f"--outcome: no outcome `{outcome}` {suggestion(outcome, OUTCOMES)}")
    start = _time(since)
    log, told = named_log(request), Told()
    found = log.find(decision, told) if decision else log.records(told)
    chosen = [
        record
        for record in found
        if (not outcome or record.result.outcome == outcome) and (not start or _digits(record.timestamp) >= start)
    ]
    if decision and format is OutputFormat.TABLE:
        for record in chosen:
            _print_decision(record)
    else:
        emit(chosen, format, lambda: _table(chosen))
    return FAILED if told.anything else OK


def _time(text: str) -> str:
    """A time in the form of records, whose digits sort as text; "" for none."""
    try:
        return _digits(timestamp(text)) if text else ""
    except BarrierPolicyError as error:
        raise BarrierPolicyError(f"--since: {error}") from None


def _digits(time: str) -> str:
    return time.removesuffix("Z")  # which would sort behind a fraction of a second


def short(digest: str) -> str:
    """The first digits of a digest."""
    return digest.removeprefix("sha256:")[:SHORT]


def _table(records: Sequence[Record]) -> Table:
    numbers = (*ACTIONS, "tokens", "freed")
    table = make_table(
        "record", "time", "decision", "outcome", *numbers, "labels", right=("record", *numbers), wide="labels"
    )
    for record in records:
        counts, totals = record.metrics.counts, record.result.totals
        table.add_row(
            f"{record.sequence:,}",
            cell(record.timestamp[:19] + "Z"),
            cell(short(record.decision_id)),
            cell(record.result.outcome),
            *(f"{counts.get(name, 0):,}" for name in ACTIONS),
            f"{totals.tokens_before:,}",
            f"{totals.tokens_reclaimed:,}",
            cell(_labels(record)),
        )
    return table


def _print_decision(record: Record) -> None:
    """One record: what it rests on, then span by span."""
    inputs, result = record.inputs, record.result
    about = inputs.transcript
    lines = {
        "decision": record.decision_id,
        "record": f"{record.sequence:,}, logged {record.timestamp}",
        "outcome": f"{result.outcome}, {result.totals.tokens_reclaimed:,} of {result.totals.tokens_before:,} tokens leave",
        "transcript": f"{about.digest}, {about.format}, {about.messages:,} messages, {about.length:,} bytes",
        "policies": f"{record.bundle.name} {record.bundle.digest}",
        "code": f"barrier-policy {inputs.package.version}, {inputs.engine}, {len(inputs.plugins)} plugins",
        "decided as of": inputs.asked.now,
        "archived": inputs.archive or "nothing, so it can't be replayed",
        "labels": _labels(record),
    }
    for name, text in lines.items():
        if text:
            show(out(), cell(f"{name:<14}{text}"))
    show(out())
    show(out(), _spans(record))


def _spans(record: Record) -> Table:
    table = make_table(
        "span", "messages", "tokens", "action", "original", "rules", right=("messages", "tokens"), wide="rules"
    )
    for span in record.result.spans:
        rules = [f"{rule.rule} ({len(rule.evidence)})" if rule.evidence else rule.rule for rule in span.rules]
        rules += [f"{rule} (error)" for rule in span.errors]
        start, end = span.messages
        table.add_row(
            cell(span.id),
            f"{end - start:,}",
            f"{span.tokens:,}",
            cell(span.action),
            short(span.digest),
            cell(", ".join(rules)),
        )
    return table


def _labels(record: Record) -> str:
    return ", ".join(f"{name}={value}" for name, value in record.labels.items())
