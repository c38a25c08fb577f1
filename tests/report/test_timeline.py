"""The timeline is true to size."""

from __future__ import annotations

import re

import pytest

from barrier_policy.report.timeline import MAX_ROWS, WIDTH, draw


def lengths(path: str) -> float:
    """The length of a bar over all its pieces."""
    return sum(float(width) for width in re.findall(r"h([\d.]+)v", path))


def heights(path: str) -> set[str]:
    return set(re.findall(r"v([\d.]+)", path))


def test_a_bar_is_as_long_as_its_share_of_the_tokens() -> None:
    line = draw([("retain", 300), ("summarize", 100), ("tail", 600)])
    assert [lengths(path) for path in line.paths] == [300, 100, 600]


@pytest.mark.parametrize("spans", [1, 119, 121, 5_000, 20_000])
def test_all_bars_together_fill_all_rows(spans: int) -> None:
    line = draw([("retain", 1 + number * 7 % 90) for number in range(spans)])
    assert line.rows <= MAX_ROWS
    assert sum(map(lengths, line.paths)) == pytest.approx(line.rows * WIDTH, rel=0.01)


def test_a_bar_that_does_not_fit_goes_on_in_the_next_row() -> None:
    bars = [("retain", 1)] * 150
    bars[70] = ("repair", 100)
    line = draw(bars)
    assert line.rows == 2
    assert line.paths[70].count("M") == 2
    assert lengths(line.paths[70]) == pytest.approx(2 * WIDTH * 100 / 249, abs=0.05)


def test_actions_differ_without_colour() -> None:
    line = draw([("retain", 9), ("repair", 9), ("summarize", 9), ("tail", 9)])
    assert len({height for path in line.paths for height in heights(path)}) == 4


def test_a_span_without_tokens_can_be_seen() -> None:
    assert lengths(draw([("retain", 0), ("retain", 9)]).paths[0]) == 100


def test_an_empty_transcript_has_a_timeline() -> None:
    assert draw([]).paths == ()
