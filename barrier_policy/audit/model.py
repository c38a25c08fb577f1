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


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Proof that something was missed, in messages after the compaction, numbered on from the result's: `used` is the call that uses the value
    or does the thing once more, `shown` the result that had to show the value again before, None for a thing that was done again."""

    used: Place
    shown: Place | None = None


class Unproven(StrEnum):
    """Why the loss of something protected is counted and no finding: nothing shows that anybody misses it."""

    NO_USE = "no later message asks for it"
    NO_OWNER = "nothing open names it"
    TOLD_WITH = "a finding about what it belongs to tells it"
    NO_RULE = "it may be no rule"
    IN_GENERAL = "told in general words only"
    NO_EFFECT = "it failed and left nothing behind"
    MOVED = "the runtime puts it elsewhere"
    UNREADABLE = "nobody could read it before either"
    OPAQUE = "it may stand in what can't be read"
    WENT_ON = "it was answered, and the user went on to other things"
    UNSEEN = "the log lacks the result of the last call, which may show it"
    OTHER_SCRIPT = "the new text is in another script, and nobody can tell by words"


class Reclaimed(msgspec.Struct, frozen=True, kw_only=True):
    """How many things of a kind are gone without proof that they are missed, and why there is none."""

    check: str
    kind: str
    reason: Unproven
    count: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not as it was.

    `item` is its name in the ledger of what was before, or `message:N`, `carried:N`, `line:N`, `text:N` where it is none of these.
    `kind` is what it is (rule, receipt, value, …). `before` and `after` are its places, None where it has none. `expected` is what had to
    stand in the result, `found` what stands there instead, "" for nothing; both without secrets and bounded. `need` proves that a later turn
    missed it, where how the conversation went on is known and does.
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
    need: Need | None = None


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One question that was asked of every item it concerns: how many were looked at, and how many were not as they were.

    `unproven` are gone and missed by nobody that is known; the check is inconclusive then.
    """

    name: str
    outcome: Outcome
    checked: int
    failed: int
    inconclusive: int
    unproven: int = 0


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
    """The result of an audit. `kept_tail` counts the last messages of `before` that stand verbatim in `after`.

    `exact`: all that was protected had to stand in the result; else its loss is a finding where somebody misses it, and counted in
    `reclaimed` where nobody is known to.
    """

    schema: str
    outcome: Outcome
    before: Side
    after: Side
    kept_tail: int
    exact: bool
    protected: int
    witnesses: Witnesses
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    reclaimed: tuple[Reclaimed, ...]
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
