"""A log as a table for spreadsheets: one row a decision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from barrier_policy.log.record import Record

COLUMNS = (
    "sequence",
    "timestamp",
    "decision_id",
    "outcome",
    "transcript",
    "format",
    "messages",
    "turns",
    "policy",
    "policy_digest",
    "engine",
    "package",
    "now",
    "spans",
    "summarize",
    "repair",
    "retain",
    "errors",
    "blocking",
    "tokens_before",
    "tokens_reclaimed",
    "tokens_carrier",
    "rules",
    "labels",
    "digest",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute (OWASP, CSV Injection)."""


def to_csv(records: Iterable[Record]) -> Iterator[str]:
    """The lines of a CSV file (RFC 4180), the names of the columns first."""
    yield _line(COLUMNS)
    for record in records:
        yield _line([_safe(str(value)) for value in _row(record).values()])


def _row(record: Record) -> dict[str, object]:
    """The cells of a record, in the order of the columns."""
    about, result, totals = record.inputs.transcript, record.result, record.result.totals
    rules = sorted({rule.rule for span in result.spans for rule in span.rules})
    cells: dict[str, object] = {
        "sequence": record.sequence,
        "timestamp": record.timestamp,
        "decision_id": record.decision_id,
        "outcome": result.outcome,
        "transcript": about.digest,
        "format": about.format,
        "messages": about.messages,
        "turns": about.turns,
        "policy": record.bundle.name,
        "policy_digest": record.bundle.digest,
        "engine": record.inputs.engine,
        "package": record.inputs.package.version,
        "now": record.inputs.asked.now,
        "spans": len(result.spans),
        "blocking": result.blocking,
        "tokens_before": totals.tokens_before,
        "tokens_reclaimed": totals.tokens_reclaimed,
        "tokens_carrier": totals.tokens_carrier,
        "rules": " ".join(rules),
        "labels": " ".join(f"{name}={value}" for name, value in record.labels.items()),
        "digest": record.digest,
        **record.metrics.counts,
    }
    return {name: cells.get(name, "") for name in COLUMNS}


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
