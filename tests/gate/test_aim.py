"""A target is kept by the result, with its carrier's frame and its summaries, or the compaction is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import CompactionRefusedError, Gate
from barrier_policy.gate.journal import State, read_journal, transactions
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.profile import Profile

NOW = "2026-09-14T08:30:00Z"
EXAMPLES = Path(__file__).parents[2] / "examples"
Messages = list[dict[str, Any]]


@pytest.fixture(scope="module")
def incident() -> Messages:
    found = json.loads((EXAMPLES / "incident.json").read_text(encoding="utf-8"))["messages"]
    assert isinstance(found, list)
    return found


@pytest.fixture
def least(tmp_path: Path, incident: Messages) -> int:
    """What all repairs come to."""
    return Gate(store=tmp_path / "least").compact(incident, keep_last=10, now=NOW).tokens_after


def test_the_result_has_no_more_tokens_than_the_target(tmp_path: Path, incident: Messages, least: int) -> None:
    gate = Gate(store=tmp_path / "store")
    for target in (least, least + 100, 14_000, 17_000):
        done = gate.compact(incident, keep_last=10, target_tokens=target, now=NOW)
        assert done.outcome == "compacted" and done.tokens_after <= target


def test_a_target_of_a_profile_is_kept_as_well(tmp_path: Path, incident: Messages, least: int) -> None:
    gate = Gate(Profile(target_tokens=least + 100), store=tmp_path / "store")
    assert gate.compact(incident, keep_last=10, now=NOW).tokens_after <= least + 100


def test_a_larger_target_takes_fewer_repairs(tmp_path: Path, incident: Messages) -> None:
    gate = Gate(store=tmp_path / "store")
    near, far = (gate.compact(incident, keep_last=10, target_tokens=tokens, now=NOW) for tokens in (17_000, 13_000))
    assert len(near.carrier.records) < len(far.carrier.records)


def test_a_target_that_only_the_plan_reaches_is_refused_with_what_blocks(
    tmp_path: Path, incident: Messages, least: int
) -> None:
    gate = Gate(store=tmp_path / "store")
    planned = gate.plan(incident, keep_last=10, target_tokens=least - 1, now=NOW)
    assert planned.outcome == "compact"
    with pytest.raises(CompactionRefusedError) as raised:
        gate.compact(incident, keep_last=10, target_tokens=least - 1, now=NOW)
    assert f"can't become {least - 1:,}" in str(raised.value) and f"{least:,} tokens or more" in str(raised.value)
    assert "because of the carrier's frame and the summaries" in str(raised.value)
    assert raised.value.relief and all(item.discharged_by for entry in raised.value.relief for item in entry.items)
    assert gate.store is not None
    assert {read_journal(gate.store, name)[-1].state for name in transactions(gate.store)} <= {State.ROLLED_BACK}


def test_a_summarizer_is_asked_once_for_a_run_however_often_is_planned(
    gate_with: Callable[..., Gate], incident: Messages
) -> None:
    asked: list[tuple[int, int]] = []

    def record(request: SummaryRequest) -> str:
        asked.append((request.messages[0].index, len(request.messages)))
        return "Services were looked after, and their logs were read."

    gate_with(summarizer=record).compact(incident, keep_last=10, target_tokens=15_000, now=NOW)
    assert asked and len(asked) == len(set(asked))


def test_a_span_alone_does_not_answer_for_the_target_of_the_whole(tmp_path: Path, incident: Messages) -> None:
    gate = Gate(store=tmp_path / "store")
    whole = gate.plan(incident, keep_last=10, target_tokens=12_000, now=NOW)
    span = max((found for found in whole.spans if found.action != "retain"), key=lambda found: found.tokens).messages
    done = gate.compact(incident, keep_last=10, target_tokens=12_000, span=span, now=NOW)
    assert done.tokens_after > 12_000
