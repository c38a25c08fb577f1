"""Policies as frozen data: what the loader makes of YAML and what the evaluator decides with (design section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.check import Path


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


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule. `explanation` is a string expression, `evidence` are expressions that list the items the rule is about."""

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


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `variables` are (name, expression as written) in the order of the file."""

    name: str
    version: str
    owner: str
    file: str
    line: int
    column: int
    variables: tuple[tuple[str, str], ...] = ()
    rules: tuple[Rule, ...] = ()


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

    `layers` are what they were made from, later ones on top of earlier ones.
    """

    name: str
    digest: str
    schema: RecordSchema
    policies: tuple[Policy, ...] = ()
    layers: tuple[Layer, ...] = ()

    def rules(self) -> Iterator[tuple[Policy, Rule]]:
        """Every rule with its policy, by rule id."""
        pairs = [(policy, rule) for policy in self.policies for rule in policy.rules]
        return iter(sorted(pairs, key=lambda pair: pair[1].id))
