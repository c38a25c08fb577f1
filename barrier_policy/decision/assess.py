"""What can be done with each span: the verdict as it stands, and the verdict after the repairs that the gate can make.

A span is repairable exactly if the same rules, run on its record with those repairs made, call it an opportunity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.write import Placement, is_shared, place, write_records
from barrier_policy.decision.model import Blocking
from barrier_policy.facts.model import Fact
from barrier_policy.join.join import Coverage, Join, Provenance, Record, build_record
from barrier_policy.ledger.model import Family, Item
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.verdict import AppliedException, Verdict
from barrier_policy.spans.model import Span

DISCHARGE = {
    "request": "the request is finished or called off by the user",
    "open_call": "the call's result arrives, or its outcome is established",
    "question": "the user answers it or withdraws it",
    "handoff": "the job or agent reports its end",
    "effect": "its outcome is confirmed by a result or a look-up",
    "extractor_failed": "the extractor is mended or removed",
    "unreadable_part": "a reader or extractor that understands the part",
}


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """A span's verdict, the repairs that would lift it, and what they cost.

    `shared` are the items of `rebind` that go into records of what consumes them. `gain` is tokens freed by a repair. `digest` is that of
    the span's original. `exceptions` are those that an opportunity rests on, as the span stands or after its repair.
    """

    number: int
    span: Span
    tokens: int
    coverage: Coverage
    result: Verdict
    provenance: Provenance
    rebind: tuple[Item, ...] = ()
    shared: tuple[Placement, ...] = ()
    archive: bool = False
    repairable: bool = False
    records: tuple[CarrierRecord, ...] = ()
    gain: int = 0
    blocking: tuple[Blocking, ...] = ()
    digest: str = ""
    exceptions: tuple[AppliedException, ...] = ()

    @property
    def verdict(self) -> str:
        """opportunity or barrier, before any repair."""
        return self.result.verdict


Probe = Callable[[int], Provenance]


def assess_spans(
    join: Join,
    evaluator: Evaluator,
    probe: Probe,
    *,
    archives: bool,
    count: Callable[[str], int],
    digests: Sequence[str] = (),
) -> list[Assessment]:
    """Assess all spans. `digests` are those of their originals, which exceptions may name.

    First the spans that stay verbatim whatever is done are found; their values then count as kept, and spans that rely on them are
    looked at again. A span once found to stay keeps that verdict, so that no two spans vouch for each other.
    """
    named = digests or [""] * len(join.segmentation.spans)
    found = [
        _assess(join, number, digest, Coverage(), evaluator, probe, archives, count) for number, digest in enumerate(named)
    ]
    kept = frozenset(
        item.text
        for assessment, items in zip(found, join.items, strict=True)
        if assessment.verdict == "barrier" and not assessment.repairable
        for item in items
        if item.family is Family.BINDING
    )
    if not kept:
        return found
    coverage = Coverage(values=kept)
    for number, assessment in enumerate(found):
        if assessment.repairable and any(item.text in kept for item in assessment.rebind):
            found[number] = _assess(join, number, named[number], coverage, evaluator, probe, archives, count)
    return found


def _assess(
    join: Join,
    number: int,
    digest: str,
    coverage: Coverage,
    evaluator: Evaluator,
    probe: Probe,
    archives: bool,
    count: Callable[[str], int],
) -> Assessment:
    span = join.segmentation.spans[number]
    provenance = probe(number)
    result = evaluator.evaluate(build_record(join, number, coverage, provenance), digest)
    base = Assessment(
        number=number,
        span=span,
        tokens=join.tokens[number],
        coverage=coverage,
        result=result,
        provenance=provenance,
        digest=digest,
    )
    if result.verdict == "opportunity":
        return msgspec.structs.replace(base, exceptions=result.exceptions)
    rebind = _to_rebind(join, number, result)
    archive = archives and not provenance.retrievable and join.structured[number]
    repaired = build_record(
        join,
        number,
        Coverage(carried=frozenset(item.id for item in rebind), values=coverage.values),
        Provenance(present=True, retrievable=True) if archive else provenance,
    )
    repairable = (bool(rebind) or archive) and evaluator.judge(repaired, digest) == "opportunity"
    if not repairable:
        return msgspec.structs.replace(base, blocking=_blocking(span, result))
    placed = place(rebind)
    records = tuple(write_records(span.id, placed, join.ledger, join.messages))
    shared = tuple(found for found in placed if is_shared(found.holder))
    cost = sum(count(entry.text) for entry in records) + sum(count(found.item.text) for found in shared if found.shows)
    return msgspec.structs.replace(
        base,
        rebind=rebind,
        shared=shared,
        archive=archive,
        repairable=True,
        records=records,
        gain=base.tokens - cost,
        blocking=_blocking(span, result),
        exceptions=tuple(dict.fromkeys((*result.exceptions, *evaluator.exceptions(repaired, digest)))),
    )


def _to_rebind(join: Join, number: int, result: Verdict) -> tuple[Item, ...]:
    """The items cited by barrier rules whose repair is to rebind them."""
    cited = {
        item.item
        for reason in result.reasons
        if reason.effect == "barrier" and "rebind" in reason.repair
        for item in reason.evidence
    }
    items = [item for item in join.items[number] if item.id in cited and item.rebindable]
    items += [_extension_item(identifier, fact) for identifier, fact in join.extensions[number] if identifier in cited]
    return tuple(items)


def _extension_item(identifier: str, fact: Fact) -> Item:
    return Item(id=identifier, family=Family.EXTENSION, kind=fact.kind, message=fact.message, part=fact.part, text=fact.text)


def _blocking(span: Span, result: Verdict) -> tuple[Blocking, ...]:
    """What makes the span a barrier: the items that rules cite, else the rules themselves, and rules that could not be evaluated."""
    found = []
    for reason in result.reasons:
        if reason.effect == "barrier":
            remedy = " or ".join(reason.repair) or "nothing, such a span always stays"
            cited = [item.item for item in reason.evidence] or [f"rule:{reason.rule}"]
            found += [
                Blocking(item=item, span=span.id, discharged_by=DISCHARGE.get(item.partition(":")[0], remedy))
                for item in cited
            ]
    for error in result.errors:
        found.append(Blocking(item=f"rule:{error.rule}", span=span.id, discharged_by="the rule can be evaluated"))
    if not found:
        found.append(Blocking(item=f"span:{span.id}", span=span.id, discharged_by="a rule that permits it"))
    return tuple(dict.fromkeys(found))


def record_of(join: Join, found: Assessment) -> Record:
    """The span record that a verdict rests on, built again: records are not kept."""
    return build_record(join, found.number, found.coverage, found.provenance)
