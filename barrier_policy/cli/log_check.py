"""`barrier-policy log verify`, `anchor` and `export`: nothing is taken from a log that is not whole."""

from __future__ import annotations

import sys

from barrier_policy.cli.console import out, show, write_bytes
from barrier_policy.cli.guard import FAILED, OK, report
from barrier_policy.cli.log_access import named_log
from barrier_policy.cli.options import Request
from barrier_policy.errors import LogError
from barrier_policy.log.chain import Verification, parse_anchor
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.export import to_csv
from barrier_policy.log.record import Head, to_line


def verify_log(request: Request, anchor: str) -> int:
    """Say how many records are good, or which line is the first that is not."""
    known = parse_anchor(anchor) if anchor else None
    found = named_log(request).verify(known)
    if found.problem:
        report(LogError(found.problem))
        show(out(), f"good before that: {_records(found)}")
        return FAILED
    anchored = ", the anchored one among them" if known else ""
    show(out(), f"{_records(found)}, each as it was written{anchored}; head {found.head}")
    if found.start.count:
        show(
            out(),
            f"records 1 to {found.start.count:,} were removed; the rest follows {found.start} (meet it with an anchor)",
        )
    return OK


def print_anchor(request: Request) -> int:
    """Print the head of a log that is whole."""
    head = _whole(named_log(request))
    if head is None:
        return FAILED
    print(head)
    return OK


def export_log(request: Request, *, as_csv: bool) -> int:
    """Print all records of a log that is whole."""
    log = named_log(request)
    if _whole(log) is None:
        return FAILED
    if as_csv:
        sys.stdout.flush()
        for row in to_csv(log.records()):
            write_bytes(row.encode("utf-8", "backslashreplace"))
    else:
        for record in log.records():
            write_bytes(to_line(record) + b"\n")
    return OK


def _whole(log: DecisionLog) -> Head | None:
    """The head of a log; None, and said why, where it is not whole."""
    found = log.verify()
    if found.problem:
        report(LogError(found.problem))
        return None
    return found.head


def _records(found: Verification) -> str:
    count = found.head.count - found.start.count
    return "1 record" if count == 1 else f"{count:,} records"
