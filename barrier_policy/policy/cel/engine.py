"""What an evaluation engine is.

Two engines implement `Engine`. cel-python is the reference and always there; cel-expr-python is some hundred times faster
and an extra. On the subset they give the same outcome for every record, by test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, Protocol


class Failed(Enum):
    """The value of an expression that could not be evaluated. What went wrong is worded by us, so that it never depends on the engine."""

    FAILED = "failed"


FAILED: Final = Failed.FAILED
Value = bool | int | str | list[Any]
Program = Callable[[Any], Value | Failed]
"""Takes what `Engine.bind` made; returns a plain value, lists and records as Python's own, or FAILED. Raises nothing."""


class ExpressionError(Exception):
    """An engine can't compile an expression that passed the subset and the type check."""


class Engine(Protocol):
    """Compiles expressions and evaluates them."""

    @property
    def name(self) -> str:
        """The library and its version, as decisions state it."""

    def compile(self, expression: str) -> Program:
        """A program for an expression; the same expression gives the same program. Raises ExpressionError."""

    def bind(self, span: Mapping[str, Any]) -> Any:
        """What programs take for one span, of which it holds what they read. Values are str, int, bool, list and dict."""
