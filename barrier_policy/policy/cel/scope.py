"""What an expression may name: the record, by its schema, and the variables declared before it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from barrier_policy.join.schema import ROOT, Field, RecordSchema
from barrier_policy.policy.cel.syntax import Node, chain, is_variable

Path = tuple[str, ...]
"""Names of fields below `span`."""


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A checked expression: what it needs of the record and what it adds to an expression that uses it.

    `cel` is the text that engines compile, with earlier variables written out; `reads` are the paths below `span`, each as
    deep as records go. `depth` and `loops` count over the written-out text.
    """

    type: str
    cel: str
    reads: tuple[Path, ...]
    depth: int
    loops: int


class Scope(msgspec.Struct, frozen=True):
    """What an expression may name: `span`, by the schema, and the variables declared before it. `later` are those declared below."""

    schema: RecordSchema
    variables: Mapping[str, Variable] = {}
    later: frozenset[str] = frozenset()

    def field(self, record: str, name: str) -> Field | None:
        """A field of a record type."""
        return next((field for field in self.schema.types[record].fields if field.name == name), None)

    def is_record(self, type_name: str) -> bool:
        """Whether a type is a record type."""
        return type_name in self.schema.types

    def reads(self, node: Node) -> tuple[Path, ...]:
        """The paths below `span` that a node reads, sorted."""
        names = chain(node)
        if names is None or node.op == "name":
            paths = {path for arg in node.args for path in self.reads(arg)}
        elif names[0] == "span":
            paths = {self._longest(names[1:])}
        elif names[0] == "variables":
            paths = set(self.variables[names[1]].reads)
        else:
            paths = set()
        return tuple(sorted(paths))

    def _longest(self, names: Path) -> Path:
        """The names as far as they lead through records: ("provenance", "uri")."""
        record = ROOT
        for depth, name in enumerate(names, start=1):
            field = self.field(record, name)
            if field is None or not self.is_record(field.type):
                return names[:depth]
            record = field.type
        return names

    def write_out(self, text: str, node: Node) -> str:
        """The text of a node with each `variables.name` replaced by what it stands for.

        The line break keeps a comment at the end of a variable from swallowing the bracket.
        """
        pieces, position = [], node.start
        for part in node.walk():
            if is_variable(part):
                pieces += [text[position : part.start], "(", self.variables[str(part.value)].cel, "\n)"]
                position = part.end
        return "".join([*pieces, text[position : node.end]])


def article(type_name: str) -> str:
    """`an int`, `a list(Effect)`."""
    return f"{'an' if type_name[0] in 'aeiouAEIO' else 'a'} {type_name}"
