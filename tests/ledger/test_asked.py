"""Questions that the agent sends to others, and promises that stand alone."""

from __future__ import annotations

import pytest

from .conftest import Messages, agent, at, judge, shown, tool, user

SIZES: Messages = [*user("how big is the hall"), *tool("halls.get", "240 m2", id=2), *agent("240 square metres.")]


def _ask(name: str, text: str, answer: str, to: str = "tess") -> Messages:
    return [*user("ask about it please"), *tool(name, answer, to=to, text=text), *agent("It is on its way.")]


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("chat.send", "Is the hall heated in October?", "sent 18:55, seen"),
        ("slack_post_message", "Is the hall heated in October?", '{"ok":true,"ts":"1719.22"}'),
        ("mail.senden", "Holen Sie auch samstags ab?", "gesendet 10:12"),
        ("chat.envoyer", "Tu gardes la clé ce week-end ?", "envoyé"),
        ("sendWhatsapp", "¿Vienes el viernes?", "enviado"),
        ("wechat.send", "周六能来吗?", "已发送"),
        ("telegram.send_message", "Можно забрать завтра?", "sent"),
    ],
)
def test_a_question_that_was_sent_to_somebody_stays_until_it_is_answered(name: str, text: str, answer: str) -> None:
    assert at(judge([*_ask(name, text, answer), *SIZES]), 1).action == "retain"


@pytest.mark.parametrize(
    "answered",
    [
        [*user("tess rang me, the hall is heated from October on"), *agent("Good.")],
        [*user("any answer?"), *tool("slack.read", "tess: yes, it is heated", channel="tess"), *agent("Tess says yes.")],
    ],
)
def test_a_question_that_somebody_came_back_to_goes(answered: Messages) -> None:
    messages = _ask("chat.send", "Is the hall heated in October?", "sent")
    assert at(judge([*messages, *answered, *SIZES]), 1).action != "retain"


def test_a_look_at_an_empty_mailbox_answers_nothing() -> None:
    looked = [*user("did tess write?"), *tool("slack.read", "no reply yet from tess about the hall", channel="tess")]
    messages = _ask("chat.send", "Is the hall heated in October?", "sent")
    assert at(judge([*messages, *looked, *agent("No reply from Tess about the hall yet."), *SIZES]), 1).action == "retain"


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("chat.send", "We are coming at five.", "sent"),
        ("chat.ask", "May we come at five?", "tess: yes, come at five, the door on the left is open " * 5),
        ("wiki.add", "Who owns billing?", "page created"),
        ("mail.send", "See https://x.example/a?b=1 for the list.", "sent"),
    ],
)
def test_what_asks_nobody_or_was_answered_at_once_is_done(name: str, text: str, answer: str) -> None:
    assert at(judge([*_ask(name, text, answer), *SIZES]), 1).action != "retain"


@pytest.mark.parametrize(
    "promise",
    [
        "Nothing so far. I'll look again at 16:30.",
        "Ja, ich schaue um 18 Uhr noch einmal nach.",
        "Oui, je regarde de nouveau à 15 h.",
        "Sí, vuelvo a mirar a las 17:00.",
        "18時にもう一度確認します。",
        "Проверю ещё раз в 17:00.",
        "Will tell you 10 minutes before it ends.",
    ],
)
def test_a_lone_promise_to_look_again_is_carried(promise: str) -> None:
    decision = judge([*user("is it through"), *agent(promise), *SIZES])
    assert promise.rsplit(". ", 1)[-1] in shown(decision, "obligation")


@pytest.mark.parametrize("tool_name", ["ask", "team.ask", "ask_owner"])
def test_who_was_asked_by_a_tool_and_has_not_answered_is_awaited(tool_name: str) -> None:
    asked = tool(tool_name, "req-12 sent to Ilse, no answer yet", to="ilse", q="May the choir have the big hall on 12 Feb?")
    decision = judge(
        [
            *user("and ask Ilse about the hall"),
            *asked,
            *agent("Asked Ilse (req-12)."),
            *user("how big is it"),
            *agent("240 seats."),
        ]
    )
    assert at(decision, 1).action == "retain"


def test_an_answer_that_came_with_the_call_awaits_nothing() -> None:
    asked = tool("ask_owner", '{"answer": "the small hall only"}', q="May the choir have the big hall?")
    decision = judge(
        [
            *user("and ask the owner about the hall"),
            *asked,
            *agent("The small one."),
            *user("how big is it"),
            *agent("240 seats."),
        ]
    )
    assert at(decision, 1).action != "retain"


def test_what_the_user_says_at_present_may_ask_again_as_well_as_answer() -> None:
    messages = _ask("chat.send", "Is the hall heated in October?", "sent")
    tail = [*user("the choir would like to know about the heated hall in October"), *agent("I see.")]
    assert at(judge([*messages, *SIZES], tail), 1).action == "retain"


@pytest.mark.parametrize(
    ("name", "answer"),
    [("chat.ask", "q-418 to Wiebke: open"), ("ask_owner", '{"id": "ap-302", "answer": "pending", "by": null}')],
)
def test_a_question_that_a_tool_calls_open_is_awaited(name: str, answer: str) -> None:
    asked = tool(name, answer, q="May we ship the font with the app?")
    decision = judge([*user("ask about the font"), *asked, *agent("Asked."), *user("how big is it"), *agent("84 MB.")])
    assert at(decision, 1).action == "retain"
