"""What a conversation leaves open, and what later turns may point back to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from barrier_policy import decide
from barrier_policy.decision.model import Decision, SpanDecision

Messages = list[dict[str, Any]]

NOW = "2026-06-01T00:00:00Z"
TAIL: Messages = [{"role": "user", "content": "Lovely weather today."}, {"role": "assistant", "content": "Yes, it is."}]


def user(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def agent(text: str) -> Messages:
    return [{"role": "assistant", "content": text}]


def tool(name: str, answer: str | None, /, **arguments: Any) -> Messages:
    """A call and its result, or a call alone."""
    call = {
        "id": f"call-{name}-{len(str(answer))}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }
    called: Messages = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    return called if answer is None else [*called, {"role": "tool", "tool_call_id": call["id"], "content": answer}]


def judge(messages: Messages, tail: Messages = TAIL) -> Decision:
    return decide([*messages, *tail], keep_last=len(tail), now=NOW, store=None)


def at(decision: Decision, message: int) -> SpanDecision:
    return next(span for span in decision.spans if span.messages[0] <= message < span.messages[1])


def shown(decision: Decision) -> str:
    return "\n".join(record.text for record in decision.carrier)


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
    assert "only if the book turns up" in shown(judge([*messages, *agent("Done.")]))


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
