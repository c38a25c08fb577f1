"""From assessments and a plan to the decision: what is said of each span, and the records that the repairs write (design section 7)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, starmap

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.shelf import Shelf
from barrier_policy.carrier.write import Sources, draft_shared, find_sources
from barrier_policy.decision.assess import Assessment, Probe, extension_item, repair_drafts
from barrier_policy.decision.model import RuleError, SpanDecision
from barrier_policy.digest import digest_bytes
from barrier_policy.join.join import Join, Provenance
from barrier_policy.provenance.store import Originals, original_bytes


class SpanOriginals(msgspec.Struct, frozen=True, kw_only=True):
    """What is archived of each span: its digest, and its length in bytes."""

    digests: tuple[str, ...]
    lengths: Sequence[int]


def originals_of(join: Join) -> SpanOriginals:
    """The originals of all spans."""
    digests: list[str] = []
    lengths = array("Q")
    for span in join.segmentation.spans:
        data = original_bytes(join.messages[span.start : span.end])
        digests.append(digest_bytes(data))
        lengths.append(len(data))
    return SpanOriginals(digests=tuple(digests), lengths=lengths)


def probe_store(store: Originals | None, originals: SpanOriginals) -> Probe:
    """How to find out whether the original of a span can be read back."""

    nothing = Provenance()

    def probe(number: int) -> Provenance:
        if store is None:
            return nothing
        digest = originals.digests[number]
        data = store.read(digest)
        if data is None:
            return nothing
        ready = len(data) == originals.lengths[number] and digest_bytes(data) == digest
        return Provenance(present=True, retrievable=ready, uri=store.uri(digest))

    return probe


def repaired(assessments: Iterable[Assessment], actions: Iterable[str]) -> Iterator[Assessment]:
    """The spans that are to be repaired, given the action of each."""
    return (found for found, action in zip(assessments, actions, strict=True) if action == "repair")


def sources_of(join: Join) -> Sources:
    """All that records say of the transcript, whatever spans are repaired."""
    extensions = starmap(extension_item, chain.from_iterable(join.extensions))
    return find_sources(chain(chain.from_iterable(join.items), extensions), join.ledger, join.messages)


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
    return shelf_of(sources_of(join), found).records()


def decide_span(store: Originals | None, found: Assessment, action: str, structured: bool) -> SpanDecision:
    """What the decision says of one span, given what is to be done with it and its class."""
    name = found.span.id
    return SpanDecision(
        id=name,
        messages=(found.span.start, found.span.end),
        tokens=found.tokens,
        digest=found.digest,
        evidential_class="structured" if structured else "narrative",
        verdict=found.verdict,
        action=action,
        reasons=found.reasons,
        warnings=found.warnings,
        errors=tuple(RuleError(rule=error.rule, message=error.message) for error in found.errors),
        exceptions=found.exceptions,
        repairs=found.repairs(name),
        provenance=_provenance(found, store),
    )


def _provenance(found: Assessment, store: Originals | None) -> Provenance:
    """What is known of the original; where it is to be archived, also where it will be."""
    if found.provenance.uri or not found.archive or store is None:
        return found.provenance
    return msgspec.structs.replace(found.provenance, uri=store.uri(found.digest))
