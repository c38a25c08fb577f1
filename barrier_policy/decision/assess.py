"""What can be done with each span: the verdict as it stands, and the verdict after the repairs that the gate can make.

A span is repairable exactly if the same rules, run on its record with those repairs made, call it an opportunity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from barrier_policy.carrier.record import CarrierRecord, Draft, write_down
from barrier_policy.carrier.write import Placement, Sources, draft_records, is_shared, place, shown_texts
from barrier_policy.decision.model import Blocking, Reason, Repair
from barrier_policy.decision.reasons import ReasonWriter
from barrier_policy.decision.remedies import (
    EVALUATED,
    NO_GAIN,
    PERMITTED,
    cited_by,
    gate_repairs,
    lifted_by,
    repairs_of,
    repairs_of_span,
)
from barrier_policy.facts.model import Fact
from barrier_policy.join.join import Coverage, Join, Provenance, Record, build_record, repair_record, tells_secret
from barrier_policy.ledger.model import Family, Item
from barrier_policy.policy import verdict
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.verdict import AppliedException, RuleError, Verdict, VerdictKind
from barrier_policy.spans.model import Span


class Assessment(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A span's verdict, the repairs that would lift it, and what they cost.

    The gate can lift it by itself where the span is `repairable`; else `remedies` are what it takes. `default_barrier` is set where no rule
    spoke. `gain` is tokens freed by a repair; one that takes a `secret` out of the context is worth it without. `digest` is that of the
    span's original. `exceptions`
    are those that an opportunity rests on, as the span stands or after its repair. Records and verdicts in full are not kept: `record_of`
    builds the span record that was judged again, `repair_records` those that a repair writes.
    """

    span: Span
    tokens: int
    coverage: Coverage
    provenance: Provenance
    verdict: VerdictKind
    default_barrier: bool
    reasons: tuple[Reason, ...]
    errors: tuple[RuleError, ...]
    warnings: tuple[Reason, ...] = ()
    remedies: tuple[Repair, ...] = ()
    rebind: tuple[Item, ...] = ()
    archive: bool = False
    repairable: bool = False
    gain: int = 0
    secret: bool = False
    digest: str = ""
    exceptions: tuple[AppliedException, ...] = ()

    def repairs(self, name: str) -> tuple[Repair, ...]:
        """All that it takes to lift the barrier of the span, which has this name; empty where nothing does."""
        if not self.repairable:
            return self.remedies
        return tuple(gate_repairs(name, [item.id for item in self.rebind], archive=self.archive))

    @property
    def shared(self) -> tuple[Placement, ...]:
        """The items of `rebind` that go into records of what consumes them, not into those of the span."""
        return tuple(found for found in place(self.rebind) if is_shared(found.holder))


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
    assessor = _Assessor(join, evaluator, probe, archives, count, named)
    alone = Coverage()
    found = [assessor.assess(number, alone) for number in range(len(join.segmentation.spans))]
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
            found[number] = assessor.assess(number, coverage)
    return found


