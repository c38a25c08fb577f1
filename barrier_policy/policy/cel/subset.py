"""The subset of CEL on which both engines agree. Text goes in, a syntax tree comes out, and everything else is refused.

The table of what is allowed is at the top of this file. What is left out is left out because the engines differ on it
(doubles, maps, negative indices, `string(bool)`, comparison of lists), because only one has it, or because no condition
needs it. cel-python's parser is used whichever engine evaluates, so a policy that loads with one loads with the other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from celpy.celparser import CELParseError, CELParser
from lark import Token, Tree

from barrier_policy.policy.cel.literals import is_pattern, read_integer, read_string
from barrier_policy.policy.cel.syntax import Node, Problem, ProblemKind
from barrier_policy.policy.hints import suggestion, syntax_hint

MAX_REMEMBERED = 512
"""Expressions."""
LOOPS = ("all", "exists", "exists_one", "filter", "map")
CALLS = ("has", "size", "string")
METHODS = ("contains", "endsWith", "matches", "size", "startsWith")
MAX_LENGTH = 2_000
MAX_TREE_HEIGHT = 300
"""Of cel-python's tree, where one pair of brackets counts ten; keeps our own walk far from the recursion limit."""

RESERVED = frozenset({
    "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop", "namespace",
    "null", "package", "return", "true", "var", "void", "while",  # these and those above are CEL's own
    "bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "null_type", "string", "timestamp", "type", "uint",
    "google", "has", "size", "span", "variables",
})  # fmt: skip
_LOOP_VARIABLE = re.compile(r"[a-z][a-z0-9_]*")
_BOOLEAN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|//[^\n]*|\b(true|false)\b""")
_BINARY = {
    "relation_lt": "<", "relation_le": "<=", "relation_gt": ">", "relation_ge": ">=", "relation_eq": "==", "relation_ne": "!=",
    "relation_in": "in", "addition_add": "+", "addition_sub": "-", "multiplication_mul": "*", "multiplication_div": "/",
    "multiplication_mod": "%",
}  # fmt: skip
_REFUSED = {
    "map_lit": "maps are not allowed (use the fields of the record)",
    "member_object": "message literals are not allowed",
    "dot_ident": "a leading `.` is not allowed",
    "dot_ident_arg": "a leading `.` is not allowed",
    "FLOAT_LIT": "fractions are not allowed (use whole numbers)",
    "UINT_LIT": "unsigned numbers are not allowed (leave out the `u`)",
    "BYTES_LIT": "bytes are not allowed (use a string)",
    "NULL_LIT": 'null is not allowed (absent values are `""`, 0, false or an empty list)',
    "MLSTRING_LIT": "triple quotes are not allowed (use a string in single or double quotes)",
}


@lru_cache(maxsize=MAX_REMEMBERED)
def parse_expression(text: str) -> tuple[Node | None, tuple[Problem, ...]]:
    """The tree, or None with what is wrong; problems that leave a readable tree come with it. The first one costs 0.1 to 0.3 s (cel-python's grammar).

    Remembered: two sets of policies that are compared, and a linter and its loader, share most texts.
    """
    if not text.strip():
        return None, (Problem(0, "the expression is empty", ProblemKind.SYNTAX),)
    if len(text) > MAX_LENGTH:
        message = f"the expression has {len(text):,} characters (at most {MAX_LENGTH:,})"
        return None, (Problem(0, message, ProblemKind.COST),)
    try:
        tree = CELParser().parse(text)
    except CELParseError as error:
        at = _offset(text, error.line, error.column)
        return None, (Problem(at, f"syntax error {syntax_hint(text, at)}", ProblemKind.SYNTAX),)
    if _height(tree) > MAX_TREE_HEIGHT:
        return None, (Problem(0, "the expression is nested too deeply (split it into variables)", ProblemKind.COST),)
    _place_booleans(text, tree)
    conversion = _Conversion(text)
    node = conversion.node(tree)
    return node, tuple(conversion.problems)


def _offset(text: str, line: int | None, column: int | None) -> int:
    lines = text.split("\n")
    return sum(len(before) + 1 for before in lines[: (line or 1) - 1]) + (column or 1) - 1


