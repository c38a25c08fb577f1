"""Wishes that users take back before anything was done."""

from __future__ import annotations

import pytest

from barrier_policy.ledger.dialogue.cues import withdrawn_from

from .conftest import Messages, agent, at, judge, shown, tool, user

OTHER = [*user("How big is the hall?"), *agent("It holds 240 people.")]

TAKEN_BACK = [
    (
        "could you throw out the old curtains",
        "The blue ones as well?",
        "oh wait, Mila wants them. leave it, forget I asked",
        "OK.",
    ),
    ("book a van too", "With or without a driver?", "ah no, we go by train. never mind", "No van, then."),
    ("Bestell noch zwei Bänke.", "Mit oder ohne Lehne?", "hm, nein, der Wirt hat welche. Lass es.", "Gut."),
    ("commande aussi un gâteau", "Pour combien de personnes ?", "non, sa tante le fait. laisse tomber", "Très bien."),
    ("pide también un fotógrafo", "¿Medio día o entero?", "no, mi primo hace las fotos. déjalo", "De acuerdo."),
    ("ordina anche i fiori", "Rose o tulipani?", "no, li porta mia zia, lascia perdere", "Bene."),
    ("zamów jeszcze tort", "Na ile osób?", "nie, ciocia piecze. zostaw to", "Dobrze."),
    ("beställ en tårta också", "Hur stor?", "nej, faster bakar. strunt i det", "Okej."),
    ("ещё закажи торт", "На сколько человек?", "нет, тётя испечёт. забудь об этом", "Хорошо."),
    ("ケーキも注文して", "何人分ですか?", "いや、叔母が焼くので、忘れてください", "承知しました。"),
]


@pytest.mark.parametrize(("wish", "question", "reply", "end"), TAKEN_BACK)
def test_a_wish_that_is_taken_back_leaves_nothing(wish: str, question: str, reply: str, end: str) -> None:
    decision = judge([*user(wish), *agent(question), *user(reply), *agent(end), *OTHER])
    assert "retain" not in [at(decision, message).action for message in range(4)]
    assert not shown(decision)


def test_a_wish_may_be_taken_back_in_the_same_message() -> None:
    decision = judge(
        [*user("Please open a ticket for the lamp. Oh, Ines did already, forget that."), *agent("Then not."), *OTHER]
    )
    assert at(decision, 0).action == "summarize" and "ticket" not in shown(decision)


@pytest.mark.parametrize(
    "text",
    [
        "the key is under the mat, don't forget it",
        "no, leave it on the table",
        "Vergiss das nicht.",
        "не забудь об этом",
        "glem det ikke",
        "forget it was ever blue",
    ],
)
def test_words_that_reach_for_something_or_are_denied_take_nothing_back(text: str) -> None:
    assert withdrawn_from(text) == -1


ASKED: Messages = [*user("could you throw out the old curtains"), *agent("The blue ones as well?")]


@pytest.mark.parametrize(
    "reply", ["leave it, only the 40 red ones", "never mind, Mila decides on Friday with Jon: red or blue"]
)
def test_what_is_said_besides_stays(reply: str) -> None:
    decision = judge([*ASKED, *user(reply), *agent("All right."), *OTHER])
    assert reply in shown(decision) or at(decision, 2).action == "retain"


def test_what_was_done_before_is_not_taken_back_by_words() -> None:
    done = [*user("book a van too"), *tool("van_book", "booked, V-118", day="fri"), *agent("V-118. With a driver?")]
    decision = judge([*done, *user("ah no, we go by train. never mind"), *agent("I see."), *OTHER])
    assert "V-118" in shown(decision) or at(decision, 1).action == "retain"


def test_a_rule_is_not_taken_back_by_words_that_reach_for_a_wish() -> None:
    rule = "You must never send anything to the press without my signature."
    decision = judge([*user(rule), *agent("Understood."), *user("what about radio? ah, forget it"), *agent("Fine."), *OTHER])
    assert rule in shown(decision) or at(decision, 0).action == "retain"


def test_who_says_wait_and_takes_the_wish_back_does_not_put_the_answer_off() -> None:
    decision = judge([*ASKED, *user("hang on. no, leave it"), *agent("They stay."), *OTHER])
    assert at(decision, 1).action == "summarize"


def test_who_gives_a_value_tells_to_leave_it_as_it_is() -> None:
    told = "the carrier takes 0.38, they told me, leave it"
    asked = [
        *user("what is the least in the spec"),
        *tool("docs.find", "0.495 mm", q="width"),
        *agent("0.495, we are below."),
    ]
    decision = judge([*asked, *user(told), *user("how big is the hall?"), *agent("It holds 240 people.")])
    assert told in shown(decision) or at(decision, len(asked)).action == "retain"


@pytest.mark.parametrize(
    ("order", "after"),
    [
        ("Use the staging cluster for all the load tests", "if the tests are already running, leave it"),
        ("Water the roses in the yard every evening", "when it rains, skip it"),
        ("Remind me to call the plumber tomorrow", "Book a van. A big one. Oh, forget it."),
        ("Lock the yard gate in the evening", "and the church door, leave it open"),
    ],
)
def test_a_condition_and_another_wish_take_no_earlier_order_back(order: str, after: str) -> None:
    decision = judge([*user(order), *agent("Understood."), *user(after), *agent("OK."), *OTHER])
    assert order in shown(decision) or at(decision, 0).action == "retain"


def test_a_no_that_may_be_about_something_else_calls_nothing_off() -> None:
    asked = [
        *user("Find out which account has her orders and what happens to her points in a merge."),
        *tool("get_orders", "C-1180: 6", year=2024),
    ]
    told = agent("The older one has all six. What a merge does to the points I still have to find.")
    later = [
        *user("hang on, phone. where do i block someone who keeps sending us memes"),
        *agent("Under settings, senders."),
    ]
    assert at(judge([*asked, *told, *later]), 0).action == "retain"