class _Assessor:
    """Assesses the spans of one transcript, one at a time."""

    def __init__(
        self,
        join: Join,
        evaluator: Evaluator,
        probe: Probe,
        archives: bool,
        count: Callable[[str], int],
        digests: Sequence[str],
    ) -> None:
        self._join = join
        self._evaluator = evaluator
        self._probe = probe
        self._archives = archives
        self._count = count
        self._digests = digests
        self._writer = ReasonWriter(join, archives=archives)

    def assess(self, number: int, coverage: Coverage) -> Assessment:
        """The assessment of a span, given what keeps values besides it."""
        join = self._join
        provenance = self._probe(number)
        record = build_record(join, number, coverage, provenance)
        digest = self._digests[number]
        result = self._evaluator.evaluate(record, digest)
        base = Assessment(
            span=join.segmentation.spans[number],
            tokens=join.tokens[number],
            coverage=coverage,
            provenance=provenance,
            verdict=result.verdict,
            default_barrier=result.default_barrier,
            reasons=self._writer.write(number, result.reasons),
            warnings=self._writer.write(number, result.warnings, binding=False),
            errors=result.errors,
            digest=digest,
            secret=tells_secret(join, number),
        )
        if result.verdict == "opportunity":
            return msgspec.structs.replace(base, exceptions=result.exceptions)
        rebind = _to_rebind(join, number, result)
        archive = self._archives and not provenance.retrievable and join.structured[number]
        if rebind or archive:
            repair_record(record, {item.id for item in rebind}, archived=archive)
            if self._evaluator.judge(record, digest) == "opportunity":
                exceptions = (*result.exceptions, *self._evaluator.exceptions(record, digest))
                return self._repairable(base, rebind, archive, tuple(dict.fromkeys(exceptions)))
        names = {item.id: item.id for item in join.items[number]}
        remedies = repairs_of_span(base.span.id, result.reasons, result.errors, names, archives=self._archives)
        return msgspec.structs.replace(base, remedies=remedies)

    def _repairable(
        self, base: Assessment, rebind: tuple[Item, ...], archive: bool, exceptions: tuple[AppliedException, ...]
    ) -> Assessment:
        """The assessment with the repairs that lift the barrier, what they write, and the exceptions that they rest on."""
        placed = place(rebind)
        texts = shown_texts(placed, self._join.ledger)
        texts += [found.item.text for found in placed if found.shows and is_shared(found.item)]
        return msgspec.structs.replace(
            base,
            rebind=rebind,
            archive=archive,
            repairable=True,
            exceptions=exceptions,
            gain=base.tokens - sum(map(self._count, texts)),
        )


def _to_rebind(join: Join, number: int, result: Verdict) -> tuple[Item, ...]:
    """The items cited by barrier rules whose repair is to rebind them."""
    cited = {
        item.item
        for reason in result.reasons
        if reason.effect == "barrier" and "rebind" in reason.repair
        for item in reason.evidence
    }
    items = tuple(item for item in join.items[number] if item.id in cited and item.rebindable)
    items += tuple(extension_item(identifier, fact) for identifier, fact in join.extensions[number] if identifier in cited)
    return join.items[number] if items == join.items[number] else items  # of most spans all are, and one tuple is enough


def extension_item(identifier: str, fact: Fact) -> Item:
    """A fact of an outside plugin as an item of the ledger."""
    return Item(id=identifier, family=Family.EXTENSION, kind=fact.kind, message=fact.message, part=fact.part, text=fact.text)


def what_blocks(found: Assessment, result: Verdict, *, archives: bool) -> tuple[Blocking, ...]:
    """What makes a span a barrier: the items that rules cite, else the rules themselves, and rules that could not be evaluated.

    Where the gate could lift all of it, the records that it would write keep the span, because they are longer than the span.
    """
    span = found.span.id
    if found.repairable:
        return tuple(Blocking(item=item.id, span=span, discharged_by=NO_GAIN) for item in found.rebind)
    blocking = [entry for reason in result.reasons for entry in _blocked_by(span, reason, archives=archives)]
    blocking += [Blocking(item=f"rule:{error.rule}", span=span, discharged_by=EVALUATED) for error in result.errors]
    return tuple(dict.fromkeys(blocking)) or (Blocking(item=f"span:{span}", span=span, discharged_by=PERMITTED),)


def _blocked_by(span: str, reason: verdict.Reason, *, archives: bool) -> Iterator[Blocking]:
    repairs = tuple(repairs_of(span, reason, archives=archives))
    for item in cited_by(reason):
        lifts = (repair for repair in repairs if item in repair.items or repair.items == (span,))
        yield Blocking(item=item, span=span, discharged_by=lifted_by(lifts))


def record_of(join: Join, found: Assessment) -> Record:
    """The span record that a verdict rests on, built again: records are not kept."""
    return build_record(join, join.number_of(found.span), found.coverage, found.provenance)


def repair_records(sources: Sources, found: Assessment) -> list[CarrierRecord]:
    """The records of its own that the repair of a span writes; `Assessment.shared` go into records of others."""
    return [write_down(draft) for draft in repair_drafts(sources, found)]


def repair_drafts(sources: Sources, found: Assessment) -> list[Draft]:
    """The same before they are written down, to be merged with others."""
    return draft_records(found.span.id, place(found.rebind), sources)
