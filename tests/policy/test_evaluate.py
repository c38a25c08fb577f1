from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import barrier_policy.policy
from barrier_policy.policy.cel.engine import FAILED, Engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.judged_expression import MEMO_ENTRIES
from barrier_policy.policy.model import Mode, PolicySet, RuleEffect
from barrier_policy.policy.record import MAX_ITEMS
from barrier_policy.policy.verdict import Outcome, RuleOutcome, VerdictKind, combine

Load = Callable[..., PolicySet]
Record = dict[str, Any]
CAUSES = "(an index out of range, a division by zero or an overflow)"


def outcome(effect: RuleEffect, found: Outcome, mode: Mode = Mode.ENFORCE) -> RuleOutcome:
    return RuleOutcome(policy="p", rule="a.b", effect=effect, mode=mode, outcome=found)


def by_the_sentence(rules: tuple[tuple[RuleEffect, Outcome], ...]) -> VerdictKind:
    """The one-sentence meaning, word by word: every way the errors could have turned out makes it an opportunity."""
    ways = itertools.product(*[(True, False) if found is Outcome.ERROR else (found is Outcome.TRUE,) for _, found in rules])
    effects = [effect for effect, _ in rules]

    def is_opportunity(values: tuple[bool, ...]) -> bool:
        true = [effect for effect, value in zip(effects, values, strict=True) if value]
        return RuleEffect.PERMIT in true and RuleEffect.BARRIER not in true

    return VerdictKind.OPPORTUNITY if all(is_opportunity(values) for values in ways) else VerdictKind.BARRIER


@pytest.mark.parametrize("count", range(5))
def test_the_verdict_is_what_the_one_sentence_says_on_all_small_inputs(count: int) -> None:
    kinds = list(itertools.product(RuleEffect, Outcome))
    for rules in itertools.product(kinds, repeat=count):
        assert combine([outcome(*rule) for rule in rules])[0] is by_the_sentence(rules), rules


@pytest.mark.parametrize("mode", [Mode.WARN, Mode.SHADOW])
def test_rules_that_are_not_enforced_never_change_a_verdict(mode: Mode) -> None:
    enforced = [[], [outcome(RuleEffect.PERMIT, Outcome.TRUE)], [outcome(RuleEffect.BARRIER, Outcome.TRUE)]]
    for rules, extra in itertools.product(enforced, itertools.product(RuleEffect, Outcome)):
        assert combine([*rules, outcome(*extra, mode=mode)]) == combine(rules)


CONDITIONS = {"true": "span.tokens > 1", "false": "span.tokens < 1", "error": "span.effects[0].held"}


@pytest.mark.parametrize(
    ("permit", "barrier", "verdict", "reasons", "errors", "default"),
    [
        ("true", "false", "opportunity", ["a.permit"], [], False),
        ("true", "true", "barrier", ["a.barrier"], [], False),
        ("true", "error", "barrier", [], ["a.barrier"], False),
        ("false", "false", "barrier", [], [], True),
        ("false", "true", "barrier", ["a.barrier"], [], False),
        ("false", "error", "barrier", [], ["a.barrier"], False),
        ("error", "false", "barrier", [], ["a.permit"], True),
        ("error", "true", "barrier", ["a.barrier"], ["a.permit"], False),
        ("error", "error", "barrier", [], ["a.barrier", "a.permit"], False),
    ],
)
def test_a_verdict_cites_the_rules_that_made_it(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record,
    permit: str, barrier: str, verdict: str, reasons: list[str], errors: list[str], default: bool,
) -> None:  # fmt: skip
    policies = load(rule("a.permit", CONDITIONS[permit], "permit"), rule("a.barrier", CONDITIONS[barrier]), engine=engine)
    found = Evaluator(policies, engine).evaluate(record)
    assert found.verdict == verdict
    assert [reason.rule for reason in found.reasons] == reasons
    assert [error.rule for error in found.errors] == errors
    assert found.default_barrier is default
    assert {entry.rule: entry.outcome for entry in found.outcomes} == {"a.permit": permit, "a.barrier": barrier}


def test_an_empty_policy_set_permits_nothing(load: Load, engine: Engine, record: Record) -> None:
    found = Evaluator(load(engine=engine), engine).evaluate(record)
    assert (found.verdict, found.default_barrier, found.outcomes) == (VerdictKind.BARRIER, True, ())


