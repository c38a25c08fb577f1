"""What users take back and look-ups answer otherwise: the carrier shows what holds, and says of the rest what took its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, Gate
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import Outcome
from barrier_policy.carrier.block import Entry, parse_block, render_block
from barrier_policy.ledger.currency.corrections import Statement, find_replaced, may_correct_itself
from barrier_policy.ledger.model import Correction

from .conftest import NOW, Messages, agent, called, user
from .conftest import THANKS as TAIL

TALK: Messages = [
    {"role": "user", "content": "And the roses?"},
    {"role": "assistant", "content": "They are in bloom. " * 60},
]
SETUP, WORKERS = "Set up the service on the staging host with 40 workers.", "No, it's 42, not 40."


def tool(number: int, name: str, arguments: dict[str, Any], answer: str) -> Messages:
    return called(f"c{number}", name, arguments, answer)


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


@pytest.fixture
def gate(decider: Decider, tmp_path: Path) -> Gate:
    return Gate(store=tmp_path / "store", summarizer=lambda request: "Earlier turns were left out.", decider=decider)


def replaced(*said: str) -> list[tuple[str, str, list[int]]]:
    """What the last of some sentences replaces in those before: old, new, and by number what had said it. `A:` is the agent."""
    statements = [
        Statement(key=str(number), message=number, text=text.removeprefix("A: "), by_user=not text.startswith("A: "))
        for number, text in enumerate(said)
    ]
    last = statements[-1]
    found = find_replaced(statements, [Correction(message=last.message, text=last.text)])
    return [(entry.old, entry.new, sorted(map(int, entry.statements))) for entry in found]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((SETUP, WORKERS), [("40", "42", [0])]),
        ((SETUP, "A: 40 workers then.", WORKERS), [("40", "42", [0, 1])]),
        (("Start the server on port 8080.", "Use port 8081 instead."), [("8080", "8081", [0])]),
        (("My order is ORD-77120.", "Actually, the order is ORD-77121."), [("ORD-77120", "ORD-77121", [0])]),
        (("The release is on 2026-07-03.", "The release has moved to 2026-07-10."), [("2026-07-03", "2026-07-10", [0])]),
        (("We meet at 3 pm.", "The meeting moved from 3 pm to 4 pm."), [("3", "4", [0])]),
        (("Der Port ist 8080.", "Nein, 8081, nicht 8080."), [("8080", "8081", [0])]),
        (("la franquicia son 150", "perdona, la franquicia son 300, no 150"), [("150", "300", [0])]),
        (("Le port est 8080.", "Pas 8080 mais 8081."), [("8080", "8081", [0])]),
        (("端口是 8080", "不对，应该是 8081"), [("8080", "8081", [0])]),
        (("Keep 40 backups.", SETUP, "42 workers, not 40."), [("40", "42", [1])]),
        (("0.4 m/s at most", "0.25 rather, one of them leans in"), [("0.4", "0.25", [0])]),
    ],
)
def test_a_correction_replaces_the_value_that_it_corrects(said: tuple[str, ...], expected: Any) -> None:
    assert replaced(*said) == expected


@pytest.mark.parametrize(
    "said",
    [
        ("Look at 5519 and 5520.", "Refund 5519, not 5520."),
        ("Use port 8080.", "Sorry, could you also check port 8081?"),
        ("Use port 8080.", "No, port 8081 is taken by the proxy."),
        ("The api is on port 8080, the proxy on port 8080.", "Use port 8081 instead."),
        ("Order 3 boxes.", "Actually, add 2 more boxes."),
        ("A: 17 are running.", "make that 30 then"),
        ("The etag is e-71.", "Nothing is wrong with e-71, not even the date."),
        ("Use 40 workers.", "Thanks."),
    ],
    ids=["a choice", "one more", "a remark", "two things", "an addition", "a count", "no new value", "no value"],
)
def test_what_only_looks_like_a_correction_replaces_nothing(said: tuple[str, ...]) -> None:
    assert replaced(*said) == []


def test_of_two_corrections_the_last_holds_for_both_values() -> None:
    said = [SETUP, WORKERS, "Sorry, 45 workers, not 42."]
    statements = [Statement(key=str(n), message=n, text=text) for n, text in enumerate(said)]
    found = find_replaced(statements, [Correction(message=n, text=said[n]) for n in (1, 2)])
    assert [(entry.old, entry.new) for entry in found] == [("40", "45"), ("42", "45")]


def test_what_is_said_once_more_holds() -> None:
    said = [SETUP, WORKERS, "Start it with 40 workers."]
    statements = [Statement(key=str(n), message=n, text=text) for n, text in enumerate(said)]
    assert find_replaced(statements, [Correction(message=1, text=WORKERS)]) == []


@pytest.mark.parametrize(
    ("statement", "correction", "marked"),
    [
        (SETUP, WORKERS, f"{SETUP} [40 is superseded: now 42]"),
        (
            "The database listens on port 5432 and the user is app_rw.",
            "Correction: the database is on port 5433.",
            "Correction: the database is on port 5433. [5432 is superseded: now 5433]",
        ),
        (
            "Never send more than 40 mails per hour.",
            WORKERS,
            "Never send more than 40 mails per hour. [40 is superseded: now 42]",
        ),
        (
            "The crate goes to 12 Elm Street, ring twice.",
            "Sorry, the crate goes to 8 Oak Lane instead.",
            "The crate goes to 12 Elm Street, ring twice. [12 Elm Street is superseded: now 8 Oak Lane]",
        ),
    ],
)
def test_a_carried_statement_says_which_of_its_values_no_longer_hold(
    gate: Gate, statement: str, correction: str, marked: str
) -> None:
    done = gate.compact(
        [*user(statement), *agent("Fine."), *user(correction), *agent("It is up."), *TALK, *TAIL], keep_last=2, now=NOW
    )
    assert done.report is not None and done.report.outcome is Outcome.PASS
    lines = [entry.text for entry in parse_block(done.carrier.text).entries]
    assert marked in lines and statement not in lines


def test_a_correction_reaches_what_an_earlier_round_carried(gate: Gate) -> None:
    first = gate.compact([*user(SETUP), *agent("It is up."), *TALK, *TAIL], keep_last=2, now=NOW)
    assert SETUP in [entry.text for entry in parse_block(first.carrier.text).entries]
    later = [*first.messages, *user(WORKERS), *agent("Fine."), *TALK, *user("Good night."), *agent("Good night.")]
    second = gate.compact(later, keep_last=2, now=NOW)
    lines = [entry.text for entry in parse_block(second.carrier.text).entries]
    assert f"{SETUP} [40 is superseded: now 42]" in lines and SETUP not in lines
    again = [*second.messages, *user("Sorry, 45 workers, not 42."), *agent("Fine."), *TALK, *user("Bye."), *agent("Bye.")]
    third = gate.compact(again, keep_last=2, now=NOW)
    assert f"{SETUP} [40 is superseded: now 45]" in [entry.text for entry in parse_block(third.carrier.text).entries]


STOCK, LESS = '{"sku":"SKU-4410","count": 418}', '{"sku":"SKU-4410","count": 371}'


def test_an_answer_that_nobody_quoted_gives_way_to_the_next_one(gate: Gate) -> None:
    first, second = tool(1, "get_stock", {"sku": "SKU-4410"}, STOCK), tool(2, "get_stock", {"sku": "SKU-4410"}, LESS)
    looked = [*user("How many are left?"), *first, *agent("Plenty."), *user("And now?"), *second, *agent("Fewer.")]
    done = gate.compact([*looked, *TALK, *TAIL], keep_last=2, now=NOW)
    assert LESS in done.carrier.text and "418" not in done.carrier.text


def test_it_does_so_in_a_later_round_too(gate: Gate) -> None:
    first, second = tool(1, "get_stock", {"sku": "SKU-4410"}, STOCK), tool(2, "get_stock", {"sku": "SKU-4410"}, LESS)
    done = gate.compact([*user("How many are left?"), *first, *agent("Plenty."), *TALK, *TAIL], keep_last=2, now=NOW)
    assert STOCK in done.carrier.text
    later = [*done.messages, *user("And now?"), *second, *agent("Fewer."), *TALK, *user("Bye."), *agent("Bye.")]
    again = gate.compact(later, keep_last=2, now=NOW)
    assert LESS in again.carrier.text and "418" not in again.carrier.text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("12:01 order 77 failed", "12:05 order 78 failed"),
        ('[{"id": "a-1", "n": 4}, {"id": "a-2", "n": 5}]', '[{"id": "a-1", "n": 4}, {"id": "a-3", "n": 7}]'),
        ("the limit is 40", "there is no limit"),
    ],
    ids=["events", "a list", "another form"],
)
def test_what_another_answer_does_not_say_anew_holds(decider: Decider, first: str, second: str) -> None:
    looked = [*user("Look."), *tool(1, "get_log", {"n": 1}, first), *user("Again."), *tool(2, "get_log", {"n": 1}, second)]
    ledger = decider.analyse([*looked, *agent("Seen."), *TALK, *TAIL], keep_last=2, now=NOW).join.ledger
    rows = [ledger.state(item) for item in ledger.items if item.kind == "row" and item.text == first]
    assert rows and set(rows) == {"open"}


CORRECTED = [*user(SETUP), *agent("Fine."), *user(WORKERS), *agent("Fine."), *TALK, *TAIL]


def carrier(*entries: Entry) -> Messages:
    return user(render_block(entries))


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (f"{SETUP} [40 is superseded: now 42]", Outcome.PASS),
        (SETUP, Outcome.FAIL),
        (f"{SETUP} [40 is superseded: now 43]", Outcome.FAIL),
    ],
    ids=["marked", "unmarked", "marked wrongly"],
)
def test_the_audit_wants_the_mark(decider: Decider, line: str, outcome: Outcome) -> None:
    lines = [line, WORKERS]
    report = audit(
        CORRECTED,
        [*carrier(*(Entry(kind="statement", text=text) for text in lines)), *TAIL],
        now=NOW,
        decider=decider,
        keep_last=2,
    )
    assert report.outcome is outcome
    assert outcome is Outcome.PASS or {finding.rule for finding in report.findings} & {"audit.stale", "audit.altered"}


@pytest.mark.parametrize(
    ("told", "stale"),
    [
        ("The service runs with 40 workers.", True),
        ("It has 40 of these workers on the staging host.", True),
        ("The service runs with 42 workers, not 40.", False),
        ("The service had 40 workers at first.", False),
        ("Forty roses are in bloom, 40 of them red.", False),
    ],
)
def test_a_summary_may_not_tell_a_corrected_value_as_the_present_one(decider: Decider, told: str, stale: bool) -> None:
    kept = [*user(f"{SETUP} No, it's 42, not 40."), *TAIL]
    report = audit(CORRECTED, [*user(told), *kept], now=NOW, decider=decider, keep_last=2)
    found = [finding for finding in report.findings if finding.rule == "audit.stale" and finding.found == told]
    assert bool(found) is stale
    assert all(finding.outcome is Outcome.INCONCLUSIVE for finding in found)


# --- the agent corrects itself


def own(*said: tuple[str, str]) -> dict[str, str]:
    """What the last sentence, one of the agent, puts in the place of what was said: the new value by the old one."""
    statements = [
        Statement(key=str(number), message=number, text=text, by_user=who == "user")
        for number, (who, text) in enumerate(said)
    ]
    last = statements[-1]
    corrections = [Correction(message=last.message, text=last.text, by_user=False)] if may_correct_itself(last.text) else []
    return {entry.old: entry.new for entry in find_replaced(statements, corrections)}


@pytest.mark.parametrize(
    "correction",
    [
        "Sorry, I misread: the port is 5433, not 5432.",
        "Correction: the port is 5433.",
        "My mistake, the port of the replica is 5433.",
        "Entschuldigung, der Port (port) ist 5433, nicht 5432.",
        "Pardon, le port est 5433, pas 5432.",
    ],
)
def test_the_agent_takes_back_what_it_said_itself(correction: str) -> None:
    said = (("assistant", "The port of the replica is 5432."), ("user", "Thanks."), ("assistant", correction))
    assert own(*said) == {"5432": "5433"}


@pytest.mark.parametrize(
    "said",
    [
        (("user", "The port is 5432."), ("assistant", "Sorry, I misread: the port is 5433, not 5432.")),
        (
            ("assistant", "The port is 5432."),
            ("user", "5432 it is."),
            ("assistant", "Correction: the port is 5433, not 5432."),
        ),
        (("assistant", "The port is 5432."), ("assistant", "The replica listens on port 5433, not 5432.")),
        (("assistant", "The port is 5432."), ("assistant", "Sorry, I can't reach it.")),
        (("assistant", "There are 14 rows and 15 columns."), ("assistant", "Sorry for the delay, the port is 5433.")),
        (
            ("assistant", "The model gives 1364650861."),
            ("assistant", "There is a typo in line 9, I called the solver of the model wrongly."),
        ),
    ],
    ids=[
        "a user said it",
        "a user said it as well",
        "no error is owned up to",
        "no value",
        "nothing of that form",
        "of something else",
    ],
)
def test_what_the_agent_cannot_take_back_holds(said: tuple[tuple[str, str], ...]) -> None:
    assert own(*said) == {}


def conversation(*more: dict[str, str]) -> list[dict[str, str]]:
    said = [
        ("user", "Which port does the replica of billing-db listen on? I need it for the firewall."),
        ("assistant", "The replica of billing-db listens on port db-5432."),
        ("user", "Good."),
        ("assistant", "Sorry, I misread that. The replica of billing-db listens on port db-5433, not db-5432."),
    ]
    talk = [{"role": role, "content": text} for role, text in said]
    return [
        *talk,
        *more,
        {"role": "user", "content": "Now open the firewall for the port that the replica of billing-db listens on."},
        {"role": "assistant", "content": "One moment."},
    ]


def states_of(messages: list[dict[str, str]]) -> dict[str, str]:
    ledger = Decider().analyse(messages, keep_last=2, now=NOW).join.ledger
    return {item.text: ledger.state(item) for item in ledger.items if item.family == "binding"}


def test_a_value_that_the_agent_took_back_is_not_shown_as_current() -> None:
    ledger = Decider().analyse(conversation(), keep_last=2, now=NOW).join.ledger
    items = {item.text: item for item in ledger.items if item.family == "binding"}
    assert ledger.state(items["db-5432"]) == "superseded"
    said = items["The replica of billing-db listens on port db-5432."]
    assert said.attributes["replaced"] == "db-5432 is superseded: now db-5433"


def test_a_value_that_a_tool_shows_is_not_taken_back_by_words() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_config", "arguments": "{}"}}
    looked = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"port_id": "db-5432"}'},
    ]
    messages: list[Any] = [{"role": "user", "content": "Read it."}, *looked, *conversation()]
    assert states_of(messages)["db-5432"] != "superseded"


def test_the_audit_reports_a_summary_that_tells_what_the_agent_took_back() -> None:
    before = conversation()
    told = "The replica of billing-db listens on port db-5432."
    after = [{"role": "user", "content": f"Summary: {told}"}, *before[-2:]]
    assert "audit.stale" in {finding.rule for finding in audit(before, after, now=NOW).findings}
