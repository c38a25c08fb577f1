"""Runs the cases of policies on span records: what one rule says, which verdict comes of it, by which rules, on what evidence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from barrier_policy.policy.case_file import Case, read_test_files
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.model import Mode, PolicySet
from barrier_policy.policy.verdict import Clause, Verdict


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a case went. `message` is empty where it passed, else what differed. `clauses` is what each clause of the condition says."""

    case: Case
    passed: bool
    verdict: Verdict
    message: str = ""
    clauses: tuple[Clause, ...] = ()


def run_cases(policies: PolicySet, engine: Engine, paths: Iterable[Path]) -> tuple[CaseResult, ...]:
    """The results of all cases of test files, or of all `*_test.yaml` in directories, in the order of the files.

    Raises PolicyError with every problem of the files themselves.
    """
    cases = read_test_files(policies, paths).cases
    return judge_cases(Evaluator(policies, engine), cases)


def judge_cases(evaluator: Evaluator, cases: Iterable[Case]) -> tuple[CaseResult, ...]:
    """The results of cases that are read already."""
    results = []
    for case in cases:
        verdict = evaluator.evaluate(case.record)
        message = "; ".join(differences(case, verdict))
        clauses = evaluator.clauses(case.record, [case.rule])[case.rule]
        results.append(CaseResult(case=case, passed=not message, verdict=verdict, message=message, clauses=clauses))
    return tuple(results)


def differences(case: Case, verdict: Verdict) -> list[str]:
    """In what a verdict is not what a case expects; empty where it is."""
    found = next(outcome for outcome in verdict.outcomes if outcome.rule == case.rule)
    unlike = []
    if found.outcome is not case.outcome:
        reason = f" ({found.message})" if found.message else ""
        unlike.append(f"outcome is {found.outcome}, not {case.outcome}{reason}")
    of_condition = len(unlike)
    if case.verdict is not None and verdict.verdict is not case.verdict:
        rules = deciding_rules(verdict)
        reason = f"by {', '.join(rules)}" if rules else "no permit is true"
        unlike.append(f"verdict is {verdict.verdict}, not {case.verdict} ({reason})")
    if case.rules is not None and tuple(sorted(deciding_rules(verdict))) != case.rules:
        unlike.append(f"rules are {_names(deciding_rules(verdict))}, not {_names(case.rules)}")
    cited = cited_items(verdict, case.rule)
    if case.evidence is not None and cited != case.evidence:
        unlike.append(f"evidence is {_names(cited)}, not {_names(case.evidence)}")
    if len(unlike) > of_condition and found.mode is not Mode.ENFORCE:
        unlike.append(f"`{case.rule}` is in mode {found.mode} and counts for nothing")
    return unlike


def deciding_rules(verdict: Verdict) -> tuple[str, ...]:
    """The rules that made a verdict, and those whose error did; each once, sorted."""
    errors = [error.rule for error in verdict.errors if error.part == "condition"]
    return tuple(sorted({*(reason.rule for reason in verdict.reasons), *errors}))


def cited_items(verdict: Verdict, rule: str) -> tuple[str, ...]:
    """The items that a rule cites."""
    reasons = (*verdict.reasons, *verdict.warnings)
    return tuple(evidence.item for reason in reasons if reason.rule == rule for evidence in reason.evidence)


def _names(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"
