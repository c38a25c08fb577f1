"""What the transcript of before protects: the items that barrier rules cite, with their states and what a record of each would say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.carrier.record import WORD_OF_STATE, with_mark
from barrier_policy.carrier.write import place, record_kind
from barrier_policy.ledger.model import TERMINAL, Family, Item
from barrier_policy.walk import Analysis

CHECK_OF = {
    Family.OBLIGATION: "obligations",
    Family.EFFECT: "effects",
    Family.CONSTRAINT: "constraints",
    Family.BINDING: "bindings",
    Family.EXTENSION: "extensions",
}
ENVIRONMENT = "environment"
PROSE_KINDS = frozenset({"note", "row", ENVIRONMENT})
"""Bindings that are sentences or lines and no single values."""


class Known(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item of before. `order` is its place in the walk: span, then place in the ledger. `holder` shows its words on its own line."""

    item: Item
    state: str
    order: tuple[int, int]
    protected: bool
    holder: str = ""

    @property
    def record(self) -> str:
        """The kind of record that would hold it."""
        return record_kind(self.item)

    @property
    def prefix(self) -> str:
        """What a receipt's line begins with: the word of its state."""
        return f"{WORD_OF_STATE.get(self.state, self.state)}: " if self.record == "receipt" else ""

    @property
    def words(self) -> str:
        """Its words as a record shows them: with what holds now, where some of them no longer do."""
        return with_mark(self.item.text, self.item.attributes.get("replaced", ""))

    @property
    def current(self) -> bool:
        """Whether a record may say it as something that holds now; effects are history and always may."""
        return self.item.family in (Family.EFFECT, Family.EXTENSION) or self.state not in TERMINAL

    @property
    def is_value(self) -> bool:
        """Whether it is one exact value."""
        return self.item.family is Family.BINDING and self.item.kind not in PROSE_KINDS


def known_items(analysis: Analysis) -> tuple[Known, ...]:
    """All items of the ledger and the cited facts of outside plugins, in the order of the walk; those before the tail may be protected.

    An item is protected if a barrier rule that holds cites it. `analysis` is that of before with the tail that the result keeps.
    """
    join = analysis.join
    cited = [_cited(analysis, number) for number in range(len(analysis.assessments))]
    found: list[Known] = []
    for number, (items, names) in enumerate(zip(join.items, cited, strict=True)):
        every = (*items, *_extensions(analysis, number, names))
        holders = {placed.item.id: placed.holder.id for placed in place([item for item in every if item.id in names])}
        found += [_known(analysis, number, n, item, holders) for n, item in enumerate(every)]
    tail = join.segmentation.tail_start
    late = [item for item in join.ledger.items if item.message >= tail]
    found += [_known(analysis, len(cited), n, item, {}) for n, item in enumerate(late)]
    return tuple(sorted(found, key=lambda known: known.order))


def _cited(analysis: Analysis, number: int) -> set[str]:
    reasons = analysis.decision.spans[number].reasons
    return {entry.item for reason in reasons if reason.effect == "barrier" for entry in reason.evidence}


def _extensions(analysis: Analysis, number: int, names: set[str]) -> Iterator[Item]:
    for name, fact in analysis.join.extensions[number]:
        if name in names:
            yield Item(
                id=name, family=Family.EXTENSION, kind=fact.kind, message=fact.message, part=fact.part, text=fact.text
            )


def _known(analysis: Analysis, span: int, number: int, item: Item, holders: Mapping[str, str]) -> Known:
    return Known(
        item=item,
        state=analysis.join.ledger.state(item),
        order=(span, number),
        protected=item.id in holders and bool(item.text.strip()),
        holder=holders.get(item.id, ""),
    )


def text_lines(known: Known) -> list[str]:
    """The lines of an item's words, as a record shows them below its head."""
    return known.words.split("\n")


def by_id(items: Sequence[Known]) -> dict[str, Known]:
    """Items by their names."""
    return {known.item.id: known for known in items}


def protected(items: Sequence[Known]) -> Iterator[Known]:
    """Those that are protected."""
    return (known for known in items if known.protected)
