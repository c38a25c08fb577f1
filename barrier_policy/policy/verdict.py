"""What an evaluation says: the verdict of one span, the rules that made it, and what could not be evaluated."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

import msgspec

from barrier_policy.policy.model import Mode, Repair, RuleEffect, Severity


class Outcome(StrEnum):
    """What a rule says about a span."""

    TRUE = "true"
    FALSE = "false"
    ERROR = "error"


class VerdictKind(StrEnum):
    """An opportunity may be replaced by a lossy summary, a barrier may not."""

    OPPORTUNITY = "opportunity"
    BARRIER = "barrier"


class RuleOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One rule on one span. `message` says why an outcome is an error, `exception` names what keeps a true barrier from binding."""

    policy: str
    rule: str
    effect: RuleEffect
    mode: Mode
    outcome: Outcome
    message: str = ""
    exception: str = ""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item of the record that a rule is about: its name, its record type, the message that introduced it."""

    item: str
    kind: str
    message: int


class Reason(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A rule that is true, with what a reviewer needs to follow it. `about` are the fields of the record that its condition reads."""

    policy: str
    version: str
    rule: str
    effect: RuleEffect
    severity: Severity
    explanation: str
    references: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    repair: tuple[Repair, ...]
    about: tuple[str, ...] = ()


class RuleError(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a rule that could not be evaluated: `part` is condition, explanation, evidence or exception."""

    policy: str
    rule: str
    part: str
    message: str


class AppliedException(msgspec.Struct, frozen=True, kw_only=True):
    """An exception without which a rule would have been a barrier. From the day `expires` on it does nothing."""

    name: str
    rule: str
    owner: str
    reason: str
    expires: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The verdict of one span.

    `reasons` are the enforced rules that made it: the true permits of an opportunity, the true barriers of a barrier.
    `default_barrier` is set where no rule made it a barrier and no permit spoke. `warnings` are the true rules in mode
    `warn`, which count for nothing. `errors` are enforced conditions, and explanations and evidence of reasons and
    warnings, and exceptions of barriers, that could not be evaluated. `exceptions` are those that keep a true barrier from binding.
    `outcomes` has every rule. All are in the order of rule ids.
    """

    verdict: VerdictKind
    default_barrier: bool
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    errors: tuple[RuleError, ...]
    exceptions: tuple[AppliedException, ...] = ()
    outcomes: tuple[RuleOutcome, ...]


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """One operand of a condition's `&&` and `||`, with its outcome and its place in the file."""

    text: str
    outcome: Outcome
    line: int
    column: int


def permits(found: RuleOutcome) -> bool:
    """A permit in error permits nothing."""
    return found.outcome is Outcome.TRUE and found.effect is RuleEffect.PERMIT and found.mode is Mode.ENFORCE


def bars(found: RuleOutcome) -> bool:
    """A barrier in error binds, one with an exception does not."""
    bound = found.outcome is not Outcome.FALSE and found.effect is RuleEffect.BARRIER and found.mode is Mode.ENFORCE
    return bound and not found.exception


def combine(outcomes: Collection[RuleOutcome]) -> tuple[VerdictKind, bool]:
    """The verdict of all rules in any order, and whether it is a barrier only because no rule spoke.

    A span is an opportunity only if every way the errors could have turned out makes it one: some permit is true, and no
    barrier is true or in error. Rules in mode warn or shadow do not count.
    """
    permitted, barred = any(map(permits, outcomes)), any(map(bars, outcomes))
    verdict = VerdictKind.OPPORTUNITY if permitted and not barred else VerdictKind.BARRIER
    return verdict, not permitted and not barred
