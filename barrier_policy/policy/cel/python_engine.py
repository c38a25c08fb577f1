"""cel-python, the reference engine. With `subset`, which uses its parser, the only module that imports it.

Its InterpretedRunner is right where its CompiledRunner is not (`has(x.f) && x.f == ...`), and the two can't both be used in
one process: nothing else in this package, nor its tests, may use the other one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import celpy
from celpy import celtypes
from celpy.adapter import json_to_cel
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError, Context, Evaluator, Result
from lark import Tree

from barrier_policy.policy.cel.engine import FAILED, ExpressionError, Failed, Program, Value


class PythonEngine:
    """The reference engine. Building one may raise the process's recursion limit to 2,500, never lower it."""

    def __init__(self) -> None:
        self.name = f"cel-python {version('cel-python')}"
        limit = sys.getrecursionlimit()
        self._environment = celpy.Environment(runner_class=_Runner)
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))
        self._programs: dict[str, Program] = {}

    def compile(self, expression: str) -> Program:
        """See `Engine`."""
        if expression not in self._programs:
            self._programs[expression] = self._program(expression)
        return self._programs[expression]

    def bind(self, span: Mapping[str, Any]) -> Any:
        """See `Engine`."""
        return {"span": json_to_cel(dict(span))}

    def _program(self, expression: str) -> Program:
        try:
            runner = self._environment.program(self._environment.compile(expression), {"_+_": _add})
        except CELParseError as error:
            raise ExpressionError(str(error)) from None

        def run(activation: Any) -> Value | Failed:
            try:
                return _plain(runner.evaluate(activation))
            except (CELEvalError, RecursionError):
                return FAILED

        return run


class _Evaluator(Evaluator):
    """Errors inside `filter`, `map` and `exists_one` become values, as they are everywhere else: `|| true` absorbs them."""

    def member_dot_arg(self, tree: Tree[Any]) -> Result:
        try:
            result: Result = super().member_dot_arg(tree)
        except CELEvalError as error:
            return error
        return result

    def sub_evaluator(self, ast: Tree[Any]) -> Evaluator:
        return _Evaluator(ast, activation=self.activation)


class _Runner(celpy.InterpretedRunner):
    def evaluate(self, context: Context) -> celtypes.Value:
        return _Evaluator(self.ast, self.new_activation()).evaluate(context)


def _add(left: Any, right: Any) -> Any:
    """`+` whose strings stay CEL strings: on Python's own, `contains` fails."""
    result = left + right
    return celtypes.StringType(result) if isinstance(result, str) else result


def _plain(value: Any) -> Value:
    """Python's own types instead of cel-python's: its booleans are ints that print as such."""
    if isinstance(value, celtypes.BoolType):
        return bool(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):
        return str(value)
    return [_plain_item(item) for item in value]


def _plain_item(item: Any) -> Any:
    if isinstance(item, dict):
        return {str(key): _plain_item(field) for key, field in item.items()}
    return _plain(item)
