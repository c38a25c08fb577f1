"""Which exact values somebody depends on."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from barrier_policy import Decider

from .conftest import NOW, TAIL, Messages, agent, tool, user

Opened = Callable[[Messages], set[str]]


@pytest.fixture(scope="module")
def opened() -> Opened:
    decider = Decider()

    def find(messages: Messages) -> set[str]:
        ledger = decider.analyse([*messages, *TAIL], keep_last=len(TAIL), now=NOW).join.ledger
        return {item.text for item in ledger.items if item.id.startswith("binding:") and ledger.state(item) == "open"}

    return find


def told_twice(answer: str, said: str) -> Messages:
    first = [*user("How is the stock?"), *tool("read_stock", answer, shelf="A"), *agent(said)]
    return [*first, *user("And the orders?"), *tool("read_orders", answer, shelf="A"), *agent("Fine.")]


def test_a_number_that_tools_repeat_is_depended_on_once_somebody_says_it(opened: Opened) -> None:
    answer = json.dumps({"article": "garden bench", "pieces": 4127})
    assert "4127" not in opened(told_twice(answer, "All of it is there."))
    assert "4127" in opened(told_twice(answer, "There are 4127 pieces."))


def test_a_name_that_tools_repeat_may_be_asked_for(opened: Opened) -> None:
    assert "/srv/stock/benches.csv" in opened(told_twice("more in /srv/stock/benches.csv", "All of it is there."))


def test_of_a_list_of_ids_in_a_payload_each_id_may_be_asked_for(opened: Opened) -> None:
    answer = json.dumps({"name": "Kit", "line_ids": ["L1001", "L1002", "L1003"]})
    found = opened([*user("Who is it?"), *tool("find_customer", answer, phone="x"), *agent("Kit.")])
    assert found == {"L1001", "L1002", "L1003"}
