"""What users state and the agent takes note of."""

from __future__ import annotations

import pytest

from .conftest import agent, at, judge, tool, user

OTHER = [*user("How big is the hall?"), *agent("It holds 240 people.")]


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
    "text",
    [
        "Jon takes the van to the shop. if it does not start we borrow the one of the school, you have the form, right?",
        "Toño lleva la furgoneta al taller. si no arranca pedimos la del colegio, tienes el impreso verdad?",
    ],
)
def test_what_a_sentence_tells_before_it_asks_is_kept(text: str) -> None:
    decision = judge([*user(text), *agent("Yes, I have it."), *OTHER, *OTHER])
    assert (
        text.split(". ")[1].split(",")[0] in " ".join(record.text for record in decision.carrier)
        or at(decision, 0).action == "retain"
    )


@pytest.mark.parametrize(
    "owned",
    [
        "You're right, that was September.",
        "Sorry, that was the bill of September.",
        "Vous avez raison, ça venait de Lyon.",
        "Du hast recht, das war die Rechnung vom September.",
    ],
)
def test_what_the_agent_says_of_its_own_error_is_kept_beside_what_is_right(owned: str) -> None:
    wrong = [*user("cloud bill of october?"), *tool("cost_month", "18,204.11 USD", m="2026-09"), *agent("18,204 dollars.")]
    right = [
        *user("can't be, look again"),
        *tool("cost_month", "21,977.40 USD", m="2026-10"),
        *agent(f"{owned} October is 21,977.40 USD."),
    ]
    decision = judge([*wrong, *right, *user("how big is the hall?"), *agent("240 people.")])
    assert owned in " ".join(record.text for record in decision.carrier)