def _height(tree: Tree[Token]) -> int:
    """Of the tree, without recursion: the text may be hostile."""
    height, level = 0, [tree]
    while level:
        height += 1
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
    return height


def _place_booleans(text: str, tree: Tree[Token]) -> None:
    """Give `true` and `false` their places back: cel-python makes these tokens without, and their parents inherit it."""
    tokens = tree.scan_values(lambda child: isinstance(child, Token) and child.type == "BOOL_LIT")
    for token, match in zip(tokens, (match for match in _BOOLEAN.finditer(text) if match[1]), strict=False):
        token.start_pos, token.end_pos = match.span()


class _Conversion:
    """One walk over a parse tree; collects problems instead of stopping."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []

    def refuse(self, offset: int, message: str, kind: ProblemKind = ProblemKind.SUBSET) -> None:
        self.problems.append(Problem(offset, message, kind))

    def refused(self, tree: Tree[Token], message: str, offset: int | None = None) -> Node:
        """A node in the place of what can't be read: it has no type, so it is reported once."""
        self.refuse(_start(tree) if offset is None else offset, message)
        return Node(op="refused", start=_start(tree), end=_end(tree))

    def node(self, tree: Tree[Token]) -> Node:
        while len(tree.children) == 1 and isinstance(tree.children[0], Tree) and tree.data in _PASS_THROUGH:
            tree = tree.children[0]
        handler = _HANDLERS.get(tree.data)
        if handler is None:
            return self.refused(tree, _REFUSED[tree.data])
        return handler(self, tree)

    def build(self, tree: Tree[Token], op: str, args: list[Node], value: str | int | bool = "", variable: str = "") -> Node:
        """A node that reaches over the tree and all its arguments (see `_place_booleans`)."""
        start = min([_start(tree), *(arg.start for arg in args)])
        end = max([_end(tree), *(arg.end for arg in args)])
        return Node(op=op, args=tuple(args), value=value, variable=variable, start=start, end=end)

    def conditional(self, tree: Tree[Token]) -> Node:
        return self.build(tree, "?:", [self.node(child) for child in _trees(tree)])

    def logic(self, tree: Tree[Token]) -> Node:
        """`a && b && c` as one node: the parser nests it to the left, as deep as it is long."""
        op = "||" if tree.data == "conditionalor" else "&&"
        operands = []
        spine: Tree[Token] = tree
        while spine.data == tree.data and len(spine.children) == 2:
            spine, right = _trees(spine)
            operands.append(right)
        operands.append(spine)
        return self.build(tree, op, [self.node(operand) for operand in reversed(operands)])

    def binary(self, tree: Tree[Token]) -> Node:
        operator, right = _trees(tree)
        (left,) = _trees(operator)
        return self.build(tree, _BINARY[operator.data], [self.node(left), self.node(right)])

    def unary(self, tree: Tree[Token]) -> Node:
        operator, operand = _trees(tree)
        return self.build(tree, "!" if operator.data == "unary_not" else "negate", [self.node(operand)])

    def select(self, tree: Tree[Token]) -> Node:
        operand, field = tree.children
        assert isinstance(operand, Tree)
        return self.build(tree, "select", [self.node(operand)], str(field))

    def index(self, tree: Tree[Token]) -> Node:
        operand, index = (self.node(child) for child in _trees(tree))
        if index.op != "literal" or type(index.value) is not int or index.value < 0:
            self.refuse(index.start, "an index must be a whole number from 0 (use exists, all or filter to search)")
        return self.build(tree, "index", [operand, index])

    def method(self, tree: Tree[Token]) -> Node:
        receiver, token = tree.children[:2]
        assert isinstance(receiver, Tree) and isinstance(token, Token)
        name, arguments = str(token), _arguments(tree)
        if name in LOOPS:
            return self.loop(tree, self.node(receiver), name, arguments)
        if name not in METHODS:
            return self.refused(tree, f"unknown function `{name}` {suggestion(name, LOOPS + METHODS)}", token.start_pos)
        args = [self.node(receiver), *(self.node(argument) for argument in arguments)]
        if name == "matches" and len(args) == 2:
            self.pattern(args[1])
        return self.build(tree, "method", args, name)

    def loop(self, tree: Tree[Token], items: Node, name: str, arguments: list[Tree[Token]]) -> Node:
        if len(arguments) != 2:
            return self.refused(tree, f"`{name}` takes a variable and an expression")
        variable, body = self.node(arguments[0]), self.node(arguments[1])
        spelling = str(variable.value) if variable.op == "name" else ""
        if not _LOOP_VARIABLE.fullmatch(spelling) or spelling in RESERVED:
            self.refuse(
                variable.start,
                f"`{self.text[variable.start : variable.end]}` can't name an item (use a short lower-case name)",
            )
        return self.build(tree, "loop", [items, body], name, spelling)

    def pattern(self, node: Node) -> None:
        """A pattern must stand in the policy, so that a broken one is found when it is loaded."""
        if node.op != "literal" or not isinstance(node.value, str):
            self.refuse(node.start, "the pattern of `matches` must be a string in quotes")
        elif not is_pattern(node.value):
            self.refuse(node.start, f"`{node.value}` is no RE2 pattern")

    def call(self, tree: Tree[Token]) -> Node:
        name = str(tree.children[0])
        if name not in CALLS:
            return self.refused(tree, f"unknown function `{name}` {_written_after(name) or suggestion(name, CALLS)}")
        args = [self.node(argument) for argument in _arguments(tree)]
        if name != "has":
            return self.build(tree, "call", args, name)
        if len(args) != 1 or args[0].op != "select":
            return self.refused(tree, "`has` takes a field, as in `has(span.id)`")
        return self.build(tree, "has", args, name)

    def group(self, tree: Tree[Token]) -> Node:
        return self.build(tree, "group", [self.node(child) for child in _trees(tree)])

    def list_of(self, tree: Tree[Token]) -> Node:
        return self.build(tree, "list", [self.node(argument) for argument in _arguments(tree)])

    def name(self, tree: Tree[Token]) -> Node:
        return self.build(tree, "name", [], str(tree.children[0]))

    def literal(self, tree: Tree[Token]) -> Node:
        token = tree.children[0]
        assert isinstance(token, Token)
        if token.type == "BOOL_LIT":
            return Node(op="literal", value=token.value == "true", start=token.start_pos or 0, end=token.end_pos or 0)
        if token.type not in ("INT_LIT", "STRING_LIT"):
            return self.refused(tree, _REFUSED[token.type])
        value, problems = read_integer(token) if token.type == "INT_LIT" else read_string(token)
        for problem in problems:
            self.refuse((token.start_pos or 0) + problem.offset, problem.message)
        return self.build(tree, "literal", [], value)


