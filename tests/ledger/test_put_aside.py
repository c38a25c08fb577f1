"""Orders of which the agent only takes note, and questions that the user passes over."""

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


ASKED = [*user("Book the room for Mrs Laurent."), *agent("Will she arrive before ten or later?")]


@pytest.mark.parametrize(
    "aside", ["what's the weather there in mid-September", "how many rooms do they have", "what does a /20 give us"]
)
def test_a_question_that_is_passed_over_stays_open(aside: str) -> None:
    later = [*user(aside), *agent("Twenty-four."), *agent("Is breakfast wanted?"), *user("no, never"), *agent("All right.")]
    assert at(judge([*ASKED, *later]), 1).action == "retain"


def test_a_value_answers_it() -> None:
    later = [*user("22:30"), *agent("Noted."), *OTHER]
    assert at(judge([*ASKED, *later]), 1).action != "retain"


@pytest.mark.parametrize("later", ["later", "Not so fast, stickers first."])
def test_a_question_that_was_put_off_outlives_a_later_one(later: str) -> None:
    asked = [*user("What does the printer want?"), *agent("714 € for 300, quote Q-3301. Shall I order?")]
    more = [*user(later), *agent("They cost 80 €. Isn't it cheap?"), *user("It is."), *agent("Yes.")]
    decision = judge([*asked, *more])
    assert at(decision, 1).action == "retain"


@pytest.mark.parametrize("told", ["asked him, he's on a train", "tried him twice, he hasn't picked up"])
def test_what_the_user_says_of_an_answer_that_is_still_due_stays_with_the_question(told: str) -> None:
    asked = [*user("The customer is blocked by it."), *agent("Has Henrik seen it?")]
    decision = judge([*asked, *user(told), *user("how many backports are there"), *agent("17."), *OTHER])
    assert [at(decision, message).action for message in (1, 2)] == ["retain", "retain"]


# statements ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "8804/8805 are twins, keep both. the other two are the same person",
        "sorry, the lake loop is 12.1 since the bridge went, forget 11.4",
        "try to sound less like a police officer, one rule per paragraph if it works",
    ],
)
@pytest.mark.parametrize("reply", ["Good.", "Noted.", "Will do."])
def test_a_short_message_that_the_agent_takes_note_of_is_kept_as_a_whole(text: str, reply: str) -> None:
    decision = judge(
        [
            *user("Rate the batch."),
            *tool("rate_run", "done, batch R26", m=4),
            *agent("Done."),
            *user(text),
            *agent(reply),
            *OTHER,
        ]
    )
    kept = " ".join(record.text for record in decision.carrier)
    assert text in kept or at(decision, 4).action == "retain"


def test_small_talk_is_not_kept() -> None:
    decision = judge([*user("my tea got cold while we talked"), *agent("Time for a new one!"), *OTHER])
    assert at(decision, 0).action == "summarize" and not decision.carrier


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("no shuttle, the hotel does it for free", "I strike it."),
        ("currants are done! and scrap the water butt, neighbour gave me his", "Ticked and struck off."),
        ("der Chor braucht keinen Bus, alle kommen mit der Bahn", "Gestrichen."),
    ],
)
def test_what_the_agent_says_that_it_wrote_down_is_kept(text: str, reply: str) -> None:
    decision = judge([*user(text), *agent(reply), *OTHER])
    assert text in " ".join(record.text for record in decision.carrier) or at(decision, 0).action == "retain"


def test_a_numbered_list_is_kept_to_its_last_point() -> None:
    points = "ok list for the Okoro wedding: 1. registrar 2. band 3. florist 4. menu cards 5. shuttle 6. chairs for the lawn 7. vegan cake sample 8. umbrellas in cream, 40"
    decision = judge([*user(points), *tool("checklist_save", "saved", n=8), *agent("Eight points."), *OTHER, *OTHER])
    assert (
        "8. umbrellas in cream, 40" in " ".join(record.text for record in decision.carrier)
        or at(decision, 0).action == "retain"
    )


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
