"""Exceptions on any record: they only ever lift the rule that they name, and only while they are in force."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barrier_policy.join.schema import build_schema
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.loader import load_policies

RULE = '- {{id: {}, effect: {}, severity: low, summary: s, why: w, references: [r], condition: "{}"}}\n'
BARRIERS = {
    "a.tokens": "span.tokens > 10",
    "b.zone": "span.zone != ''",
    "c.errs": "10 / span.tokens > 1",
}
EXCEPTIONS = {name: f"span.tokens % {number} == 0" for number, name in enumerate(BARRIERS, 2)}
NOW, LATER = "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"


@lru_cache(maxsize=1)
def evaluators() -> tuple[Evaluator, Evaluator]:
    """The same rules with and without exceptions."""
    head = "apiVersion: barrier-policy/v1\nkind: {}\nmetadata: {{name: {}, owner: o{}}}\n"
    rules = RULE.format("p.permit", "permit", "span.tokens < 90")
    rules += "".join(RULE.format(name, "barrier", condition) for name, condition in BARRIERS.items())
    with TemporaryDirectory() as place:
        base, team = Path(place, "base"), Path(place, "team")
        base.mkdir()
        team.mkdir()
        (base / "p.yaml").write_text(head.format("Policy", "p", ", version: 1.0.0") + "rules:\n" + rules)
        for number, (name, when) in enumerate(EXCEPTIONS.items()):
            text = (
                head.format("Exception", f"e{number}", "") + f"rule: {name}\nreason: r\nexpires: 2027-01-01\nwhen: {when}\n"
            )
            (team / f"{number}.yaml").write_text(text)
        schema, engine = build_schema(), load_engine("python")
        return (
            Evaluator(load_policies([base], schema, engine), engine),
            Evaluator(load_policies([base, team], schema, engine), engine),
        )


@pytest.fixture(scope="module", autouse=True)
def prepared() -> None:
    """Loading the engine sets the recursion limit, which Hypothesis watches."""
    evaluators()


records = st.builds(
    lambda tokens, zone: {"tokens": tokens, "zone": zone},
    st.integers(0, 120) | st.just("wrong"),
    st.sampled_from(["", "carrier"]),
)


@given(records)
def test_the_verdict_is_that_of_the_rules_that_no_exception_lifts(record: dict[str, Any]) -> None:
    plain, excepted = evaluators()
    before, after = plain.evaluate(record), excepted.at(NOW).evaluate(record)
    lifted = {entry.rule for entry in after.exceptions}
    outcomes = {found.rule: found.outcome for found in before.outcomes}
    tokens = record["tokens"]
    covered = {name for n, name in enumerate(BARRIERS, 2) if isinstance(tokens, int) and tokens % n == 0}
    assert lifted == {name for name in covered if outcomes[name] == "true"}
    held = {name for name in BARRIERS if outcomes[name] != "false" and name not in lifted}
    expected = "opportunity" if outcomes["p.permit"] == "true" and not held else "barrier"
    assert after.verdict == expected == excepted.at(NOW).judge(record)
    assert [found.outcome for found in after.outcomes] == [found.outcome for found in before.outcomes]


@given(records)
def test_expired_exceptions_leave_everything_as_it_was(record: dict[str, Any]) -> None:
    plain, excepted = evaluators()
    assert excepted.at(LATER).evaluate(record) == plain.evaluate(record) == excepted.evaluate(record)
