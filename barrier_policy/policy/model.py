"""Policies as frozen data: what the loader makes of YAML and what the evaluator decides with (design section 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.scope import Path

_VARIABLE = re.compile(r"\bvariables\.([a-z][a-z0-9_]*)")


class RuleEffect(StrEnum):
    """What a true condition means."""

    PERMIT = "permit"
    BARRIER = "barrier"


class Mode(StrEnum):
    """Whether a rule counts. `warn` is reported beside the verdict, `shadow` stands in the outcomes only."""

    ENFORCE = "enforce"
    WARN = "warn"
    SHADOW = "shadow"


class Severity(StrEnum):
    """How much a reviewer should care, least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Repair(StrEnum):
    """What would lift a barrier. The gate can do the first two, others must do the rest."""

    REBIND = "rebind"
    ARCHIVE = "archive"
    CONFIRM = "confirm"
    DISCHARGE = "discharge"


class Expression(msgspec.Struct, frozen=True, kw_only=True):
    """A checked CEL expression.

    `text` is as written, at `line` and `column`. `cel` is what engines compile: variables written out. `reads` are the paths
    below `span` that it depends on. `item` names the record type of an evidence expression's items. `clauses` are the
    operands of a condition's outermost `&&` and `||`, empty where it has none.
    """

    text: str
    cel: str
    reads: tuple[Path, ...]
    line: int
    column: int
    item: str = ""
    clauses: tuple[Expression, ...] = ()


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a key of a rule was written: in the rule itself, or in a patch of it."""

    key: str
    file: str
    line: int
    column: int

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule. `explanation` is a string expression, `evidence` are expressions that list the items the rule is about.

    `origins` say where each of its keys was written, sorted by key.
    """

    id: str
    effect: RuleEffect
    severity: Severity
    summary: str
    why: str
    references: tuple[str, ...]
    condition: Expression
    explanation: Expression | None = None
    evidence: tuple[Expression, ...] = ()
    repair: tuple[Repair, ...] = ()
    locked: bool = False
    mode: Mode = Mode.ENFORCE
    since: str = ""
    line: int
    column: int
    origins: tuple[Origin, ...] = ()


class Waiver(msgspec.Struct, frozen=True, kw_only=True):
    """A file of kind Exception: where one barrier rule does not bind, for whom, why and until when (design section 6).

    It covers a span if all holds that it gives: `when` is true of the record, the span's digest is one of `spans`, the transcript's one
    of `transcripts`. From the day `expires` on (ISO date, UTC) it covers nothing.
    """

    name: str
    owner: str
    rule: str
    reason: str
    expires: str
    when: Expression | None = None
    spans: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    file: str
    line: int
    column: int

    def in_force(self, now: str) -> bool:
        """Whether it has not expired at a time, given as ISO 8601 in UTC."""
        return now[:10] < self.expires


class NamedExpression(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of `variables`: an expression as written, at `line`, that expressions below it name."""

    name: str
    text: str
    line: int


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `variables` are in the order of the file."""

    name: str
    version: str
    owner: str
    file: str
    line: int
    column: int
    variables: tuple[NamedExpression, ...] = ()
    rules: tuple[Rule, ...] = ()

    def variables_of(self, rule: Rule) -> tuple[NamedExpression, ...]:
        """The variables that the expressions of a rule name, with those that these name, in the order of the file."""
        written = [rule.condition, *rule.evidence, *([rule.explanation] if rule.explanation else [])]
        named = set(_VARIABLE.findall(" ".join(expression.text for expression in written)))
        for variable in reversed(self.variables):
            named |= set(_VARIABLE.findall(variable.text)) if variable.name in named else set()
        return tuple(variable for variable in self.variables if variable.name in named)


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a policy file as they were loaded; `place` is what errors call it."""

    place: str
    data: bytes


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of policies, or a single file, as it was loaded."""

    name: str
    files: tuple[PolicyFile, ...]


class PolicySet(msgspec.Struct, frozen=True, kw_only=True):
    """All policies that decide together. `digest` covers their content, not their layout, order or place on disk.

    `exceptions` are in the order of their names. `layers` are what all of it was made from, later ones on top of earlier ones.
    """

    name: str
    digest: str
    schema: RecordSchema
    policies: tuple[Policy, ...] = ()
    exceptions: tuple[Waiver, ...] = ()
    layers: tuple[Layer, ...] = ()

    def rules(self) -> Iterator[tuple[Policy, Rule]]:
        """Every rule with its policy, by rule id."""
        pairs = [(policy, rule) for policy in self.policies for rule in policy.rules]
        return iter(sorted(pairs, key=lambda pair: pair[1].id))
