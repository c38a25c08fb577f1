"""What users state and the agent takes note of."""

from __future__ import annotations

import pytest

from .conftest import agent, at, judge, shown, tool, user

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
    "answer",
    [
        "90 a night at most, breakfast included. oh and grandpa can't climb to the second floor",
        "höchstens 90 die Nacht. und Opa kommt keine Treppen hoch",
    ],
)
def test_an_answer_that_holds_a_rule_is_kept_although_the_agent_acts_on_it(answer: str) -> None:
    asked = [*user("A weekend in Graz for the four of us."), *agent("Happy to! Anything I should know?")]
    done = [*agent("Noted."), *tool("hotels.search", '[{"name": "Murhof", "eur": 84}]', city="Graz"), *agent("Murhof, 84.")]
    decision = judge([*asked, *user(answer), *done, *user("How far is it?"), *agent("Two hours.")])
    assert answer in shown(decision) or at(decision, 2).action == "retain"


@pytest.mark.parametrize(
    "told",
    [
        "ok, boat 3 on saturday when the crane is there. Not before",
        "no, Kestrel is the BIRD, falco tinnunculus. never the boat",
        "fine, it's in the vault under kv/forge/bot. always read it fresh",
    ],
)
def test_the_only_rule_of_a_short_message_is_told_with_all_of_it(told: str) -> None:
    decision = judge([*user(told), *agent("Understood."), *OTHER])
    assert told in shown(decision) or at(decision, 0).action == "retain"


def test_a_rule_ends_by_its_own_sentence() -> None:
    told = user("the red van is back from the workshop. Don't use the gravel road")
    later = user("the red van goes back to the workshop, you may send it there")
    decision = judge([*told, *agent("Noted."), *later, *agent("Done."), *OTHER])
    assert "Don't use the gravel road" in shown(decision) or at(decision, 0).action == "retain"


DICTATED = (
    'Take this down, it goes into the report later: "Oak chest, two drawers. The left one sticks, somebody has planed it, badly. '
    "Hinges are older than the lid. Third handle is brass, the others are iron. Worm holes in the back, all old. Smells of wax, no mould. "
    'Key turns once and a half." That is all I can see.'
)


@pytest.mark.parametrize("reply", ["Taken down.", "Read it, all of it.", "Noted."])
def test_what_was_dictated_and_not_used_yet_is_kept_whole(reply: str) -> None:
    decision = judge([*user(DICTATED), *agent(reply), *OTHER])
    assert DICTATED in shown(decision) or at(decision, 0).action == "retain"


def test_what_is_likely_a_request_is_told_while_nothing_was_done_about_it() -> None:
    asked = user("I'll need the seating plan for Saturday's 60 guests by tonight")
    decision = judge([*asked, *user("columns: table, name, diet"), *agent("Three columns."), *OTHER])
    assert "60 guests" in shown(decision) or at(decision, 0).action == "retain"


def test_a_list_is_told_whole_although_some_of_its_points_are_rules() -> None:
    told = "plan for the move, as agreed: 1. label the crates 2. is off (no photos, Ute said so) 3. load van 4 4. sweep. one at a time, I say when"
    decision = judge([*user(told), *agent("Four steps without the second, one at a time."), *OTHER])
    assert told in shown(decision) or at(decision, 0).action == "retain"


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


@pytest.mark.parametrize("answer", ["yes wipe them in the test shop", "ok 139 is fine", "ja, bis zu 60 für den Kranz"])
def test_a_consent_is_kept_with_what_it_was_used_for(answer: str) -> None:
    asked = [*user("The list of things to do, from the top."), *agent("1: shall I do it?")]
    done = [*tool("entry_delete", "batch w-17: 88 deleted", shop="test"), *agent("Gone.")]
    decision = judge([*asked, *user(answer), *done, *user("How far is it?"), *agent("Two hours.")])
    assert answer in shown(decision) or at(decision, 2).action == "retain"


@pytest.mark.parametrize("number", [1, 2])
def test_an_answer_in_several_sentences_outlives_the_look_up_after_it(number: int) -> None:
    told = "We are 35. Two are vegetarian. Zoe is allergic to sesame. The budget is 900."
    asked = [*user("Find a caterer for the party."), *agent("How many people, and are there any restrictions?"), *user(told)]
    found = [*tool("search_caterers", '[{"name": "Chez Nours"}]', people=35), *agent("I found Chez Nours.")]
    later = [*user("Thanks, I'll look at it tonight."), *agent("Fine.")] * number
    decision = judge([*asked, *found, *later, *OTHER])
    assert "allergic to sesame" in shown(decision) or at(decision, 2).action == "retain"


@pytest.mark.parametrize(
    ("told", "reply"),
    [
        ("The chart can wait till Ines has picked her colours", "Fine, sheet now, chart then."),
        ("a ten cement až bude suchej sklep, teď by zmoknul", "Dobře, cement počká."),
    ],
)
def test_what_is_left_for_later_is_told_whatever_the_agent_says_to_it(told: str, reply: str) -> None:
    decision = judge([*user("Send the sheet."), *agent("Sent."), *user(told), *agent(reply), *OTHER])
    assert told in shown(decision) or at(decision, 2).action == "retain"


@pytest.mark.parametrize(
    "promise", ["Je vous en reparle vendredi matin, dès qu'Hugo est là.", "Jag räknar på frysen när Jens har tömt den."]
)
def test_a_promise_in_the_present_tense_for_later_is_owed(promise: str) -> None:
    decision = judge([*user("the key is not here this week"), *agent(f"Fine. {promise}"), *OTHER])
    assert promise in shown(decision)


@pytest.mark.parametrize(
    ("before", "after"),
    [("Doing the nowcast restart now, its pods take a while.", ""), ("", "The run is with Ines, I wait for her.")],
)
def test_what_the_agent_says_beside_a_call_without_an_answer_is_told(before: str, after: str) -> None:
    spoken = (agent(before) if before else [], agent(after) if after else [])
    open_call = tool("rollout_restart", None, target="nowcast")
    decision = judge([*user("ok nowcast too"), *spoken[0], *open_call, *spoken[1], *OTHER])
    assert (before or after) in shown(decision)
