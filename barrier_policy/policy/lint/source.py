"""Reads policy, test and exception files leniently: what can be read is there, also beside what is wrong.

The loader refuses a set with any mistake; the linter must still say what else it sees.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from barrier_policy.errors import Issue, PolicyError, reason_of
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.check import check
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.scope import Scope, Variable
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.cel.syntax import Node as SyntaxNode
from barrier_policy.policy.cel.syntax import Problem
from barrier_policy.policy.yaml import Node, parse_yaml

LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What YAML takes for the end of a line."""


class SourceExpression(msgspec.Struct, frozen=True, kw_only=True):
    """A text that should be CEL. `tree` and `checked` are None where it is not right, and `problems` says why."""

    key: str
    node: Node
    scope: Scope
    tree: SyntaxNode | None
    checked: Variable | None
    problems: tuple[Problem, ...]

    @property
    def text(self) -> str:
        """As written, without the YAML around it."""
        return str(self.node.value)

    def walk(self) -> Iterator[SyntaxNode]:
        """All nodes, in the order of the text."""
        return self.tree.walk() if self.tree else iter(())


class SourceVariable(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `variables`; `node` is the whole entry."""

    name: str
    node: Node
    expression: SourceExpression


class SourceRule(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `rules`; `fields` are its keys, known or not. `scope` has the variables of its policy.

    `base` is the rule that a patch made it of, with its file; None for a rule that stands in a policy.
    """

    id: str
    node: Node
    fields: dict[str, Node]
    expressions: tuple[SourceExpression, ...]
    scope: Scope
    base: tuple[SourceFile, SourceRule] | None = None

    def text(self, key: str) -> str:
        """A text of the rule, empty where there is none."""
        return text_of(self.fields.get(key))

    def expression(self, key: str) -> SourceExpression | None:
        """The condition or the explanation."""
        return next((found for found in self.expressions if found.key == key), None)

    @property
    def is_barrier(self) -> bool:
        """Whether the rule forbids."""
        return self.text("effect") == "barrier"

    @property
    def is_locked(self) -> bool:
        """Whether nothing may loosen the rule."""
        return "locked" in self.fields and self.fields["locked"].value is True

    @property
    def is_checked(self) -> bool:
        """Whether every expression of the rule can be evaluated."""
        return self.expression("condition") is not None and all(found.checked for found in self.expressions)

    @property
    def place(self) -> Node:
        """Where the rule is best pointed at: its id, else the whole."""
        return self.node if self.base else self.fields.get("id", self.node)


class SourceFile(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One file. `layer` counts from the lowest folder; `linted` is false for files below those that were asked for.

    `when` is the condition of an exception, as a condition over the span alone.
    """

    path: Path
    text: str
    layer: int
    linted: bool
    document: Node | None
    issues: tuple[Issue, ...] = ()
    variables: tuple[SourceVariable, ...] = ()
    rules: tuple[SourceRule, ...] = ()
    when: SourceExpression | None = None

    @property
    def name(self) -> str:
        """As it is named in findings."""
        return str(self.path)

    @property
    def fields(self) -> dict[str, Node]:
        """The keys at the top."""
        return fields_of(self.document)

    @property
    def kind(self) -> str:
        """Policy, PolicyTest, Exception, or whatever the file says."""
        return text_of(self.fields.get("kind"))

    @cached_property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """Start and end of each line, without its line break."""
        starts = [0, *(match.end() for match in LINE_BREAK.finditer(self.text))]
        ends = [*(match.start() for match in LINE_BREAK.finditer(self.text)), len(self.text)]
        return tuple(zip(starts, ends, strict=True))

    def offset(self, line: int, column: int) -> int:
        """The offset in the text of a place."""
        return self.lines[min(line, len(self.lines)) - 1][0] + column - 1

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        number = bisect_right(self.lines, (offset, len(self.text) + 1))
        return number, offset - self.lines[number - 1][0] + 1


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule was seen to do (behaviour.py). `holds`, `fails` and `errs` are about the condition; `idle` are the clauses that never counted.

    `explanation_errs` and `cites_nothing` are about records on which the condition holds. Where `is_complete` is false, what was
    not seen may happen all the same.
    """

    records: int
    is_complete: bool
    holds: bool = False
    fails: bool = False
    errs: bool = False
    explanation_errs: bool = False
    cites_nothing: bool = False
    idle: tuple[SyntaxNode, ...] = ()


class Sources:
    """All files of one run. `today` is an ISO date, for exceptions that expire; empty where nobody asks the clock."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        schema: RecordSchema,
        engine: Engine,
        issues: Sequence[Issue] = (),
        today: str = "",
    ) -> None:
        self.files = tuple(files)
        self.schema = schema
        self.engine = engine
        self.issues = tuple(issues)
        self.today = today
        self.behaviours: dict[tuple[str, str], Behaviour | None] = {}

    def linted(self, kind: str = "") -> Iterator[SourceFile]:
        """The files that were asked for, of one kind or of all."""
        return (file for file in self.files if file.linted and (not kind or file.kind == kind))

    def rules(self) -> Iterator[tuple[SourceFile, SourceRule]]:
        """The rules of the files that were asked for, and what patches make of rules."""
        return ((file, rule) for file in self.linted() for rule in file.rules)

    def all_rules(self) -> Iterator[tuple[SourceFile, SourceRule]]:
        """Those of the layers below too."""
        return ((file, rule) for file in self.files for rule in file.rules)

    def expressions(self) -> Iterator[tuple[SourceFile, SourceExpression]]:
        """Every expression of the files that were asked for."""
        for file in self.linted("Policy"):
            yield from ((file, variable.expression) for variable in file.variables)
        yield from ((file, file.when) for file in self.linted("Exception") if file.when is not None)
        for file, rule in self.rules():
            yield from ((file, found) for found in rule.expressions if found.node.path != rule.node.path)


class SourceReader:
    """Reads files, expressions by one schema."""

    def __init__(self, schema: RecordSchema) -> None:
        self._schema = schema

    def read(self, path: Path, layer: int, *, linted: bool = True) -> SourceFile:
        """One file. Nothing is raised: what is wrong with it is in `issues`."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
            document = parse_yaml(text, str(path))
        except PolicyError as error:
            return SourceFile(path=path, text=text, layer=layer, linted=linted, document=None, issues=error.issues)
        except (OSError, UnicodeDecodeError) as error:
            found = (
                f"not UTF-8 at byte {error.start}"
                if isinstance(error, UnicodeDecodeError)
                else f"can't be read ({reason_of(error)})"
            )
            issue = Issue(file=str(path), message=found)
            return SourceFile(path=path, text="", layer=layer, linted=linted, document=None, issues=(issue,))
        file = SourceFile(path=path, text=text, layer=layer, linted=linted, document=document)
        if file.kind == "Exception" and "when" in file.fields:
            when = self.expression("when", file.fields["when"], Scope(self._schema))
            return msgspec.structs.replace(file, when=when)
        if file.kind != "Policy":
            return file
        scope, variables = self._variables(file.fields.get("variables"))
        rules = tuple(self._rule(node, scope) for node in items_of(file.fields.get("rules")))
        return msgspec.structs.replace(file, variables=variables, rules=rules)

    def _variables(self, node: Node | None) -> tuple[Scope, tuple[SourceVariable, ...]]:
        known: dict[str, Variable] = {}
        found = []
        names = frozenset(text_of(fields_of(item).get("name")) for item in items_of(node))
        for item in items_of(node):
            name, expression = text_of(fields_of(item).get("name")), fields_of(item).get("expression")
            if not name or expression is None:
                continue
            read = self.expression("variable", expression, Scope(self._schema, dict(known), names - known.keys()))
            known[name] = read.checked or Variable(type="", cel="", reads=(), depth=1, loops=0)
            found.append(SourceVariable(name=name, node=item, expression=read))
        return Scope(self._schema, known), tuple(found)

    def _rule(self, node: Node, scope: Scope) -> SourceRule:
        fields = {key: child for key, child in fields_of(node).items() if child.value is not None}
        written: list[tuple[str, Node]] = [(key, fields[key]) for key in ("condition", "explanation") if key in fields]
        if "evidence" in fields:
            evidence = fields["evidence"]
            written += [("evidence", item) for item in (items_of(evidence) or (evidence,))]
        expressions = tuple(self.expression(key, child, scope) for key, child in written)
        return SourceRule(id=text_of(fields.get("id")), node=node, fields=fields, expressions=expressions, scope=scope)

    def expression(self, key: str, node: Node, scope: Scope) -> SourceExpression:
        """An expression with what is wrong with it."""
        tree, checked, problems = None, None, tuple[Problem, ...]()
        if isinstance(node.value, str):
            tree, problems = parse_expression(node.value)
            if tree is not None:
                checked, more = check(node.value, tree, scope)
                problems += tuple(more)
        right = not problems and checked is not None and checked.type != ""
        return SourceExpression(
            key=key, node=node, scope=scope, tree=tree, checked=checked if right else None, problems=problems
        )


def lint_files(path: Path) -> tuple[Path, ...]:
    """The YAML files of a folder in the order of their names, or the one file."""
    return tuple(sorted(path.glob("*.yaml"))) if path.is_dir() else (path,)


def fields_of(node: Node | None) -> dict[str, Node]:
    """The keys of a mapping; none where it is not one."""
    return node.value if node is not None and isinstance(node.value, dict) else {}


def items_of(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none where it is not one."""
    return node.value if node is not None and isinstance(node.value, tuple) else ()


def text_of(node: Node | None) -> str:
    """A text; empty where it is not one."""
    return node.value if node is not None and isinstance(node.value, str) else ""
