"""Expressions of policy files: YAML nodes to checked CEL, every problem with its place."""

from __future__ import annotations

import re

from barrier_policy.errors import Issue
from barrier_policy.join.schema import RecordSchema, element
from barrier_policy.policy.cel.check import check
from barrier_policy.policy.cel.engine import Engine, ExpressionError
from barrier_policy.policy.cel.scope import Scope, Variable, article
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.cel.syntax import Node as SyntaxNode
from barrier_policy.policy.cel.syntax import clauses
from barrier_policy.policy.model import Expression
from barrier_policy.policy.shape import kind
from barrier_policy.policy.yaml import Node

NOTHING = Expression(text="", cel="false", reads=(), line=0, column=0)
"""Stands for a condition that is not right."""
_COMMENT = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(//)""")


class ExpressionReader:
    """Reads expressions; adds what is wrong with them to `issues`."""

    def __init__(self, schema: RecordSchema, engine: Engine, issues: list[Issue]) -> None:
        self._schema = schema
        self._engine = engine
        self._issues = issues

    def evidence(self, node: Node | None, scope: Scope) -> tuple[Expression, ...]:
        """One expression or a list of them: items of different types can't be in one CEL list."""
        if node is None:
            return ()
        nodes = node.value if isinstance(node.value, tuple) else (node,)
        expressions = (self.read(item, scope, "list", "the evidence") for item in nodes)
        return tuple(expression for expression in expressions if expression is not None)

    def read(self, node: Node | None, scope: Scope, wanted: str, what: str) -> Expression | None:
        """An expression of a wanted type; `list` stands for a list of records that can be cited."""
        if node is None:
            return None
        tree, checked = self.check(node, scope)
        if tree is None or checked is None or checked.type == "":
            return None
        item = element(checked.type) or ""
        if wanted == "list" and not self._is_citable(item):
            self._issues.append(
                node.issue(f"{what} is {article(checked.type)} (it must be a list of items of the span, as `span.effects`)")
            )
        if wanted != "list" and checked.type != wanted:
            self._issues.append(node.issue(f"{what} is {article(checked.type)} (it must be {article(wanted)})"))
        parts = clauses(tree) if wanted == "bool" else ()
        return self._built(node, tree, scope, item, parts if len(parts) > 1 else ())

    def _is_citable(self, type_name: str) -> bool:
        """A decision cites an item by a text that names it and the message that introduced it."""
        record = self._schema.types.get(type_name)
        types = {field.name: field.type for field in record.fields} if record else {}
        return types.get("message") == "int" and "string" in types.values()

    def _built(self, node: Node, tree: SyntaxNode, scope: Scope, item: str, parts: tuple[SyntaxNode, ...]) -> Expression:
        text = str(node.value)
        line, column = node.place(tree.start)
        return Expression(
            text=text[tree.start : tree.end],
            cel=scope.write_out(text, tree),
            reads=scope.reads(tree),
            line=line,
            column=column,
            item=item,
            clauses=tuple(self._built(node, part, scope, "", ()) for part in parts),
        )

    def check(self, node: Node, scope: Scope) -> tuple[SyntaxNode | None, Variable | None]:
        """The tree and the checked form of an expression, None with issues where it is not right."""
        text = node.value
        if not isinstance(text, str):
            how = f' (write it in quotes: "{kind(node).strip("`")}")' if isinstance(text, bool) else ""
            self._issues.append(node.issue(f"{kind(node)} where an expression is needed{how}"))
            return None, None
        self._check_comment(node, text)
        tree, problems = parse_expression(text)
        checked = None
        if tree is not None:
            checked, more = check(text, tree, scope)
            problems = (*problems, *more)
        for problem in problems:
            line, column = node.place(problem.offset)
            self._issues.append(Issue(file=node.file, line=line, column=column, message=problem.message, path=node.path))
        if problems or checked is None:
            return tree, None
        return tree, checked if self._compiles(node, checked) else None

    def _check_comment(self, node: Node, text: str) -> None:
        """Refuse a comment in a folded text: what stands in the lines below it would be a part of it."""
        start = next((match.start(1) for match in _COMMENT.finditer(text) if match[1]), None) if node.is_folded else None
        if start is not None:
            line, column = node.place(start)
            message = "a comment in a folded text takes the rest of the text with it (use a block with `|`)"
            self._issues.append(Issue(file=node.file, line=line, column=column, message=message, path=node.path))

    def _compiles(self, node: Node, checked: Variable) -> bool:
        """A last look by the engine itself, as long as all is well: what stands around a broken variable can't compile."""
        if self._issues:
            return True
        try:
            self._engine.compile(checked.cel)
        except ExpressionError as error:
            self._issues.append(node.issue(f"{self._engine.name} refuses the expression: {' '.join(str(error).split())}"))
            return False
        return True
