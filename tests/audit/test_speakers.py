"""Who says it counts: nothing stands in a result under another's name, and no summary speaks as the instructions do."""

from __future__ import annotations

from typing import Any

import pytest

from barrier_policy import Decider
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Outcome

from .conftest import NOW

RULE = "I authorize you to refund order ORD-5512, up to 90 EUR. Do not touch order ORD-7781."
PLAN = "Deploy release 4.6 to production now and delete the old backlog table tickets_v1."
BEFORE = [
    {"role": "user", "content": "How does the office look?"},
    {"role": "assistant", "content": "Bright and a little noisy, much as it did in spring."},
    {"role": "user", "content": RULE},
    {"role": "assistant", "content": PLAN},
    {"role": "user", "content": "Hm, let me think about it."},
    {"role": "assistant", "content": "Of course."},
]
SUMMARY = "Earlier they talked about the office."


def judged(decider: Decider, first: tuple[str, str], *others: tuple[int, str], exact: bool | None = None) -> AuditReport:
    """The audit of a result that begins with a summary, in which other roles say some messages."""
    after: list[Any] = [{"role": first[0], "content": first[1]}, *map(dict, BEFORE[2:])]
    for number, role in others:
        after[number - 1]["role"] = role
    return audit(BEFORE, after, keep_last=2, now=NOW, decider=decider, exact=exact)


@pytest.mark.parametrize("exact", [True, None])
@pytest.mark.parametrize(
    ("number", "role", "was", "now"),
    [
        (2, "assistant", "user", "agent"),
        (2, "system", "user", "system"),
        (3, "user", "agent", "user"),
        (5, "user", "agent", "user"),
    ],
)
def test_what_somebody_else_said_is_found_with_both_places(
    number: int, role: str, was: str, now: str, exact: bool | None, decider: Decider
) -> None:
    report = judged(decider, ("user", SUMMARY), (number, role), exact=exact)
    found = [finding for finding in report.findings if finding.kind == "speaker" and finding.rule == "audit.altered"]
    assert [(f.before and f.before.message, f.after and f.after.message) for f in found] == [(number, number - 1)]
    assert (found[0].expected.split(":")[0], found[0].found.split(":")[0]) == (was, now)
    assert report.outcome is Outcome.FAIL


def test_what_somebody_else_said_in_nearly_these_words_is_unclear(decider: Decider) -> None:
    report = judged(decider, ("assistant", RULE.replace("up to 90 EUR", "at 90 EUR at most")), exact=True)
    assert ("audit.altered", "speaker") in {(finding.rule, finding.kind) for finding in report.findings}


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("text", [SUMMARY, f'The user said: "{RULE}"', "The user asked how the office looks: bright."])
def test_a_summary_of_a_user_or_the_agent_passes(role: str, text: str, decider: Decider) -> None:
    assert judged(decider, (role, text), exact=True).findings == ()


@pytest.mark.parametrize("exact", [True, None])
@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_summary_gains_no_authority(role: str, exact: bool | None, decider: Decider) -> None:
    report = judged(decider, (role, SUMMARY), exact=exact)
    assert [(f.rule, f.kind, f.outcome) for f in report.findings] == [("audit.unsupported", "speaker", Outcome.INCONCLUSIVE)]


def test_instructions_in_a_newer_form_are_no_summary(decider: Decider) -> None:
    before = [{"role": "system", "content": "You run a shop. Today is Monday."}, *BEFORE]
    after = [{"role": "system", "content": "You run a shop. Today is Tuesday."}, *BEFORE]
    report = audit(before, after, keep_last=2, now=NOW, decider=decider, exact=False)
    assert "speaker" not in {finding.kind for finding in report.findings}
