"""What the cases of policies show: each rule true, false and in error, each clause of its condition true and false."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from barrier_policy.errors import Issue
from barrier_policy.policy.cases import CaseResult
from barrier_policy.policy.loader import TEST_SUFFIX
from barrier_policy.policy.model import Policy, PolicySet, Rule
from barrier_policy.policy.verdict import Outcome

BOTH_WAYS = (Outcome.TRUE, Outcome.FALSE)


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to be shown: an outcome of a rule, or of a clause where `clause` has its text. `hits` counts the passing cases that show it."""

    line: int
    column: int
    outcome: Outcome
    clause: str = ""
    hits: int = 0


class RuleCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of one rule; `line` is that of the rule, points have their own."""

    file: str
    line: int
    rule: str
    points: tuple[Point, ...]

    @property
    def shown(self) -> int:
        """Points that some case shows."""
        return sum(point.hits > 0 for point in self.points)


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """All rules by id."""

    rules: tuple[RuleCoverage, ...]

    @property
    def points(self) -> int:
        """How much there is to show."""
        return sum(len(rule.points) for rule in self.rules)

    @property
    def shown(self) -> int:
        """How much is shown."""
        return sum(rule.shown for rule in self.rules)

    @property
    def percent(self) -> float:
        """Shown points in 100; 100 where there is nothing to show."""
        return 100 * self.shown / self.points if self.points else 100.0

    def missing(self) -> tuple[Issue, ...]:
        """What no case shows, each at its place in the policy, sorted."""
        missing = (
            Issue(file=rule.file, line=point.line, column=point.column, message=_words(rule, point))
            for rule in self.rules
            for point in rule.points
            if not point.hits
        )
        return tuple(sorted(missing))


def measure(pairs: Iterable[tuple[Policy, Rule]], results: Iterable[CaseResult]) -> Coverage:
    """The coverage of rules by the passing cases among results. A rule is shown by its own cases only."""
    by_rule: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.passed:
            by_rule.setdefault(result.case.rule, []).append(result)
    return Coverage(
        rules=tuple(
            RuleCoverage(
                file=policy.file, line=rule.line, rule=rule.id, points=tuple(_points(rule, by_rule.get(rule.id, [])))
            )
            for policy, rule in pairs
        )
    )


def rules_of(policies: PolicySet, files: Iterable[str], chosen: Iterable[str]) -> tuple[tuple[Policy, Rule], ...]:
    """The rules of some files that are among the chosen, by id."""
    wanted, names = set(files), set(chosen)
    return tuple((policy, rule) for policy, rule in policies.rules() if policy.file in wanted and rule.id in names)


def _points(rule: Rule, results: list[CaseResult]) -> Iterator[Point]:
    for outcome in Outcome:
        hits = sum(result.case.outcome is outcome for result in results)
        yield Point(line=rule.line, column=rule.column, outcome=outcome, hits=hits)
    for number, clause in enumerate(rule.condition.clauses):
        for outcome in BOTH_WAYS:
            hits = sum(result.clauses[number].outcome is outcome for result in results)
            text = " ".join(clause.text.split())
            yield Point(line=clause.line, column=clause.column, outcome=outcome, clause=text, hits=hits)


def _words(rule: RuleCoverage, point: Point) -> str:
    if point.clause:
        return f"rule `{rule.rule}` has no case where `{point.clause}` is {point.outcome}"
    return f"rule `{rule.rule}` has no case with outcome `{point.outcome}` (add one to the `{TEST_SUFFIX}` beside it)"
