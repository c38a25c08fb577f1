"""Orders of which the agent only takes note, and promises for a later time."""

from __future__ import annotations

import pytest

from .conftest import agent, at, judge, tool, user

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