def _written_after(name: str) -> str:
    """How a function is written that follows its value, for who wrote it before."""
    return f"(write it after its value: `x.{name}(…)`)" if name in (*LOOPS, *METHODS) else ""


def _start(tree: Tree[Token]) -> int:
    """Where a tree starts; far behind every text where the parser lost it (see `_place_booleans`)."""
    start = getattr(tree.meta, "start_pos", None)
    return MAX_LENGTH if start is None else int(start)


def _end(tree: Tree[Token]) -> int:
    return int(getattr(tree.meta, "end_pos", None) or 0)


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _arguments(tree: Tree[Token]) -> list[Tree[Token]]:
    """The expressions of the `exprlist` below a call, method or list."""
    return [argument for child in _trees(tree) if child.data == "exprlist" for argument in _trees(child)]


_PASS_THROUGH = {
    "expr",
    "conditionalor",
    "conditionaland",
    "relation",
    "addition",
    "multiplication",
    "unary",
    "member",
    "primary",
}
_HANDLERS = {
    "expr": _Conversion.conditional,
    "conditionalor": _Conversion.logic,
    "conditionaland": _Conversion.logic,
    "relation": _Conversion.binary,
    "addition": _Conversion.binary,
    "multiplication": _Conversion.binary,
    "unary": _Conversion.unary,
    "member_dot": _Conversion.select,
    "member_index": _Conversion.index,
    "member_dot_arg": _Conversion.method,
    "ident_arg": _Conversion.call,
    "paren_expr": _Conversion.group,
    "list_lit": _Conversion.list_of,
    "ident": _Conversion.name,
    "literal": _Conversion.literal,
}
