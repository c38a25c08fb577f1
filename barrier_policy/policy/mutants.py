"""Mutants of rules: each differs in one thing, and some case should notice it.

A clause is an operand of `&&` or `||` at any depth, also inside a loop. Mutants are made of the condition with its variables
written out; one that would not load is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.case_file import Case, Explained
from barrier_policy.policy.cases import differences
from barrier_policy.policy.cel.check import check
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.scope import Scope
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.cel.syntax import LOGIC, Node
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.model import Expression, Mode, Policy, PolicySet, Rule, RuleEffect
from barrier_policy.policy.verdict import RuleOutcome

SWAPS = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", ">": ">=", ">=": ">", "<": "<=", "<=": "<"}
LOOP_SWAPS = {"exists": "all", "all": "exists"}
EFFECTS = {RuleEffect.BARRIER: RuleEffect.PERMIT, RuleEffect.PERMIT: RuleEffect.BARRIER}
MODES = {Mode.ENFORCE: Mode.SHADOW, Mode.WARN: Mode.SHADOW, Mode.SHADOW: Mode.ENFORCE}


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """A changed rule; `mutation` says what was changed, and names it in `explained`."""

    policy: Policy
    original: Rule
    rule: Rule
    mutation: str


class Survivor(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that no case noticed. `why` is empty where nobody explained it."""

    file: str
    line: int
    rule: str
    mutation: str
    why: str = ""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """How many mutants were made, and those that survived.

    `stale` are explanations of mutants that do not survive, or do not exist. `too_long` are the rules whose condition, with variables
    written out, is too long to be read again: only their effect and mode were changed.
    """

    mutants: int
    survivors: tuple[Survivor, ...]
    stale: tuple[Explained, ...] = ()
    too_long: tuple[str, ...] = ()

    @property
    def unexplained(self) -> tuple[Survivor, ...]:
        """The survivors that nobody explained."""
        return tuple(found for found in self.survivors if not found.why)


def mutants_of(policy: Policy, rule: Rule, schema: RecordSchema) -> tuple[Mutant, ...]:
    """All mutants of a rule, each once, in the order of the condition's text; effect and mode last."""
    found: dict[str, Mutant] = {}
    for mutation, changed in (*_changed_conditions(rule, schema), *_changed_keys(rule)):
        number = sum(name == mutation or name.startswith(f"{mutation} #") for name in found)
        name = f"{mutation} #{number + 1}" if number else mutation
        found[name] = Mutant(policy=policy, original=rule, rule=changed, mutation=name)
    return tuple(found.values())


def run_mutants(
    policies: PolicySet,
    pairs: Iterable[tuple[Policy, Rule]],
    engine: Engine,
    cases: Iterable[Case],
    explained: Iterable[Explained],
) -> Mutation:
    """Run each mutant of some rules against cases that pass."""
    runner = _Runner(policies, engine, tuple(cases))
    reasons = {(entry.rule, entry.mutation): entry for entry in explained}
    chosen = list(pairs)
    mutants = [mutant for policy, rule in chosen for mutant in mutants_of(policy, rule, policies.schema)]
    survivors = [mutant for mutant in mutants if not runner.notices(mutant)]
    names = {(mutant.rule.id, mutant.mutation) for mutant in survivors}
    rules = {rule.id for _, rule in chosen}
    return Mutation(
        mutants=len(mutants),
        survivors=tuple(_survivor(mutant, reasons) for mutant in survivors),
        stale=tuple(entry for key, entry in reasons.items() if key not in names and entry.rule in rules),
        too_long=tuple(rule.id for _, rule in chosen if parse_expression(rule.condition.cel)[0] is None),
    )


def _survivor(mutant: Mutant, reasons: dict[tuple[str, str], Explained]) -> Survivor:
    explained = reasons.get((mutant.rule.id, mutant.mutation))
    return Survivor(
        file=mutant.policy.file,
        line=mutant.rule.condition.line,
        rule=mutant.rule.id,
        mutation=mutant.mutation,
        why=explained.why if explained else "",
    )


