"""Lint rules about conditions: what can't be evaluated, what never or always holds, what does not count."""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.policy.cel.scope import article
from barrier_policy.policy.cel.syntax import Node, ProblemKind
from barrier_policy.policy.lint.behaviour import always_true, observe, observe_when, words
from barrier_policy.policy.lint.model import Edit, Hit, Level, lint_rule
from barrier_policy.policy.lint.names import in_expression, problems
from barrier_policy.policy.lint.source import Behaviour, SourceExpression, SourceFile, SourceRule, Sources
from barrier_policy.policy.yaml import Node as YamlNode

_GUARDS = {
    "index": "guard it with `size(…) > n &&`",
    "/": "guard it with `… != 0 &&`",
    "%": "guard it with `… != 0 &&`",
}
_POSTFIX = {"name", "select", "index", "method", "call", "has", "group", "loop", "literal"}


def observed(sources: Sources) -> Iterator[tuple[SourceFile, SourceRule, SourceExpression, Behaviour]]:
    """The rules that can be evaluated, each with its condition and what it does."""
    for file, rule in sources.rules():
        behaviour, condition = observe(file, rule, sources), rule.expression("condition")
        if behaviour is not None and condition is not None:
            yield file, rule, condition, behaviour


@lint_rule("syntax-error", Level.ERROR)
def syntax_error(sources: Sources) -> Iterator[Hit]:
    """An expression is no CEL.

    Why: The set is refused and nothing is decided.
    Bad:
        condition: "span.tokens > > 3"
        #                         ^
    Good:
        condition: "span.tokens > 3"
    """
    return problems(sources, ProblemKind.SYNTAX)


@lint_rule("outside-subset", Level.ERROR)
def outside_subset(sources: Sources) -> Iterator[Hit]:
    """An expression uses CEL on which the engines do not agree, or a function that does not exist.

    Why: A decision must not depend on which engine is installed. The page on policies has the table of what is allowed.
    Bad:
        condition: "span.tokens > 3.5"
        #                         ^
    Good:
        condition: "span.tokens > 3"
    """
    return problems(sources, ProblemKind.SUBSET)


@lint_rule("type-mismatch", Level.ERROR)
def type_mismatch(sources: Sources) -> Iterator[Hit]:
    """An expression mixes types, or has another type than it must have.

    Why: One engine would say false and the other would err. A condition that is no boolean would be neither true nor false.
    Bad:
        condition: "span.tokens > '4000'"
        #           ^
    Good:
        condition: "span.tokens > 4000"
    """
    yield from problems(sources, ProblemKind.TYPE)
    wanted = {"condition": "bool", "explanation": "string", "when": "bool"}
    for _, expression in sources.expressions():
        must = wanted.get(expression.key)
        if expression.checked and must and expression.checked.type != must:
            what = f"`{expression.key}`" if expression.key == "when" else f"the {expression.key}"
            found, needed = article(expression.checked.type), article(must)
            yield in_expression(expression, 0, f"{what} is {found} (it must be {needed})")


@lint_rule("costly-nesting", Level.ERROR)
def costly_nesting(sources: Sources) -> Iterator[Hit]:
    """An expression is too deep, too long, or has a loop in a loop.

    Why: Transcripts come from anywhere. A loop in a loop over a thousand items is a million steps for each span.
    Bad:
        condition: "span.effects.exists(e, span.bindings.exists(b, b.name == e.key))"
        #           ^
    Good:
        condition: "span.effects.exists(e, e.unsettled) && span.bindings.exists(b, b.open)"
    """
    return problems(sources, ProblemKind.COST)


@lint_rule("contradictory-condition", Level.WARNING)
def contradictory_condition(sources: Sources) -> Iterator[Hit]:
    """A condition is not true on any record that it can tell apart.

    Why: The rule never speaks: a barrier protects nothing, a permit permits nothing.
    Bad:
        condition: "span.effects.exists(e, e.state == 'started' && e.state == 'partial')"
        #           ^
    Good:
        condition: "span.effects.exists(e, e.state == 'started' || e.state == 'partial')"
    """
    for _, rule, condition, seen in observed(sources):
        if seen.is_complete and not seen.holds:
            yield in_expression(
                condition,
                _start(condition),
                f"the condition of `{rule.id}` is never true on {seen.records} generated records",
            )
    for file in sources.linted("Exception"):
        seen_when = observe_when(file, sources)
        if file.when and seen_when and seen_when.is_complete and not seen_when.holds:
            message = f"`when` is never true on {seen_when.records} generated records (the exception covers nothing)"
            yield in_expression(file.when, _start(file.when), message)


