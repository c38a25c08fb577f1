"""The join: span × ledger × retained rest × carrier × provenance → span record (design sections 1 and 4).

Linear in the transcript: every item is looked at once for its home span.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import groupby
from typing import Any, TypeVar

import msgspec

from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact, FactKind, Failure
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Family, Item, Ledger
from barrier_policy.spans.model import Segmentation, Span
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

Record = dict[str, Any]

FIELD_OF = {
    Family.OBLIGATION: "obligations",
    Family.EFFECT: "effects",
    Family.CONSTRAINT: "constraints",
    Family.BINDING: "bindings",
}
LIST_CAP = 1_000
"""Longer lists are cut, and the cut is an unknown, which protects. The evaluator takes no longer ones."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile says about fidelity and workload."""

    preserve: tuple[str, ...]
    audited: bool
    evidence_demand: bool


class Provenance(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is known of the archived original of a span."""

    present: bool = False
    retrievable: bool = False
    uri: str = ""


class Join(msgspec.Struct, frozen=True, kw_only=True):
    """All that span records are made of, arranged by span. `kinds` are those of each message's facts."""

    messages: tuple[Message, ...]
    segmentation: Segmentation
    items: tuple[tuple[Item, ...], ...]
    ledger: Ledger
    extensions: tuple[tuple[tuple[str, Fact], ...], ...]
    namespaces: Mapping[str, tuple[str, ...]]
    failures: tuple[tuple[Failure, ...], ...]
    tokens: tuple[int, ...]
    tokens_total: int
    structured: tuple[bool, ...]
    kinds: tuple[frozenset[str], ...]
    settings: Settings

    def number_of(self, span: Span) -> int:
        """Which of the spans it is."""
        return bisect_left(self.segmentation.spans, span.start, key=lambda other: other.start)


def span_index(segmentation: Segmentation) -> list[int]:
    """For each message before the tail, the index of its span."""
    index: list[int] = []
    for number, span in enumerate(segmentation.spans):
        index.extend([number] * (span.end - span.start))
    return index


def join_spans(
    messages: Sequence[Message],
    segmentation: Segmentation,
    ledger: Ledger,
    facts: Facts,
    kinds: Mapping[str, FactKind],
    tokens: Sequence[int],
    settings: Settings,
) -> Join:
    """Arrange items, extension facts, failures and sizes by span."""
    group_of = span_index(segmentation)
    namespaces: dict[str, tuple[str, ...]] = {}
    for name in sorted(name for name in kinds if "." in name):
        namespace, _, short = name.partition(".")
        namespaces[namespace] = (*namespaces.get(namespace, ()), short)
    return Join(
        messages=tuple(messages),
        segmentation=segmentation,
        items=_by_span(ledger.items, group_of, len(segmentation.spans)),
        ledger=ledger,
        extensions=tuple(_extensions(span, facts.by_message) for span in segmentation.spans),
        namespaces=namespaces,
        failures=_by_span(facts.failures, group_of, len(segmentation.spans)),
        tokens=tuple(sum(tokens[span.start : span.end]) for span in segmentation.spans),
        structured=tuple(_is_structured(span, messages, facts.kinds) for span in segmentation.spans),
        kinds=facts.kinds,
        tokens_total=sum(tokens),
        settings=settings,
    )


Thing = TypeVar("Thing", Item, Failure)


def _by_span(things: Iterable[Thing], group_of: Sequence[int], spans: int) -> tuple[tuple[Thing, ...], ...]:
    """Things by the span of their message, in their order; those in the tail are left out."""

    def group(thing: Thing) -> int:
        return group_of[thing.message]

    in_order = sorted((thing for thing in things if thing.message < len(group_of)), key=group)
    found = {number: tuple(run) for number, run in groupby(in_order, group)}
    return tuple(found.get(number, ()) for number in range(spans))


def _extensions(span: Span, facts: Sequence[Sequence[Fact]]) -> tuple[tuple[str, Fact], ...]:
    return tuple(
        (f"{fact.kind}:{fact.message}.{fact.part}.{fact.start}", fact)
        for message in range(span.start, span.end)
        for fact in facts[message]
        if "." in fact.kind
    )


EVIDENCE_KINDS = frozenset({"value", "negation_evidence", "binding", "column_set", "environment", "secret"})


def _is_structured(span: Span, messages: Sequence[Message], kinds: Sequence[Set[str]]) -> bool:
    """Structured if it holds a call, a result, an exact value or a negation; what can't be classified is structured."""
    return any(
        not EVIDENCE_KINDS.isdisjoint(kinds[message.index])
        or any(part.type not in (PartType.TEXT, PartType.REASONING) for part in message.parts)
        for message in messages[span.start : span.end]
    )


def tells_secret(join: Join, number: int) -> bool:
    """Whether the user tells a secret in a span."""
    span = join.segmentation.spans[number]
    return any(
        message.origin is Origin.USER and "secret" in join.kinds[message.index]
        for message in join.messages[span.start : span.end]
    )


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps items apart from the span itself: verified records (item ids) and values in what stays verbatim."""

    carried: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


def build_record(join: Join, number: int, coverage: Coverage, provenance: Provenance) -> Record:
    """The span record of one span. Every declared field is filled; lists keep the ledger's order."""
    span = join.segmentation.spans[number]
    messages = join.messages[span.start : span.end]
    record: Record = {
        "id": span.id,
        "start": span.start,
        "end": span.end,
        "tokens": join.tokens[number],
        "origin": str(min((message.origin for message in messages), key=lambda origin: origin.rank)),
        "zone": _zone(span, messages),
        "evidential_class": "structured" if join.structured[number] else "narrative",
        "obligations": [],
        "effects": [],
        "constraints": [],
        "bindings": [],
        "unknowns": _unknowns(join, number, messages),
        "provenance": {"present": provenance.present, "retrievable": provenance.retrievable, "uri": provenance.uri},
        "fidelity": {"preserve": list(join.settings.preserve), "audited": join.settings.audited},
        "workload": {"evidence_demand": join.settings.evidence_demand},
    }
    for item in join.items[number]:
        entry = _entry(join.ledger, item, coverage)
        if entry is not None:
            record[FIELD_OF[item.family]].append(entry)
    for name in FIELD_OF.values():
        if len(record[name]) > LIST_CAP:
            record["unknowns"].append(
                {"what": "unreadable_part", "detail": f"more than {LIST_CAP} {name}", "message": span.start}
            )
            del record[name][LIST_CAP:]
    for namespace, shorts in join.namespaces.items():
        record[namespace] = {short: [] for short in shorts}
    for identifier, fact in join.extensions[number]:
        namespace, _, short = fact.kind.partition(".")
        record[namespace][short].append(_extension_entry(identifier, fact, coverage))
    return record


def repair_record(record: Record, carried: Collection[str], *, archived: bool) -> None:
    """Change a span record to what it is once records hold the `carried` items and, where `archived`, the original can be read back."""
    for field in record.values():
        for entries in field.values() if isinstance(field, dict) else (field,):
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.get("id") in carried:
                    entry["carried"] = entry["held"] = True
    if archived:
        record["provenance"] = {"present": True, "retrievable": True, "uri": ""}


def _zone(span: Span, messages: Sequence[Message]) -> str:
    if any(message.kind is MessageKind.CARRIER for message in messages):
        return "carrier"
    if any(map(is_instruction, messages)):
        return "instructions"
    return "" if span.closed else "split_pair"


def is_instruction(message: Message) -> bool:
    """Whether a message holds the rules of the deployment."""
    return message.origin.rank < Origin.USER.rank and message.kind is not MessageKind.NOTICE


def _unknowns(join: Join, number: int, messages: Sequence[Message]) -> list[dict[str, Any]]:
    found = [
        {"what": "extractor_failed", "detail": failure.extractor, "message": failure.message}
        for failure in join.failures[number]
    ]
    found += [
        {"what": "unreadable_part", "detail": part.pointer, "message": message.index}
        for message in messages
        for part in message.parts
        if part.type is PartType.UNKNOWN
    ]
    return found


def _entry(ledger: Ledger, item: Item, coverage: Coverage) -> dict[str, Any] | None:
    """The item as a record of its family's type; bindings that are not open are left out."""
    state = ledger.states[item.id]
    carried = item.id in coverage.carried
    common = {"id": item.id, "state": state, "message": item.message, "text": item.text, "carried": carried, "held": carried}
    match item.family:
        case Family.OBLIGATION:
            return common | _obligation(item, state)
        case Family.EFFECT:
            return common | _effect(item, state)
        case Family.CONSTRAINT:
            return common | _constraint(item, state)
        case Family.BINDING if state == "open":
            return common | _binding(item, held=carried or item.text in coverage.values)
    return None


def _obligation(item: Item, state: str) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "live": state not in TERMINAL,
        "rebindable": item.rebindable,
        "debtor": item.attributes["debtor"],
        "creditor": item.attributes["creditor"],
    }