class _Runner:
    """Cases, with what every rule says about each; a mutant that says the same of a record needs no second look at it."""

    def __init__(self, policies: PolicySet, engine: Engine, cases: tuple[Case, ...]) -> None:
        self._policies = policies
        self._engine = engine
        evaluator = Evaluator(policies, engine)
        self._outcomes = [
            (case, {found.rule: found for found in evaluator.evaluate(case.record).outcomes}) for case in cases
        ]

    def notices(self, mutant: Mutant) -> bool:
        """Whether some case fails with the mutant in place of its rule. The rule's own cases are asked first."""
        alone = Evaluator(_with(self._policies, mutant, alone=True), self._engine)
        whole: Evaluator | None = None
        name = mutant.rule.id
        for case, before in sorted(self._outcomes, key=lambda pair: pair[0].rule != name):
            (after,) = alone.evaluate(case.record).outcomes
            if _said(after) == _said(before[name]):
                continue
            whole = whole or Evaluator(_with(self._policies, mutant), self._engine)
            if differences(case, whole.evaluate(case.record)):
                return True
        return False


def _said(found: RuleOutcome) -> tuple[str, str, str]:
    return found.outcome, found.effect, found.mode


def _with(policies: PolicySet, mutant: Mutant, *, alone: bool = False) -> PolicySet:
    """The policies with a mutant in place of its rule, or the mutant only."""
    changed = []
    for policy in policies.policies:
        rules = tuple(mutant.rule if rule is mutant.original else rule for rule in policy.rules)
        if alone:
            rules = tuple(rule for rule in rules if rule is mutant.rule)
        changed.append(msgspec.structs.replace(policy, rules=rules))
    return msgspec.structs.replace(policies, policies=tuple(changed))


def _changed_keys(rule: Rule) -> Iterator[tuple[str, Rule]]:
    effect, mode = EFFECTS[rule.effect], MODES[rule.mode]
    yield f"effect {rule.effect} to {effect}", msgspec.structs.replace(rule, effect=effect)
    yield f"mode {rule.mode} to {mode}", msgspec.structs.replace(rule, mode=mode)


def _changed_conditions(rule: Rule, schema: RecordSchema) -> Iterator[tuple[str, Rule]]:
    """The rule with each change of its condition that still loads and is another text."""
    text = rule.condition.cel
    tree, _ = parse_expression(text)
    if tree is None:
        return
    for mutation, start, end, replacement in _changes(tree, text):
        cel = text[:start] + replacement + text[end:]
        changed, problems = parse_expression(cel)
        if changed is None or problems:
            continue
        checked, _ = check(cel, changed, Scope(schema))
        if checked is not None:
            condition = Expression(
                text=cel, cel=cel, reads=checked.reads, line=rule.condition.line, column=rule.condition.column
            )
            yield mutation, msgspec.structs.replace(rule, condition=condition)


Change = tuple[str, int, int, str]
"""What is changed; the start and end of the text that goes, and what comes in its place."""


def _changes(tree: Node, text: str) -> Iterator[Change]:
    if tree.op not in LOGIC:
        yield _negated(tree, text)
    for node in tree.walk():
        if node.op in LOGIC:
            for number in range(len(node.args)):
                yield _dropped(node, number, text)
            yield from (_negated(clause, text) for clause in node.args)
        if node.op == "loop":
            yield from _swapped_loop(node, text)
            if node.args[1].op not in LOGIC:
                yield _negated(node.args[1], text)
        if node.op in SWAPS:
            yield _swapped(node, text)


def _dropped(node: Node, number: int, text: str) -> Change:
    rest = [f"({_piece(arg, text)})" for index, arg in enumerate(node.args) if index != number]
    return f"drop `{_words(node.args[number], text)}`", node.start, node.end, f"({f' {node.op} '.join(rest)})"


def _negated(node: Node, text: str) -> Change:
    return f"negate `{_words(node, text)}`", node.start, node.end, f"!({_piece(node, text)})"


def _swapped(node: Node, text: str) -> Change:
    swap = SWAPS[node.op]
    parts = [f"({_piece(arg, text)})" for arg in node.args]
    return f"`{node.op}` to `{swap}` in `{_words(node, text)}`", node.start, node.end, f"({f' {swap} '.join(parts)})"


def _swapped_loop(node: Node, text: str) -> Iterator[Change]:
    name = str(node.value)
    if name in LOOP_SWAPS:
        start = text.index(name, node.args[0].end)
        swap = LOOP_SWAPS[name]
        yield f"`{name}` to `{swap}` in `{_words(node, text)}`", start, start + len(name), swap


def _piece(node: Node, text: str) -> str:
    return text[node.start : node.end]


def _words(node: Node, text: str) -> str:
    return " ".join(_piece(node, text).split())
