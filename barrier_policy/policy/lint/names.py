"""Lint rules about names: of fields, variables, rules, values and repairs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from barrier_policy.join.schema import ROOT, SCALARS, element
from barrier_policy.policy.cel.syntax import Node as SyntaxNode
from barrier_policy.policy.cel.syntax import ProblemKind, is_variable
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.lint.model import Edit, Hit, Level, at, at_key, lint_rule
from barrier_policy.policy.lint.records import documented_values
from barrier_policy.policy.lint.source import SourceExpression, SourceFile, SourceRule, Sources, fields_of, items_of
from barrier_policy.policy.model import Repair
from barrier_policy.policy.yaml import Node

_INDENT = re.compile(" *")
_COMMENT = re.compile("( *)#")


def problems(sources: Sources, kind: ProblemKind) -> Iterator[Hit]:
    """What the check of expressions says of one kind."""
    for _, expression in sources.expressions():
        for problem in expression.problems:
            if problem.kind is kind:
                yield in_expression(expression, problem.offset, problem.message)


def in_expression(expression: SourceExpression, offset: int, message: str, edits: tuple[Edit, ...] = ()) -> Hit:
    """A hit at a character of an expression."""
    node = expression.node
    line, column = node.place(offset)
    return Hit(file=node.file, line=line, column=column, message=message, path=node.path, edits=edits)


@lint_rule("unknown-fact", Level.ERROR)
def unknown_fact(sources: Sources) -> Iterator[Hit]:
    """An expression names a field or a variable that does not exist.

    Why: A misspelt field would be absent on every span. The record is closed, so the loader refuses the set and nothing is decided.
    Bad:
        condition: "span.effects.exists(e, e.unsetled)"
        #                                    ^
    Good:
        condition: "span.effects.exists(e, e.unsettled)"
    """
    return problems(sources, ProblemKind.NAME)


@lint_rule("unknown-value", Level.WARNING)
def unknown_value(sources: Sources) -> Iterator[Hit]:
    """A field is compared with a text that its documentation does not list.

    Why: The comparison is legal and never true, so a barrier with it protects nothing. The loader can't tell, because a text is a text.
    Bad:
        condition: "span.effects.exists(e, e.state == 'stared')"
        #                                             ^
    Good:
        condition: "span.effects.exists(e, e.state == 'started')"
    """
    for _, expression in sources.expressions():
        for node in expression.walk() if expression.checked else ():
            if node.op in ("==", "!=", "in"):
                yield from _strange_values(expression, node, sources)


def _strange_values(expression: SourceExpression, node: SyntaxNode, sources: Sources) -> Iterator[Hit]:
    sides = node.args if node.op != "in" else node.args[:1]
    known = next((values for side in sides if (values := _values_of(expression, side, sources))), ())
    literals = [part for side in node.args for part in (side.args if side.op == "list" else (side,)) if part.op == "literal"]
    for literal in literals if known else ():
        if literal.value not in known:
            words = [value for value in known if value]
            yield in_expression(
                expression, literal.start, f"`{literal.value}` is never its value {suggestion(str(literal.value), words)}"
            )


def _values_of(expression: SourceExpression, node: SyntaxNode, sources: Sources) -> tuple[str, ...]:
    """The documented values of a field that is read through `span` or a loop variable."""
    if node.op != "select" or node.args[0].op not in ("name", "select", "index"):
        return ()
    holder = _record_of(expression, node.args[0])
    field = expression.scope.field(holder, str(node.value)) if holder in sources.schema.types else None
    return documented_values(field) if field else ()


def _record_of(expression: SourceExpression, node: SyntaxNode) -> str:
    """The record type of `span`, a loop variable, a field of records or an item; empty where it is none of these."""
    if node.op == "name" and node.value == "span":
        return ROOT
    if node.op == "name":
        loops = [part for part in expression.walk() if part.op == "loop" and part.variable == node.value]
        loop = next((part for part in loops if part.start <= node.start < part.end), None)
        return _record_of(expression, loop.args[0]) if loop else ""
    if node.op in ("index", "group") or (node.op == "loop" and node.value == "filter"):
        return _record_of(expression, node.args[0])
    if node.op != "select":
        return ""
    if is_variable(node):
        variable = expression.scope.variables.get(str(node.value))
        return (element(variable.type) or variable.type) if variable else ""
    holder = _record_of(expression, node.args[0])
    field = expression.scope.field(holder, str(node.value)) if holder else None
    found = (element(field.type) or field.type) if field else ""
    return "" if found in SCALARS else found


@lint_rule("unknown-repair", Level.ERROR)
def unknown_repair(sources: Sources) -> Iterator[Hit]:
    """A rule names a repair that nobody can do.

    Why: The gate does `rebind` and `archive`, others do `confirm` and `discharge`. Another word lifts nothing, so the set is refused.
    Bad:
        repair: [rebnd]
        #        ^
    Good:
        repair: [rebind]
    """
    known = [str(repair) for repair in Repair]
    for _, rule in sources.rules():
        for item in items_of(rule.fields.get("repair")):
            if item.value not in known:
                yield at(item, f"unknown repair `{item.value}` {suggestion(str(item.value), known)}")


@lint_rule("duplicate-id", Level.ERROR)
def duplicate_id(sources: Sources) -> Iterator[Hit]:
    """Two rules of one folder have the same id.

    Why: A decision cites a rule by its id; a reader could not tell which of the two made it. Only a later folder may replace a rule.
    Bad:
        - {id: example.keep, effect: barrier, severity: high, summary: One., why: Because., references: [a], since: 1.0.0, condition: span.tokens > 1, explanation: "'a'", repair: [confirm]}
        - {id: example.keep, effect: barrier, severity: high, summary: Two., why: Because., references: [a], since: 1.0.0, condition: span.tokens > 2, explanation: "'b'", repair: [confirm]}
        # ^
    Good:
        - {id: example.keep-one, effect: barrier, severity: high, summary: One., why: Because., references: [a], since: 1.0.0, condition: span.tokens > 1, explanation: "'a'", repair: [confirm]}
        - {id: example.keep-two, effect: barrier, severity: high, summary: Two., why: Because., references: [a], since: 1.0.0, condition: span.tokens > 2, explanation: "'b'", repair: [confirm]}
    """
    seen: dict[tuple[int, str], Node] = {}
    for file, rule in sources.all_rules():
        if rule.base is not None:
            continue
        earlier = seen.setdefault((file.layer, rule.id), rule.node)
        if rule.id and file.linted and earlier is not rule.node:
            yield at(rule.node, f"rule id `{rule.id}` is already used at {earlier.file}:{earlier.line}:{earlier.column}")


@lint_rule("loosens-locked-rule", Level.ERROR)
def loosens_locked_rule(sources: Sources) -> Iterator[Hit]:
    """A rule or a patch of an overlay changes a locked rule of a folder below.

    Why: `locked` promises reviewers that no team can weaken the rule. Add a rule with another id: it can only tighten.
    Bad:
        id: effects.unsettled
        #^
        condition: "span.effects.exists(e, e.unsettled && e.class != 'read_only')"
    Good:
        id: example.keep-irreversible
        condition: "span.effects.exists(e, e.unsettled && e.class == 'irreversible')"
    """
    locked = locked_rules(sources)
    for file, rule in sources.rules():
        below, earlier = locked.get(rule.id, (file, rule))
        if below.layer < file.layer:
            yield at(rule.node, f"rule `{rule.id}` is locked at {lock_place(below, earlier)} (add a rule with another id)")


def locked_rules(sources: Sources) -> dict[str, tuple[SourceFile, SourceRule]]:
    """By id what is locked, as it was first: what a later folder says of such a rule counts for nothing."""
    locked: dict[str, tuple[SourceFile, SourceRule]] = {}
    for file, rule in sources.all_rules():
        if rule.is_locked:
            locked.setdefault(rule.id, (file, rule))
    return locked


def lock_place(file: SourceFile, rule: SourceRule) -> str:
    """Where a locked rule was locked: by a patch, at its `locked`, else where the rule stands."""
    if rule.base is not None and rule.base[1].is_locked:
        return lock_place(*rule.base)
    node = rule.node
    line, column = (
        (rule.fields["locked"].key_line, rule.fields["locked"].key_column) if rule.base else (node.line, node.column)
    )
    return f"{file.name}:{line}:{column}"


@lint_rule("unused-variable", Level.WARNING)
def unused_variable(sources: Sources) -> Iterator[Hit]:
    """A variable is declared and no expression of the file reads it.

    Why: A reader looks for what it is for, and finds a rule that somebody forgot to finish or to take away.
    Bad:
        variables:
          - {name: large, expression: "span.tokens > 4000"}
        #          ^
        condition: "size(span.unknowns) > 0"
    Good:
        variables:
          - {name: large, expression: "span.tokens > 4000"}
        condition: "variables.large && size(span.unknowns) > 0"
    Fix: The declaration is taken away; the digest of the policies stays the same.
    """
    for file in sources.linted("Policy"):
        used = set(_variables_read(file))
        readable = all(found.tree for found in _expressions(file))
        for variable in file.variables if readable else ():
            if variable.name not in used:
                edits = _without_item(file, file.fields["variables"], variable.node)
                name = fields_of(variable.node)["name"]
                yield at(name, f"no expression reads variable `{variable.name}`", edits)


def _expressions(file: SourceFile) -> Iterator[SourceExpression]:
    yield from (variable.expression for variable in file.variables)
    yield from (found for rule in file.rules for found in rule.expressions)


def _variables_read(file: SourceFile) -> Iterator[str]:
    for expression in _expressions(file):
        for node in expression.walk():
            if is_variable(node):
                yield str(node.value)


def _without_item(file: SourceFile, variables: Node, item: Node) -> tuple[Edit, ...]:
    """Takes whole lines: of the item, or of all `variables` where it is the only one, with the comment above. None where lines are shared."""
    items = items_of(variables)
    if items[0].line == variables.key_line:  # `variables: [{…}]` on one line
        return ()
    start = variables.key_line if len(items) == 1 else item.line
    after = [other.line for other in items if other.line > item.line]
    after += [node.key_line for node in file.fields.values() if node.key_line > item.line]
    if not after:
        return ()
    first, next_one = (_with_comment(file, line) for line in (start, min(after)))
    return (Edit(file=file.name, start=file.offset(first, 1), end=file.offset(next_one, 1)),)


def _with_comment(file: SourceFile, line: int) -> int:
    """The first line of the comment right above a line, no deeper than it: that is about what begins there."""
    depth = len(_INDENT.findall(file.text, *file.lines[line - 1])[0])
    while line > 1 and (comment := _COMMENT.match(file.text, *file.lines[line - 2])) and len(comment[1]) <= depth:
        line -= 1
    return line


@lint_rule("shadow-for-ever", Level.WARNING)
def shadow_for_ever(sources: Sources) -> Iterator[Hit]:
    """A rule is still in mode `shadow` or `warn` though its policy has had a new version since.

    Why: These modes are for a trial. A rule that stays in one protects nothing, and readers take it for a rule.
    Bad:
        since: 0.9.0
        mode: shadow
        #     ^
    Good:
        since: 1.0.0
        mode: shadow
    """
    for file, rule in sources.rules():
        version = fields_of(file.fields.get("metadata")).get("version")
        on_trial = rule.text("mode") in ("shadow", "warn")
        if on_trial and version is not None and rule.text("since") not in ("", version.value):
            yield at(rule.fields["mode"], _shadow_message(rule, str(version.value)))


def _shadow_message(rule: SourceRule, version: str) -> str:
    mode = rule.text("mode")
    return f"rule `{rule.id}` is in mode `{mode}` since {rule.text('since')}, now is {version} (enforce it or take it away)"


@lint_rule("missing-since", Level.INFO)
def missing_since(sources: Sources) -> Iterator[Hit]:
    """A rule does not say since which version of its policy it exists.

    Why: Whoever reads an old decision wants to know whether the rule existed then.
    Bad:
        since:
        #^
    Good:
        since: 1.0.0
    """
    for _, rule in sources.rules():
        if "since" not in rule.fields:
            yield missing(rule, "since", f"rule `{rule.id}` has no `since` (give the version of the policy)")


def missing(rule: SourceRule, key: str, message: str) -> Hit:
    """A hit at a key without a value, or at the rule where there is no such key."""
    written = fields_of(rule.node).get(key)
    return at_key(written, message) if written else at(rule.node, message)


RULES = (
    unknown_fact,
    unknown_value,
    unknown_repair,
    duplicate_id,
    loosens_locked_rule,
    unused_variable,
    shadow_for_ever,
    missing_since,
)
