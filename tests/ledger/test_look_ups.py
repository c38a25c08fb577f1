"""What users only ask, what answers it, and what of that a record has to hold."""

from __future__ import annotations

import pytest

from barrier_policy.ledger.dialogue.cues import asks, has_question_word, only_asks, resumes

from .conftest import Messages, agent, at, judge, shown, tool, user

EARLIER: Messages = [
    *user("Book the hall for Friday, please."),
    *tool("hall_create", "HB-101 booked", day="fri"),
    *agent("Booked."),
]
"""Work of its own, so that what follows is not the newest."""


# calls of doubtful name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "name", "answer"),
    [
        ("who has lift 2 at ten?", "bay_plan", "lift 2: 10:00-11:30 Meric, clutch"),
        ("what did they order", "crm_order", "2 proofing cabinets, driver Lutz"),
        ("did the washer finish", "washer", "done 17:41"),
        ("disk space?", "host.df", "D: 1.2 TB free (quota pending: none)"),
        ("ποιος λείπει σήμερα", "hr_absent", "Νίκη Δ. (άδεια)"),
    ],
)
def test_a_call_without_a_verb_that_answers_a_question_is_a_look_up(question: str, name: str, answer: str) -> None:
    decision = judge([*EARLIER, *user(question), *tool(name, answer, day="mon"), *agent("Here it is.")])
    assert name not in shown(decision, "receipt")


@pytest.mark.parametrize(
    ("said", "name", "answer"),
    [
        ("Set the lift to bay 2 for Meric.", "bay_plan", "lift 2: 10:00-11:30 Meric, clutch"),
        ("Can you book us a table?", "table_booking", "Booked, no. 12-441"),
        ("who has lift 2 at ten?", "lift_reset", "lift 2: ok 12-441"),
        ("dun both", "dunning_notice", "MA-2026-044"),
    ],
)
def test_a_call_for_more_than_a_question_leaves_a_receipt(said: str, name: str, answer: str) -> None:
    decision = judge([*EARLIER, *user(said), *tool(name, answer, day="mon"), *agent("There.")])
    assert name in shown(decision, "receipt")


def test_a_call_after_the_question_was_answered_is_no_look_up_for_it() -> None:
    asked = [*user("when does the electrician come?"), *tool("diary_get", "at nine", day="mon"), *agent("At nine.")]
    decision = judge(
        [*EARLIER, *asked, *tool("stage_power", "h41 off, h42 off", hosts="h41 h42"), *agent("The rest follows.")]
    )
    assert "stage_power" in shown(decision, "receipt")


@pytest.mark.parametrize(
    "text",
    [
        "which one was it",
        "wie viele Gäste kommen",
        "πόσο κάνει",
        "paljonko se maksaa",
        "yarın hava nasıl",
        "今日は何時",
        "इस महीने का बिल कितना है",
    ],
)
def test_a_question_word_makes_a_question_without_a_mark(text: str) -> None:
    assert has_question_word(text)


