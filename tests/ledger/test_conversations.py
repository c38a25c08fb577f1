"""What a conversation leaves open, and what later turns may point back to."""

from __future__ import annotations

import json

import pytest

from barrier_policy import decide

from .conftest import NOW, TAIL, Messages, agent, at, judge, shown, tool, user

ASKED = [*user("Tidy the bucket by our rules."), *agent("One paper says six years, one says ten. Which one holds?")]


def test_an_answer_closes_the_question() -> None:
    decision = judge([*ASKED, *user("Ten years, the new paper holds."), *agent("Good.")])
    assert at(decision, 1).action != "retain"


@pytest.mark.parametrize(
    "reply",
    [
        "Good question, I'll ask legal. Set the temporary prefix to expire after a fortnight.",
        "Meanwhile set the temporary prefix to expire after a fortnight.",
        "Muss ich erst nachfragen. Setz inzwischen das Präfix tmp auf 14 Tage.",
        "En attendant, mets le préfixe tmp à 14 jours.",
    ],
)
def test_a_question_stays_open_where_its_answer_is_put_off(reply: str) -> None:
    decision = judge([*ASKED, *user(reply), *agent("Set.")])
    assert at(decision, 1).action == "retain"


@pytest.mark.parametrize(
    "closing",
    [
        "Proposal: a new table staffel_neu with 3864 rows. I'm waiting for your go.",
        "Vorschlag: neue Tabelle staffel_neu mit 3864 Zeilen. Ich warte auf dein Wort.",
    ],
)
def test_an_agent_that_says_it_waits_has_asked(closing: str) -> None:
    decision = judge([*user("The graded prices belong into a table of their own."), *agent(closing)])
    assert at(decision, 1).action == "retain"


def test_a_call_that_asks_somebody_is_open_until_the_answer_comes() -> None:
    messages = [*user("Customer 4410 wants another engraving."), *tool("chat.ask", None, chat=4410, text="Which date?")]
    later = [*user("Look at the fonts."), *tool("kb.open", "Block, Script, Antiqua", slug="fonts"), *agent("Three fonts.")]
    assert at(judge([*messages, *later]), 1).action == "retain"


def test_what_a_tool_of_unknown_kind_did_for_an_order_has_a_receipt() -> None:
    messages = [*user("boka ett tält för 40"), *tool("hyra.boka", '{"bokning":"TELT-771","pris":2400}', sak="telt")]
    decision = judge([*messages, *agent("Klart.")])
    assert any(record.kind == "receipt" and "TELT-771" in record.text for record in decision.carrier)


def test_what_may_be_meant_by_those_stays() -> None:
    messages = [
        *user("who leaves today"),
        *tool("guest_list", "room 4 Amelie Kraus, room 9 Ines Okafor", day="today"),
        *agent("Two guests."),
        *user("is there bread"),
        *tool("stock_get", "bread: 4 loaves", item="bread"),
        *agent("There is."),
    ]
    decision = judge(messages, [*user("write those two a farewell card")])
    assert "Amelie Kraus" in shown(decision)


@pytest.mark.parametrize("order", ["Halt.", "Stop!", "Please send the reminders for the invoices 5100 to 5160."])
def test_what_a_user_asked_for_or_stopped_is_not_lost(order: str) -> None:
    decision = judge([*user(order), *agent("All right.")])
    assert order.rstrip("!.") in shown(decision) or at(decision, 0).action == "retain"


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("Wait, I will ask Mirela first, nothing goes back before I say so.", "nothing goes back before I say so"),
        ("São 18 pessoas, do menu ainda não sei.", "do menu ainda não sei"),
        ("院長に聞くので、まだ変更しないで。", "まだ変更しないで"),
        ("Klavier ja, Halteverbot kläre ich noch.", "Halteverbot kläre ich noch"),
    ],
)
def test_what_a_put_off_answer_says_is_kept(reply: str, kept: str) -> None:
    decision = judge([*user("How many rooms?"), *agent("Nine. Shall I book them, and with the small van?"), *user(reply)])
    assert at(decision, 1).action == "retain"
    assert kept in shown(decision) or at(decision, 2).action == "retain"


