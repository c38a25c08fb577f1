"""What a record says of a decision, and what it must not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider
from barrier_policy.digest import canonical_json, digest_bytes
from barrier_policy.errors import BarrierPolicyError, LogError
from barrier_policy.log.inputs import inputs_of
from barrier_policy.log.logged import record_of
from barrier_policy.log.record import Asked, Head, Record, seal, to_line

ROOT = Path(__file__).parents[2]
EXAMPLES = [ROOT / "examples" / name for name in ("conf-write.json", "incident.json")]
CASES = ROOT.parent / "shared" / "cases"
NOW = "2026-06-01T12:00:00Z"
WINDOW = 12
"""Characters of a transcript that a record must not have in a row, besides words that every record has."""

SECRETS = [
    {"role": "system", "content": "You operate the shop. Never print credentials."},
    {
        "role": "user",
        "content": "The database password is hunter2-Zebra-77 and the pin is 4711. Keep using it for the nightly job.",
    },
    {"role": "assistant", "content": "I will use the password hunter2-Zebra-77 tonight at 22:00."},
    {
        "role": "user",
        "content": "Never write the token ghp_0123456789abcdefghijABCDEFGHIJ012345 to a file, and never send it by mail.",
    },
    {"role": "assistant", "content": "Understood."},
    {"role": "user", "content": "Go on."},
]
VALUES = ("hunter2-Zebra-77", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "4711")


def line_of(decider: Decider, data: bytes, **options: Any) -> bytes:
    asked = Asked(now=NOW, keep_last=options.pop("keep_last", 1))
    analysis = decider.analyse(data, now=NOW, keep_last=asked.keep_last)
    inputs = inputs_of(decider, analysis.decision, data, asked)
    return to_line(seal(record_of(analysis, inputs, timestamp=NOW, **options), Head()))


def texts(value: Any) -> list[str]:
    """All texts of a JSON value that are neither names of fields nor of kinds."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts(part)]


@pytest.mark.parametrize("include_text", [False, True])
def test_no_secret_is_in_a_record(decider: Decider, include_text: bool) -> None:
    line = line_of(decider, json.dumps(SECRETS).encode(), include_text=include_text)
    assert not [value for value in VALUES if value.encode() in line]


QUOTING = """
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: quoting, version: 1.0.0, owner: team}
rules:
  - id: quoting.rule
    effect: barrier
    severity: high
    summary: A rule is quoted.
    why: To be seen.
    references: [team]
    condition: size(span.constraints) > 0
    explanation: "span.constraints[0].text"
"""


def test_a_secret_in_an_explanation_or_label_is_masked_and_its_place_told(tmp_path: Path) -> None:
    """Rules of a team may quote what they are about; ours don't."""
    (tmp_path / "quoting.yaml").write_text(QUOTING)
    quoting = Decider(policies=[tmp_path])
    line = line_of(quoting, json.dumps(SECRETS).encode(), include_text=True, labels={"note": f"token {VALUES[1]}"})
    assert not [value for value in VALUES if value.encode() in line]
    record = json.loads(line)
    found = []
    for pointer in record["masked"]:
        value: Any = record
        for name in pointer.split("/")[1:]:
            value = value[int(name)] if isinstance(value, list) else value[name]
        found.append(value)
    assert found[0].startswith("token [secret ") and found[1].startswith("Never write the token [secret ")


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
def test_no_secret_of_the_labelled_cases_is_in_a_record(decider: Decider) -> None:
    checked = 0
    for file in sorted(CASES.glob("*.jsonl")):
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if secrets := case.get("must_not_survive"):
                data = json.dumps(case["messages"]).encode()
                line = line_of(decider, data, keep_last=case["keep_last"], include_text=True)
                shown = line.decode()
                assert not [secret for secret in secrets if secret in shown], case["id"]
                checked += 1
    assert checked > 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_no_text_of_the_transcript_is_in_a_record(decider: Decider, example: Path) -> None:
    said = example.read_text(encoding="utf-8")
    record = json.loads(line_of(decider, example.read_bytes()))
    own = {"sha256:"}
    found = [
        text[start : start + WINDOW]
        for text in texts({"result": record["result"], "metrics": record["metrics"], "masked": record["masked"]})
        for start in range(len(text) - WINDOW + 1)
        if text[start : start + WINDOW] in said and not any(text.startswith(word) for word in own)
    ]
    assert not found


def test_explanations_are_kept_only_where_a_team_wants_them(decider: Decider) -> None:
    data = EXAMPLES[0].read_bytes()
    without, with_text = (json.loads(line_of(decider, data, include_text=wanted)) for wanted in (False, True))
    erased = "/spans/*/reasons/*/explanation"
    assert erased in without["erased"] and erased not in with_text["erased"]
    rules = [rule for span in with_text["result"]["spans"] for rule in span["rules"]]
    assert rules and all(rule["explanation"]["digest"] == digest_bytes(rule["text"].encode()) for rule in rules)
    assert not [rule for span in without["result"]["spans"] for rule in span["rules"] if "text" in rule]


def test_a_record_says_what_the_decision_says_without_words(decider: Decider) -> None:
    data = EXAMPLES[0].read_bytes()
    decision = decider.analyse(data, now=NOW, keep_last=4).decision
    record = json.loads(line_of(decider, data, keep_last=4, timers_us={"decide": 5}))
    assert record["decision_id"] == decision.decision_id
    assert record["bundle"] == {"name": decision.policy.name, "digest": decision.policy.digest}
    assert record["result"]["decision"] == {"digest": digest_bytes(decision.to_json()), "length": len(decision.to_json())}
    assert record["inputs"]["transcript"]["digest"] == digest_bytes(data)
    assert record["metrics"]["timers_us"] == {"decide": 5}
    assert [
        (
            span["id"],
            tuple(span["messages"]),
            span["digest"],
            span["action"],
            span["verdict"],
            [r["rule"] for r in span["rules"]],
        )
        for span in record["result"]["spans"]
    ] == [
        (span.id, span.messages, span.digest, span.action, span.verdict, [reason.rule for reason in span.reasons])
        for span in decision.spans
    ]


def test_a_line_is_canonical_json(decider: Decider) -> None:
    line = line_of(decider, json.dumps(SECRETS).encode(), include_text=True, labels={"city": "Zürich \u2028 \x07"})
    assert canonical_json(json.loads(line)) == line


def test_the_digest_can_be_computed_without_this_package(decider: Decider) -> None:
    fields = json.loads(line_of(decider, EXAMPLES[0].read_bytes()))
    digest = fields.pop("digest")
    plain = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert digest_bytes(plain) == digest


def test_bytes_of_another_transcript_are_refused(decider: Decider) -> None:
    decision = decider.analyse(EXAMPLES[0].read_bytes(), now=NOW).decision
    with pytest.raises(LogError, match="not those of the transcript"):
        inputs_of(decider, decision, EXAMPLES[1].read_bytes(), Asked(now=NOW))


def test_the_time_is_the_callers(decider: Decider, record: Record) -> None:
    analysis = decider.analyse(EXAMPLES[0].read_bytes(), now=NOW)
    assert record_of(analysis, record.inputs, timestamp="2026-06-01T14:00:00+02:00").timestamp == NOW
    with pytest.raises(BarrierPolicyError, match="`noon` is no time"):
        record_of(analysis, record.inputs, timestamp="noon")
