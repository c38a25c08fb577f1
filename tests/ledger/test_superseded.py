"""What a newer reading or a newer rule takes the place of, and what only looks like it. Superseded values never come back as current."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, Gate
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import Outcome

from .conftest import NOW, Messages, agent, called, user
from .conftest import THANKS as TAIL

LATER: Messages = [
    {"role": "user", "content": "That is all for today."},
    {"role": "assistant", "content": "Until tomorrow."},
]
CONFIG = {"name": "limits"}
OLD, NEW = '{"config": {"etag": "etg-8f31c7"}}', '{"config": {"etag": "etg-90b2aa"}}'


def tool(number: int, name: str, arguments: dict[str, Any], answer: str) -> Messages:
    return called(f"c{number}", name, arguments, answer)


def read_twice(*between: dict[str, Any], first: str = OLD, second: str = NEW) -> Messages:
    looked = [*user("Look at the limits."), *tool(1, "get_config", CONFIG, first), *agent("I have them."), *between]
    return [*looked, *user("And now?"), *tool(2, "get_config", CONFIG, second), *agent("They are there.")]


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


def states(decider: Decider, messages: Messages) -> dict[str, str]:
    ledger = decider.analyse([*messages, *TAIL], keep_last=2, now=NOW).join.ledger
    items = sorted(ledger.items, key=lambda item: item.family == "constraint")  # the state of a rule is that of the rule
    return {item.text: ledger.state(item) for item in items}


def test_a_second_reading_supersedes_the_first(decider: Decider) -> None:
    found = states(decider, read_twice())
    assert (found["etg-8f31c7"], found["etg-90b2aa"]) == ("superseded", "open")


def test_what_the_agent_told_of_the_first_reading_does_not_keep_it(decider: Decider) -> None:
    found = states(decider, read_twice(*user("Which one is it?"), *agent("It is etg-8f31c7.")))
    assert (found["etg-8f31c7"], found["etg-90b2aa"]) == ("superseded", "open")


def test_a_later_receipt_of_the_same_target_supersedes_its_version(decider: Decider) -> None:
    def write(number: int, version: str) -> Messages:
        arguments = {"path": "/etc/billing/limits.yaml", "content": f"max_batch: {number}\n"}
        return tool(number, "write_file", arguments, f'{{"status": "done", "revision": "rev-{version}"}}')

    found = states(decider, [*user("Write it."), *write(1, "71c02e"), *write(2, "8d11fa"), *agent("Done.")])
    assert (found["rev-71c02e"], found["rev-8d11fa"]) == ("superseded", "open")


@pytest.mark.parametrize(
    "messages",
    [
        read_twice(second=OLD),
        read_twice(*user("Remember etg-8f31c7 for me."), *agent("Good.")),
        read_twice(*tool(7, "put_config", {"name": "limits", "if_match": "etg-8f31c7"}, '{"status": "done"}')),
        read_twice(second='{"configs": [{"etag": "etg-90b2aa"}, {"etag": "etg-8f31c7"}]}'),
        [*tool(1, "get_config", CONFIG, OLD), *tool(2, "get_config", {"name": "rates"}, NEW)],
        [*tool(1, "get_config", CONFIG, OLD), *tool(2, "get_order", CONFIG, NEW)],
    ],
    ids=["unchanged", "said by a user", "used by a call", "one of several", "another thing", "another tool"],
)
def test_a_value_that_somebody_has_used_or_that_is_of_something_else_holds(decider: Decider, messages: Messages) -> None:
    assert states(decider, messages).get("etg-8f31c7") == "open"


def test_the_next_id_does_not_stand_for_the_last(decider: Decider) -> None:
    found = states(decider, read_twice(first='{"order": {"id": "ord-8f31c7"}}', second='{"order": {"id": "ord-90b2aa"}}'))
    assert (found["ord-8f31c7"], found["ord-90b2aa"]) == ("open", "open")


def test_equal_orders_are_two_orders(decider: Decider) -> None:
    order = {"item": "soil, 40 l"}
    placed = [
        *tool(1, "place_order", order, '{"order_id": "ord-8f31c7"}'),
        *tool(2, "place_order", order, '{"order_id": "ord-90b2aa"}'),
    ]
    found = states(decider, [*user("Order soil twice."), *placed, *agent("Done.")])
    assert (found["ord-8f31c7"], found["ord-90b2aa"]) == ("open", "open")


def test_a_carrier_drops_a_value_that_was_read_anew(tmp_path: Path) -> None:
    gate = Gate(store=tmp_path / "store", summarizer=lambda request: "They looked at the limits.")
    talk = [*user("And the roses?"), *agent("They are in bloom. " * 60)]
    first = [*user("Look at the limits."), *tool(1, "get_config", CONFIG, OLD), *agent("I have them."), *talk, *TAIL]
    done = gate.compact(first, keep_last=2, now=NOW)
    assert "etg-8f31c7" in done.carrier.text
    second = [*done.messages, *user("And now?"), *tool(2, "get_config", CONFIG, NEW), *agent("I have them."), *talk, *TAIL]
    again = gate.compact([*second[:-2], *LATER], keep_last=2, now=NOW)
    assert again.report is not None and again.report.outcome == "pass"
    assert "etg-90b2aa" in again.carrier.text and "etg-8f31c7" not in again.carrier.text


@pytest.mark.parametrize(
    ("told", "stale"),
    [
        ("The limits have the etag etg-8f31c7.", True),
        ("The etag was etg-8f31c7 at first.", False),
        ("The etag went to etg-90b2aa and had been etg-8f31c7.", False),
        ("The etag is etg-90b2aa.", False),
    ],
)
def test_a_summary_may_not_tell_a_superseded_value_as_the_present_one(decider: Decider, told: str, stale: bool) -> None:
    after = [*user(f"Look at the limits. And now? The config was read again, etg-90b2aa. {told}"), *TAIL]
    report = audit([*read_twice(), *TAIL], after, now=NOW, decider=decider)
    found = [finding for finding in report.findings if finding.rule == "audit.stale"]
    assert bool(found) is stale
    assert all(finding.outcome is Outcome.INCONCLUSIVE and "etg-90b2aa" in finding.expected for finding in found)


LOW, HIGH = "Keep at most 3 replicas of orders-api running.", "Keep at most 5 replicas of orders-api running from now on."


@pytest.mark.parametrize(
    ("earlier", "later", "state"),
    [
        (LOW, HIGH, "overridden"),
        ("Höchstens 3 Kopien von orders-api dürfen laufen.", "Ab jetzt dürfen höchstens 5 Kopien von orders-api laufen.", "overridden"),
        (LOW, "Keep at least 5 replicas of orders-api running.", "active"),
        (LOW, "Keep at most 5 replicas of rates-api running.", "active"),
        ("Never refund invoice 3 of the north hall.", "Never refund invoice 5 of the north hall.", "active"),
    ],
    ids=["more", "in German", "another comparison", "another thing", "a number that names"],
)  # fmt: skip
def test_a_rule_with_another_threshold_replaces_the_earlier_one(
    decider: Decider, earlier: str, later: str, state: str
) -> None:
    found = states(decider, [*user(earlier), *agent("Fine."), *user(later), *agent("Fine.")])
    assert (found[earlier], found[later]) == (state, "active")


def test_a_user_does_not_replace_a_rule_of_the_system(decider: Decider) -> None:
    found = states(decider, [{"role": "system", "content": LOW}, *user(HIGH), *agent("Fine.")])
    assert found.get(LOW, "active") == "active"


def test_a_carried_rule_gives_way_to_its_new_threshold(tmp_path: Path) -> None:
    gate = Gate(store=tmp_path / "store", summarizer=lambda request: "They spoke of roses.")
    talk = [*user("And the roses?"), *agent("They are in bloom. " * 60)]
    done = gate.compact([*user(LOW), *agent("Fine."), *talk, *TAIL], keep_last=2, now=NOW)
    assert LOW in done.carrier.text
    again = gate.compact([*done.messages, *user(HIGH), *agent("Fine."), *talk, *LATER], keep_last=2, now=NOW)
    assert HIGH in again.carrier.text and LOW not in again.carrier.text