@pytest.mark.parametrize("text", ["book the small room", "buch den kleinen Raum", "reserva la sala pequeña"])
def test_an_order_is_no_question(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize(
    ("question", "name", "answer"),
    [
        ("how many classes is that", "school.classes", "5A 5B 5C (5C pending)"),
        ("did the nightly build survive", "buildwall", "win ok 03:10 | mac ok 03:55 | tablet warn (pending shaders)"),
        ("vad hände med betalningen igår", "Ekonomi.Logg", "09:00 VÄNTAR på godkännande\n10:02 godkänd av Siv"),
    ],
)
def test_what_still_waits_in_the_answer_to_a_question_is_no_deed_of_the_call(question: str, name: str, answer: str) -> None:
    decision = judge([*EARLIER, *user(question), *tool(name, answer, day="mon"), *agent("As it says.")])
    assert {at(decision, message).action for message in (4, 5, 6)} <= {"summarize", "repair"}


@pytest.mark.parametrize("order", ["Move Brandt to the small hall.", "can we move Brandt to the small hall"])
def test_what_still_waits_in_the_answer_to_an_order_is_unsettled(order: str) -> None:
    decision = judge([*EARLIER, *user(order), *tool("hall_plan", "requested, pending", day="mon"), *agent("Asked for.")])
    assert at(decision, 5).action == "retain"


# questions that look like orders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["when do the reports go to print", "hiya, whats the budget of the hall again", "pagi, kontainer hari ini ada berapa"],
)
def test_one_clause_that_opens_with_a_question_word_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "when you deploy, tag it",
        "what a mess: restart it",
        "this is wrong",
        "Ole has it, he put it into hall 4",
        "why is it red? restart it",
        "how about " + "the small hall and " * 6,
    ],
)
def test_a_message_of_more_clauses_or_with_a_verb_in_its_midst_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


def test_a_question_that_looks_like_an_order_needs_no_record_once_it_is_answered() -> None:
    decision = judge([*EARLIER, *user("when do the reports go to print"), *agent("Monday at noon.")])
    assert "reports go to print" not in shown(decision)
    assert at(decision, 4).action == "summarize"


@pytest.mark.parametrize("told", ["any refund over 50 goes to Maria", "when you deploy tag it"])
def test_what_the_agent_only_took_note_of_was_no_question(told: str) -> None:
    assert told in shown(judge([*EARLIER, *user(told), *agent("OK.")]))


def test_a_question_about_a_consent_is_kept_with_its_answer() -> None:
    asked = [*user("which routes may only run after approval"), *agent("RT-18, by the headmaster.")]
    assert "headmaster" in shown(judge([*EARLIER, *asked]))


# remarks on an answer ------------------------------------------------------------------------------------------------

PRICE = [*user("what would tiles cost?"), *tool("shop_search", "sand 28, slate 31", q="tiles"), *agent("About thirty.")]
ADVICE = [*user("would a brass band be too loud?"), *agent("With six players it is fine.")]


@pytest.mark.parametrize("remark", ["Thanks, that is enough.", "vale, ninguno por ahora", "We stay with lino."])
@pytest.mark.parametrize("before", [PRICE, ADVICE], ids=["looked up", "told"])
def test_a_remark_on_an_answer_needs_no_record(before: Messages, remark: str) -> None:
    decision = judge([*EARLIER, *before, *user(remark), *user("Is it late already?"), *agent("Nine.")])
    assert remark not in shown(decision)
    assert at(decision, 4 + len(before)).action == "summarize"


@pytest.mark.parametrize(
    "told",
    [
        "Nothing with copper on the vines, we are certified.",
        "The new export must have exactly those, same order.",
        "Take 12 of the sand ones then.",
        "Skip the slate ones.",
        "Always round up.",
    ],
)
def test_what_says_more_than_a_remark_is_kept(told: str) -> None:
    decision = judge([*EARLIER, *PRICE, *user(told), *user("Is it late already?"), *agent("Nine.")])
    assert told in shown(decision) or at(decision, 8).action == "retain"


@pytest.mark.parametrize("dropped", ["nope, forget it", "nee, lass mal", "never mind, skip that"])
def test_what_was_only_talked_about_may_be_dropped(dropped: str) -> None:
    decision = judge([*EARLIER, *PRICE, *user(dropped), *user("Is it late already?"), *agent("Nine.")])
    assert at(decision, 8).action != "retain"


@pytest.mark.parametrize("stop", ["Stop everything at once.", "Halt."])
def test_a_stop_may_be_meant_for_what_is_running(stop: str) -> None:
    decision = judge([*EARLIER, *PRICE, *user(stop), *user("Is it late already?"), *agent("Nine.")])
    assert stop in shown(decision) or at(decision, 8).action == "retain"


