"""The cases of the policy, and a talk in which a plain yes is all that allows the next step."""

from pathlib import Path

from order_desk import POLICIES

from barrier_policy.testing import run_policy_cases, span_actions, span_rules

PLUGINS = ["order_desk.extractor"]
TALK = Path(__file__).parents[1] / "talk.json"


def test_every_case_holds() -> None:
    assert [result.message for result in run_policy_cases(POLICIES, plugins=PLUGINS) if not result.passed] == []


def test_a_yes_stays_that_would_have_gone() -> None:
    without = span_actions(TALK, plugins=PLUGINS, keep_last=3)
    decided = span_actions(TALK, policies=POLICIES, plugins=PLUGINS, keep_last=3)
    changed = [span for span in without if without[span] != decided[span]]
    assert [(without[span], decided[span]) for span in changed] == [("summarize", "retain")]
    assert span_rules(TALK, policies=POLICIES, plugins=PLUGINS, keep_last=3)[changed[0]] == ("order-desk.keep-consent",)
