"""Spans: contiguous whole groups, the unit that a decision is about (design section 3)."""

from __future__ import annotations

import msgspec


class Span(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Messages `[start, end)`. `id` is its name in the decision.

    `closed` is false where one of its calls or results has its counterpart in the tail.
    """

    id: str
    start: int
    end: int
    closed: bool = True


class Segmentation(msgspec.Struct, frozen=True, kw_only=True):
    """Spans that partition `[0, tail_start)`."""

    spans: tuple[Span, ...]
    tail_start: int
