"""The syntax tree of an expression. Made by `subset`, read by `check`; imports nothing of either engine."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

LOGIC = {"&&", "||"}


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One node.

    `op` is literal, name, select, index, call, method, loop, has, list, group, negate, `!`, `?:` or the symbol of a binary
    operator; `&&` and `||` take two or more arguments. `value` is the literal, or the name of the variable, field, function
    or macro. `variable` is the name that a loop binds. `start` and `end` are offsets in the text of the expression.
    """

    op: str
    args: tuple[Node, ...] = ()
    value: str | int | bool = ""
    variable: str = ""
    start: int
    end: int

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        yield self
        for arg in self.args:
            yield from arg.walk()


class ProblemKind(StrEnum):
    """What sort of mistake a problem is."""

    SYNTAX = "syntax"
    SUBSET = "subset"
    NAME = "name"
    TYPE = "type"
    COST = "cost"


class Problem(msgspec.Struct, frozen=True, order=True):
    """What is wrong at one offset of an expression."""

    offset: int
    message: str
    kind: ProblemKind = ProblemKind.SUBSET


def is_variable(node: Node) -> bool:
    """Whether a node is `variables.name`."""
    return node.op == "select" and node.args[0].op == "name" and node.args[0].value == "variables"


def chain(node: Node) -> tuple[str, ...] | None:
    """`a.b.c` as ("a", "b", "c"); None where the node is no name with fields."""
    names: list[str] = []
    while node.op == "select":
        names.append(str(node.value))
        node = node.args[0]
    if node.op != "name":
        return None
    return (str(node.value), *reversed(names))


def clauses(node: Node) -> tuple[Node, ...]:
    """The operands of the outermost `&&` and `||`, brackets looked through; the node itself where there is none."""
    inner = node
    while inner.op == "group":
        inner = inner.args[0]
    if inner.op not in LOGIC:
        return (node,)
    return tuple(clause for arg in inner.args for clause in clauses(arg))
