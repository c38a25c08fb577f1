"""A second thing that one message asks for, that nothing acted on, and that a summary tells as done."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy import Decider
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Outcome

LEAD = "They look after the shop in Porto today, where Marta is on duty at the counter until noon."
OPENING = [
    {"role": "user", "content": "Which shop is it today, and who is at the counter?"},
    {"role": "assistant", "content": "The shop in Porto, and Marta is on duty at the counter until noon."},
]
TAIL = [{"role": "user", "content": "Thanks so far."}, {"role": "assistant", "content": "You are welcome."}]
REFUND = "Refund order ORD-77120 with 120 EUR."
REFUNDED = "Order ORD-77120 was refunded with 120 EUR, refund_id rf_9a8b7c6d5e."
LABEL = "Then send the return label for parcel PX-5501 to the customer."
CARRIER = "Also call the carrier about the missing parcel."
Told = Callable[..., AuditReport]


def call(name: str, result: str, **arguments: str) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": function}]}
    return [asked, {"role": "tool", "tool_call_id": name, "content": result}]


@pytest.fixture
def told(decider: Decider) -> Told:
    """Audit a summary of a turn that asks for a refund, which is made, and for something else."""

    def run(asked: str, summary: str, *acts: dict[str, Any], reply: str = "The refund went through.") -> AuditReport:
        refund = call(
            "create_refund",
            '{"refund_id": "rf_9a8b7c6d5e", "status": "succeeded"}',
            order="ORD-77120",
            amount="120 EUR",
        )
        turn = [{"role": "user", "content": f"{REFUND} {asked}"}, *refund, *acts, {"role": "assistant", "content": reply}]
        text = f"{LEAD} The user asked: {REFUND} {asked} {REFUNDED} {summary}"
        after = [{"role": "user", "content": text}, *TAIL]
        return audit([*OPENING, *turn, *TAIL], after, now="2026-06-01T00:00:00Z", decider=decider)

    return run


@pytest.mark.parametrize(
    ("asked", "summary"),
    [
        (LABEL, "The return label for parcel PX-5501 was sent to the customer."),
        (LABEL, "The return label for parcel PX-5501 was sent."),
        (LABEL, "- Sent the return label for PX-5501 to the customer"),
        (CARRIER, "The carrier was called about the missing parcel."),
        (CARRIER, "The carrier has already been called about the missing parcel."),
        ("Und schick dem Kunden das Rücksendeetikett für PX-5501.", "Das Rücksendeetikett für PX-5501 wurde dem Kunden geschickt."),
    ],
)  # fmt: skip
def test_what_nothing_acted_on_is_not_told_as_done(told: Told, asked: str, summary: str) -> None:
    report = told(asked, summary)
    assert report.outcome is not Outcome.PASS
    (found,) = [finding for finding in report.findings if finding.item.startswith("asked:")]
    assert (found.rule, found.outcome) == ("audit.contradicted", Outcome.INCONCLUSIVE)
    assert found.before is not None and found.before.message == 2
    assert found.found in summary


SENT = call("send_email", '{"status": "sent"}', subject="Return label for PX-5501", to="kim@example.org")


@pytest.mark.parametrize(
    ("asked", "summary", "acts", "reply"),
    [
        (LABEL, "The return label for parcel PX-5501 still has to be sent to the customer.", (), "The refund went through."),
        (LABEL, "The user wants the return label for parcel PX-5501 sent to the customer.", (), "The refund went through."),
        (LABEL, "The return label for parcel PX-5501 was sent to the customer.", SENT, "Both are done."),
        (LABEL, "The return label for parcel PX-5501 was sent.", (), "The label for PX-5501 is with the customer now."),
        (CARRIER, "The carrier was called about the missing parcel.", call("dial", "ok", to="desk 7"), "Done."),
    ],
    ids=["still open", "asked for", "a call did it", "the agent said so", "a call that may be it"],
)
def test_what_is_told_as_open_or_was_acted_on_is_not_found(
    told: Told, asked: str, summary: str, acts: tuple[dict[str, Any], ...], reply: str
) -> None:
    report = told(asked, summary, *acts, reply=reply)
    assert [finding for finding in report.findings if finding.item.startswith("asked:")] == []


def test_a_promise_of_the_agent_does_nothing_yet(told: Told) -> None:
    promise = "I will send the return label for parcel PX-5501 tomorrow."
    report = told(LABEL, "The return label for parcel PX-5501 was sent.", reply=promise)
    assert [finding for finding in report.findings if finding.item.startswith("asked:")]


@pytest.mark.parametrize(("kept", "changed"), [("see token.", "see token.7"), ("go on with 4 of 9", "go on with 4 of 8")])
def test_a_short_message_that_was_kept_and_reads_otherwise_is_altered(decider: Decider, kept: str, changed: str) -> None:
    before = [*OPENING, {"role": "user", "content": kept}, {"role": "assistant", "content": "Fine."}, *TAIL]
    after = [*before[:2], {"role": "user", "content": changed}, *before[3:]]
    report = audit(before, after, now="2026-06-01T00:00:00Z", decider=decider)
    assert report.outcome is Outcome.FAIL
    assert "audit.altered" in {finding.rule for finding in report.findings}
