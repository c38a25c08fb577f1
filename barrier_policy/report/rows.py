"""A decision as rows for people: which rule decided about each span, and what it rests on. Pure; prints nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

import msgspec

from barrier_policy.decision.assess import Assessment
from barrier_policy.decision.excerpts import Excerpts, items_of
from barrier_policy.decision.model import Reason, SpanDecision
from barrier_policy.join.places import binding_name
from barrier_policy.policy import verdict
from barrier_policy.policy.model import PolicySet, Repair, Severity
from barrier_policy.printable import clip
from barrier_policy.report.model import ActionTotal
from barrier_policy.transcript.model import Message
from barrier_policy.walk import Analysis

ACTIONS = ("summarize", "repair", "retain")
LONG = 24
"""A table with more spans than this is folded."""
ITEM_LENGTH = 60
ITEMS_SHOWN = 3
TELLING = ("idempotency_key", "column_set", "version_pin", "sequence", "hash", "amount", "resource_id", "url", "path")
"""Kinds of values in the order in which the few that a row has room for are chosen."""
GATE_REPAIRS = frozenset({Repair.REBIND, Repair.ARCHIVE})
"""Repairs that the gate makes itself; all others need somebody else."""


Line = tuple[str, str]
AnyReason = TypeVar("AnyReason", Reason, verdict.Reason)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One span, or a run of neighbouring spans with the same action for the same rules.

    `lines` are (rule, what), the deciding rule first. A `brief` row has one line, of which only the beginning matters.
    """

    first: str
    last: str
    spans: int
    messages: int
    tokens: int
    action: str
    lines: tuple[Line, ...]
    brief: bool = False


def action_totals(analysis: Analysis) -> tuple[ActionTotal, ...]:
    """How much each action takes, and at the end the tail, which no action takes."""
    about, spans = analysis.decision.transcript, analysis.decision.spans

    def total(action: str, count: int, messages: int, tokens: int) -> ActionTotal:
        share = round(1000 * tokens / max(1, about.tokens))
        return ActionTotal(action=action, spans=count, messages=messages, tokens=tokens, share=share)

    found = []
    for action in ACTIONS:
        chosen = [span for span in spans if span.action == action]
        messages = sum(span.messages[1] - span.messages[0] for span in chosen)
        found.append(total(action, len(chosen), messages, sum(span.tokens for span in chosen)))
    rest = about.tokens - sum(span.tokens for span in spans)
    return (*found, total("tail", 0, about.messages - analysis.decision.tail.start, rest))


def decision_rows(analysis: Analysis, *, fold: bool) -> list[Row]:
    """The rows of a decision in transcript order.

    Where `fold`, only spans that stay have all their lines, and runs of the same action and rules are one row of a long table.
    """
    texts = ItemTexts(analysis)
    repairs = repairs_of(analysis.policies)
    naming = frozenset(rule.id for _, rule in analysis.policies.rules() if rule.evidence)
    rows = [
        _row(found, action, list(_lines(found, decided, texts, repairs, naming)), analysis.plan.outcome, fold=fold)
        for found, decided, action in zip(analysis.assessments, analysis.decision.spans, analysis.plan.actions, strict=True)
    ]
    if not fold or len(rows) <= LONG:
        return rows
    return [_folded(list(run)) for _, run in groupby(rows, key=lambda row: (row.action, [rule for rule, _ in row.lines]))]


class ItemTexts:
    """The words that the items of the ledger and the facts of outside plugins rest on, short and without secrets."""

    def __init__(self, analysis: Analysis) -> None:
        self._masker = analysis.masker
        self._items = items_of(analysis.join)
        self._excerpts = Excerpts(analysis.join, analysis.masker)

    def of(self, name: str, length: int = ITEM_LENGTH) -> str:
        """The text of an item on one line, empty where it has none."""
        item = self._items.get(binding_name(name))
        return self.mask(item.text, item.message, length) if item else ""

    def some(self, names: Sequence[str]) -> str:
        """The most telling of some items, in backticks, with how many there are besides."""
        chosen = sorted(names, key=self._rank)[: 2 * ITEMS_SHOWN]
        texts = [text for text in dict.fromkeys(self.of(name) for name in chosen) if text][:ITEMS_SHOWN]
        more = f" +{len(names) - len(texts)}" if texts and len(names) > len(texts) else ""
        return ", ".join(f"`{text}`" for text in texts) + more

    def _rank(self, name: str) -> int:
        kind = self._items[name].kind if name in self._items else ""
        return TELLING.index(kind) if kind in TELLING else len(TELLING)

    def mask(self, text: str, message: int, length: int = ITEM_LENGTH) -> str:
        """A text that stems from a message, masked and clipped."""
        return clip(self._masker.text(text, message), length)

    def excerpt(self, item: str, message: Message, pointer: str) -> str:
        """What stands in the transcript around the words of an item, masked and clipped."""
        return self._excerpts.of(item, message.index, pointer)


