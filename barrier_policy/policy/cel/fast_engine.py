"""cel-expr-python, which wraps cel-cpp. The only module that imports it.

`span` is a map of string to dyn, so that records stay plain dicts; types were checked before. What is tamed here: errors
are RETURNED, as values of type ERROR whose text is truthy; the step limit RAISES; a text with NUL is cut there without a
word (`barrier_policy.policy.record` hands over none).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from cel_expr_python import cel  # type: ignore[import-untyped]

from barrier_policy.policy.cel.engine import FAILED, ExpressionError, Failed, Program, Value


class FastEngine:
    """The fast engine."""

    def __init__(self) -> None:
        self.name = f"cel-expr-python {version('cel-expr-python')}"
        self._environment = cel.NewEnv(variables={"span": cel.Type.Map(cel.Type.STRING, cel.Type.DYN)})
        self._programs: dict[str, Program] = {}

    def compile(self, expression: str) -> Program:
        """See `Engine`."""
        if expression not in self._programs:
            self._programs[expression] = self._program(expression)
        return self._programs[expression]

    def bind(self, span: Mapping[str, Any]) -> Any:
        """See `Engine`."""
        return self._environment.Activation({"span": span})

    def _program(self, expression: str) -> Program:
        try:
            compiled = self._environment.compile(expression)
        except RuntimeError as error:
            raise ExpressionError(str(error)) from None

        def run(activation: Any) -> Value | Failed:
            try:
                result = compiled.eval(activation)
            except RuntimeError:
                return FAILED
            value = result.plain_value()
            if value is True or value is False:
                return value
            return FAILED if result.type() == cel.Type.ERROR else _plain(value)

        return run


def _plain(value: Any) -> Value:
    assert isinstance(value, str | int | list)
    return value
