"""Questions of the agent that the user passes over, puts off or declines."""

from __future__ import annotations

import pytest

from .conftest import agent, at, judge, tool, user

OTHER = [*user("How big is the hall?"), *agent("It holds 240 people.")]


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


@pytest.mark.parametrize(
    ("asked", "picked"), [("Nordpost or DHL?", "nordpost"), ("Den Saal oder den Garten?", "den garten")]
)
def test_a_word_out_of_the_question_answers_it(asked: str, picked: str) -> None:
    found = tool("contacts.get", "+43 555 0142", of=picked)
    decision = judge([*user("Who takes claims?"), *agent(asked), *user(picked), *found, *agent("+43 555 0142."), *OTHER])
    assert [at(decision, message).action == "retain" for message in (1, 2)] == [False, False]


UNREACHED = [*user("Why does Ana have two invoices?"), *tool("invoices.list", "error 503: archive is down", of="Ana")]


@pytest.mark.parametrize(
    "closing", ["The archive is down, I'll look again at 19:00.", "Down until seven; will check again later."]
)
def test_a_question_whose_look_ups_failed_is_open_while_the_agent_puts_it_off(closing: str) -> None:
    assert at(judge([*UNREACHED, *agent(closing), *OTHER]), 0).action == "retain"


def test_it_is_over_once_it_was_looked_up_again() -> None:
    again = [*user("it is up again"), *tool("invoices.list", "2 rows: 118, 119", of="Ana"), *agent("118 and 119.")]
    assert at(judge([*UNREACHED, *agent("I'll look again at 19:00."), *again, *OTHER]), 0).action != "retain"


def test_an_aside_that_made_the_agent_act_need_not_stay_with_the_question_that_it_passed_over() -> None:
    aside = [
        *user("hang on, is the door camera dead?"),
        *tool("cam_ping", "online", id="door"),
        *agent("It is online."),
    ]
    decision = judge([*ASKED, *aside, *OTHER])
    assert at(decision, 1).action == "retain"
    assert at(decision, 2).action != "retain"


def test_an_echo_that_asks_is_no_answer() -> None:
    asked = [
        *user("Tidy up the server."),
        *agent("Shall I delete the old backups?"),
        *user("the backups?"),
        *agent("Yes, those."),
    ]
    assert at(judge([*asked, *OTHER]), 1).action == "retain"


def test_a_call_for_something_else_answers_no_question_whose_look_up_failed() -> None:
    tried = [
        *user("When does the barn open?"),
        *tool("web_get", "error 503: the site is down", url="barn.test"),
        *agent("Down, I'll look again at 19:00."),
    ]
    other = [*user("And what is on in Rome?"), *tool("web_get", "a fair", url="rome.test"), *agent("A fair.")]
    assert at(judge([*tried, *other, *OTHER]), 0).action == "retain"


@pytest.mark.parametrize(
    "question",
    [
        "案は二つ、A「毎日三十秒」 B「つけるだけ」。どちらにしますか。",
        "흰색과 검은색 중 어느 쪽으로 할까요.",
        "红的和蓝的都有，先发红的可以吗。",
    ],
)
def test_a_question_needs_no_question_mark_where_its_ending_asks(question: str) -> None:
    asked = [*user("一行目のキャッチも考えて"), *agent(question), *user("うーん、あとで")]
    assert at(judge([*asked, *OTHER]), 1).action == "retain"


@pytest.mark.parametrize(
    "reply", ["good question, I'll poke her. how full is the disk", "let me ping him. how full is the disk"]
)
def test_who_goes_to_ask_somebody_has_not_answered(reply: str) -> None:
    asked = [*user("Restore it as of Friday evening."), *agent("There are two of that evening. Which one is Anna after?")]
    later = [*user(reply), *tool("df", "/dev/md0 33% /pg", host="scratch"), *agent("A third is used.")]
    assert at(judge([*asked, *later]), 1).action == "retain"


def test_of_two_questions_the_one_that_one_sentence_did_not_answer_stays_open() -> None:
    asked = user("About the farm on Thursday: how many children are coming? has everybody's mother signed the paper?")
    answered = [
        *tool("get_trip", '{"children": 46, "coaches": 1}', trip="farm"),
        *agent("46 children are coming, in one coach."),
    ]
    assert at(judge([*asked, *answered, *OTHER]), 0).action == "retain"


@pytest.mark.parametrize(
    "reply",
    [
        "let me get a coffee first. who made those honest edits?",
        "øh kommunen har en tabel et sted, jeg leder. hvor tit måler den?",
    ],
)
def test_who_answers_with_a_question_that_is_only_looked_up_has_not_answered(reply: str) -> None:
    looked = tool("wiki.stats", "Petra_K 44, Birdsong 21", page="edits")
    decision = judge([*ASKED, *user(reply), *looked, *agent("Petra_K mostly.")])
    assert at(decision, 1).action == "retain"


def test_an_order_that_is_carried_out_beside_a_question_answers() -> None:
    done = tool("restore_backup", '{"status": "restored", "id": "R-77"}', name="evening")
    decision = judge(
        [*ASKED, *user("Take the evening one. How long does that last?"), *done, *agent("Restored, two minutes.")]
    )
    assert at(decision, 1).action != "retain"
