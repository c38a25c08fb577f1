"""Why a span got its verdict, as the decision says it: each piece of evidence with its place in the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sys import intern

from barrier_policy.decision.model import Evidence, Reason
from barrier_policy.decision.remedies import lifted_by, repairs_of
from barrier_policy.join.join import Join
from barrier_policy.join.places import marks
from barrier_policy.ledger.model import Item
from barrier_policy.policy import verdict
from barrier_policy.policy.model import RuleEffect


class ReasonWriter:
    """Writes the reasons of one transcript. What engines return anew for each span (ids, explanations) is kept once.

    `archives`: the gate has a store that an original can be archived in.
    """

    def __init__(self, join: Join, *, archives: bool) -> None:
        self._join = join
        self._archives = archives
        self._words: dict[str, str] = {}
        self._general: dict[Reason, Reason] = {}
        self._state_from = {event.item: event.message for event in join.ledger.events if event.state != "open"}

    def write(self, number: int, reasons: Iterable[verdict.Reason], *, binding: bool = True) -> tuple[Reason, ...]:
        """The reasons for the verdict of a span; rules in mode `warn` are not `binding`, so that there is nothing to lift."""
        items = {item.id: item for item in self._join.items[number]}
        return tuple(self._reason(number, reason, items, binding=binding) for reason in reasons)

    def _reason(self, number: int, reason: verdict.Reason, items: Mapping[str, Item], *, binding: bool) -> Reason:
        bars = binding and reason.effect is RuleEffect.BARRIER
        written = Reason(
            policy=reason.policy,
            version=reason.version,
            rule=reason.rule,
            effect=reason.effect,
            severity=reason.severity,
            explanation=self._once(reason.explanation),
            references=reason.references,
            evidence=tuple(self._evidence(cited, items.get(cited.item)) for cited in self._cited(number, reason)),
            lifted_by=self._once(lifted_by(repairs_of("", reason, archives=self._archives))) if bars else "",
        )
        return written if written.evidence else self._general.setdefault(written, written)

    def _cited(self, number: int, reason: verdict.Reason) -> Sequence[verdict.Evidence]:
        """What a rule cites. A barrier that cites nothing rests on what its condition reads: no barrier is without a place."""
        if reason.evidence or reason.effect is not RuleEffect.BARRIER:
            return reason.evidence
        places = marks(self._join, number, reason.about)
        return [verdict.Evidence(item=mark.id, kind=mark.kind, message=mark.message) for mark in places]

    def _once(self, text: str) -> str:
        return self._words.setdefault(text, text)

    def _evidence(self, cited: verdict.Evidence, item: Item | None) -> Evidence:
        name, message = (item.id, item.message) if item else (cited.item, cited.message)
        kind, _, place = name.partition(":")
        part = place.partition(":")[0].split(".")
        number = int(part[1]) if len(part) > 1 and part[1].isdigit() else 0
        parts = self._join.messages[message].parts
        pointer = parts[number].pointer if number < len(parts) else ""
        state_from = self._state_from.get(name, message)
        return Evidence(
            item=name,
            kind=intern(kind),
            message=message,
            pointer=pointer,
            state_from=state_from if state_from != message else None,
        )