def _row(found: Assessment, action: str, lines: list[Line], outcome: str, *, fold: bool) -> Row:
    plan = plan_note(found, action, outcome)
    brief = fold and (action != "retain" or plan != "")
    if brief:
        lines = [(lines[0][0], plan or lines[0][1])]
    elif plan:
        lines.append(("(plan)", plan))
    return Row(
        first=str(found.span.start),
        last=str(found.span.end - 1),
        spans=1,
        messages=found.span.end - found.span.start,
        tokens=found.tokens,
        action=action,
        lines=tuple(lines),
        brief=brief,
    )


def _lines(
    found: Assessment,
    decided: SpanDecision,
    texts: ItemTexts,
    repairs: Mapping[str, Sequence[Repair]],
    naming: Collection[str],
) -> Iterable[Line]:
    """The deciding rule first, then further rules that name something: those in `naming`. The rest are about the span as a whole.

    At the end those in mode warn, which count for nothing.
    """
    for error in found.errors:
        yield error.rule, f"the {error.part} could not be evaluated: {error.message}"
    for number, reason in enumerate(by_weight(decided.reasons, repairs)):
        if number == 0 or reason.rule in naming:
            named = [entry.item for entry in reason.evidence] if reason.rule in naming else []
            yield reason.rule, _what(reason.explanation, named, texts)
    if found.default_barrier:
        yield "(no permit)", "no rule permits to summarize it"
    for reason in decided.warnings:
        named = [entry.item for entry in reason.evidence]
        yield reason.rule, f"in mode warn: {_what(reason.explanation, named, texts)}"


def repairs_of(policies: PolicySet) -> dict[str, tuple[Repair, ...]]:
    """What lifts each rule, by rule id."""
    return {rule.id: rule.repair for _, rule in policies.rules()}


def by_weight(reasons: Sequence[AnyReason], repairs: Mapping[str, Sequence[Repair]]) -> list[AnyReason]:
    """Reasons with the deciding one first: those that the gate can't lift by itself, then the more severe ones.

    `repairs` is what lifts each rule.
    """
    severities = list(Severity)
    return sorted(
        reasons,
        key=lambda reason: (
            bool(repairs[reason.rule]) and GATE_REPAIRS.issuperset(repairs[reason.rule]),
            -severities.index(Severity(reason.severity)),
            not reason.evidence,
            reason.rule,
        ),
    )


def _what(explanation: str, items: Sequence[str], texts: ItemTexts) -> str:
    named = texts.some(items)
    return f"{explanation}: {named}" if named else explanation


def _plan_words(found: Assessment, outcome: str) -> str:
    """Why a span stays that its verdict would let go."""
    if outcome == "refuse":
        return "could go, but the target can't be reached"
    if found.repairable and found.gain <= 0:
        return "its records would be longer than itself"
    if outcome == "nothing_to_reclaim":
        return "could go, but nothing would be gained"
    return "could be repaired, but the target is reached without"


def plan_note(found: Assessment, action: str, outcome: str) -> str:
    """Why the plan keeps a span that its verdict, or a repair, would let go; empty where it does not."""
    spared = action == "retain" and (found.verdict == "opportunity" or found.repairable)
    return _plan_words(found, outcome) if spared else ""


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """Items of one span that the same thing would discharge."""

    span: str
    items: tuple[str, ...]
    discharged_by: str


def blocked(analysis: Analysis) -> list[Blocked]:
    """What keeps the target out of reach, by span and remedy."""
    groups: dict[tuple[str, str], list[str]] = {}
    for entry in analysis.decision.blocking:
        groups.setdefault((entry.span, entry.discharged_by), []).append(entry.item)
    return [Blocked(span=span, items=tuple(items), discharged_by=remedy) for (span, remedy), items in groups.items()]


def _folded(run: list[Row]) -> Row:
    """One row for a run; its words are those of the first span."""
    first = run[0]
    if len(run) == 1:
        return first
    return msgspec.structs.replace(
        first,
        last=run[-1].last,
        spans=len(run),
        messages=sum(row.messages for row in run),
        tokens=sum(row.tokens for row in run),
        lines=tuple(_folded_line(lines) for lines in zip(*(row.lines for row in run), strict=True)),
    )


def _folded_line(lines: tuple[Line, ...]) -> Line:
    rule, what = lines[0]
    return rule, what if all(line == lines[0] for line in lines) else f"{what}, …"
