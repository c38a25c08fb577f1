"""The static type check: an expression against the declared schema, whichever engine is installed.

Unknown names and fields, unknown variables, mixed types and conditions that are no booleans are found here, at load, with
their offset. What passes can fail on a record only by an index out of range, a division by zero or an overflow.
"""

from __future__ import annotations

from collections.abc import Mapping

from barrier_policy.join.schema import ROOT, SCALARS, element
from barrier_policy.policy.cel.scope import Scope, Variable, article
from barrier_policy.policy.cel.syntax import LOGIC, Node, Problem, ProblemKind, is_variable
from barrier_policy.policy.hints import listing, suggestion

MAX_DEPTH = 24
MAX_LOOPS = 8
MAX_CEL_LENGTH = 8_000
UNKNOWN = ""
"""The type of what is already reported: it fits everywhere, so that one mistake is one message."""


def check(text: str, node: Node, scope: Scope) -> tuple[Variable | None, list[Problem]]:
    """The checked form of an expression, or None with what is wrong with it."""
    checker = _Checker(text, scope)
    found = checker.type_of(node, {})
    depth, loops = checker.measure(node)
    if depth > MAX_DEPTH:
        checker.refuse(
            node,
            f"the expression is nested {depth} deep with its variables (at most {MAX_DEPTH})",
            kind=ProblemKind.COST,
        )
    if loops > MAX_LOOPS:
        checker.refuse(
            node, f"the expression has {loops} loops with its variables (at most {MAX_LOOPS})", kind=ProblemKind.COST
        )
    if checker.problems:
        return None, checker.problems
    cel = scope.write_out(text, node)
    if len(cel) > MAX_CEL_LENGTH:
        message = f"the expression has {len(cel):,} characters with its variables (at most {MAX_CEL_LENGTH:,})"
        return None, [Problem(0, message, ProblemKind.COST)]
    return Variable(type=found, cel=cel, reads=scope.reads(node), depth=depth, loops=loops), []


