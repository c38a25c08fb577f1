"""Records that an expression can tell apart: every combination of the values that it compares with.

A text that is compared with `'started'` is `'started'` or another one; a number that is compared with 3 is 2, 3 or 4; a list
is empty, has one item of each sort, two, or all. Where an expression looks closer than that (a pattern, a product, an order
of texts), or where the combinations are too many, the records are a sample and `is_complete` is false: then nothing may be
concluded from what they do not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from math import gcd, prod
from typing import Any

import msgspec

from barrier_policy.join.schema import ROOT, Field, RecordSchema, element
from barrier_policy.policy.cel.scope import Path
from barrier_policy.policy.cel.syntax import Node, is_variable
from barrier_policy.policy.lint.source import SourceExpression, SourceVariable

MAX_RECORDS = 5_000
MAX_ITEMS = 128
MAX_PAIRED_ITEMS = 8
MAX_LENGTH = 12
OTHER = "other"
_OPAQUE = {"*", "/", "%"}
_ORDER = {"<", "<=", ">", ">="}
_COMPARISONS = {"==", "!=", "in", "method", "index"} | _ORDER | _OPAQUE
_STRIDE = 2_654_435_761
_WORDS = re.compile("[a-z_]+(, [a-z_]+)* or [a-z_]+|[a-z_]+(, [a-z_]+){2,}")
_QUOTED = re.compile(r"`([a-z_]+)`")


class Demand(msgspec.Struct, kw_only=True):
    """What expressions look at. `values` and `sizes` are the literals that a path below `span` is compared with."""

    reads: set[Path] = msgspec.field(default_factory=set)
    values: dict[Path, list[str | int]] = msgspec.field(default_factory=dict)
    sizes: dict[Path, list[int]] = msgspec.field(default_factory=dict)
    is_opaque: bool = False


class Records(msgspec.Struct, frozen=True, kw_only=True):
    """Generated records: `axes` are the values of each path; `total` counts their combinations."""

    base: dict[str, Any]
    axes: tuple[tuple[Path, tuple[Any, ...]], ...]
    total: int
    is_opaque: bool

    @property
    def is_complete(self) -> bool:
        """Whether what the records do not show can't happen."""
        return not self.is_opaque and self.total <= MAX_RECORDS

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Up to MAX_RECORDS records; the first has every path at its first value, the rest come in a mixed, fixed order."""
        stride = next(number for number in range(_STRIDE, _STRIDE + self.total + 1) if gcd(number, self.total) == 1)
        return (self._record(number * stride % self.total) for number in range(min(self.total, MAX_RECORDS)))

    def _record(self, number: int) -> dict[str, Any]:
        record = dict(self.base)
        for path, values in self.axes:
            number, index = divmod(number, len(values))
            holder = record
            for name in path[:-1]:
                holder[name] = dict(holder[name])
                holder = holder[name]
            holder[path[-1]] = values[index]
        return record


def generate(expressions: Iterable[SourceExpression], variables: Iterable[SourceVariable], schema: RecordSchema) -> Records:
    """The records that checked expressions, with the variables they may use, can tell apart."""
    demand = Demand()
    trees = {variable.name: variable.expression.tree for variable in variables if variable.expression.tree}
    for expression in expressions:
        if expression.tree is not None:
            walk = _Walk(demand, trees)
            (walk.visit_indices if expression.key == "explanation" else walk.visit)(expression.tree, {})
    return _combined(demand, schema)


def documented_values(field: Field) -> tuple[str, ...]:
    """The words that the documentation of a text field lists as its values; none where it lists none."""
    if field.type != "string":
        return ()
    if field.doc.startswith("`"):
        return (*_QUOTED.findall(field.doc), "")
    listed = field.doc.partition("; ")[0].rpartition(": ")[2]
    return tuple(re.split(", | or ", listed)) if _WORDS.fullmatch(listed) else ()


class _Walk:
    """Notes what one expression looks at; `names` maps loop variables to the path of the list that they go through."""

    def __init__(self, demand: Demand, trees: Mapping[str, Node]) -> None:
        self.demand = demand
        self.trees = trees

    def visit_indices(self, node: Node, names: Mapping[str, Path]) -> None:
        """Of an explanation only the lists count that it takes an item of: whatever else it reads can't make it err."""
        for part in node.walk():
            if part.op == "index":
                self.visit(part.args[0], names)
                self.compare(part, names)
            elif part.op in _OPAQUE:
                self.visit(part, names)

    def visit(self, node: Node, names: Mapping[str, Path]) -> None:
        path = self.path(node, names)
        if path:
            self.demand.reads.add(path)
        if is_variable(node):
            self.visit(self.trees[str(node.value)], {})
            return
        if node.op in _COMPARISONS:
            self.compare(node, names)
        if node.op == "loop":
            inner = {**names, node.variable: self.path(node.args[0], names) or ()}
            self.visit(node.args[0], names)
            self.visit(node.args[1], inner)
            return
        for arg in node.args:
            self.visit(arg, names)

    def path(self, node: Node, names: Mapping[str, Path]) -> Path | None:
        """The path below `span` that a node's value stands at; a list and its items have the same one."""
        match node.op:
            case "name":
                return () if node.value == "span" else names.get(str(node.value))
            case "select" if is_variable(node):
                return self.path(self.trees[str(node.value)], {})
            case "select":
                above = self.path(node.args[0], names)
                return None if above is None else (*above, str(node.value))
            case "group" | "index" | "call":
                return self.path(node.args[0], names) if node.args else None
            case "loop" if node.value == "filter":
                return self.path(node.args[0], names)
            case "loop" if node.value == "map":
                return self.path(node.args[1], {**names, node.variable: self.path(node.args[0], names) or ()})
            case _:
                return None

    def compare(self, node: Node, names: Mapping[str, Path]) -> None:
        """Every literal below a comparison is a value of every path below it."""
        literals = [part.value for part in node.walk() if part.op == "literal" and not isinstance(part.value, bool)]
        paths = [path for part in node.walk() if (path := self.path(part, names))]
        sized = [path for part in node.walk() if part.value == "size" and (path := self.path(part.args[0], names))]
        texts = any(isinstance(value, str) for value in literals)
        pattern = node.op == "method" and node.value == "matches"
        between = node.op in _ORDER and not any(isinstance(value, int) for value in literals) and not sized
        self.demand.is_opaque |= pattern or node.op in _OPAQUE or (node.op in _ORDER and texts) or between
        if node.op == "index":
            if paths:  # texts below it are what the list's items are compared with, not a place in the list
                self.demand.sizes.setdefault(paths[0], []).extend(value for value in literals if isinstance(value, int))
            return
        for path in paths:
            known = self.demand.values.setdefault(path, [])
            known += [value for value in literals if value not in known]
        for path in sized:
            self.demand.sizes.setdefault(path, []).extend(value for value in literals if isinstance(value, int))