def test_fewer_than_there_are_is_half_done() -> None:
    messages = [
        *user("Port the charts to Plotbird."),
        *tool("read_file", "charts", path="dash"),
        *agent("4 of 10 charts are ported."),
    ]
    assert at(judge(messages), len(messages) - 1).action == "retain"


def test_a_clause_beside_an_answer_is_kept() -> None:
    messages = [
        *user("Look at the fees."),
        *agent("Shall I waive all of them?"),
        *user("waive the late ones, but the lost one only if the book turns up"),
    ]
    decision = judge([*messages, *agent("Done.")])
    assert at(decision, 2).action == "retain" or "only if the book turns up" in shown(decision)
    assert at(decision, 1).action == "retain" or "Shall I waive all of them?" in shown(decision)


@pytest.mark.parametrize("tool_name", ["vault_put", "keychain_set", "mcp__onepass__password_create", "sejf.secret_add"])
def test_what_is_handed_to_a_keeper_of_secrets_is_masked_everywhere(tool_name: str) -> None:
    said = user("the word for the shed is 44Kestrel-Nine, keep it safe, never repeat it")
    decision = judge([*said, *tool(tool_name, "stored", name="shed/main", value="44Kestrel-Nine"), *agent("Stored.")])
    assert "44Kestrel-Nine" not in json.dumps(decision.to_dict(), ensure_ascii=False)


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("sk-tst-Zq81LmPw44", "klucz do mapy pogody to sk-tst-Zq81LmPw44, wrzuć do sejfu"),
        ("4471-98-KITE", "garage code is 4471-98-KITE, tell nobody"),
    ],
)
def test_short_keys_and_codes_of_doors_are_masked(secret: str, said: str) -> None:
    assert secret not in json.dumps(judge([*user(said), *agent("All right.")]).to_dict(), ensure_ascii=False)


@pytest.mark.parametrize(
    "answer", ["K-11 確定\nK-13 保留:在庫引当待ち\nK-14 未処理", "LDV 77 emessa\nAVVISO: dichiarazione in sospeso"]
)
def test_lines_that_are_still_pending_keep_an_effect_open(answer: str) -> None:
    assert (
        at(
            judge([*user("Ship the five orders."), *tool("ship_batch", answer, orders=["K-11"]), *agent("Two are out.")]), 1
        ).action
        == "retain"
    )


ELSEWHERE = [*user("Is the canteen open?"), *agent("From eight o'clock.")]


@pytest.mark.parametrize(
    "closing",
    [
        "Asked her, no reply yet.",
        "Sent to the notary; still waiting for his answer.",
        "Ist raus, die Antwort steht noch aus.",
        "Envoyé, j'attends leur réponse.",
        "Enviado, a la espera de respuesta.",
        "Inviato, non ha ancora risposto.",
        "Enviado, aguardo a resposta.",
        "Verstuurd, nog geen antwoord.",
        "Wysłane, czekam na odpowiedź.",
        "Отправлено, жду ответа.",
        "送りました。返事待ちです。",
        "发了，还没回复。",
        "أرسلتها وأنتظر ردها.",
    ],
)
def test_an_answer_that_the_agent_waits_for_keeps_its_words(closing: str) -> None:
    messages = [
        *user("Ask Dr. Lindqvist which room."),
        *tool("message.send", "delivered", to="lindqvist", text="Room 1 or 3?"),
    ]
    assert at(judge([*messages, *agent(closing), *ELSEWHERE]), 3).action == "retain"


def test_what_an_answer_tells_of_others_is_not_awaited() -> None:
    asked = [*user("how many permits do we have"), *tool("permits.count", "31, 2 unsigned", year=2026)]
    messages = [*asked, *agent("31, two of them are still waiting for a signature."), *ELSEWHERE]
    assert at(judge(messages), 3).action != "retain"


