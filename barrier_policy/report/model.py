"""What a report says, as plain data in the order in which it is read. Every text in it is masked and cleaned.

INVARIANT: nothing here holds a text that has not gone through `Words` (words.py).
"""

from __future__ import annotations

import msgspec


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where something stands: message index, 1-based line of the file (0: the file is one document), RFC 6901 pointer."""

    message: int
    line: int = 0
    pointer: str = ""


class Excerpt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Words of the transcript with what stands around them. `before` and `after` begin and end with `…` where cut."""

    before: str = ""
    words: str = ""
    after: str = ""


class ItemRef(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item by name, with its words; `anchor` is its place in the ledger of the report, "" where it has none."""

    id: str
    words: str = ""
    anchor: str = ""


class EvidenceView(msgspec.Struct, frozen=True, kw_only=True):
    """An item that a rule rests on, where it stands in the transcript."""

    item: ItemRef
    kind: str
    place: Place
    excerpt: Excerpt


class ClauseView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One clause of a condition: its text and `true`, `false` or `error`."""

    text: str
    outcome: str


class ReasonView(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that made the verdict. `remedies` are what would lift it, () for a permit; `rule` is the anchor's number too."""

    rule: str
    effect: str
    severity: str
    explanation: str
    clauses: tuple[ClauseView, ...]
    evidence: tuple[EvidenceView, ...]
    remedies: tuple[str, ...]


class ErrorView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A part of a rule that could not be evaluated on a span."""

    rule: str
    part: str
    message: str


class MessageView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The beginning of a message of a span."""

    index: int
    line: int
    origin: str
    parts: str
    text: str


class RepairView(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be done and verified before a span may go."""

    kind: str
    items: tuple[ItemRef, ...]


class RecordView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A carrier record that a planned repair would write. `spans` are the anchors of those whose items it holds."""

    anchor: str
    id: str
    kind: str
    subject: str
    version: int
    text: str
    digest: str
    place: Place
    spans: tuple[str, ...]


class RecordLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A record of a span's own repair; `anchor` is "" where the plan does not make the repair."""

    id: str
    text: str
    anchor: str = ""


class SpanView(msgspec.Struct, frozen=True, kw_only=True):
    """One span. `headline` is the deciding rule with its words; `note` why the plan keeps what could go.

    `table` is the number of the outcome table of the rules that did not decide. `opening` has the first messages, `more` is how
    many follow.
    """

    id: str
    anchor: str
    messages: tuple[int, int]
    tokens: int
    digest: str
    evidential_class: str
    verdict: str
    action: str
    headline: tuple[str, str]
    note: str
    reasons: tuple[ReasonView, ...]
    warnings: tuple[ReasonView, ...]
    errors: tuple[ErrorView, ...]
    default_barrier: bool
    table: int
    repairs: tuple[RepairView, ...]
    records: tuple[RecordLine, ...]
    present: bool
    retrievable: bool
    uri: str
    opening: tuple[MessageView, ...]
    more: int


class OtherRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that did not decide about a span, with what its clauses said."""

    rule: str
    effect: str
    mode: str
    outcome: str
    clauses: tuple[ClauseView, ...]


class OutcomeTable(msgspec.Struct, frozen=True, kw_only=True):
    """What the other rules said; the same for all `spans`, which are numbers in `Report.spans`."""

    rules: tuple[OtherRule, ...]
    spans: tuple[int, ...]


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the policies in force. `decided` is the number of spans that it was a reason for."""

    number: int
    id: str
    policy: str
    version: str
    file: str
    line: int
    effect: str
    severity: str
    mode: str
    locked: bool
    summary: str
    why: str
    references: tuple[str, ...]
    condition: str
    repair: tuple[str, ...]
    decided: int


class BlockingView(msgspec.Struct, frozen=True, kw_only=True):
    """Items of one span that keep the target out of reach, and what would discharge them. `anchor` is the span's, "" for the tail."""

    span: str
    anchor: str
    items: tuple[ItemRef, ...]
    discharged_by: str


class EventView(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One step in the life of an item."""

    message: int
    state: str
    reason: str


class LedgerItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of the ledger with its whole life. `span` is the anchor of the span that introduced it, "" in the tail."""

    anchor: str
    id: str
    family: str
    kind: str
    state: str
    live: bool
    message: int
    span: str
    words: str
    attributes: tuple[tuple[str, str], ...]
    events: tuple[EventView, ...]


class ActionTotal(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How much of the transcript one action takes. `share` is in tenths of a per cent of all tokens."""

    action: str
    spans: int
    messages: int
    tokens: int
    share: int


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided about, by what, and how it ended. `now` is "" unless it was given: the clock is in no report."""

    file: str
    format: str
    digest: str
    messages: int
    turns: int
    tokens: int
    outcome: str
    decision_id: str
    policy: str
    policy_digest: str
    engine: str
    plugins: tuple[tuple[str, str], ...]
    target_tokens: int | None
    tokens_after: int
    tokens_carrier: int
    preserve: tuple[str, ...]
    audited: bool
    tail_start: int
    skipped: tuple[tuple[str, int], ...]
    now: str
    tool: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a report shows."""

    head: Head
    totals: tuple[ActionTotal, ...]
    tail_tokens: int
    blocking: tuple[BlockingView, ...]
    spans: tuple[SpanView, ...]
    records: tuple[RecordView, ...]
    ledger: tuple[LedgerItem, ...]
    rules: tuple[RuleView, ...]
    tables: tuple[OutcomeTable, ...]

    def rule_number(self) -> dict[str, int]:
        """The number of each rule, by which anchors name it."""
        return {rule.id: rule.number for rule in self.rules}
