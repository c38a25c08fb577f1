"""Short orders that the agent has only said yes to."""

from __future__ import annotations

import pytest

from .conftest import Messages, agent, at, judge, tool, user

FREE: Messages = [*user("which slots are free"), *tool("slots.list", "Tue 14:30", week=28), *agent("Tuesday 14:30.")]
PARKING: Messages = [*user("how much is parking"), *tool("site.get", "4 EUR a day", q="parking"), *agent("4 euros a day.")]
ORDER = len(FREE)


def _decided(order: str, yes: str, *after: Messages) -> str:
    later = [message for messages in after for message in messages]
    return at(judge([*FREE, *user(order), *agent(yes), *later, *PARKING]), ORDER).action


@pytest.mark.parametrize(
    ("order", "yes"),
    [
        ("could we get the Tuesday slot for Mina?", "Of course."),
        ("and one for my brother please", "Sure thing, one for your brother."),
        ("same for Leeds, thanks", "Will do."),
        ("any chance of a Friday for Bo?", "I'll see what I can do."),
        ("dann den Mittwoch für meinen Sohn, bitte", "Gerne."),
        ("on pourrait avoir celui de 10 h pour Léa ?", "Bien sûr."),
        ("ci metti anche Marta, per favore?", "Certo, lo faccio dopo."),
        ("doe mij dan maar de 41", "Komt in orde."),
        ("тогда седьмое для мамы, пожалуйста", "Конечно."),
        ("では15時を美奈さんにお願いできますか", "かしこまりました。"),
    ],
)
def test_an_order_that_was_agreed_to_and_not_carried_out_is_open(order: str, yes: str) -> None:
    assert _decided(order, yes) == "retain"


def test_the_call_that_carries_it_out_later_closes_it() -> None:
    booked = [
        *user("Kowalski is the name"),
        *tool("slots.book", "booked B-771", slot="Tuesday", name="Mina"),
        *agent("Booked."),
    ]
    assert _decided("could we get the Tuesday slot for Mina?", "Of course.", booked) != "retain"


def test_who_takes_it_back_closes_it() -> None:
    withdrawn = [*user("no, stop, leave it"), *agent("All right.")]
    assert _decided("could we get the Tuesday slot for Mina?", "Of course.", withdrawn) != "retain"


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("thanks a lot, Mina!", "Of course."),
        ("Danke für die Hilfe", "Gerne."),
        ("could we get a Wednesday?", "No, Wednesday is fully booked."),
        ("is the hall open on Sunday?", "Yes."),
        ("keep all answers short from now on", "Will do."),
        ("nobody books over 300 without my ok", "Understood."),
    ],
)
def test_thanks_answers_and_rules_are_no_open_orders(said: str, reply: str) -> None:
    assert _decided(said, reply) != "retain"


def test_a_polite_order_with_a_date_is_open_where_the_user_says_to_finish_it() -> None:
    order = user("mi prepari il riepilogo degli accessi dei fornitori? mi serve entro le 16 per il comitato")
    looked = [*tool("iam.conta_accessi", "forn-eltek 41\nforn-pia 0", giorni=30), *agent("Eltek 41, PIA nessuno.")]
    assert at(judge([*order, *looked, *PARKING], user("ok, finisci")), 0).action == "retain"