def test_an_awaited_answer_that_came_is_over() -> None:
    asked = [*user("Ask Lindqvist which room."), *tool("message.send", "delivered", to="lindqvist", text="Room 1 or 3?")]
    came = [
        *user("Open the inbox."),
        *tool("message.list", "lindqvist: room 3 please", sender="lindqvist"),
        *agent("Lindqvist takes room 3."),
    ]
    assert at(judge([*asked, *agent("Asked, no reply yet."), *came, *ELSEWHERE]), 3).action != "retain"


@pytest.mark.parametrize(
    "answer",
    [
        "application A-7: under consideration",
        '{"ref":"claim A-7: under review","amount":"129.00"}',
        '{"id":"A-7","note":"réponse sous 48 h"}',
        '{"id":"A-7","decision_in_days":5}',
        '{"draft":"A-7","signed":false}',
        "Antrag A-7: in Prüfung, 3 Positionen",
        "solicitud A-7 en revisión",
        "domanda A-7 in valutazione",
        "pedido A-7: em análise",
        "aanvraag A-7 in beoordeling",
        "wniosek A-7 do rozpatrzenia",
        "заявка A-7 на рассмотрении",
        "A-7 审批中",
        "A-7 審査中",
        "A-7 검토 중",
    ],
)
def test_what_somebody_has_yet_to_decide_is_not_done(answer: str) -> None:
    messages = [*user("File it, please."), *tool("office.submit", answer, case="x"), *agent("Filed."), *ELSEWHERE]
    assert at(judge(messages), 1).action == "retain"


@pytest.mark.parametrize(
    "reply",
    ["Let me sleep on it.", "I'll tell you after lunch.", "Ich überlege es mir noch.", "Je te dirai demain.", "ci penso"],
)
def test_a_proposal_that_the_user_puts_off_is_a_question(reply: str) -> None:
    proposal = agent("Two ways: a new table, or a column more. I would take the table.")
    messages = [*user("How do we keep the grades?"), *proposal, *user(reply), *agent("Sure."), *ELSEWHERE]
    assert at(judge(messages), 1).action == "retain"


def test_putting_off_an_earlier_question_makes_no_proposal() -> None:
    messages = [*ASKED, *user("How warm is it?"), *agent("17.8 degrees."), *user("Hm, let me think."), *agent("Sure.")]
    decision = judge(messages)
    assert at(decision, 1).action == "retain"
    assert at(decision, 3).action != "retain"


@pytest.mark.parametrize(
    "closing",
    [
        "147 of them. What they fetch there, I'm still checking.",
        "147 Stück. Was die dort holen, prüfe ich noch.",
        "147. Je cherche encore le reste.",
        "147. Sigo buscando el resto.",
        "147. Sto ancora cercando il resto.",
        "147. Остальное уточняю.",
    ],
)
def test_a_request_is_open_while_the_agent_is_at_its_rest(closing: str) -> None:
    messages = [
        *user("How many still use it, and what would break?"),
        *tool("logs.count", "147", field="tls"),
        *agent(closing),
    ]
    assert at(judge([*messages, *ELSEWHERE]), 0).action == "retain"


def test_a_look_up_that_tells_nothing_yet_stays_with_the_open_effect() -> None:
    messages = [
        *user("Send it to all."),
        *tool("mailing_send", "504 gateway timeout", dedupe_key="advent/full"),
        *tool("mailing_find", '{"status":"not indexed yet"}', dedupe_key="advent/full"),
        *agent("Nothing to be seen."),
    ]
    assert at(judge([*messages, *ELSEWHERE]), 3).action == "retain"


def test_while_a_plan_waits_for_an_answer_its_request_stays() -> None:
    plan = tool("present_plan", None, title="Receipts", steps=["field", "view"])
    messages = [
        *user("Prepare a plan for the receipts."),
        *tool("list_dir", "a.py", path="bank"),
        *agent("Read."),
    ]
    assert at(judge([*messages, *plan]), 0).action == "retain"