def test_a_reason_says_all_that_a_reviewer_needs(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    more = "explanation: \"'held: ' + span.effects[0].id\"\nevidence: [span.effects, span.unknowns, span.effects]\nrepair: [confirm, rebind]"
    policies = load(rule("a.barrier", "size(span.effects) > 1", more=more), engine=engine)
    record["effects"] = [effect(id="e1", message=4), effect(id="e2", message=2)]
    record["unknowns"] = [{"what": "orphan_result", "detail": "d", "message": 7}]
    (reason,) = Evaluator(policies, engine).evaluate(record).reasons
    assert (reason.policy, reason.version, reason.rule, reason.effect, reason.severity) == (
        "sample",
        "1.0.0",
        "a.barrier",
        "barrier",
        "high",
    )
    assert reason.explanation == "held: e1"
    assert reason.references == ("a reference",)
    assert reason.repair == ("confirm", "rebind")
    assert [(cited.item, cited.kind, cited.message) for cited in reason.evidence] == [
        ("e1", "Effect", 4),
        ("e2", "Effect", 2),
        ("orphan_result", "Unknown", 7),
    ]


def test_a_broken_explanation_or_evidence_is_listed_and_changes_nothing(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    more = "explanation: span.effects[0].id\nevidence: span.effects.filter(e, span.bindings[0].held)\n"
    policies = load(rule("a.barrier", "span.tokens > 1", more=more), engine=engine)
    record["effects"] = []
    found = Evaluator(policies, engine).evaluate(record)
    (reason,) = found.reasons
    assert (found.verdict, reason.explanation, reason.evidence) == (VerdictKind.BARRIER, "the summary", ())
    assert [(error.rule, error.part, error.message) for error in found.errors] == [
        ("a.barrier", "explanation", f"`span.effects[0].id` could not be evaluated {CAUSES}")
    ]


def test_an_error_names_the_clause_and_not_the_library(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    condition = "|\n    span.tokens > 1 &&\n      (span.effects[0].id\n        == 'x' || false)"
    found = Evaluator(load(rule("a.b", condition), engine=engine), engine).evaluate(record)
    assert found.outcomes[0].message == f"`span.effects[0].id == 'x'` could not be evaluated {CAUSES}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effects": 3}, f"`span.effects` is not a list(Effect) of at most {MAX_ITEMS:,} items"),
        ({"effects": [{"id": "e1"}]}, f"`span.effects` is not a list(Effect) of at most {MAX_ITEMS:,} items"),
        ({"provenance": {"uri": ""}}, "`span.provenance.retrievable` is not a bool"),
        ({"provenance": {"retrievable": 1}}, "`span.provenance.retrievable` is not a bool"),
        ({"provenance": None}, "`span.provenance.retrievable` is not a bool"),
        ({"tokens": 2**63}, "`span.tokens` is not an int"),
        ({"tokens": True}, "`span.tokens` is not an int"),
        ({"tokens": object()}, "`span.tokens` is not an int"),
    ],
)
def test_a_record_that_breaks_the_schema_makes_the_rules_that_read_it_err(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, change: Record, message: str
) -> None:
    policies = load(
        rule("a.effects", "span.effects.exists(e, e.held)"),
        rule("a.retrievable", "span.provenance.retrievable == false"),
        rule("a.tokens", "span.tokens > 1"),
        rule("a.zone", "span.zone == 'x'"),
        engine=engine,
    )
    found = Evaluator(policies, engine).evaluate(record | change)
    assert [error.message for error in found.errors] == [message]
    assert found.verdict is VerdictKind.BARRIER