def test_what_the_agent_has_not_spoken_since_may_be_an_order() -> None:
    decision = judge([*EARLIER, *PRICE, *user("Then take the sand ones.")], [*user("Is it late already?")])
    assert "Then take the sand ones." in shown(decision) or at(decision, 8).action == "retain"


def test_a_remark_in_the_midst_of_a_longer_task_is_kept() -> None:
    task = user("Compare the prices of all three shops for me, tiles and lino, delivery too, and tell me the cheapest one.")
    found = [*task, *tool("shop_search", "sand 28, slate 31", q="tiles"), *agent("About thirty.")]
    decision = judge([*EARLIER, *found, *user("We stay with lino."), *user("Is it late already?"), *agent("Nine.")])
    assert "We stay with lino." in shown(decision) or at(decision, 8).action == "retain"


# what was asked and answered -----------------------------------------------------------------------------------------

START = tool("staff_get", '{"name":"Dr. N.","start":"2026-04-01"}', q="new")


@pytest.mark.parametrize("question", ["the new doctor starts when", "show me the start of the new doctor", "largest one"])
def test_what_a_look_up_has_answered_needs_no_record(question: str) -> None:
    decision = judge([*EARLIER, *user(question), *START, *agent("On 1 April.")])
    assert at(decision, 4).action == "summarize"
    assert question not in shown(decision)
    assert "On 1 April." not in shown(decision)


@pytest.mark.parametrize(
    "rule",
    [
        "Never call the new doctor before ten.",
        "when the new doctor starts, her room is 12, not 14, and nobody moves the sofa",
    ],
)
def test_what_says_more_than_a_question_keeps_its_record(rule: str) -> None:
    decision = judge([*EARLIER, *user(rule), *START, *agent("On 1 April.")])
    assert rule in shown(decision) or at(decision, 4).action == "retain"


def test_what_was_looked_up_on_the_way_to_a_deed_needs_no_note() -> None:
    work = [
        *user("Get the cache in, please: one step after the other, tests in between, then push it to main."),
        *tool("edit_file", "1 replacement in ci.yml", path="ci.yml", find="a", replace="b"),
        *agent("It is in."),
        *tool("timings_get", "deps 38s, build 166s", run="1"),
        *agent("deps went from 210 to 38 seconds."),
    ]
    assert "210 to 38" not in shown(judge(work))


def test_what_a_deed_rests_on_is_noted() -> None:
    work = [
        *user("Find out which broker the bench uses and empty its queue."),
        *tool("read_file", "broker: 127.0.0.1:5673\n# before: mq-shared:5672", path="bench.yaml"),
        *agent("It is 127.0.0.1:5673; mq-shared:5672 belongs to everybody and must not be purged."),
        *tool("queue_purge", "purged 912", broker="127.0.0.1:5673"),
        *agent("Empty."),
    ]
    assert "must not be purged" in shown(judge(work))


def test_the_findings_of_a_longer_task_are_noted() -> None:
    work = [
        *user("Review the change file by file please, but one comment at the end with everything in it, not twelve."),
        *tool("read_file", "func Stop() { t.stop = true }", path="tick.go"),
        *agent("tick.go:141 lost wakeup: Stop without the lock races."),
    ]
    decision = judge([*work, *user("nice"), *agent("Thanks.")])
    assert "tick.go:141" in shown(decision) or at(decision, 3).action == "retain"


# work before and after a question ------------------------------------------------------------------------------------

MOVE = user("Move all fourteen tenants to the new cluster tonight, but skip acme, they have their own window.")
SIZES = [*tool("sizes_get", "birch 12 GB, coral 3 GB", cluster="old"), *agent("All small.")]
ASIDE = [*user("how long did the rehearsal take?"), *tool("log_get", "2 h 41 min", n=1), *agent("Under three hours.")]
LOST = tool("tenants_migrate", "birch ok\nconnection lost, exit 75", to="new")