@pytest.mark.parametrize(
    "order", ["recalibrate picker 7", "Pour Mme Keller, bonus 500 séparé", "nog een pallet water voor dok 4"]
)
def test_an_unknown_tool_has_acted_where_nothing_was_asked(order: str) -> None:
    decision = judge([*user(order), *tool("plant.picker", "picker 7, offset 1.4 mm", id=7), *agent("Done."), *ELSEWHERE])
    assert any(record.kind == "receipt" and "1.4 mm" in record.text for record in decision.carrier)


@pytest.mark.parametrize(
    "question", ["what offset has picker 7", "wie groß ist der Versatz", "offset?", "7 号偏移多少", "kaç mm"]
)
def test_an_unknown_tool_has_looked_where_something_was_asked(question: str) -> None:
    decision = judge(
        [*user(question), *tool("plant.picker", "picker 7, offset 1.4 mm", id=7), *agent("1.4 mm."), *ELSEWHERE]
    )
    assert not any(record.kind == "receipt" for record in decision.carrier)


@pytest.mark.parametrize(
    "said",
    [
        "sorry omgekeerd: Joost doet vroeg, Amira nacht",
        "no wait, Kim takes mornings, Lee the nights",
        "Rechnung geht an Haus 4, Eingang hinten",
    ],
)
def test_what_is_told_in_passing_and_noted_is_kept(said: str) -> None:
    messages = [*user("Set them up."), *agent("Right."), *user(said), *agent("Noted."), *ELSEWHERE]
    assert said in shown(judge(messages))


@pytest.mark.parametrize(
    "talk", ["back, the soup was meh today", "thanks, that was all for now", "what a day this was, phew"]
)
def test_talk_is_not_kept(talk: str) -> None:
    assert talk not in shown(judge([*user(talk), *agent("Indeed."), *ELSEWHERE]))


@pytest.mark.parametrize("answer", ["sent, waiting for a reply", "wysłano, oczekuje na odpowiedź", '{"status": "pending"}'])
def test_a_question_to_somebody_that_was_only_sent_is_open(answer: str) -> None:
    asked = [*user("Ask the shift lead."), *tool("ask_user", answer, to="shift lead", q="Which entrance do we close?")]
    later = [*user("Meanwhile, how damp is the chapel?"), *tool("read_sensor", "68 %", place="chapel"), *agent("68.")]
    assert at(judge([*asked, *agent("Sent."), *later]), 1).action == "retain"


def test_a_question_to_somebody_that_was_answered_is_over() -> None:
    asked = [
        *user("Ask the shift lead."),
        *tool("ask_user", "The north one.", to="shift lead", q="Which entrance do we close?"),
    ]
    later = [*user("How damp is the chapel?"), *tool("read_sensor", "68 %", place="chapel"), *agent("68.")]
    assert at(judge([*asked, *agent("The north one."), *later]), 1).action != "retain"


def test_messages_written_in_one_go_are_one_request() -> None:
    fragments = [*user("rye 300 kg"), *user("spelt 150"), *user("no wait, order 180 of the spelt please, not from the mill")]
    messages = [
        *fragments,
        *tool("dir_find", "Hofgut, office 06:30-11:00", q="Hofgut"),
        *agent("Their office opens at half past six."),
    ]
    decision = judge([*messages, *user("what's oven 2 at"), *tool("oven_temp", "238", n=2), *agent("238.")])
    assert [at(decision, message).action for message in (0, 1, 2)] == ["retain"] * 3


def test_thanks_before_the_next_request_belong_to_nothing() -> None:
    decision = judge([*user("Thanks!"), *user("Please order 10 bags of salt."), *tool("shop_order", "ordered, BST-1", n=10)])
    assert at(decision, 0).action == "summarize"


def test_a_question_is_open_while_its_answer_is_in_the_tail() -> None:
    decision = judge(ASKED, [*user("Ten years, the new paper holds.")])
    assert at(decision, 1).action == "retain"


TWO_QUESTIONS = user("When does the caretaker come back, and can the choir use the upper gallery on the 23rd?")
LOOKED_UP = tool("calendar_get", "2026-06-14 back", q="caretaker")
LATER = [*user("price per bag?"), *agent("8.90.")]


