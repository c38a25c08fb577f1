"""Lists that the agent proposes and the user takes."""

from __future__ import annotations

import pytest

from .conftest import Messages, agent, at, judge, shown, tool, user

STEPS = "1. scan the letters 2. sort them by year 3. transcribe the oldest 4. print two copies 5. return the box"
OTHER: Messages = [*user("How big is the hall?"), *agent("It holds 240 people.")]
STEP = [*user("go"), *tool("scan_run", "scanned 40 letters, batch S-4", box=2), *agent("The first step is done.")]


@pytest.mark.parametrize("yes", ["good, that order. 5 we leave to Ada", "d'accord", "ok, go ahead"])
def test_a_list_that_the_user_takes_is_kept_to_its_last_point(yes: str) -> None:
    decision = judge([*user("how would you go about the letters"), *agent(STEPS), *user(yes), *STEP, *OTHER])
    assert "4. print two copies" in shown(decision) or at(decision, 1).action == "retain"


def test_points_on_lines_of_their_own_are_a_list() -> None:
    lines = "- scan the letters\n- sort them by year\n- print two copies"
    decision = judge([*user("how would you go about the letters"), *agent(lines), *user("good, that order."), *STEP, *OTHER])
    assert "print two copies" in shown(decision) or at(decision, 1).action == "retain"


def test_a_list_that_was_asked_about_is_kept_with_the_answer() -> None:
    asked = [*user("how would you go about the letters"), *agent(f"{STEPS}. Shall we keep to that order?")]
    decision = judge([*asked, *user("yes, but Ada returns the box herself"), *agent("Fine."), *OTHER])
    assert "4. print two copies" in shown(decision) or at(decision, 1).action == "retain"


def test_a_list_that_nobody_takes_is_no_agreement() -> None:
    decision = judge(
        [
            *user("how would you go about the letters"),
            *agent(STEPS),
            *user("why two copies?"),
            *agent("One is for Ada."),
            *OTHER,
        ]
    )
    assert "4. print two copies" not in shown(decision)


def test_an_order_of_several_numbered_steps_is_not_over_after_the_first_deed() -> None:
    order = "plan for today: 1) label the shelves, 2) move the atlas, 3) update the drawing"
    decision = judge(
        [*user(order), *tool("labels_print", "printed, batch LB-6", shelf=4), *agent("Labels are printed."), *OTHER]
    )
    assert at(decision, 0).action == "retain"
    rest = [*tool("shelf_move", "moved M-7", item="atlas"), *tool("drawing_update", "updated, rev 9", sheet=2)]
    decision = judge(
        [*user(order), *tool("labels_print", "printed, batch LB-6", shelf=4), *rest, *agent("All three."), *OTHER]
    )
    assert at(decision, 0).action != "retain"