def _effect(item: Item, state: str) -> dict[str, Any]:
    attributes = item.attributes
    return {
        "class": item.kind,
        "tool": attributes["tool"],
        "assumed": bool(attributes["assumed"]),
        "unsettled": state in UNSETTLED,
        "receipt_needed": state not in UNSETTLED and not attributes.get("merged"),
        "key": attributes["key"],
        "target": attributes["target"],
    }


def _constraint(item: Item, state: str) -> dict[str, Any]:
    return {
        "polarity": item.kind,
        "gate": bool(item.attributes["gate"]),
        "strength": item.attributes["strength"],
        "origin": item.attributes["origin"],
        "live": state not in TERMINAL,
    }


def _binding(item: Item, *, held: bool) -> dict[str, Any]:
    return {
        "type": item.kind,
        "name": item.attributes["name"],
        "open": True,
        "consumers": int(item.attributes["consumers"]),
        "held": held or bool(item.attributes["held"]),
    }


def _extension_entry(identifier: str, fact: Fact, coverage: Coverage) -> dict[str, Any]:
    carried = identifier in coverage.carried
    entry = {"id": identifier, "message": fact.message, "text": fact.text, "carried": carried, "held": carried}
    return entry | {name: list(value) if isinstance(value, tuple) else value for name, value in fact.attributes.items()}