def test_a_message_is_open_while_its_last_question_has_no_answer() -> None:
    decision = judge([*TWO_QUESTIONS, *LOOKED_UP, *agent("He is back on Monday the 14th."), *LATER])
    assert at(decision, 0).action == "retain"


@pytest.mark.parametrize(
    "answer", ["He is back on Monday the 14th, and yes, it's free.", "Monday the 14th; the choir can have the gallery."]
)
def test_a_message_whose_questions_all_have_answers_is_over(answer: str) -> None:
    decision = judge([*TWO_QUESTIONS, *LOOKED_UP, *agent(answer), *LATER])
    assert at(decision, 0).action != "retain"


def test_a_request_stands_while_nothing_followed_the_answer_to_the_agents_question() -> None:
    messages = [*user("Order brakes for the grey van, pads and discs."), *agent("Which brand, and is it the electric one?")]
    following = [
        *user("electric, yes"),
        *user("is there a lift free at ten?"),
        *tool("bay_get", "lift 2", at=10),
        *agent("Lift 2."),
    ]
    assert at(judge([*messages, *following]), 0).action == "retain"


def test_what_the_agent_said_from_memory_is_kept_where_it_is_asked_again() -> None:
    messages = [*user("is week 24 before the inspection?"), *agent("Yes, the inspection is on 18 June, week 25.")]
    decision = judge([*messages, *user("good"), *agent("Fine.")], user("What's the date of the inspection again?"))
    assert "18 June, week 25" in shown(decision)


def test_a_secret_leaves_the_context_even_where_its_record_is_as_long() -> None:
    told = user("the new pin for the alarm panel in the hall is 860317, so mum can switch it off herself")
    decision = decide([*told, *agent("Okay, hall panel."), *TAIL], keep_last=2, now=NOW)
    assert at(decision, 0).action == "repair"
    assert "860317" not in shown(decision)


NEVER, GATE = "Never water the east wing before noon.", "Never water the east wing without asking Marta first."


@pytest.mark.parametrize(
    ("rule", "said", "holds"),
    [
        (NEVER, "You may water the east wing before noon again.", False),
        (NEVER, "The rule about watering the east wing is lifted.", False),
        (GATE, "The rule about watering the east wing is lifted.", False),
        (GATE, "You may water the east wing again.", True),
        (NEVER, "You may paint the north gate again.", True),
    ],
)
def test_a_permission_ends_a_prohibition_and_no_gate(rule: str, said: str, holds: bool) -> None:
    decision = judge([*user(rule), *agent("Fine."), *user(said), *agent("Fine.")])
    assert (rule in shown(decision)) is holds


@pytest.mark.parametrize("speaker", ["assistant", "tool"])
def test_only_the_creditor_ends_a_rule(speaker: str) -> None:
    said = "The rule about watering the east wing is lifted."
    told = agent(said) if speaker == "assistant" else tool("read_mail", said, folder="inbox")
    assert NEVER in shown(judge([*user(NEVER), *agent("Fine."), *user("Any mail?"), *told]))


PROBE = "Please read the two dials on the boiler and let me know what they show."
SETTING = "I've set the burner to prefer the slow mode. The bar now shows full heat."
DIALS = "The left dial is off, the right one isn't moving."


@pytest.mark.parametrize(
    ("asks", "tells"),
    [
        (PROBE, DIALS),
        (
            "Lies bitte die zwei Anzeigen am Kessel ab und sag mir, was dort steht.",
            "Die linke ist aus, die rechte bewegt sich nicht.",
        ),
        ("Please look at the dials and let me know exactly what each of them shows.", SETTING),
        ("Please open the valve first. Once that is done, let me know and we'll go on.", SETTING),
        ("Mira los dos indicadores y dime qué ves en ellos.", "El izquierdo está apagado y el derecho no se mueve."),
    ],
)
def test_what_the_user_reports_when_asked_to_look_is_no_rule(asks: str, tells: str) -> None:
    decision = judge([*user("The heating is cold."), *agent(asks), *user(tells), *agent("Then the pump is stuck.")])
    assert not [record for record in decision.carrier if record.kind == "constraint"]