@lint_rule("always-true-permit", Level.ERROR)
def always_true_permit(sources: Sources) -> Iterator[Hit]:
    """The condition of a permit is true on every record that it can tell apart.

    Why: Everything that no barrier names may then go, which is what the default is there to prevent.
    Bad:
        effect: permit
        repair:
        condition: "span.tokens >= 0"
        #           ^
        explanation: "'it is small'"
    Good:
        effect: permit
        repair:
        condition: "span.tokens <= 40"
        explanation: "'it is small'"
    """
    for _, rule, condition, seen in observed(sources):
        if not rule.is_barrier and always_true(seen):
            message = f"permit `{rule.id}` is true on all {seen.records} generated records"
            yield in_expression(condition, _start(condition), message)


@lint_rule("always-true-barrier", Level.WARNING)
def always_true_barrier(sources: Sources) -> Iterator[Hit]:
    """The condition of a barrier is true on every record that it can tell apart.

    Why: A gate that blocks everything for ever gets switched off.
    Bad:
        condition: "span.tokens < 10 || span.tokens >= 10"
        #           ^
    Good:
        condition: "span.tokens < 10"
    """
    for _, rule, condition, seen in observed(sources):
        if rule.is_barrier and always_true(seen):
            message = f"barrier `{rule.id}` is true on all {seen.records} generated records"
            yield in_expression(condition, _start(condition), message)


def _start(expression: SourceExpression) -> int:
    return expression.tree.start if expression.tree else 0


@lint_rule("unreachable-clause", Level.WARNING)
def unreachable_clause(sources: Sources) -> Iterator[Hit]:
    """Without one of its clauses the condition says the same on every record that it can tell apart.

    Why: Somebody reads the clause as a safeguard, and it is none.
    Bad:
        condition: "span.tokens > 100 && span.tokens > 50"
        #                                ^
    Good:
        condition: "span.tokens > 100 && size(span.unknowns) > 0"
    """
    for _, _, condition, seen in observed(sources):
        if seen.is_complete and seen.holds and seen.fails:
            for clause in seen.idle:
                message = f"clause `{words(condition, clause)}` changes nothing on {seen.records} generated records"
                yield in_expression(condition, clause.start, message)


@lint_rule("unguarded-index", Level.WARNING)
def unguarded_index(sources: Sources) -> Iterator[Hit]:
    """A condition can err on a valid record: an index without a look at the size, or a division by what may be zero.

    Why: An error in a barrier binds the span, an error in a permit permits nothing; neither is what the author meant.
    Bad:
        condition: "span.unknowns[0].what == 'orphan_result'"
        #           ^
    Good:
        condition: "size(span.unknowns) > 0 && span.unknowns[0].what == 'orphan_result'"
    """
    for _, rule, condition, seen in observed(sources):
        if seen.errs:
            risky = next((node for node in condition.walk() if node.op in _GUARDS), condition.tree)
            assert risky is not None
            how = _GUARDS.get(risky.op, "guard its variables, and keep its numbers small")
            message = f"`{words(condition, risky)}` of `{rule.id}` errs on a generated record ({how})"
            yield in_expression(condition, risky.start, message)


@lint_rule("redundant-comparison", Level.INFO)
def redundant_comparison(sources: Sources) -> Iterator[Hit]:
    """A boolean is compared with `true` or `false`.

    Why: The boolean says it already, and shorter conditions have fewer places for a mistake.
    Bad:
        condition: "span.effects.exists(e, e.unsettled == true)"
        #                                              ^
    Good:
        condition: "span.effects.exists(e, e.unsettled)"
    Fix: `x == true` becomes `x`, `x == false` becomes `!x`; the same on every record.
    """
    files = {file.name: file for file in sources.linted()}
    for file, expression in sources.expressions():
        for node in expression.walk() if expression.checked else ():
            if node.op in ("==", "!=") and node.args[1].op == "literal" and isinstance(node.args[1].value, bool):
                at = expression.text.index(node.op, node.args[0].end)
                yield in_expression(
                    expression,
                    at,
                    f"`{words(expression, node)}` compares a boolean",
                    _simpler(files[file.name], expression, node),
                )


def _simpler(file: SourceFile, expression: SourceExpression, node: Node) -> tuple[Edit, ...]:
    operand, literal = node.args
    yaml: YamlNode = expression.node
    if not yaml.source or "\n" in yaml.source or "\\" in yaml.source or "''" in yaml.source:
        return ()  # offsets of the text and of the file differ
    quoted = yaml.source[:1] in ("'", '"')
    begin = file.offset(yaml.line, yaml.column) + quoted
    drop = Edit(file=file.name, start=begin + operand.end, end=begin + literal.end)
    if (node.op == "==") == literal.value:
        return (drop,)
    if operand.op not in _POSTFIX or not quoted:  # a plain YAML text must not begin with `!`
        return ()
    return (Edit(file=file.name, start=begin + operand.start, end=begin + operand.start, text="!"), drop)


RULES = (
    syntax_error,
    outside_subset,
    type_mismatch,
    costly_nesting,
    contradictory_condition,
    always_true_permit,
    always_true_barrier,
    unreachable_clause,
    unguarded_index,
    redundant_comparison,
)
