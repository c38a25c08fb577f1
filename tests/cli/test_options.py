"""Options that commands share: what `asking` makes of a command, and what becomes of the options."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.cli.options import Request, ask, asking, only_of_log
from barrier_policy.errors import BarrierPolicyError


@asking("now", "policies")
def command(file: str, first: bool = False, *, request: Request, last: bool = False) -> int:
    """What it does."""
    return 0 if request == Request(now="2026-09-14", policies=(Path("team"),)) else 1


def test_options_stand_where_the_request_stood_and_keep_their_defaults() -> None:
    options = signature(command).parameters
    assert [*options] == ["file", "first", "now", "policies", "last"]
    assert [option.default for option in options.values()][1:] == [False, "", None, False]
    assert command.__doc__ == "What it does."


def test_a_command_gets_its_options_as_a_request() -> None:
    assert command(file="a", now="2026-09-14", policies=[Path("team")]) == 0


def test_options_that_are_not_given_make_the_request_that_asks_for_nothing() -> None:
    assert ask() == Request()


def test_a_range_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(BarrierPolicyError, match=r"^--range: `4-9` is no range"):
        ask(ranges=["4-9"])


def test_a_store_and_no_store_are_refused_together() -> None:
    with pytest.raises(BarrierPolicyError, match=r"^`--store` and `--no-store` are both given \(give one of both\)$"):
        ask(store="originals", no_store=True)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"reader": "openai_chat"}, "--from"),
        ({"keep_last": 0}, "--keep-last"),
        ({"policies": [Path("team")]}, "--policies"),
        ({"now": "2026-09-14"}, "--now"),
    ],
)
def test_an_option_that_decides_is_refused_by_name_beside_a_logged_decision(given: Any, option: str) -> None:
    names = ("reader", "keep_last", "policies", "now")
    only_of_log(ask(log=Path("d.jsonl"), store="originals"), *names)
    with pytest.raises(BarrierPolicyError, match=rf"^{option}: a logged decision is taken as it was made "):
        only_of_log(ask(**given), *names)


def test_an_option_that_nobody_declared_is_refused_when_the_command_is_made() -> None:
    with pytest.raises(KeyError):
        asking("kept_last")