@pytest.mark.parametrize(
    ("asks", "tells"),
    [
        ("Please provide the name on the lease.", "My first name is Mia, and my last name is Li."),
        ("Veuillez indiquer le nom du bail.", "Mon prénom est Mia, et mon nom est Li."),
        (PROBE, "The left one is in the red part."),
    ],
)
def test_what_the_user_answers_when_asked_without_a_question_is_told_with_what_was_asked(asks: str, tells: str) -> None:
    decision = judge([*user("The heating is cold."), *agent(asks), *user(tells), *agent("Then the pump is stuck.")])
    assert not [record for record in decision.carrier if record.kind == "constraint"]
    assert at(decision, 2).action == "retain" or f"{asks} → {tells}" in shown(decision, "statement")


def test_an_order_after_a_call_for_a_report_is_an_order() -> None:
    messages = [*user("The heating is cold."), *agent(PROBE), *user("Order a new pump from Halm instead.")]
    decision = judge([*messages, *tool("order_pump", '{"status": "pending"}', maker="Halm")])
    assert at(decision, 2).action == "retain"


@pytest.mark.parametrize(
    ("answer", "call", "kept"),
    [
        ("Yes, my customer number is the one on the letter.", "list_fees", False),
        ("Yes, my customer number is the one on the letter.", "clear_fees", True),
        ("stryk de sena, men den förkomna bara om boken dyker upp", "clear_fees", True),
        ("yes, but leave the garden hose alone", "list_fees", True),
    ],
)
def test_an_answer_is_kept_with_the_deed_that_it_allowed_and_what_limits_it_in_any_case(
    answer: str, call: str, kept: bool
) -> None:
    messages = [*user("Clear the fees of account 12."), *agent("Shall I clear all of them?"), *user(answer)]
    decision = judge([*messages, *tool(call, "cleared, receipt W-1180", account=12), *agent("Cleared.")])
    assert (answer in shown(decision) or at(decision, 2).action == "retain") is kept


SMALL_TALK = [
    *user("How are you?"),
    *agent("Very well, it is a fine day with a clear sky, and I hope that yours is as fine. " * 5),
]
ANSWERED = "The blue one on the second floor, next to the stairs, has the leak since last night."


@pytest.mark.parametrize(
    ("tail", "action"),
    [
        ([*user(ANSWERED), *agent("Then I'll describe that one.")], "summarize"),
        ([*user("the blue one"), *agent("Then I'll describe that one.")], "retain"),
        (user(ANSWERED), "retain"),
    ],
)
def test_a_question_is_needed_by_a_bare_answer_in_the_tail_or_until_the_agent_went_on(tail: Messages, action: str) -> None:
    messages = [*user("One of the radiators leaks."), *agent("Which of the radiators is it?")]
    assert at(judge([*SMALL_TALK, *messages], tail), 3).action == action


UNSURE = "I've put the card back and the phone sees it, but the signal is poor. What should I do next?"
ADVICE = agent("Switch to the faster network in the settings, then look at the signal once more.")


@pytest.mark.parametrize(("more", "action"), [(user("I have done that, it's better."), "repair"), ([], "retain")])
def test_what_the_tail_has_answered_without_doing_anything_is_over_once_the_user_speaks_again(
    more: Messages, action: str
) -> None:
    assert at(judge([*SMALL_TALK, *user(UNSURE)], [*ADVICE, *more]), 2).action == action


@pytest.mark.parametrize("reply", ["I will look at it.", "On it, the move is running.", "Noted."])
def test_work_that_the_tail_only_promises_is_not_over(reply: str) -> None:
    decision = judge(
        [*SMALL_TALK, *user("Please move the customers to the new hall tonight.")], [*agent(reply), *user("Good morning.")]
    )
    assert at(decision, 2).action == "retain"


