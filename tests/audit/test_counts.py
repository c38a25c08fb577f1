"""What was done twice in the same words is one receipt that counts: neither a repetition nor an omission goes unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.audit.model import AuditReport, Outcome
from barrier_policy.carrier.block import Entry, render_block
from barrier_policy.carrier.merge import merge_records

from .conftest import Compacted, call

Check = Callable[..., AuditReport]
ORDER = '{"item": "soil, 40 l", "shop": "north"}'


def garden(times: int) -> list[dict[str, Any]]:
    """Soil is ordered, some times over, with nothing to tell the orders apart."""
    said = [{"role": "user", "content": f"Order soil, {times} bags."}]
    for number in range(times):
        said += call("place_order", {"item": "soil, 40 l", "shop": "north"}, "ordered", number)
    talk = [
        {"role": ("assistant", "user")[n % 2], "content": text} for n, text in enumerate(("They are ordered.", "Thanks."))
    ]
    return [*said, *talk, {"role": "assistant", "content": "You are welcome."}, {"role": "user", "content": "And now?"}]


@pytest.fixture(scope="module")
def twice(compact: Callable[..., Compacted]) -> Compacted:
    return compact(garden(2), keep_last=2, name="garden")


def receipts(result: Compacted) -> list[str]:
    merged = merge_records((), result.analysis.decision.carrier).records
    return [record.text for record in merged if record.kind == "receipt"]


def with_receipt(result: Compacted, line: str) -> tuple[Any, ...]:
    others = [entry for entry in result.entries if entry.kind != "receipt"]
    return result.with_carrier(render_block([*others, Entry(kind="receipt", text=line)]))


def test_two_equal_orders_are_one_line_that_says_two(twice: Compacted) -> None:
    (line,) = receipts(twice)
    assert line.startswith("done 2 times: place_order") and line.endswith("→ ordered")


def test_the_line_that_counts_them_right_passes(twice: Compacted, check: Check) -> None:
    report = check(twice, with_receipt(twice, receipts(twice)[0]))
    assert report.findings == () and report.outcome is Outcome.PASS


def test_so_do_two_lines(twice: Compacted, check: Check) -> None:
    assert check(twice).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("counted", "rule"),
    [("done: ", "audit.severed"), ("done 3 times: ", "audit.unsupported"), ("failed 2 times: ", "audit.contradicted")],
)
def test_a_line_that_counts_them_wrong_is_found(twice: Compacted, check: Check, counted: str, rule: str) -> None:
    report = check(twice, with_receipt(twice, receipts(twice)[0].replace("done 2 times: ", counted)))
    assert report.outcome is Outcome.FAIL
    assert rule in {finding.rule for finding in report.findings}
