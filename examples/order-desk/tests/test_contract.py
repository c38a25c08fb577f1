"""What every plugin owes to those after it, on a conversation of a service desk; and what the extractor finds."""

import pytest

from barrier_policy.testing import contract_tests, facts_of, message, tool_call, tool_result

PLUGIN = "order_desk.extractor"
RESULT = {
    "reservation_id": "7QK2ZD",
    "payment_history": [{"payment_id": "gift_card_55", "amount": 410}, {"payment_id": "gift_card_55", "amount": -410}],
    "status": "cancelled",
}
CANCEL = message(tool_call("cancel_reservation", {"reservation_id": "7QK2ZD"}), role="assistant")
QUESTION = message("I can cancel reservation 7QK2ZD and pay back 410 to your gift card. Shall I proceed?", role="assistant")
MESSAGES = [QUESTION, message("Yes, please go ahead."), CANCEL, message(tool_result(RESULT), role="tool")]

TestContract = contract_tests(PLUGIN, messages=MESSAGES)


def texts(*messages):
    return [fact.text for fact in facts_of(PLUGIN, *messages)]


def test_consent_change_and_refund_are_found() -> None:
    assert texts(*MESSAGES) == [
        "the customer's yes about 7QK2ZD",
        "cancel of 7QK2ZD: done, which is done only once",
        "410 paid back to gift_card_55 for 7QK2ZD",
    ]


def test_a_refund_of_a_shop_is_found_by_its_type_and_written_as_it_stands() -> None:
    history = '{"order_id": "#W30", "payment_history": [{"transaction_type": "refund", "amount": 7.979999999999997, "payment_method_id": "paypal_4"}]}'
    call = message(tool_call("modify_pending_order_items", {"order_id": "#W30"}), role="assistant")
    assert texts(call, message(tool_result(history), role="tool")) == [
        "modify of #W30: done, which is done only once",
        "7.979999999999997 paid back to paypal_4 for #W30",
    ]


@pytest.mark.parametrize(
    "result",
    [
        "Error: non-delivered order cannot be returned",
        {"error": "not allowed"},
        {"status": "failed", "payment_history": [{"payment_id": "x", "amount": -4}]},
        "",
        '{"status": "cancel',
    ],
)
def test_a_call_that_failed_or_can_t_be_read_changed_nothing(result: object) -> None:
    assert texts(CANCEL, message(tool_result(result), role="tool")) == []


def test_looking_at_an_order_pays_nothing_back() -> None:
    look = message(tool_call("get_reservation_details", {"reservation_id": "7QK2ZD"}), role="assistant")
    assert texts(look, message(tool_result(RESULT), role="tool")) == []


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, but keep the return flight.",
        "Yes, what would it cost?",
        "No.",
        "Not yet.",
        "Yes, only the first one.",
        "I said yes last week.",
    ],
)
def test_a_yes_that_is_taken_back_is_none(answer: str) -> None:
    assert texts(QUESTION, message(answer)) == []


def test_a_yes_to_a_question_without_an_order_is_none() -> None:
    assert texts(message("Shall I proceed?", role="assistant"), message("Yes.")) == []


def test_the_agent_can_t_agree_for_the_customer() -> None:
    assert texts(QUESTION, message("Yes, proceed.", role="assistant")) == []
