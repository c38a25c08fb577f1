"""Why a span got its verdict, as the decision says it: each piece of evidence with its place in the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern

from barrier_policy.decision.model import Evidence, Reason
from barrier_policy.join.join import Join
from barrier_policy.ledger.model import Item
from barrier_policy.policy import verdict


class ReasonWriter:
    """Writes the reasons of one transcript. What engines return anew for each span (ids, explanations) is kept once."""

    def __init__(self, join: Join) -> None:
        self._join = join
        self._explanations: dict[str, str] = {}
        self._general: dict[Reason, Reason] = {}

    def write(self, number: int, reasons: Iterable[verdict.Reason]) -> tuple[Reason, ...]:
        """The reasons for the verdict of a span."""
        items = {item.id: item for item in self._join.items[number]}
        return tuple(self._reason(reason, items) for reason in reasons)

    def _reason(self, reason: verdict.Reason, items: Mapping[str, Item]) -> Reason:
        written = Reason(
            policy=reason.policy,
            version=reason.version,
            rule=reason.rule,
            effect=reason.effect,
            severity=reason.severity,
            explanation=self._explanations.setdefault(reason.explanation, reason.explanation),
            references=reason.references,
            evidence=tuple(self._evidence(cited, items.get(cited.item)) for cited in reason.evidence),
        )
        return written if written.evidence else self._general.setdefault(written, written)

    def _evidence(self, cited: verdict.Evidence, item: Item | None) -> Evidence:
        name, message = (item.id, item.message) if item else (cited.item, cited.message)
        kind, _, place = name.partition(":")
        part = place.partition(":")[0].split(".")
        number = int(part[1]) if len(part) > 1 and part[1].isdigit() else 0
        parts = self._join.messages[message].parts
        pointer = parts[number].pointer if number < len(parts) else ""
        return Evidence(item=name, kind=intern(kind), message=message, pointer=pointer)
