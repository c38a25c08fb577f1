"""Orders of which the agent only takes note, and promises for a later time."""

from __future__ import annotations

import pytest

from .conftest import agent, at, judge, shown, tool, user

OTHER = [*user("How big is the hall?"), *agent("It holds 240 people.")]


@pytest.mark.parametrize(
    ("order", "reply"),
    [
        ("remind me on Thursday if the tuner hasn't called", "ok"),
        ("do the switch-over at 23:30 tonight", "ok"),
        ("Please send the second half on the 2nd of November.", "Gladly."),
        ("When the lab results are in, compare both samples.", "I'll do so."),
        ("could you add her two brothers as well? Later, once the letters are here", "As soon as they are here."),
        ("Bitte verschick die Einladungen am Freitag.", "Mach ich."),
        ("Envoie le devis à Mme Roux dès que le prix est fixé.", "Je m'en occupe."),
        ("Recuérdame el lunes pagar la matrícula.", "Vale."),
        ("rang the office, nobody there. remind me to try them again Monday", "Monday it is."),
        ("so, the list for the printer, to be with him before friday", "I'll pull it in a minute."),
        ("ho scritto al fabbro, dice che richiama. avvisami appena il fabbro si fa vivo", "Senz'altro."),
        ("the second hall opens only when Petra has signed the sheet", "OK, I hold it until then."),
        ("Then please write to the choir today with both dates, in Polish", "I will."),
    ],
)
def test_an_order_that_was_only_taken_note_of_stays(order: str, reply: str) -> None:
    assert at(judge([*user(order), *agent(reply), *OTHER]), 0).action == "retain"


def test_it_is_over_once_a_later_deed_speaks_of_it() -> None:
    order = [*user("Please send the invitations to the Harmen family on Friday."), *agent("Will do.")]
    deed = [*user("It is Friday."), *tool("send_letter", "sent, letter 118", subject="invitations", to="Harmen family")]
    decision = judge([*order, *deed, *agent("Sent.")])
    assert at(decision, 0).action != "retain"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Explain a mutex in one line.", "A lock that one thread at a time may hold."),
        ("what time do we start", "At half past seven in the evening."),
        ("count the moths in the picture", "23 of them."),
        ("It rained all Monday.", "Then the barrels are full."),
    ],
)
def test_what_was_answered_in_words_is_no_open_order(text: str, reply: str) -> None:
    assert at(judge([*user(text), *agent(reply), *OTHER]), 0).action != "retain"


@pytest.mark.parametrize(
    "promise",
    [
        "Not yet, I will let the tenant know by Friday and put a notice on the door.",
        "It might be. Once the November files are complete, I'll redo the same query and show you both months.",
        "Noch nicht, ich melde mich am Freitag bei der Mieterin.",
        "Pas encore, je vais prévenir la locataire demain.",
    ],
)
def test_a_promise_for_later_is_owed(promise: str) -> None:
    decision = judge([*user("Does the tenant know?"), *agent(promise), *OTHER])
    assert [
        record.kind for record in decision.carrier if promise.split(". ")[-1] in record.text or record.text in promise
    ] != []


@pytest.mark.parametrize("order", ["oh and rotate the key on friday", "Tausch am Freitag bitte noch das Schloss aus."])
def test_an_order_for_later_that_nobody_answered_stays(order: str) -> None:
    assert at(judge([*user("who has a key?"), *agent("Ines has one."), *user(order), *OTHER]), 2).action == "retain"


def test_an_order_that_was_taken_note_of_stays_although_the_agent_then_looked_something_up() -> None:
    order = [*user("remind me on Thursday if the tuner hasn't called"), *agent("Will do.")]
    looked = [*tool("calls_list", "none from him", day="mon"), *agent("Nothing from him today.")]
    assert at(judge([*order, *looked, *OTHER]), 0).action == "retain"


@pytest.mark.parametrize(
    "promise",
    [
        "I'll find you somebody for Saturday and give you the name by noon.",
        "I'll come back to you on it.",
        "Ich melde mich bis Freitag bei dir.",
    ],
)
def test_a_promise_that_the_agent_makes_before_it_goes_on_is_owed(promise: str) -> None:
    looked = [*tool("rota_get", "Amit, Joan", day="sat"), *agent("Two are in the pool.")]
    assert promise in shown(judge([*user("Tess can't come, I need someone"), *agent(promise), *looked, *OTHER]))


def test_a_promise_that_is_kept_in_the_same_turn_is_not_owed() -> None:
    promise = "I'll let you know the water level by noon."
    looked = [*tool("gauge_get", "1.62 m", pound=7), *agent("The water level is 1.62 m.")]
    assert promise not in shown(judge([*user("levels?"), *agent(promise), *looked, *OTHER]))


def test_what_the_agent_says_that_it_does_next_is_owed() -> None:
    said = "The call is in idle.c. Next I take the old one out of the timer."
    decision = judge(
        [*user("move the feeding into the idle task"), *tool("edit", "ok", path="idle.c"), *agent(said), *OTHER]
    )
    assert "Next I take the old one out of the timer." in shown(decision)
