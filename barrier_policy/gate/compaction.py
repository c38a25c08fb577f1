"""What a compaction did, and what is known of it before its commit."""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.audit.model import AuditReport
from barrier_policy.carrier.earlier import Untyped
from barrier_policy.decision.model import Decision
from barrier_policy.gate.archive import Archive
from barrier_policy.gate.assemble import Run
from barrier_policy.gate.carry import Carrier
from barrier_policy.gate.refused import Refused
from barrier_policy.gate.target import Target


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction did. `outcome` is compacted or nothing_to_reclaim; `output` the new transcript in the format of the old one.

    `kept` are runs whose summary was longer than they are, `refused` those whose summary the audit found at fault: they stay. Of
    `untyped_carriers` the store has lost the typed records: nothing that is said ends their lines. `arrived` counts messages that came in meanwhile and were
    carried over; sizes are in tokens of the whole context.
    """

    outcome: str
    decision: Decision
    output: bytes
    carrier: Carrier
    report: AuditReport | None = None
    transaction: str = ""
    archive: Archive | None = None
    kept: tuple[Run, ...] = ()
    refused: tuple[Refused, ...] = ()
    arrived: int = 0
    unreadable_carriers: tuple[int, ...] = ()
    untyped_carriers: tuple[Untyped, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0

    @property
    def messages(self) -> Any:
        """The new transcript as Python objects, where its format is one JSON document: a list of messages, or an object that has one."""
        return msgspec.json.decode(self.output)


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """A plan whose result would be larger than the target: how large, in tokens."""

    tokens: int


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What was written aside, its audit, and its size in tokens."""

    output: bytes
    report: AuditReport
    tokens_after: int


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a compaction before its commit."""

    decision: Decision
    carrier: Carrier
    transaction: str
    archive: Archive | None
    kept: tuple[Run, ...]
    unreadable_carriers: tuple[int, ...]
    untyped_carriers: tuple[Untyped, ...]
    refused: tuple[Refused, ...] = ()

    def finish(self, **found: Any) -> Compaction:
        """The compaction as it was committed."""
        known = {name: getattr(self, name) for name in self.__struct_fields__}
        return Compaction(outcome="compacted", tokens_before=self.decision.totals.tokens_before, **known, **found)


def unchanged(decision: Decision, target: Target, *, kept: tuple[Run, ...] = ()) -> Compaction:
    """Nothing leaves: the output is the input, with what arrived since the plan."""
    output = target.give_back().data
    tokens = decision.totals.tokens_before
    return Compaction(
        outcome="nothing_to_reclaim",
        decision=decision,
        output=output,
        carrier=Carrier(text="", records=()),
        kept=kept,
        tokens_before=tokens,
        tokens_after=tokens,
    )
