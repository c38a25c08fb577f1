"""Spans: contiguous whole groups, the unit that a decision is about (design section 3)."""

from __future__ import annotations

import msgspec


class Span(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Messages `[start, end)`. `closed` is false where one of its calls or results has its counterpart in the tail."""

    start: int
    end: int
    closed: bool = True

    @property
    def id(self) -> str:
        """Its name in the decision."""
        return f"{self.start}-{self.end - 1}" if self.end - self.start > 1 else str(self.start)


class Segmentation(msgspec.Struct, frozen=True, kw_only=True):
    """Spans that partition `[0, tail_start)`."""

    spans: tuple[Span, ...]
    tail_start: int
