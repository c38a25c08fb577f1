"""Both CEL engines say the same of every shipped rule on real records (design section 10).

The reference engine takes milliseconds for what the fast one does in microseconds: of each transcript only so many records
are compared, and none twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider
from barrier_policy.decision.assess import record_of
from barrier_policy.errors import TranscriptError
from barrier_policy.join.join import Coverage, Provenance, Record, build_record
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.walk import Analysis

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
FRESH = ROOT / "tests" / "data" / "cases" / "fresh.jsonl"
SHARED = ROOT.parent / "shared"
NOW = "2026-06-01T12:00:00Z"
NOT_CONTENT = ("id", "start", "end", "tokens")
MAX_BYTES = 400_000


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


@pytest.fixture(scope="module")
def evaluators(decider: Decider) -> tuple[Evaluator, Evaluator]:
    pytest.importorskip("cel_expr_python", exc_type=ImportError)
    return Evaluator(decider.policies, load_engine("fast")), Evaluator(decider.policies, load_engine("python"))


class Comparison:
    """Compares records that differ in more than their place."""

    def __init__(self, evaluators: tuple[Evaluator, Evaluator]) -> None:
        self._fast, self._slow = evaluators
        self._seen: set[str] = set()
        self.compared = 0
        self.true: set[str] = set()

    def run(self, records: Iterable[Record], most: int) -> None:
        """Compare the first records that are new, at most so many."""
        for record in records:
            if most <= 0:
                return
            content = json.dumps({name: value for name, value in record.items() if name not in NOT_CONTENT})
            if content in self._seen:
                continue
            self._seen.add(content)
            most -= 1
            self.compared += 1
            fast, slow = self._fast.evaluate(record), self._slow.evaluate(record)
            assert fast == slow, record
            assert self._fast.judge(record) == self._slow.judge(record)
            self.true |= {outcome.rule for outcome in fast.outcomes if outcome.outcome == "true"}


@pytest.fixture
def comparison(evaluators: tuple[Evaluator, Evaluator]) -> Comparison:
    return Comparison(evaluators)


def _records(found: Analysis) -> Iterator[Record]:
    """The record of each span as it stands, and as it is after its repairs."""
    for assessment in found.assessments:
        yield record_of(found.join, assessment)
        if assessment.repairable:
            carried = Coverage(carried=frozenset(item.id for item in assessment.rebind), values=assessment.coverage.values)
            yield build_record(
                found.join,
                found.join.number_of(assessment.span),
                carried,
                Provenance(present=True, retrievable=True, uri="u"),
            )


def _longest_first(records: Iterable[Record]) -> list[Record]:
    """Records that say most, so that what is left out says least."""
    lists = ("obligations", "effects", "constraints", "bindings", "unknowns")
    return sorted(records, key=lambda record: -sum(bool(record[name]) * 100 + len(record[name]) for name in lists))


def _case_records(decider: Decider, lines: Iterable[str]) -> Iterator[Record]:
    for line in lines:
        case: dict[str, Any] = json.loads(line)
        yield from _records(decider.analyse(case["messages"], keep_last=case["keep_last"], now=case["now"]))


def test_on_the_shipped_examples(decider: Decider, comparison: Comparison) -> None:
    for example in EXAMPLES:
        comparison.run(_longest_first(_records(decider.analyse(example, now=NOW))), most=80)
    assert comparison.compared > len(EXAMPLES)


def test_on_the_cases_of_this_repository(decider: Decider, comparison: Comparison) -> None:
    lines = FRESH.read_text(encoding="utf-8").splitlines()
    comparison.run(_case_records(decider, lines), most=300)
    assert comparison.compared > len(lines)
    assert comparison.true >= {
        "effects.unsettled",
        "effects.receipt-missing",
        "bindings.open-endpoint",
        "evidence.insufficient",
    }


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/transcripts")
def test_on_transcripts_of_real_runtimes(decider: Decider, comparison: Comparison) -> None:
    read = 0
    for folder in sorted(path for path in (SHARED / "transcripts").iterdir() if path.is_dir()):
        files = sorted(file for file in folder.rglob("*") if file.is_file() and file.stat().st_size < MAX_BYTES)
        for file in files[:: max(1, len(files) // 2)][:2]:
            try:
                found = decider.analyse(file, now=NOW)
            except TranscriptError:
                continue
            comparison.run(_longest_first(_records(found)), most=12)
            read += 1
    assert read >= 20


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/cases")
@pytest.mark.parametrize("name", ["reports", "operations"])
def test_on_a_sample_of_the_shared_cases(decider: Decider, comparison: Comparison, name: str) -> None:
    lines = (SHARED / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    comparison.run(_case_records(decider, lines[::4]), most=150)
    assert comparison.compared > len(lines) // 4