def test_what_is_done_after_an_answered_question_belongs_to_the_work_before() -> None:
    decision = judge([*MOVE, *SIZES, *ASIDE, *LOST, *agent("We lost the connection.")])
    assert at(decision, 0).action == "retain"
    assert at(decision, 4).action == "summarize"


def test_a_longer_request_that_was_only_looked_into_stays() -> None:
    papers = [*user("Find the papers of the hall."), *tool("papers_find", "12 papers", q="hall"), *agent("Twelve.")]
    badges = user("I need the file for the badges for the gala, 240 pieces, the printer wants it by noon.")
    decision = judge([*badges, *SIZES, *papers])
    assert at(decision, 0).action == "retain"


STEPS = [
    *user(
        "Take the rack down in this order: the guests first, then the hosts, the storage after them and the switch at the end."
    ),
    *tool("guests_stop", "18 guests stopped", rack=4),
    *agent("All guests are off."),
]


@pytest.mark.parametrize("word", ["ok next", "Mach weiter.", "podes seguir", "συνέχισε", "那接着做吧"])
def test_the_word_to_go_on_keeps_the_request_that_it_resumes(word: str) -> None:
    decision = judge([*STEPS, *ASIDE], tail=user(word))
    assert at(decision, 0).action == "retain"


def test_a_request_that_was_done_goes_with_its_receipt() -> None:
    assert at(judge([*STEPS, *ASIDE]), 0).action != "retain"


def test_a_long_message_gives_work_of_its_own() -> None:
    assert not resumes(
        "go on holiday mode: heating to 16, shutters down at ten, mail to Ana, and water the plants on Sunday"
    )


# questions of the agent ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("Fourth. I should cycle.", "The weather would be with you."), ("Ten days early.", "Guests will like it.")],
)
def test_a_question_is_over_where_the_agent_was_content_with_the_next_message(reply: str, answer: str) -> None:
    talk = [*user("My tram was late again."), *agent("The third time since Monday?"), *user(reply), *agent(answer)]
    rules = {reason.rule for reason in at(judge([*talk, *EARLIER]), 1).reasons}
    assert "obligations.pending" not in rules


def test_a_question_stays_open_behind_a_question() -> None:
    talk = [
        *user("Bring the hall in order."),
        *agent("The large table or the small one?"),
        *user("is it still raining?"),
        *agent("No."),
    ]
    assert at(judge([*talk, *user("good"), *agent("Yes.")]), 1).action == "retain"


# where a secret is -----------------------------------------------------------------------------------------------------

SHOWN = [
    *user("why does the dump fail"),
    *tool("trace", "+ PGPASSWORD=Gr4nit-Eule-88\npermission denied", q="x"),
    *agent("It may not read it."),
]


@pytest.mark.parametrize("question", ["where does it get it from", "woher kommt das", "gdzie to leży"])
def test_the_place_of_a_secret_is_noted(question: str) -> None:
    decision = judge([*SHOWN, *user(question), *agent("From the vault of the house, variable DUMPER_PW.")])
    assert "variable DUMPER_PW" in shown(decision)
    assert "Eule" not in shown(decision)


def test_other_answers_behind_a_secret_need_no_note() -> None:
    assert "Nobody else." not in shown(judge([*SHOWN, *user("who else is affected?"), *agent("Nobody else.")]))


# answers that sound like promises ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is she in?", "Tomorrow from half past eight."),
        ("And without cookies?", "Then by address, which is coarser."),
        ("who is on at the desk today", "Sanna in the morning, Jo in the afternoon."),
    ],
)
def test_the_answer_to_a_question_is_no_promise(question: str, answer: str) -> None:
    assert answer not in shown(judge([*EARLIER, *user(question), *agent(answer), *user("good"), *agent("Yes.")]))


