"""Sentences that nothing was trained on, labelled before any output was seen.

`tests/data/sentences/fresh.jsonl` has rules in twelve languages; `observations.jsonl` has what users report (states, what they did, answers) beside rules
that are worded like it, in fifteen; `told.jsonl` has reports, remarks and plain tasks beside rules and gates that are worded like them, in nineteen. The
words that speak against a rule were chosen with a part of the last two in view.
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
RULES_KEPT, SURE_OF_NONE, MAYBE_RULES = 0.78, 0.95, 0.43
"""As measured: 81 % of 447 such rules are found. Of 702 reports 41 % are taken for a rule that may be one (`proposed`), which protects and costs a line; 3 % for a sure one."""

TOLD: Final = FRESH.with_name("told.jsonl")
SHARES: Final = {"gate": (0.90, 1.0), "rule": (0.74, 1.0), "report": (0.0, 0.30), "task": (0.0, 0.28), "remark": (0.0, 0.09)}
"""Of each kind, the least and the largest share that may be taken for a rule. As measured: 94, 77, 27, 25 and 7 %."""

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
    assert sum(bool(_rules(record)) for record in records if not record["labels"]) <= MAYBE_RULES * len(reports)


@pytest.mark.parametrize("kind", SHARES)
def test_tasks_remarks_and_reports_are_told_from_rules_and_gates(kind: str) -> None:
    records = [json.loads(line) for line in TOLD.read_text(encoding="utf-8").splitlines()]
    found = [bool(_rules(record)) for record in records if record["kind"] == kind]
    least, most = SHARES[kind]
    assert least * len(found) <= sum(found) <= most * len(found), (sum(found), len(found))


@pytest.mark.parametrize(
    "gate",
    [
        "Wait for Ana's ok.",
        "only after the audit",
        "Warte auf die Freigabe von Ana.",
        "Erst nach der Prüfung.",
        "Attends l'accord d'Ana.",
        "Espera el visto bueno de Ana.",
        "Aspetta l'ok di Ana.",
        "Wacht op het akkoord van Ana.",
        "Poczekaj na zgodę Any.",
        "Дождись согласия Ани.",
        "等安娜同意再说。",
    ],
)
def test_telling_to_wait_for_a_word_is_a_gate(gate: str) -> None:
    facts = extract_facts([{"role": "user", "content": gate}], now=NOW)
    assert any(fact.kind == "approval_gate" for fact in facts)


@pytest.mark.parametrize(
    "task", ["Let me know when the plumber has been.", "Ping me once it is through.", "No rush at all."]
)
def test_wanting_to_be_told_is_no_gate(task: str) -> None:
    facts = extract_facts([{"role": "user", "content": task}], now=NOW)
    assert all(fact.kind != "approval_gate" for fact in facts)