def _combined(demand: Demand, schema: RecordSchema) -> Records:
    shape = _Shape(demand, schema)
    axes = tuple(shape.axes(ROOT, ()))
    return Records(
        base=schema.filled(None),
        axes=axes,
        total=prod(len(values) for _, values in axes),
        is_opaque=demand.is_opaque or shape.is_cut,
    )


class _Shape:
    """From a demand to the values of each path."""

    def __init__(self, demand: Demand, schema: RecordSchema) -> None:
        self.demand = demand
        self.schema = schema
        self.is_cut = False

    def axes(self, record: str, at: Path) -> Iterator[tuple[Path, tuple[Any, ...]]]:
        """A path and its values for each field of a record that is looked at; lists of records are one path each."""
        for field in self.schema.types[record].fields:
            path = (*at, field.name)
            if not any(read[: len(path)] == path for read in self.demand.reads):
                continue
            if field.type in self.schema.types:
                yield from self.axes(field.type, path)
            else:
                yield path, tuple(self.values(field, path))

    def values(self, field: Field, path: Path) -> list[Any]:
        item = element(field.type)
        if item is not None and item in self.schema.types:
            return self.lists([self.filled(item, path, chosen) for chosen in self.choices(item, path)], path)
        if item is not None:
            return self.lists(
                [OTHER, *self.demand.values.get(path, [])] if item == "string" else self.scalars(field, path), path
            )
        return self.scalars(field, path)

    def choices(self, record: str, path: Path) -> list[tuple[tuple[Path, Any], ...]]:
        """Each sort of item: a value for each field of it that is looked at."""
        axes = list(self.axes(record, path))
        sorts = [tuple(zip((at for at, _ in axes), chosen, strict=True)) for chosen in _product(axes)]
        self.is_cut |= prod(len(values) for _, values in axes) > MAX_ITEMS
        return sorts

    def filled(self, record: str, path: Path, chosen: tuple[tuple[Path, Any], ...]) -> dict[str, Any]:
        made: dict[str, Any] = self.schema.filled(None, record)
        return made | {at[len(path)]: value for at, value in chosen}

    def lists(self, items: list[Any], path: Path) -> list[Any]:
        """No item, one of each sort, two, all, and as many as `size` is compared with."""
        found: list[Any] = [[], *([item] for item in items)]
        if len(items) <= MAX_PAIRED_ITEMS:
            found += [list(pair) for pair in combinations(items, 2)]
        if len(items) > 2:
            found.append(items)
        for size in sorted({size + more for size in self.demand.sizes.get(path, []) for more in (-1, 0, 1)}):
            self.is_cut |= size > MAX_LENGTH
            found += [[item] * size for item in items if 1 < size <= MAX_LENGTH]
        return list({msgspec.json.encode(value): value for value in found}.values())

    def scalars(self, field: Field, path: Path) -> list[Any]:
        if field.type == "bool":
            return [False, True]
        mentioned = self.demand.values.get(path, [])
        if field.type == "int":
            near = {value + more for value in mentioned if isinstance(value, int) for more in (-1, 0, 1)}
            return sorted({0, 1} | {value for value in near if value >= 0})
        texts = [value for value in mentioned if isinstance(value, str)]
        joined = [first + second for first in texts for second in texts if first != second] if len(texts) <= 3 else []
        sizes = [size for size in self.demand.sizes.get(path, []) if 0 <= size <= 100]
        rest = [value for value in documented_values(field) if value not in texts][:1] or [OTHER]
        closed = bool(documented_values(field))
        lengths = [OTHER[0] * (size + more) for size in sizes for more in (-1, 0, 1) if size + more >= 0]
        return list(dict.fromkeys([*rest, *([] if closed else ["", *joined]), *texts, *lengths]))


def _product(axes: list[tuple[Path, tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """Combinations, up to MAX_ITEMS of them."""
    return [chosen for chosen, _ in zip(product(*(values for _, values in axes)), range(MAX_ITEMS), strict=False)]
