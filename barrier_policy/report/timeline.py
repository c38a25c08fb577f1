"""The timeline: every span as a bar as long as it has tokens, in rows of equal size. Pure geometry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import msgspec

SPANS_PER_ROW, MAX_ROWS = 120, 48
WIDTH = 1000
"""Units of a row."""
ROW_HEIGHT, BAR_HEIGHT = 24, 18
HEIGHTS = {"retain": 1.0, "repair": 0.66, "summarize": 0.33}
"""Actions differ in height too: colour alone says nothing to those who can't tell it, or who print in grey."""
TAIL_HEIGHT = 0.12


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """`height` in pixels, the outline of each bar as SVG path data, its row and the middle of its first piece."""

    height: int
    rows: int
    paths: tuple[str, ...]
    row: tuple[int, ...]
    middle: tuple[int, ...]


def draw(bars: Sequence[tuple[str, int]]) -> Timeline:
    """Lay out (action, tokens) one after another; a bar that does not fit into its row goes on in the next.

    A bar without tokens gets the length of one, so that it can be seen.
    """
    sizes = [max(1, tokens) for _, tokens in bars]
    rows = min(MAX_ROWS, max(1, -(-len(bars) // SPANS_PER_ROW)))
    scale = rows * WIDTH / max(1, sum(sizes))
    edges = [edge * scale for edge in accumulate(sizes, initial=0)]
    pieces = [list(_pieces(start, end, rows)) for start, end in pairwise(edges)]
    heights = [HEIGHTS.get(action, TAIL_HEIGHT) * BAR_HEIGHT for action, _ in bars]
    return Timeline(
        height=rows * ROW_HEIGHT,
        rows=rows,
        paths=tuple("".join(_box(*piece, height) for piece in bar) for bar, height in zip(pieces, heights, strict=True)),
        row=tuple(bar[0][0] for bar in pieces),
        middle=tuple(round(bar[0][1] + bar[0][2] / 2) for bar in pieces),
    )


def _pieces(start: float, end: float, rows: int) -> Iterator[tuple[int, float, float]]:
    """(row, x, width) of a bar in each row that it touches."""
    row = min(rows - 1, int(start // WIDTH))
    while True:
        edge = (row + 1) * WIDTH
        yield row, start - row * WIDTH, min(end, edge) - start
        if end <= edge + 0.005 or row == rows - 1:
            return
        start, row = edge, row + 1


def _box(row: int, x: float, width: float, height: float) -> str:
    top = (row + 1) * ROW_HEIGHT - 3 - height
    return f"M{_short(x)} {_short(top)}h{_short(width)}v{_short(height)}h-{_short(width)}z"


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
