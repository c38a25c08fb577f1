"""From assessments and a plan to the decision: what is said of each span, and the records that the repairs write (design section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.shelf import Shelf
from barrier_policy.carrier.write import Sources, draft_shared, find_sources
from barrier_policy.decision.assess import Assessment, Probe, repair_drafts
from barrier_policy.decision.model import RuleError, SpanDecision
from barrier_policy.decision.reasons import ReasonWriter
from barrier_policy.join.join import Join, Provenance
from barrier_policy.provenance.store import Originals, original_bytes


def probe_store(store: Originals | None, join: Join, digests: tuple[str, ...]) -> Probe:
    """How to find out whether the original of a span can be read back."""

    nothing = Provenance()

    def probe(number: int) -> Provenance:
        if store is None:
            return nothing
        span = join.segmentation.spans[number]
        data = store.read(digests[number])
        if data is None:
            return nothing
        ready = data == original_bytes(join.messages[span.start : span.end])
        return Provenance(present=True, retrievable=ready, uri=store.uri(digests[number]))

    return probe


def repaired(assessments: Iterable[Assessment], actions: Iterable[str]) -> Iterator[Assessment]:
    """The spans that are to be repaired, given the action of each."""
    return (found for found, action in zip(assessments, actions, strict=True) if action == "repair")


def sources_of(join: Join, found: Iterable[Assessment]) -> Sources:
    """All that the records of repaired spans say of the transcript."""
    return find_sources((item for span in found for item in span.rebind), join.ledger, join.messages)


def shelf_of(sources: Sources, found: Sequence[Assessment]) -> Shelf:
    """What the repairs of some spans carry: each span's own, then the exact values and findings that spans share."""
    shelf = Shelf()
    for draft in (draft for span in found for draft in repair_drafts(sources, span)):
        shelf.put(draft)
    for draft in draft_shared((placement for span in found for placement in span.shared), sources):
        shelf.put(draft)
    return shelf


def records_of(join: Join, assessments: Sequence[Assessment], actions: Sequence[str]) -> tuple[CarrierRecord, ...]:
    """The records that repairs write, given the action of each span: each thing's own, then the exact values that none of them shows."""
    found = tuple(repaired(assessments, actions))
    return shelf_of(sources_of(join, found), found).records()


def decide_span(
    writer: ReasonWriter, store: Originals | None, found: Assessment, action: str, digest: str, structured: bool
) -> SpanDecision:
    """What the decision says of one span, given what is to be done with it, its original's digest and its class."""
    name = found.span.id
    return SpanDecision(
        id=name,
        messages=(found.span.start, found.span.end),
        tokens=found.tokens,
        digest=digest,
        evidential_class="structured" if structured else "narrative",
        verdict=found.verdict,
        action=action,
        reasons=writer.write(found.reasons),
        warnings=writer.write(found.warnings),
        errors=tuple(RuleError(rule=error.rule, message=error.message) for error in found.errors),
        exceptions=found.exceptions,
        repairs=found.repairs(name),
        provenance=_provenance(found, digest, store),
    )


def _provenance(found: Assessment, digest: str, store: Originals | None) -> Provenance:
    """What is known of the original; where it is to be archived, also where it will be."""
    if found.provenance.uri or not found.archive or store is None:
        return found.provenance
    return msgspec.structs.replace(found.provenance, uri=store.uri(digest))