def test_a_promise_that_follows_an_order_is_kept() -> None:
    decision = judge([*EARLIER, *user("On Sunday remind me to bleed the radiators."), *agent("I'll bring it up on Sunday.")])
    assert "bring it up on Sunday" in shown(decision)


@pytest.mark.parametrize(
    ("name", "answer"),
    [("bank_search", "2025-09-02 12,500.00 VWZ TESSALY 1/3"), ("get_pose", "x=41.20 y=7.83 leg 3/11")],
)
def test_a_share_that_a_reading_verb_returns_is_data(name: str, answer: str) -> None:
    decision = judge(
        [*user("Look at it now, please."), *tool(name, answer, q="a"), *agent("I see."), *user("Fine."), *agent("Good.")]
    )
    assert not [record for record in decision.carrier if record.kind == "receipt"]
    assert at(decision, 1).action != "retain"


def test_an_order_that_a_tool_named_by_nouns_answers_with_a_deed_has_a_receipt() -> None:
    messages = [
        *user("file the report for parcel 203/4"),
        *tool("ReportFile", "protocol 2026/118 saved", parcel="203/4"),
    ]
    assert "2026/118" in shown(judge([*messages, *agent("Filed.")]), "receipt")


def test_a_seat_is_no_share() -> None:
    messages = [*user("put Lotte in the evening class"), *tool("Enrol", "ENR-60071 ok, seat 9 of 12", student="Lotte")]
    assert "done" in shown(judge([*messages, *agent("She has seat 9.")]), "receipt")


# reads that may have acted ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("tickets.read", "Printer on floor 2\nStatus: waiting for customer"),
        ("Orders_Get", "<order><status>packed</status><note>card pending</note></order>"),
        ("wiki_lookup", "Lamps: 96 in all. Pending review by the architect."),
        ("ci_status", "unit ok, contract ok, browser pending"),
        ("occupancy", "41/48"),
    ],
)
def test_what_is_under_way_in_an_answer_of_a_look_up_is_what_was_looked_at(name: str, answer: str) -> None:
    decision = judge([*EARLIER, *user("See to the lamps on floor 2."), *tool(name, answer, day="mon"), *agent("I see.")])
    assert name not in shown(decision, "receipt") and at(decision, 5).action != "retain"


@pytest.mark.parametrize(
    ("name", "answer"),
    [("consult.ask", "consult Q-11, no answer yet"), ("export_get", '{"job":"exp-77","state":"queued"}')],
)
def test_who_asks_somebody_and_what_has_got_a_new_number_did_act(name: str, answer: str) -> None:
    decision = judge([*EARLIER, *user("See to the lamps on floor 2."), *tool(name, answer, day="mon"), *agent("I see.")])
    assert at(decision, 5).action == "retain"


@pytest.mark.parametrize("answer", ["503 Service Unavailable - cannot list tracks", "Error: connection refused"])
def test_a_look_up_that_fails_right_after_a_deed_was_left_open_stays_with_it(answer: str) -> None:
    deed = tool("rollout_promote", "Committing edit 0a7f\nread timed out", track="main", edit="0a7f-55c1")
    failed = tool("tracks_list", answer, app="test.bike")
    decision = judge(
        [*user("Push it to the main track."), *deed, *agent("No answer to the commit."), *failed, *agent("No luck.")]
    )
    assert at(decision, 4).action == "retain"


# rules beside a question ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["Schlüssel gibt es gegen Pfand.", "Jag vill alltid ha korta texter."])
def test_a_rule_beside_a_question_is_not_over_when_the_question_has_been_looked_up(rule: str) -> None:
    asked = [*user(f"Which boats are free on Monday? {rule}"), *tool("boats_list", "Gull, Heron", day="mon")]
    decision = judge([*EARLIER, *asked, *agent("The Gull and the Heron."), *user("Thanks."), *agent("Sure.")])
    assert "constraints.unrecorded" in {reason.rule for reason in at(decision, len(EARLIER)).reasons}
