"""What would lift a barrier: what the gate does itself, and what somebody else has to do, in words for people (design section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from barrier_policy.decision.model import Repair
from barrier_policy.policy import verdict
from barrier_policy.policy.model import Repair as RepairKind
from barrier_policy.policy.verdict import RuleError

NOTHING = "nothing, such a span always stays"
REBIND = "a carrier record holds what the rule cites (the gate writes it)"
ARCHIVE = "the original is archived and reads back unchanged (the gate archives it)"
NO_STORE = "the original is archived and reads back unchanged (the gate archives it once it is given a store)"
NO_GAIN = "nothing that the gate can do: its records would be longer than the span itself"
EVALUATED = "the rule can be evaluated on the span"
PERMITTED = "a rule permits it"

OF_ITEM = {
    "request": "the request is finished or called off by the user",
    "open_call": "the call's result arrives, or its outcome is established",
    "question": "the user answers it or withdraws it",
    "handoff": "the job, agent or answer that it waits for reports its end",
    "effect": "its outcome is confirmed by a result or a look-up",
    "extractor_failed": "the extractor is mended or removed",
    "unreadable_part": "a reader or extractor that understands the part",
}
"""What somebody other than the gate does about an item, by the kind of the item."""

OF_RULE = {
    "fidelity.clause-missing": "the profile asks for audited summaries that keep bindings and preconditions (`fidelity` in the profile)",
}
"""The same for rules whose items are not what has to change."""

OF_ANY = {
    RepairKind.CONFIRM: "somebody confirms what the rule asks about, so that its condition no longer holds",
    RepairKind.DISCHARGE: "what is owed is done or called off, so that the rule's condition no longer holds",
}


def repairs_of(span: str, reason: verdict.Reason, *, archives: bool) -> Iterator[Repair]:
    """What would lift one barrier: any one of these, for all items of it. Nothing for a rule that no repair lifts."""
    for kind in reason.repair:
        if kind is RepairKind.ARCHIVE:
            yield Repair(kind=kind, items=(span,), discharged_by=ARCHIVE if archives else NO_STORE)
        elif kind is RepairKind.REBIND:
            yield Repair(kind=kind, items=cited_by(reason), discharged_by=REBIND)
        else:
            yield from _by_words(kind, reason.rule, cited_by(reason))


def cited_by(reason: verdict.Reason) -> tuple[str, ...]:
    """The items that a rule cites, the rule itself where it cites none."""
    return tuple(dict.fromkeys(entry.item for entry in reason.evidence)) or (f"rule:{reason.rule}",)


def gate_repairs(span: str, rebind: Sequence[str], *, archive: bool) -> Iterator[Repair]:
    """What the gate does by itself: records for some items, and the original archived."""
    if rebind:
        yield Repair(kind=RepairKind.REBIND, items=tuple(rebind), discharged_by=REBIND)
    if archive:
        yield Repair(kind=RepairKind.ARCHIVE, items=(span,), discharged_by=ARCHIVE)


def _by_words(kind: RepairKind, rule: str, items: Sequence[str]) -> Iterator[Repair]:
    groups: dict[str, list[str]] = {}
    for item in items:
        words = OF_RULE.get(rule) or OF_ITEM.get(item.partition(":")[0]) or OF_ANY[kind]
        groups.setdefault(words, []).append(item)
    for words, found in groups.items():
        yield Repair(kind=kind, items=tuple(found), discharged_by=words)


def lifted_by(repairs: Iterable[Repair]) -> str:
    """The repairs of one barrier in one sentence: all of one kind are needed, and one kind is enough."""
    kinds: dict[str, list[str]] = {}
    for repair in repairs:
        kinds.setdefault(repair.kind, []).append(repair.discharged_by)
    return ", or ".join("; ".join(dict.fromkeys(words)) for words in kinds.values()) or NOTHING


def repairs_of_span(
    span: str, reasons: Sequence[verdict.Reason], errors: Iterable[RuleError], names: Mapping[str, str], *, archives: bool
) -> tuple[Repair, ...]:
    """What would lift all barriers of a span. Empty where one of them can't be lifted.

    `names` maps the names of items to themselves: engines return each anew, and one of them is enough.
    """
    found = [tuple(repairs_of(span, reason, archives=archives)) for reason in reasons]
    if not all(found):
        return ()
    repairs = [repair for some in found for repair in some]
    broken = tuple(dict.fromkeys(f"rule:{error.rule}" for error in errors if error.part in ("condition", "exception")))
    if broken:
        repairs.append(Repair(kind=RepairKind.CONFIRM, items=broken, discharged_by=EVALUATED))
    return _merged(repairs, names) or (Repair(kind=RepairKind.CONFIRM, items=(f"span:{span}",), discharged_by=PERMITTED),)


def _merged(repairs: Iterable[Repair], names: Mapping[str, str]) -> tuple[Repair, ...]:
    """One repair for each kind and remedy, in the order of the rules."""
    items: dict[tuple[str, str], dict[str, None]] = {}
    for repair in repairs:
        found = items.setdefault((repair.kind, repair.discharged_by), {})
        found.update((names.get(item, item), None) for item in repair.items)
    return tuple(Repair(kind=kind, items=tuple(found), discharged_by=words) for (kind, words), found in items.items())
