"""Cases made from decisions: they say the same again, on less, and hold no secret."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.cases.record import record_case
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.policy.case_file import Case, read_test_files
from barrier_policy.policy.cases import judge_cases
from barrier_policy.policy.loader import shipped_policies
from barrier_policy.walk import Analysis, Decider

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "transcripts"
NOW = "2026-09-14T08:30:00Z"
KEY = "sk-proj-" + "Zq3vN8xK2mW7tR5yB1cD9fGh4jLpQs6u"

KEEP_WORDS = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: words, version: 1.0.0, owner: platform}
variables: [{name: asked, expression: "span.obligations.filter(o, o.text.contains('WORD'))"}]
rules:
  - {id: words.keep, effect: barrier, severity: low, summary: s, why: w, references: [r],
     condition: "size(variables.asked) > 0", evidence: variables.asked}
"""


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


def read_back(decider: Decider, folder: Path, cases: list[str]) -> tuple[Case, ...]:
    """The cases as a test file has them; each says which policy it belongs to."""
    by_policy: dict[str, list[str]] = {}
    for case in cases:
        by_policy.setdefault(case.split("policy: ")[1].split(";")[0], []).append(case)
    for policy, found in by_policy.items():
        head = f"apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: {policy}\ncases:\n"
        (folder / f"{policy}_test.yaml").write_text(head + "".join(found), encoding="utf-8")
    return read_test_files(decider.policies, [folder]).cases


def recorded(decider: Decider, analysis: Analysis, spans: range) -> Iterator[str]:
    for number in spans:
        for _, rule in decider.policies.rules():
            yield record_case(decider, analysis, number, rule.id)


def test_a_recorded_case_of_any_rule_says_the_same_again(decider: Decider, tmp_path: Path) -> None:
    analysis = decider.analyse(ROOT / "examples" / "incident.json", now=NOW)
    texts = list(recorded(decider, analysis, range(0, len(analysis.assessments), 40)))
    cases = read_back(decider, tmp_path, texts)
    results = judge_cases(decider.evaluator, cases)
    assert [result.message for result in results if not result.passed] == []
    assert len(results) == len(texts) > 100
    assert {case.outcome for case in cases} == {"true", "false"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/transcripts")
def test_recorded_cases_of_the_shared_transcripts_say_the_same_again(decider: Decider, tmp_path: Path) -> None:
    files = sorted(path for path in SHARED.rglob("*.json*") if path.is_file() and path.stat().st_size < 100_000)
    total = 0
    for number, path in enumerate(random.Random(4).sample(files, min(12, len(files)))):
        try:
            analysis = decider.analyse(path, now=NOW)
        except BarrierPolicyError:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        cases = read_back(decider, folder, list(recorded(decider, analysis, range(0, len(analysis.assessments), 9))))
        results = judge_cases(decider.evaluator, cases)
        assert [(path, result.message) for result in results if not result.passed] == []
        total += len(results)
    assert total > 100


def chat(request: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": request},
        {"role": "assistant", "content": "I will look at it."},
        {"role": "user", "content": "Good morning."},
    ]


def test_a_case_has_only_what_the_rule_reads_and_nothing_that_is_empty(decider: Decider) -> None:
    analysis = decider.analyse(chat("Please migrate the customers table tonight."), keep_last=2, now=NOW)
    lines = record_case(decider, analysis, 0, "obligations.pending").splitlines()
    assert lines == [
        f"# policy: obligations; from messages 0 to 0, decision {analysis.decision.decision_id}",
        "  - name: obligations_pending_is_true_at_message_0",
        "    rule: obligations.pending",
        "    span:",
        "      obligations:",
        '        - {id: "request:0.0.0", live: true}',
        '    expect: {outcome: "true", verdict: "barrier", evidence: ["request:0.0.0"]}',
    ]


def reads_words(tmp_path: Path, word: str) -> Decider:
    path = tmp_path / "words.yaml"
    path.write_text(KEEP_WORDS.replace("WORD", word))
    return Decider(policies=[shipped_policies(), path])


def test_words_are_kept_only_where_the_rule_reads_them_and_secrets_never(tmp_path: Path) -> None:
    decider = reads_words(tmp_path, "migrate")
    request = f"Please migrate the customers table with the API key {KEY} tonight."
    analysis = decider.analyse(chat(request), keep_last=2, now=NOW)
    text = record_case(decider, analysis, 0, "words.keep")
    assert "migrate the customers table" in text
    assert KEY not in text and KEY[8:24] not in text
    for _, rule in decider.policies.rules():
        if rule.id != "words.keep":
            assert "customers" not in record_case(decider, analysis, 0, rule.id)


def test_a_rule_about_a_secret_finds_none_in_the_record_and_its_case_has_none(tmp_path: Path) -> None:
    decider = reads_words(tmp_path, KEY)
    analysis = decider.analyse(chat(f"Please migrate the table with the API key {KEY} tonight."), keep_last=2, now=NOW)
    text = record_case(decider, analysis, 0, "words.keep")
    assert 'outcome: "false"' in text
    assert KEY not in text


@pytest.mark.parametrize(
    "words", ['say "no": {it}, [please] # \\ now', "tab\there", "Ünïcode 🜁 und mehr", "\u202egnirts", "- a: b"]
)
def test_any_words_come_back_as_they_were(tmp_path: Path, words: str) -> None:
    decider = reads_words(tmp_path, "migrate")
    analysis = decider.analyse(chat(f"Please migrate {words} tonight."), keep_last=2, now=NOW)
    text = record_case(decider, analysis, 0, "words.keep")
    folder = tmp_path / "cases"
    folder.mkdir()
    (case,) = read_back(decider, folder, [text])
    written = [item["text"] for item in case.record["obligations"]]
    held = [item.text for item in analysis.join.items[0] if item.family == "obligation"]
    assert written == held
    assert "\u202e" not in text


def test_an_unknown_rule_is_named_with_what_may_be_meant(decider: Decider) -> None:
    analysis = decider.analyse(chat("Please migrate it."), keep_last=2, now=NOW)
    with pytest.raises(BarrierPolicyError, match=r"unknown rule `zones.unkown` \(did you mean `zones.unknown`\?\)"):
        record_case(decider, analysis, 0, "zones.unkown")
