"""Deeds that look done and that the words about them leave open: unknown protects, and the agent's words may protect too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from .conftest import agent, at, called, judge, tool, user

RESULTS: Final = Path(__file__).parents[1] / "data" / "results" / "unsettled.jsonl"
CHAT: Final = [*user("Nice weather today, isn't it?"), *agent("Yes, very.")]


def action(record: dict[str, Any]) -> str:
    """What happens to the result of a deed that nobody has come back to."""
    name = record["tool"].replace("_", " ")
    deed = called("c1", record["tool"], record["args"] if isinstance(record["args"], dict) else {}, record["result"])
    reply = agent(record["reply"]) if record["reply"] else []
    return at(judge([*user(f"Please {name} for me."), *deed, *reply, *CHAT]), 2).action


def kept(unsettled: bool) -> tuple[int, int]:
    records = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    actions = [action(record) for record in records if record["unsettled"] is unsettled]
    return actions.count("retain"), len(actions)


def test_most_results_that_leave_a_deed_open_in_words_of_their_own_stay() -> None:
    """160 results by one who has seen neither the lists of words nor the weights; before there were weights 19 were kept."""
    stay, all_open = kept(unsettled=True)
    assert all_open == 80
    assert stay >= 50


def test_few_results_of_what_is_done_stay() -> None:
    stay, all_done = kept(unsettled=False)
    assert all_done == 80
    assert stay <= 16


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("lot/lot.go written", "The parser is there, the ordering is still to do."),
        ("saved", "It is saved but not sent yet, the mail server hasn't confirmed it."),
        ("demande 6631 transmise", "La demande 6631 est partie. Ce n'est pas encore une réservation."),
        ("Kolb: zugesagt", "Kolb stellt zwei. Die anderen beiden stehen noch nicht."),
    ],
)
def test_what_the_agent_says_is_not_done_yet_stays(answer: str, reply: str) -> None:
    decision = judge([*user("Do the next one."), *tool("create_booking", answer, what="next"), *agent(reply), *CHAT])
    assert at(decision, 2).action == "retain"


@pytest.mark.parametrize(
    "answer", ["handed to acquirer, outcome follows", "tk-4471: marked, drops out with the next mirror sync"]
)
def test_a_result_that_only_promises_stays_though_the_agent_says_nothing(answer: str) -> None:
    decision = judge([*user("Refund the chrome one."), *tool("create_refund", answer, order="LC-30918"), *CHAT])
    assert at(decision, 2).action == "retain"


def test_a_plain_receipt_does_not_stay() -> None:
    decision = judge(
        [*user("Reply to the thread."), *tool("post_reply", "fp-3321 posted", text="soon"), *agent("Posted."), *CHAT]
    )
    assert at(decision, 2).action != "retain"


@pytest.mark.parametrize(
    "order",
    [
        "Order the new certificate and tell me when it's there.",
        "Bestell das neue Zertifikat und sag Bescheid, sobald es da ist.",
        "Beställ det nya certifikatet och säg till när det är klart.",
        "証明書を注文して、届いたら教えて。",
    ],
)
def test_an_order_whose_end_the_user_wants_to_hear_of_is_open_until_a_result_tells_it(order: str) -> None:
    ordered = judge(
        [*user(order), *tool("create_certificate_order", "order 5512, http-01", host="pay"), *agent("5512."), *CHAT]
    )
    assert at(ordered, 2).action == "retain"
    told = judge(
        [*user(order), *tool("create_certificate_order", '{"status": "completed"}', host="pay"), *agent("Done."), *CHAT]
    )
    assert at(told, 2).action != "retain"


def test_doing_it_again_to_the_same_target_settles_what_words_left_open() -> None:
    half = [
        *tool("edit_file", "1 hunk applied", path="imp/parquet.py", text="a"),
        *agent("The reader is moved, the mapping not yet."),
    ]
    whole = [*tool("edit_file", "2 hunks applied", path="imp/parquet.py", text="b"), *agent("The mapping is in.")]
    opened = judge([*user("Move both to the new module."), *half, *CHAT])
    assert at(opened, 2).action == "retain"
    closed = judge([*user("Move both to the new module."), *half, *user("And the mapping."), *whole, *CHAT])
    assert at(closed, 2).action != "retain"


def test_a_state_that_no_list_knows_does_not_settle_a_deed() -> None:
    asked = [
        *user("Open the valve."),
        *tool("set_valve", '{"job": "job-77120", "status": "queued"}', valve="7b"),
        *agent("Sent."),
    ]
    looked = tool("get_job", '{"job": "job-77120", "state": "parked for the night"}', job="job-77120")
    decision = judge([*asked, *user("And now?"), *looked, *agent("It is parked for the night."), *CHAT])
    assert at(decision, 2).action == "retain"
