"""What an audit says: findings with their places, checks with their counts, three-valued (design sections 5 and 9)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from barrier_policy.digest import stable_json

SCHEMA = "barrier_policy/audit/v1"


class Outcome(StrEnum):
    """Of a check or of the whole. Inconclusive is not a pass: something could not be looked into."""

    PASS = "pass"
    INCONCLUSIVE = "inconclusive"
    FAIL = "fail"


class AuditRule(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of finding. `outcome` is what one such finding makes of its check; `remedy` what would make it right."""

    id: str
    severity: str
    summary: str
    why: str
    remedy: str
    references: tuple[str, ...]
    outcome: Outcome = Outcome.FAIL


class Place(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A message by index, and the RFC 6901 pointer of a part in its source record ("" for the whole message)."""

    message: int
    pointer: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as it was.

    `item` is its name in the ledger of what was before, or `message:N`, `carried:N`, `line:N`, `text:N` where it is none of these.
    `kind` is what it is (rule, receipt, value, …). `before` and `after` are its places, None where it has none. `expected` is what had to
    stand in the result, `found` what stands there instead, "" for nothing; both without secrets and bounded.
    """

    rule: str
    severity: str
    outcome: Outcome
    check: str
    item: str
    kind: str
    before: Place | None = None
    after: Place | None = None
    expected: str = ""
    found: str = ""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One question that was asked of every item it concerns: how many were looked at, and how many were not as they were."""

    name: str
    outcome: Outcome
    checked: int
    failed: int
    inconclusive: int


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two transcripts."""

    format: str
    digest: str
    messages: int


class Witnesses(msgspec.Struct, frozen=True, kw_only=True):
    """Where protected items still stand: in messages that were kept, in carrier lines, or in new text only."""

    verbatim: int
    carrier: int
    text: int


class AuditReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an audit. `kept_tail` counts the last messages of `before` that stand verbatim in `after`."""

    schema: str
    outcome: Outcome
    before: Side
    after: Side
    kept_tail: int
    protected: int
    witnesses: Witnesses
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    rules: tuple[AuditRule, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as builtins."""
        found = msgspec.to_builtins(self)
        assert isinstance(found, dict)
        return found

    def to_json(self) -> bytes:
        """One line of UTF-8 JSON with sorted keys, the same bytes for the same inputs."""
        return stable_json(self)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Fail before inconclusive before pass."""
    found = set(outcomes)
    return next((outcome for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE) if outcome in found), Outcome.PASS)
