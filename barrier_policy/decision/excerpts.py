"""Excerpts for a decision: the words of the transcript at each piece of evidence, short and without secrets (design section 7).

A decision has none unless they are asked for: it may be kept for years and by others than the transcript, and masking only hides
what was recognised as a secret. Excerpts are added to a finished decision, so they change neither verdict nor id.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from barrier_policy.decision.model import Decision, Evidence, Reason
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.model import Fact
from barrier_policy.join.join import Join
from barrier_policy.join.places import binding_name
from barrier_policy.ledger.model import Item
from barrier_policy.printable import clean, clip
from barrier_policy.transcript.model import Part

LENGTH = 160
"""Characters of an excerpt."""
BEFORE = 40
"""Characters of it that stand before the words it is about."""
REMEMBERED = 16
"""Parts whose masked text is kept: the items of a rule mostly stand close together."""


class MaskedParts:
    """Texts of parts without secrets, the last few of them kept."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._known: OrderedDict[tuple[int, str], str] = OrderedDict()

    def text(self, message: int, part: Part) -> str:
        """The text of a part of a message. Masked as a whole, so that no cut can part a secret."""
        key = (message, part.pointer)
        if key not in self._known:
            self._known[key] = self._masker.text(part.text, message)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]


class Excerpts:
    """Excerpts of one transcript."""

    def __init__(self, join: Join, masker: Masker) -> None:
        self._join = join
        self._masker = masker
        self._items = items_of(join)
        self._masked = MaskedParts(masker)

    def of(self, item: str, message: int, pointer: str) -> str:
        """What stands in the transcript around the words of an item, on one line; empty where its part is not found."""
        if item.startswith("environment:"):
            stated = ", ".join(f"{name} {value}" for name, value in sorted(self._join.messages[message].environment.items()))
            return clip(self._masker.text(stated, message), LENGTH)
        part = next((part for part in self._join.messages[message].parts if part.pointer == pointer), None)
        if part is None:
            return ""
        text = self._masked.text(message, part)
        found = self._items.get(binding_name(item))
        words = found.text if found else ""
        start = max(0, text.find(words) - BEFORE) if words else 0
        shown = clip(("…" if start else "") + text[start : start + 4 * LENGTH], LENGTH)
        return f"{clean(part.name)} {shown}" if part.name else shown


def items_of(join: Join) -> Mapping[str, Item | Fact]:
    """The items of the ledger and the facts of outside plugins, by the names under which rules cite them."""
    found: dict[str, Item | Fact] = {item.id: item for item in join.ledger.items}
    for extensions in join.extensions:
        found.update(extensions)
    return found


def with_excerpts(decision: Decision, join: Join, masker: Masker) -> Decision:
    """The decision with an excerpt for each piece of evidence. Its id is that of the decision without."""
    excerpts = Excerpts(join, masker)

    def evidence(entry: Evidence) -> Evidence:
        return msgspec.structs.replace(entry, excerpt=excerpts.of(entry.item, entry.message, entry.pointer))

    def reasons(found: tuple[Reason, ...]) -> tuple[Reason, ...]:
        return tuple(msgspec.structs.replace(reason, evidence=tuple(map(evidence, reason.evidence))) for reason in found)

    spans = (
        msgspec.structs.replace(span, reasons=reasons(span.reasons), warnings=reasons(span.warnings))
        for span in decision.spans
    )
    return msgspec.structs.replace(decision, spans=tuple(spans))