class _Checker:
    """One walk over one expression; `names` maps loop variables to their types."""

    def __init__(self, text: str, scope: Scope) -> None:
        self.text = text
        self.scope = scope
        self.problems: list[Problem] = []

    def refuse(self, node: Node, message: str, offset: int | None = None, kind: ProblemKind = ProblemKind.TYPE) -> str:
        self.problems.append(Problem(node.start if offset is None else offset, message, kind))
        return UNKNOWN

    def unknown(self, node: Node, message: str, offset: int | None = None) -> str:
        return self.refuse(node, message, offset, ProblemKind.NAME)

    def words(self, node: Node) -> str:
        """A piece of the expression, for a message."""
        piece = " ".join(self.text[node.start : node.end].split())
        return f"`{piece if len(piece) <= 60 else piece[:57] + '...'}`"

    def measure(self, node: Node) -> tuple[int, int]:
        """Depth and number of loops, variables written out. A long `&&` costs cel-python a level for every eight terms."""
        if is_variable(node):
            variable = self.scope.variables.get(str(node.value))
            return (variable.depth + 1, variable.loops) if variable else (1, 0)
        measures = [self.measure(arg) for arg in node.args]
        depth = 1 + max((depth for depth, _ in measures), default=0) + (len(node.args) // 8 if node.op in LOGIC else 0)
        loops = sum(loops for _, loops in measures)
        if node.op != "loop":
            return depth, loops
        if measures[1][1]:
            message = "a loop inside a loop is not allowed (use `in`, or a field that the record already has joined)"
            self.refuse(node, message, kind=ProblemKind.COST)
        return depth, loops + 1

    def type_of(self, node: Node, names: Mapping[str, str]) -> str:
        match node.op:
            case "literal":
                return {bool: "bool", int: "int", str: "string"}[type(node.value)]
            case "name":
                return self.name(node, names)
            case "select":
                return self.select(node, names)
            case "group":
                return self.type_of(node.args[0], names)
            case "loop":
                return self.loop(node, names)
            case "has":
                self.type_of(node.args[0], names)
                return "bool"
            case "list":
                return self.list_of(node, names)
            case "index":
                return self.index(node, names)
            case "call" | "method":
                return self.function(node, [self.type_of(arg, names) for arg in node.args])
            case "refused":
                return UNKNOWN
            case _:
                return self.operator(node, [self.type_of(arg, names) for arg in node.args])

    def name(self, node: Node, names: Mapping[str, str]) -> str:
        name = str(node.value)
        if name in names:
            return names[name]
        if name in ("span", "variables"):
            return self.refuse(node, f"`{name}` can't stand alone (write `{name}.` and a field)")
        hint = suggestion(name, ["span", "variables", *names])
        return self.unknown(node, f"unknown name `{name}` {hint.replace('variables)', 'variables; a text needs quotes)')}")

    def select(self, node: Node, names: Mapping[str, str]) -> str:
        operand, name = node.args[0], str(node.value)
        at = node.end - len(name)
        if is_variable(node):
            variable = self.scope.variables.get(name)
            if variable is not None:
                return variable.type
            if name in self.scope.later:
                return self.unknown(node, f"variable `{name}` is declared further below (one can name those above it)", at)
            return self.unknown(node, f"unknown variable `{name}` {suggestion(name, self.scope.variables)}", at)
        is_root = operand.op == "name" and operand.value == "span"
        record = ROOT if is_root else self.type_of(operand, names)
        if record == UNKNOWN:
            return UNKNOWN
        if not self.scope.is_record(record):
            how = "(use exists, all, filter or an index)" if element(record) else "(only records have fields)"
            return self.refuse(node, f"{self.words(operand)} is {article(record)} and has no field `{name}` {how}", at)
        field = self.scope.field(record, name)
        if field is None:
            known = [field.name for field in self.scope.schema.types[record].fields]
            shown = self.scope.schema.types[record].shown
            return self.unknown(node, f"`{shown}` has no field `{name}` {suggestion(name, known)}", at)
        return field.type

    def loop(self, node: Node, names: Mapping[str, str]) -> str:
        items, body = node.args
        listed = self.type_of(items, names)
        item = element(listed) if listed else UNKNOWN
        if item is None:
            self.refuse(items, f"{self.words(items)} is {article(listed)} (`{node.value}` needs a list)")
            item = UNKNOWN
        if node.variable in names:
            self.refuse(node, f"the name `{node.variable}` is already used by an outer loop")
        result = self.type_of(body, {**names, node.variable: item})
        if node.value == "map":
            if element(result) is not None:
                self.refuse(body, "`map` can't make lists of lists")
            return f"list({result})" if result else UNKNOWN
        self.expect(body, result, "bool", f"the body of `{node.value}`")
        return listed if node.value == "filter" else "bool"

    def expect(self, node: Node, found: str, wanted: str, what: str) -> None:
        if found not in (wanted, UNKNOWN):
            self.refuse(node, f"{what} is {article(found)} (it must be {article(wanted)})")

    def list_of(self, node: Node, names: Mapping[str, str]) -> str:
        types = [self.type_of(arg, names) for arg in node.args]
        if not types:
            return self.refuse(node, "an empty list has no type (compare `size` with 0)")
        if UNKNOWN in types:
            return UNKNOWN
        if len(set(types)) > 1 or types[0] not in SCALARS:
            return self.refuse(node, f"the list mixes {listing(set(types))} (all must be strings, or ints, or bools)")
        return f"list({types[0]})"

    def index(self, node: Node, names: Mapping[str, str]) -> str:
        listed = self.type_of(node.args[0], names)
        item = element(listed) if listed else UNKNOWN
        if item is None:
            return self.refuse(node, f"{self.words(node.args[0])} is {article(listed)} (only lists have an index)")
        return item

    def function(self, node: Node, types: list[str]) -> str:
        name, given = str(node.value), len(types)
        wanted = 1 if name in ("size", "string") else 2
        if given != wanted:
            shape = f"x.{name}(y)" if wanted == 2 else f"{name}(x)"
            return self.refuse(node, f"`{name}` has the wrong number of arguments (write `{shape}`)")
        if name == "size":
            if types[0] and types[0] != "string" and element(types[0]) is None:
                self.refuse(node, f"`size` of {article(types[0])} (it needs a string or a list)")
            return "int"
        if name == "string":
            if types[0] not in ("int", "string", UNKNOWN):
                self.refuse(node, f"`string` of {article(types[0])} (it needs an int; a bool can be spelt out with `? :`)")
            return "string"
        for arg, found in zip(node.args, types, strict=True):
            self.expect(arg, found, "string", self.words(arg))
        return "bool"

    def operator(self, node: Node, types: list[str]) -> str:
        op = node.op
        if op in LOGIC or op == "!":
            for arg, found in zip(node.args, types, strict=True):
                self.expect(arg, found, "bool", self.words(arg))
            return "bool"
        if op == "?:":
            self.expect(node.args[0], types[0], "bool", self.words(node.args[0]))
            return self.same(node, types[1:])
        if op == "in":
            return self.membership(node, types)
        if op in ("==", "!="):
            self.comparable(node, types, SCALARS)
            return "bool"
        if op in ("<", "<=", ">", ">="):
            self.comparable(node, types, ("string", "int"))
            return "bool"
        return self.comparable(node, types, ("string", "int") if op == "+" else ("int",))

    def same(self, node: Node, types: list[str]) -> str:
        known = [found for found in types if found != UNKNOWN]
        if len(set(known)) > 1:
            kinds = " and ".join(article(found) for found in known)
            how = "`string(x)` makes a number a text" if node.op == "+" and {*known} == {"int", "string"} else ""
            return self.refuse(node, f"`{node.op}` joins {kinds} ({how or 'both sides must have the same type'})")
        return known[0] if known else UNKNOWN

    def comparable(self, node: Node, types: list[str], allowed: tuple[str, ...]) -> str:
        common = self.same(node, types)
        if common not in (*allowed, UNKNOWN):
            operator = "-" if node.op == "negate" else node.op
            return self.refuse(node, f"`{operator}` does not work on {article(common)} (it works on {listing(allowed)})")
        return common

    def membership(self, node: Node, types: list[str]) -> str:
        item = element(types[1]) if types[1] else UNKNOWN
        if item is None or (item and item not in SCALARS):
            found = f"{self.words(node.args[1])} is {article(types[1])}"
            self.refuse(node.args[1], f"{found} (`in` needs a list of strings, ints or bools)")
        elif item and types[0] and item != types[0]:
            self.refuse(node, f"`in` looks for {article(types[0])} in a {types[1]}")
        return "bool"
