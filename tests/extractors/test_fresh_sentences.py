"""Sentences that nothing was trained on, labelled before any output was seen.

`tests/data/sentences/fresh.jsonl` has rules in twelve languages; `observations.jsonl` has what users report (states, what they did, answers) beside rules
that are worded like it, in fifteen.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest
from barrier_policy_plugins.prose import RULES

from barrier_policy import extract_facts

FRESH: Final = Path(__file__).parents[1] / "data" / "sentences" / "fresh.jsonl"
NOW: Final = "2026-06-01T00:00:00Z"
FOUND, RIGHT, RIGHT_IN_EACH = 0.90, 0.88, 0.60
"""As measured: 98 of 108 rules found, 88 of the 98 with the right polarity; no language with less than six in ten right."""

OBSERVATIONS: Final = FRESH.with_name("observations.jsonl")
RULES_KEPT, SURE_OF_NONE = 0.78, 0.95
"""As measured: 81 % of 447 such rules are found. Of 702 reports 50 % are taken for a rule that may be one (`proposed`), which protects and costs a line; 4 % for a sure one."""

Record = dict[str, Any]


@pytest.fixture(scope="module")
def judged() -> list[tuple[Record, set[str]]]:
    """Each rule with the polarities that were found for it."""
    records = [json.loads(line) for line in FRESH.read_text(encoding="utf-8").splitlines()]
    return [(record, _polarities(record)) for record in records if record.get("polarity")]


def _polarities(record: Record) -> set[str]:
    facts = extract_facts([{"role": record["role"], "content": record["text"]}], now=NOW)
    return {str(fact.attributes["polarity"]) for fact in facts if fact.kind in RULES}


def test_the_set_has_nine_rules_and_one_other_sentence_in_each_of_twelve_languages() -> None:
    counts: dict[str, list[bool]] = defaultdict(list)
    for line in FRESH.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        counts[record["lang"]].append("polarity" in record)
    assert len(counts) == 12
    assert all((len(rules), sum(rules)) == (10, 9) for rules in counts.values())


def test_most_fresh_rules_are_found(judged: list[tuple[Record, set[str]]]) -> None:
    assert sum(bool(found) for _, found in judged) >= FOUND * len(judged)


def test_most_found_fresh_rules_have_the_right_polarity(judged: list[tuple[Record, set[str]]]) -> None:
    found = [(record, polarities) for record, polarities in judged if polarities]
    assert sum(record["polarity"] in polarities for record, polarities in found) >= RIGHT * len(found)


def test_no_language_falls_far_behind(judged: list[tuple[Record, set[str]]]) -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    for record, polarities in judged:
        if polarities:
            right[record["lang"]].append(record["polarity"] in polarities)
    shares = {language: sum(found) / len(found) for language, found in right.items()}
    assert min(shares.values()) >= RIGHT_IN_EACH, shares


def _rules(record: Record) -> list[bool]:
    """Whether each rule that is found is only proposed."""
    facts = extract_facts([{"role": record["role"], "content": record["text"]}], now=NOW)
    return [bool(fact.get("proposed")) for fact in facts if fact.kind in RULES]


def test_a_report_is_seldom_taken_for_a_sure_rule_and_a_rule_that_is_worded_like_one_is_found() -> None:
    records = [json.loads(line) for line in OBSERVATIONS.read_text(encoding="utf-8").splitlines()]
    rules = [bool(_rules(record)) for record in records if record["labels"]]
    reports = [all(_rules(record)) for record in records if not record["labels"]]
    assert (len(rules), len(reports)) == (447, 702)
    assert sum(rules) >= RULES_KEPT * len(rules)
    assert sum(reports) >= SURE_OF_NONE * len(reports)