def test_warnings_are_reported_beside_the_verdict_and_shadows_in_the_outcomes_only(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    policies = load(
        rule("a.permit", "span.tokens > 1", "permit"),
        rule("a.shadow", "span.tokens > 1", more="mode: shadow"),
        rule("a.shadow-error", "span.effects[0].held", more="mode: shadow"),
        rule("a.warn", "span.tokens > 1", more="mode: warn"),
        rule("a.warn-error", "span.effects[0].held", more="mode: warn"),
        engine=engine,
    )
    found = Evaluator(policies, engine).evaluate(record)
    assert found.verdict is VerdictKind.OPPORTUNITY
    assert [reason.rule for reason in found.warnings] == ["a.warn"]
    assert [reason.rule for reason in found.reasons] == ["a.permit"]
    assert found.errors == ()
    assert [(entry.rule, entry.outcome) for entry in found.outcomes if entry.mode is not Mode.ENFORCE] == [
        ("a.shadow", "true"),
        ("a.shadow-error", "error"),
        ("a.warn", "true"),
        ("a.warn-error", "error"),
    ]


def test_clauses_have_their_outcome_and_place(load: Load, rule: Callable[..., str], engine: Engine, record: Record) -> None:
    condition = "|\n    span.tokens > 1 && (variables.first ||\n      !(span.zone == 'x'))\n    && span.effects[0].held"
    policies = load(
        rule("a.b", condition), variables="variables:\n  - {name: first, expression: span.tokens < 0}\n", engine=engine
    )
    (_, only), *_ = policies.rules()
    clauses = Evaluator(policies, engine).clauses(record)[only.id]
    assert [(clause.text, clause.outcome, clause.line, clause.column) for clause in clauses] == [
        ("span.tokens > 1", "true", 14, 5),
        ("variables.first", "false", 14, 25),
        ("!(span.zone == 'x')", "true", 15, 7),
        ("span.effects[0].held", "error", 16, 8),
    ]


def test_a_condition_without_logic_is_its_own_clause(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    policies = load(rule("a.b", "span.tokens > 1"), engine=engine)
    (_, only), *_ = policies.rules()
    (clause,) = Evaluator(policies, engine).clauses(record)[only.id]
    assert (clause.text, clause.outcome, clause.line, clause.column) == ("span.tokens > 1", "true", 11, 14)


def test_variables_are_evaluated_only_where_a_guard_lets_them(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    variables = (
        "variables:\n  - {name: first, expression: 'span.effects[0]'}\n  - {name: tool, expression: variables.first.tool}\n"
    )
    guarded = "size(span.effects) > 0 && variables.tool == 'deploy'"
    policies = load(
        rule("a.guarded", guarded), rule("a.open", "variables.tool == 'deploy'"), variables=variables, engine=engine
    )
    found = Evaluator(policies, engine).evaluate(record)
    assert {entry.rule: entry.outcome for entry in found.outcomes} == {"a.guarded": "false", "a.open": "error"}


class CountingEngine:
    """An engine that counts its evaluations."""

    def __init__(self, engine: Engine) -> None:
        self.name = engine.name
        self.evaluations = 0
        self._engine = engine

    def compile(self, expression: str) -> Any:
        program = self._engine.compile(expression)

        def run(activation: Any) -> Any:
            self.evaluations += 1
            return program(activation)

        return run

    def bind(self, span: Any) -> Any:
        return self._engine.bind(span)


def test_equal_inputs_are_evaluated_once_and_different_ones_are_not_confused(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    counting = CountingEngine(engine)
    policies = load(rule("a.b", "size(span.effects) > 0 || span.provenance.retrievable"), engine=engine)
    evaluator = Evaluator(policies, counting)
    other_uri = record | {"id": "s2", "tokens": 7, "provenance": {"present": True, "retrievable": False, "uri": "elsewhere"}}
    retrievable = record | {"provenance": {"present": True, "retrievable": True, "uri": ""}}
    records = [
        record,
        other_uri,
        retrievable,
        record | {"effects": [effect()]},
        record | {"provenance": {"retrievable": 1}},
        record,
    ]
    assert [evaluator.evaluate(each).outcomes[0].outcome for each in records] == [
        "false",
        "false",
        "true",
        "true",
        "error",
        "false",
    ]
    assert counting.evaluations == 3


def test_a_condition_is_asked_again_only_where_something_that_it_can_see_differs(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    counting = CountingEngine(engine)
    policies = load(rule("a.b", "span.effects.exists(e, e.unsettled && e.message > 2)"), engine=engine)
    evaluator = Evaluator(policies, counting)
    lists = [
        [effect(id="e1", message=3, unsettled=True)],
        [effect(id="e2", message=3, unsettled=True, text="other words")],
        [effect(id="e1", message=1, unsettled=True)],
        [effect(id="e1", message=3, unsettled=False)],
        [effect(id="e1", message=3, unsettled=True), effect(id="e2", message=3, unsettled=True)],
        [effect(id=7, message=3, unsettled=True)],
    ]
    found = [evaluator.evaluate(record | {"effects": effects}).outcomes[0].outcome for effects in lists]
    assert found == ["true", "true", "false", "false", "true", "error"]
    assert (
        counting.evaluations == 4
    )  # not for the second, whose message is named and equal, nor for the last, which is no list of effects


def test_an_explanation_is_that_of_its_own_record_where_it_names_what_no_condition_does(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    more = "explanation: \"span.effects[0].state + ' ' + span.effects[0].tool\""
    evaluator = Evaluator(load(rule("a.barrier", "span.effects.exists(e, e.state != '')", more=more), engine=engine), engine)
    explained = []
    for state, tool in (("started", "deploy"), ("started", "pay"), ("partial", "pay"), ("started", "deploy")):
        record["effects"] = [effect(state=state, tool=tool)]
        explained += [reason.explanation for reason in evaluator.evaluate(record).reasons]
    assert explained == ["started deploy", "started pay", "partial pay", "started deploy"]


def test_what_is_cited_is_found_once_for_records_that_look_alike_and_named_by_each_of_them(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    counting = CountingEngine(engine)
    more = "evidence: span.effects.filter(e, e.unsettled)"
    evaluator = Evaluator(load(rule("a.barrier", "span.effects.exists(e, e.unsettled)", more=more), engine=engine), counting)

    def cited(*effects: tuple[str, bool]) -> list[str]:
        record["effects"] = [effect(id=name, unsettled=unsettled) for name, unsettled in effects]
        (reason,) = evaluator.evaluate(record).reasons
        return [item.item for item in reason.evidence]

    assert cited(("e1", False), ("e2", True)) == ["e2"]
    assert cited(("e3", False), ("e4", True)) == ["e4"]
    assert counting.evaluations == 2  # the condition and the evidence, for the first record
    assert cited(("e5", True), ("e6", True)) == ["e5", "e6"]
    assert cited(("e7", False), ("e7", True)) == ["e7"]  # of the same name: which of the two can't be told
    assert cited(("e8", True), ("e9", False)) == ["e8"]


def test_evidence_that_names_what_no_condition_does_is_that_of_its_own_record(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record, effect: Callable[..., Record]
) -> None:
    more = "evidence: span.effects.filter(e, e.tool == 'pay')"
    evaluator = Evaluator(load(rule("a.barrier", "span.effects.exists(e, e.unsettled)", more=more), engine=engine), engine)
    found = []
    for tools in (("pay", "ship"), ("ship", "pay")):
        record["effects"] = [effect(id=tool, tool=tool, message=n, unsettled=True) for n, tool in enumerate(tools)]
        found += [item.message for reason in evaluator.evaluate(record).reasons for item in reason.evidence]
    assert found == [0, 1]


def test_a_memory_that_is_full_is_emptied_and_stays_right(
    load: Load, rule: Callable[..., str], fast_engine: Engine, record: Record
) -> None:
    evaluator = Evaluator(load(rule("a.b", "span.tokens % 2 == 0"), engine=fast_engine), fast_engine)
    for tokens in [*range(MEMO_ENTRIES + 10), 0, 1]:
        expected = Outcome.TRUE if tokens % 2 == 0 else Outcome.FALSE
        assert evaluator.evaluate(record | {"tokens": tokens}).outcomes[0].outcome is expected


def test_evaluating_changes_neither_the_record_nor_later_verdicts(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    evaluator = Evaluator(
        load(rule("a.b", "span.effects.exists(e, e.held)", more="evidence: span.effects"), engine=engine), engine
    )
    before = repr(record)
    assert evaluator.evaluate(record) == evaluator.evaluate(record)
    assert repr(record) == before


def test_the_order_of_rules_and_policies_changes_nothing(
    load: Load, rule: Callable[..., str], engine: Engine, record: Record
) -> None:
    rules = [rule(f"a.r{number}", condition) for number, condition in enumerate(CONDITIONS.values())]
    verdicts = {
        repr(Evaluator(load(*order, engine=engine), engine).evaluate(record)) for order in itertools.permutations(rules)
    }
    assert len(verdicts) == 1


IMPURE = {
    "os",
    "sys",
    "time",
    "datetime",
    "random",
    "logging",
    "pathlib",
    "io",
    "socket",
    "subprocess",
    "tempfile",
    "uuid",
    "pluggy",
}


@pytest.mark.parametrize("module", ["evaluate", "judged_rule", "judged_expression", "verdict", "record", "model"])
def test_the_deciding_core_imports_nothing_impure(module: str) -> None:
    source = Path(barrier_policy.policy.__path__[0], f"{module}.py").read_text(encoding="utf-8")
    imported = {alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in imported if name.split(".")[0] in IMPURE}
    assert {name for name in imported if name.startswith("barrier_policy")} <= {
        "barrier_policy.join.schema",
        "barrier_policy.policy.cel.scope",
        "barrier_policy.policy.cel.engine",
        "barrier_policy.policy.judged_expression",
        "barrier_policy.policy.judged_rule",
        "barrier_policy.policy.model",
        "barrier_policy.policy.record",
        "barrier_policy.policy.verdict",
    }


FOREIGN = {
    "yaml": {"yaml.py"},
    "celpy": {"cel/python_engine.py", "cel/subset.py"},
    "lark": {"cel/python_engine.py", "cel/subset.py"},
    "re2": {"cel/literals.py"},
    "cel_expr_python": {"cel/fast_engine.py"},
}


@pytest.mark.parametrize("package", FOREIGN)
def test_a_foreign_package_is_imported_where_it_is_tamed_and_nowhere_else(package: str) -> None:
    root = Path(barrier_policy.policy.__path__[0])
    importers = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == package for name in names):
                importers.add(path.relative_to(root).as_posix())
    assert importers == FOREIGN[package]


def test_failed_is_no_boolean(engine: Engine) -> None:
    assert engine.compile("1 / 0 > 0")(engine.bind({})) is FAILED
