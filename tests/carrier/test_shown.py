"""Where a value already stands, as a whole."""

from __future__ import annotations

import pytest

from barrier_policy.carrier.shown import Lines


@pytest.mark.parametrize(
    ("line", "value", "stands"),
    [
        ("count 418", "418", True),
        ("count=418;", "418", True),
        ("418.", "418", True),
        ("(418)", "418", True),
        ("418230", "418", False),
        ("x418", "418", False),
        ("4.418", "418", False),
        ("418.5", "418", False),
        ("418-7", "418", False),
        ("a_418", "418", False),
        ("/srv/app/conf", "/srv/app", False),
        ("in /srv/app.", "/srv/app", True),
        ("x /srv/app", "srv/app", False),
        ("now -5", "5", False),
        ("418230 418", "418", True),
        ("größe 7 µm", "7 µm", True),
        ("k-1", "", False),
        ("->", "->", True),
        ("a -> b", "->", False),
    ],
)
def test_a_value_stands_where_it_is_no_part_of_a_longer_one(line: str, value: str, stands: bool) -> None:
    assert bool(Lines([("line", line)]).showing(value)) is stands


def test_the_first_line_that_shows_it_is_named_and_one_can_be_left_out() -> None:
    lines = Lines([("a", "no"), ("b", "k-1 here"), ("c", "k-1")])
    assert (lines.showing("k-1 here"), lines.showing("here"), lines.showing("here", besides="b")) == ("b", "b", "")
