"""What users say later of a rule: it takes the rule's place where that is sure, else the rule's line says it. Nothing is obeyed as it stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy import Decider, Gate
from barrier_policy.audit.model import Outcome
from barrier_policy.carrier.block import parse_block
from barrier_policy.gate.compaction import Compaction

from .conftest import NOW, Messages, agent, user
from .conftest import THANKS as TAIL

TALK: Messages = [*user("How does the office look these days?"), *agent("Bright and a little noisy, as it did. " * 60)]
CEILING = "Flea market assistant: don't bid above 80 for anything."
RAISED = "Let's say new ceiling 110 for everything, sofa or not."


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(store=tmp_path / "store", summarizer=lambda request: "Routine work.")


def lines(compacted: Compaction) -> list[str]:
    assert compacted.report is not None and compacted.report.outcome is Outcome.PASS
    assert compacted.carrier is not None
    return [entry.text for entry in parse_block(compacted.carrier.text).entries]


def said(*texts: str) -> Messages:
    return [message for text in texts for message in (*user(text), *agent("Noted."))]


def later(rule: str, words: str) -> str:
    return f'{rule} [said later, and may change this: "{words}"]'


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (CEILING, RAISED),
        (
            "Please nothing into prod on the payroll stack while payroll closes.",
            "Ok payroll closed early, prod is open again.",
        ),
        (
            "No more express shipments this week, the budget is gone.",
            "Express shipments are fine again, finance moved some money.",
        ),
        ("Never refund more than 200 EUR without asking Dana.", "The refund limit is 500 EUR now."),
        (
            "The autumn meeting must be on 6 November at 18:00 in the parish hall.",
            "New: 13 November at 19:00 in the fire station.",
        ),
        ("Do not touch the nightly backup until I say so.", "You can touch the nightly backup again."),
        ("Build the dashboard only with server-rendered charts.", "Change of plan: charts in the browser."),
        ("Niemals die Preisliste vor Freitag verschicken.", "Die Preisliste darfst du wieder verschicken."),
    ],
)
def test_the_line_of_a_rule_says_what_came_later(rule: str, words: str, gate: Gate) -> None:
    found = lines(gate.compact([*TALK, *said(rule, words), *TAIL], keep_last=2, now=NOW))
    assert rule not in found
    assert later(rule, words) in found or not any(line.startswith(rule) for line in found)


@pytest.mark.parametrize(
    "words",
    [
        "Can you bid above 80 again?",
        "Bid 60 for the lamp, please, and pay at once.",
        "The lamp is fine, thanks again.",
        "What was the ceiling for anything again",
    ],
)
def test_what_changes_nothing_is_not_told(words: str, gate: Gate) -> None:
    assert CEILING in lines(gate.compact([*TALK, *said(CEILING, words), *TAIL], keep_last=2, now=NOW))


def test_who_takes_back_what_he_said_takes_back_all_of_it(gate: Gate) -> None:
    words = "Express is possible for a parcel up to 60 EUR. Forget what I said on Monday."
    rules = "No more express this week, the budget is gone. Everything must go standard until I say otherwise."
    found = lines(gate.compact([*TALK, *said(rules, words), *TAIL], keep_last=2, now=NOW))
    assert later("Everything must go standard until I say otherwise.", "Forget what I said on Monday.") in found


def test_a_rule_that_is_said_anew_as_a_whole_takes_the_place_of_the_older_one(gate: Gate) -> None:
    words = "Actually, deploy only on Mondays from now on, Fridays are out."
    found = lines(gate.compact([*TALK, *said("Deploy only on Fridays.", words), *TAIL], keep_last=2, now=NOW))
    assert words in found
    assert not any(line.startswith("Deploy only on Fridays.") for line in found)


@pytest.mark.parametrize(
    "words",
    [
        "Deploy only on Mondays, and ask Kim on Fridays.",  # nothing says that it takes the place of the other
        "From now on deploy the shop only after a call.",  # it does not say all of it
    ],
)
def test_a_rule_beside_another_leaves_it_in_force(words: str, gate: Gate) -> None:
    found = lines(gate.compact([*TALK, *said("Deploy only on Fridays.", words), *TAIL], keep_last=2, now=NOW))
    assert any(line.startswith("Deploy only on Fridays.") for line in found)


def test_users_amend_no_rule_of_the_system(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": CEILING}, *TALK, *said(RAISED), *TAIL]
    ledger = Decider().analyse(messages, keep_last=2, now=NOW).join.ledger
    assert [item.attributes.get("replaced") for item in ledger.items if item.text == CEILING] == [None]


def test_a_carried_rule_says_what_came_in_a_later_round(gate: Gate) -> None:
    first = gate.compact([*TALK, *said(CEILING), *TAIL], keep_last=2, now=NOW)
    assert CEILING in lines(first)
    again = [*first.messages, *said(RAISED), *TALK, *user("Good night."), *agent("Good night.")]
    second = gate.compact(again, keep_last=2, now=NOW)
    assert later(CEILING, RAISED) in lines(second)
    again = [*second.messages, *said("How many lamps are left?"), *TALK, *user("Bye."), *agent("Bye.")]
    assert later(CEILING, RAISED) in lines(gate.compact(again, keep_last=2, now=NOW))


def test_a_carrier_that_shows_the_rule_without_it_fails(gate: Gate) -> None:
    messages = [*TALK, *said(CEILING, RAISED), *TAIL]
    done = gate.compact(messages, keep_last=2, now=NOW)
    plain = [
        {**message, "content": str(message["content"]).split(' [said later, and may change this: "')[0]}
        if CEILING in str(message["content"])
        else message
        for message in done.messages
    ]
    assert gate.audit(messages, plain, keep_last=2, now=NOW).outcome is Outcome.FAIL