def test_the_same_kind_of_thing_is_not_the_same_look_up_again() -> None:
    found = tool("search_halls", "hall A 40 seats\nhall C 90 seats", day=9)
    messages = [*SMALL_TALK, *user("Which halls are free?"), *found, *agent("A and C.")]
    recipe = "search_halls"
    assert recipe in shown(judge(messages, user("The same for the tenth.")))
    assert recipe not in shown(judge(messages, user("Good, we keep the same caterer.")))


def test_in_a_report_again_tells_what_the_user_did() -> None:
    found = tool("search_halls", "hall A 40 seats\nhall C 90 seats", day=9)
    asked = agent("Call hall A once more and let me know what they say.")
    messages = [*SMALL_TALK, *user("Which halls are free?"), *found]
    said = user("I rang them again, and nobody picks up.")
    assert "search_halls" in shown(judge([*messages, *agent("A and C.")], said))
    assert "search_halls" not in shown(judge([*messages, *asked], said))


def test_reading_a_file_says_nothing_about_the_edit_before_it() -> None:
    edit = tool(
        "Edit",
        "The file /srv/a/conf.py has been updated.",
        file_path="/srv/a/conf.py",
        old_string="a = 1",
        new_string="b\n" * 60,
    )
    read = tool("Read", "1\tb\n2\tb\n</note>", file_path="/srv/a/conf.py")
    decision = judge([*user("Set it up."), *edit, *read, *agent("Done."), *user("Thanks."), *agent("Sure.")])
    (receipt,) = [record.text for record in decision.carrier if record.kind == "receipt"]
    assert "⇒" not in receipt
    assert '"new_string"' not in receipt


def test_of_a_long_look_up_in_one_line_only_the_state_is_told() -> None:
    cancelled = tool("cancel_booking", json.dumps({"booking": "BK-4471", "status": "cancelled"}), booking="BK-4471")
    found = json.dumps([{"booking": "BK-4471", "status": "available", "rooms": [f"room {n}" for n in range(60)]}])
    decision = judge(
        [*user("Cancel BK-4471."), *cancelled, *tool("search_rooms", found, booking="BK-4471"), *agent("Done.")]
    )
    (receipt,) = [record.text for record in decision.carrier if record.kind == "receipt"]
    assert receipt.endswith('⇒ "status": "available"')


@pytest.mark.parametrize("answer", ["run 31: shelf a, b written\nshelf c row 14 of 27, then the scanner closed the session"])
def test_a_call_with_a_noun_for_a_name_that_broke_off_half_way_did_act(answer: str) -> None:
    decision = judge([*user("Label the shelves."), *tool("store_import.labels", answer, shelf=3), *agent("It broke off.")])
    assert at(decision, 1).action == "retain"


POLITE = "It is needed by four for the board. Could you put together the summary of all the visitors of March?"


@pytest.mark.parametrize(("tail", "stays"), [("ok, finish it", True), ("thanks", False)])
def test_work_that_was_asked_for_politely_is_what_the_user_resumes(tail: str, stays: bool) -> None:
    counted = [*tool("visitors.count", "west 41\neast 7", month=3), *agent("48 in all.")]
    aside = [*user("Did the west gate write?"), *tool("mail.search", "no mail", sender="west"), *agent("No.")]
    assert (at(judge([*user(POLITE), *counted, *aside], user(tail)), 0).action == "retain") is stays


@pytest.mark.parametrize("answer", ["deferral 3301 saved", "FD-3301: light, cat D"])
def test_an_order_to_a_tool_of_unknown_name_leaves_a_receipt_though_an_argument_looks_like_a_selection(answer: str) -> None:
    decision = judge([*user("defer the light"), *tool("techlog.defer", answer, n=33, cat="D"), *agent("Until September.")])
    assert "techlog.defer" in "\n".join(record.text for record in decision.carrier if record.kind == "receipt")


