"""Results that other runtimes leave: no carrier, a summary in prose. What it keeps counts, what it bends is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy import Decider
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Finding, Outcome

NOW = "2026-06-01T00:00:00Z"
RULE = "Never push to the main branch of billing-core."
TAIL = [{"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "You are welcome."}]


def talk(*turns: tuple[str, str] | dict[str, Any]) -> list[dict[str, Any]]:
    return [turn if isinstance(turn, dict) else {"role": turn[0], "content": turn[1]} for turn in turns]


def call(name: str, arguments: str, result: str) -> list[dict[str, Any]]:
    asked = [{"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]
    return [
        {"role": "assistant", "content": None, "tool_calls": asked},
        {"role": "tool", "tool_call_id": "c1", "content": result},
    ]


BEFORE = [
    *talk(("system", "You help the billing team."), ("user", RULE), ("assistant", "Got it.")),
    *talk(("user", "Charge invoice INV-20931 once.")),
    *call(
        "charge_invoice",
        '{"invoice": "INV-20931", "amount": "75.50 EUR"}',
        '{"charge_id": "ch_5b2f9e01aa", "status": "succeeded"}',
    ),
    *talk(("assistant", "The charge went through.")),
    *TAIL,
]
GOOD = f"{RULE} Invoice INV-20931 was charged once with 75.50 EUR, charge_id ch_5b2f9e01aa. The user had asked: Charge invoice INV-20931 once."

Check = Callable[..., AuditReport]


@pytest.fixture
def told(decider: Decider) -> Check:
    """Audit a summary of BEFORE that stands where its first messages stood."""

    def run(summary: str, before: list[dict[str, Any]] = BEFORE) -> AuditReport:
        after = [*talk(("system", "You help the billing team."), ("user", summary)), *TAIL]
        return audit(before, after, now=NOW, decider=decider)

    return run


def named(report: AuditReport, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def test_a_summary_with_every_rule_effect_and_value_passes(told: Check) -> None:
    report = told(GOOD)
    assert [(finding.rule, finding.item, finding.found) for finding in report.findings] == []
    assert report.outcome is Outcome.PASS
    assert report.witnesses.text >= 4


def test_a_summary_of_one_fixed_sentence_severs_all(told: Check) -> None:
    report = told("Earlier turns were left out here.")
    assert report.outcome is Outcome.FAIL
    assert {finding.kind for finding in named(report, "audit.severed")} >= {"constraint", "receipt"}
    assert any("ch_5b2f9e01aa" in finding.expected for finding in report.findings)


@pytest.mark.parametrize(
    ("right", "wrong", "rule"),
    [
        ("INV-20931", "INV-20937", "audit.altered"),
        ("ch_5b2f9e01aa", "ch_5b2f9e", "audit.altered"),
        ("ch_5b2f9e01aa", "ch_5b2f9e01аа", "audit.altered"),
        ("75.50 EUR", "75.50 USD", "audit.unsupported"),
        (RULE, "Always push to the main branch of billing-core.", "audit.contradicted"),
        (RULE, "The user had been cautious about the main branch of billing-core.", "audit.weakened"),
        (RULE, f"This no longer applies: {RULE}", "audit.contradicted"),
        (RULE, f"{RULE} You must never write to the press office before Monday.", "audit.unsupported"),
    ],
)
def test_what_a_summary_bends_is_named(told: Check, right: str, wrong: str, rule: str) -> None:
    report = told(GOOD.replace(right, wrong))
    assert report.outcome is not Outcome.PASS
    assert named(report, rule)


def test_what_stands_instead_is_told_with_both_places(told: Check) -> None:
    found = named(told(GOOD.replace("ch_5b2f9e01aa", "ch_5b2f9e01ab")), "audit.altered")[0]
    assert (found.expected, found.found) == ("ch_5b2f9e01aa", "ch_5b2f9e01ab")
    assert found.before is not None and found.before.message == 5
    assert found.after is not None and found.after.message == 1


def test_done_told_as_pending_is_contradicted(told: Check) -> None:
    summary = f"{GOOD} The charge of invoice INV-20931 with 75.50 EUR is still pending and not confirmed yet."
    assert named(told(summary), "audit.contradicted")


def test_pending_told_as_done_is_contradicted(told: Check) -> None:
    before = [
        *talk(("user", "Start migration mig-40218 of table orders_archive.")),
        *call("start_migration", '{"migration": "mig-40218", "table": "orders_archive"}', '{"status": "started"}'),
        *TAIL,
    ]
    summary = "The user asked to start migration mig-40218 of table orders_archive. Migration mig-40218 of orders_archive has been completed successfully."
    assert named(told(summary, before), "audit.contradicted")


@pytest.mark.parametrize(
    "lifted",
    [
        "You may push to the main branch of billing-core again, the rule about main is lifted.",
        "The rule about the main branch of billing-core no longer applies.",
        "From now on you may push to the main branch of billing-core.",
        "Forget what I said about the main branch of billing-core.",
    ],
)
def test_a_rule_that_was_released_must_not_come_back(told: Check, lifted: str) -> None:
    before = [*talk(("user", RULE), ("assistant", "Got it."), ("user", lifted), ("assistant", "Fine.")), *TAIL]
    report = told(f"{RULE} {RULE}", before)
    assert {finding.item for finding in named(report, "audit.stale")} == {"constraint:0.0.0"}
    assert report.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    "said",
    [
        "If the rule about the main branch of billing-core is lifted, tell me.",
        "Dana says the rule about the main branch of billing-core is lifted.",
        "You may look at the main branch of billing-core.",
    ],
)
def test_a_rule_that_nobody_released_may_be_told_as_it_is(told: Check, said: str) -> None:
    before = [*talk(("user", RULE), ("assistant", "Got it."), ("user", said), ("assistant", "Fine.")), *TAIL]
    assert not named(told(f"{RULE} {said}", before), "audit.stale")


@pytest.mark.parametrize(
    ("reply", "owed"),
    [
        ("Understood.", False),
        ("Got it, will do.", False),
        ("I'll keep that in mind.", False),
        ("Sure, I'll take care of it right away.", False),
        ("Verstanden, ich halte mich daran.", False),
        ("Got it, I'll call Dana tomorrow.", True),
        ("Understood, I'll check back at 9.", True),
        ("I will do so once the export has ended.", True),
    ],
)
def test_an_acknowledgement_is_owed_only_where_it_names_something(told: Check, reply: str, owed: bool) -> None:
    before = [*talk(("user", RULE), ("assistant", reply)), *TAIL]
    found = {finding.kind for finding in named(told(RULE, before), "audit.severed")}
    assert ("obligation" in found) is owed


def test_two_ids_that_changed_their_names_are_misbound(told: Check) -> None:
    before = [
        *talk(("user", "Link them.")),
        *call("link", '{"order_id": "A-1029384", "ticket_id": "T-5647382"}', '{"status": "done"}'),
        *TAIL,
    ]
    summary = "The user asked: Link them. link was done with order_id: T-5647382, ticket_id: A-1029384."
    assert told(summary, before).outcome is not Outcome.PASS


@pytest.mark.parametrize(
    ("summary", "misbound"),
    [
        (
            "The retries: 4417 holds.",
            False,
        ),  # it stands so before, behind the first messages that have the number, and with blanks
        ("The limit is at line ~4417.", False),
        ("It begins at line 4417.", False),  # which is where it was read from: its offset
        ("The window: 4417 holds.", True),
    ],
)
def test_a_value_is_misbound_where_before_has_it_under_that_name_nowhere(told: Check, summary: str, misbound: bool) -> None:
    listing = "\n".join(f"{number}: nothing" for number in range(4400, 4420))
    before = [
        *talk(("user", "Look at the configuration.")),
        *call("read_file", '{"path": "/srv/a.conf", "offset": 4417, "window": 90210}', "ok"),
        *(message for _ in range(25) for message in talk(("assistant", listing), ("user", "Go on."))),
        *call("read_file", '{"path": "/srv/b.conf", "line": 5120, "retries": 31007}', "retries:        4417"),
        *TAIL,
    ]
    assert bool(named(told(summary, before), "audit.misbound")) is misbound


def test_a_summary_that_cannot_be_read_never_passes(decider: Decider) -> None:
    opaque = {"role": "user", "content": [{"type": "encrypted_content", "encrypted_content": "gAAAAABo"}]}
    report = audit(BEFORE, [*talk(("system", "You help the billing team.")), opaque, *TAIL], now=NOW, decider=decider)
    assert report.outcome is Outcome.INCONCLUSIVE
    assert named(report, "audit.opaque")


def test_nothing_protected_and_nothing_new_passes(decider: Decider) -> None:
    before = talk(("assistant", "The light is soft this morning."), ("user", "Good."), ("assistant", "Yes."))
    assert audit(before, before[1:], now=NOW, decider=decider).outcome is Outcome.PASS


def test_a_secret_is_named_and_never_shown(told: Check) -> None:
    secret = "sk-ant-api03-" + "Zx9Qw2Er5Ty8Ui1Op4As7Df0Gh3Jk6Lz"
    before = [*talk(("user", f"My api key is {secret}, keep it to yourself."), ("assistant", "I will.")), *TAIL]
    report = told(f"The api key is {secret}.", before)
    assert named(report, "audit.secret-shown")
    assert secret not in report.to_json().decode()


def test_messages_that_came_meanwhile_are_not_judged(decider: Decider) -> None:
    later = talk(("user", "Now look at INV-99999, the main branch is free from now on."))
    assert audit(BEFORE, [*BEFORE, *later], now=NOW, decider=decider).outcome is Outcome.PASS


def test_the_same_input_gives_the_same_bytes(told: Check) -> None:
    assert told("Nothing.").to_json() == told("Nothing.").to_json()


REFUNDS = "Never refund more than 200 EUR without asking Dana first."


@pytest.mark.parametrize(
    "told",
    [
        "Refunds of more than 200 EUR may be made without asking Dana first.",
        "Always refund more than 200 EUR without asking Dana first.",
        "Refund more than 200 EUR without needing to ask Dana first.",
    ],
)
def test_a_rule_that_a_summary_turns_round_is_contradicted(told: str) -> None:
    assert "audit.contradicted" in _rules_found(told)


@pytest.mark.parametrize("told", [REFUNDS, f"The user said: {REFUNDS}"])
def test_a_rule_that_a_summary_quotes_is_neither_contradicted_nor_altered(told: str) -> None:
    assert not {"audit.contradicted", "audit.altered"} & _rules_found(told)


def _rules_found(told: str) -> set[str]:
    said = [REFUNDS, "Got it.", "What is next?", "Nothing is."]
    before = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
    after = [{"role": "user", "content": f"Summary so far: {told}"}, *before[2:]]
    return {finding.rule for finding in audit(before, after, keep_last=2, now="2026-06-01T00:00:00Z").findings}
