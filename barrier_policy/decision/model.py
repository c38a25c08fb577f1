"""The decision, in exactly the shape of design section 7."""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.digest import digest_lines, plain_value, stable_json
from barrier_policy.join.join import Provenance
from barrier_policy.policy.verdict import AppliedException

SCHEMA = "barrier_policy/decision/v1"


class TranscriptInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided about."""

    format: str
    digest: str
    messages: int
    tokens: int
    turns: int


class PolicyInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The policies that decided, and the engine that ran them."""

    name: str
    digest: str
    engine: str


class PluginVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin that took part."""

    name: str
    version: str


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The target for the whole context, carriers and stubs counted (None: none), and what the plan reaches. In tokens."""

    target_tokens: int | None
    tokens_after: int


class Fidelity(msgspec.Struct, frozen=True, kw_only=True):
    """The fidelity clause."""

    preserve: tuple[str, ...]
    audited: bool


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """`start` is the first message index that is kept verbatim anyway."""

    start: int


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An item that made a rule true, with the place that it begins at.

    `state_from` is the message that brought it into its present state, where that is a later one. `excerpt` are the words at its place,
    where they were asked for.
    """

    item: str
    kind: str
    message: int
    pointer: str
    state_from: int | None = None
    excerpt: str = ""


class Reason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A rule that determined the verdict. `lifted_by` says of a barrier what would lift it."""

    policy: str
    version: str
    rule: str
    effect: str
    severity: str
    explanation: str
    references: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    lifted_by: str = ""


class RuleError(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that could not be evaluated on this span."""

    rule: str
    message: str


class Repair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something to be done and verified before the span may be summarized: rebind or archive, by the gate; confirm or discharge, by others.

    `discharged_by` says it in words.
    """

    kind: str
    items: tuple[str, ...]
    discharged_by: str


class SpanDecision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What may happen to one span. `repairs` is all that it takes to lift its barriers, empty where nothing lifts them.

    `warnings` are the true rules in mode `warn`, which count for nothing. `exceptions` are those without which the span would be a barrier,
    or could not be repaired.
    """

    id: str
    messages: tuple[int, int]
    tokens: int
    digest: str
    evidential_class: str
    verdict: str
    action: str
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    errors: tuple[RuleError, ...]
    exceptions: tuple[AppliedException, ...] = ()
    repairs: tuple[Repair, ...]
    provenance: Provenance


class Blocking(msgspec.Struct, frozen=True, kw_only=True):
    """An item that keeps the target out of reach, and what would discharge it."""

    item: str
    span: str
    discharged_by: str


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes in tokens."""

    tokens_before: int
    tokens_reclaimed: int
    tokens_retained: int
    tokens_carrier: int


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision about one transcript. `decision_id` is the digest of everything below it except time."""

    schema: str
    decision_id: str
    outcome: str
    transcript: TranscriptInfo
    policy: PolicyInfo
    plugins: tuple[PluginVersion, ...]
    budget: Budget
    fidelity: Fidelity
    tail: Tail
    spans: tuple[SpanDecision, ...]
    carrier: tuple[CarrierRecord, ...]
    blocking: tuple[Blocking, ...]
    totals: Totals

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of design section 7, as builtins."""
        found = msgspec.to_builtins(self)
        assert isinstance(found, dict)
        return found

    def to_json(self) -> bytes:
        """One line of UTF-8 JSON, the same bytes for the same inputs."""
        try:
            return msgspec.json.encode(self)
        except UnicodeEncodeError:  # lone surrogates, which strict readers of JSON refuse, become the text of their escape
            return msgspec.json.encode(plain_value(self.to_dict()))


def seal(decision: Decision) -> Decision:
    """The decision with its id: the digest of these JSON lines: the decision without id, spans and carrier; each span; each record.

    No time is in it.
    """
    head = msgspec.structs.replace(decision, decision_id="", spans=(), carrier=())
    digest = digest_lines(stable_json(part) for part in (head, *decision.spans, *decision.carrier))
    return msgspec.structs.replace(decision, decision_id=digest)