@pytest.mark.parametrize(
    ("said", "answer"), [("which light is deferred", "deferral 3301 saved"), ("go through the lights", "cat D, two a year")]
)
def test_a_question_or_an_answer_without_a_deed_leaves_it_a_look_up(said: str, answer: str) -> None:
    decision = judge([*user(said), *tool("techlog.lights", answer, n=33, cat="D"), *agent("That one.")])
    assert not [record for record in decision.carrier if record.kind == "receipt"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Daily or weekly backups?", "weekly"),
        ("Keep TLS 1.0 on?", "off"),
        ("How many replicas?", "5"),
        ("Shall I use bucket s3://stg-91 for the dump?", "yes"),
        ("Should I drop the partitions before 2024-03?", "No, leave them."),
        ("1. kestrel-core, 2. osprey-core, 3. merlin-core?", "2"),
        ("Soll die Anlage blau oder grün werden?", "grün"),
    ],
)
def test_a_question_and_the_answer_that_nobody_has_acted_on_yet_survive_together(question: str, answer: str) -> None:
    messages = [*user("Set up the service, please."), *agent(question), *user(answer), *agent("Good, noted."), *SMALL_TALK]
    decision = judge(messages, user("ok, do it now"))
    kept = "\n".join(
        str(messages[i]["content"]) for span in decision.spans if span.action == "retain" for i in range(*span.messages)
    )
    assert question in kept + shown(decision)
    assert f"→ {answer}" in shown(decision) or f"\n{answer}" in kept


def test_an_answer_that_was_acted_on_leaves_no_line_of_talk() -> None:
    messages = [*user("Clear the fees."), *agent("Of which account?"), *user("of account 12")]
    decision = judge([*messages, *tool("fee_desk", "cleared, receipt W-1180", account=12), *agent("Cleared.")])
    assert "Of which account? →" not in shown(decision)


HALF = [
    *user("Rebuild the nine shards."),
    *tool("reindex", "3 ok, 0 ok\n8 stopped: disk of node st-4 is full\n2,4 not started", src="v6", dst="v7"),
    *agent("Stopped in shard 8."),
]


def test_a_deed_of_another_kind_settles_nothing_that_it_names() -> None:
    cleaned = [
        *user("throw the old backups away"),
        *tool("backup_purge", "deleted 31 backups on st-4", node="st-4"),
        *agent("Gone."),
    ]
    assert at(judge([*HALF, *cleaned]), 1).action == "retain"


@pytest.mark.parametrize("name", ["reindex.retry", "reindex", "index_status", "shards.verify"])
def test_what_goes_on_with_it_or_looks_at_it_settles_it(name: str) -> None:
    later = [*user("go on"), *tool(name, "st-4: all shards done", node="st-4"), *agent("All nine.")]
    assert at(judge([*HALF, *later]), 1).action != "retain"


def test_a_shared_word_in_the_names_of_two_tools_settles_nothing() -> None:
    ordered = [
        *user("Order two chairs."),
        *tool("mcp__shop__create_order", '{"id": "ORD-48213", "status": "pending"}', n=2),
        *agent("Ordered."),
    ]
    noted = [*user("leave them a note"), *tool("mcp__shop__post_note", "posted", ref="ORD-48213"), *agent("Done.")]
    assert at(judge([*ordered, *noted]), 1).action == "retain"


def test_a_promise_on_the_way_ends_no_earlier_one() -> None:
    first = [*user("Where is the crate?"), *agent("I'll let you know once customs calls back about the crate.")]
    second = [
        *user("Open the valve a bit."),
        *agent("I'll keep an eye on the valve meanwhile."),
        *tool("valve_set", "set", percent=20),
        *agent("It is open."),
    ]
    decision = judge([*first, *second])
    assert "customs calls back" in shown(decision, "obligation") or at(decision, 1).action == "retain"


@pytest.mark.parametrize("told", ["Queued for delivery.", "2 of 3 sent"])
def test_a_polite_request_that_was_only_begun_is_open(told: str) -> None:
    decision = judge([*user("Could the invoice go to Bob?"), *tool("invoice_bob", told, to="bob"), *agent("On its way.")])
    assert at(decision, 1).action == "retain"
