"""Why a span got its verdict, as the decision says it: the rules that made it, each with the places that made it true (design section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sys import intern

import msgspec

from barrier_policy.decision.model import Evidence, Reason
from barrier_policy.decision.remedies import lifted_by, repairs_of
from barrier_policy.join.join import Join
from barrier_policy.join.places import Mark, marks
from barrier_policy.ledger.model import Item
from barrier_policy.policy import verdict
from barrier_policy.policy.model import RuleEffect

Cited = Item | Mark | verdict.Evidence


class ReasonWriter:
    """Writes the reasons of one transcript. What engines return anew for each span (ids, explanations) is kept once.

    `archives`: the gate has a store that an original can be archived in.
    """

    def __init__(self, join: Join, *, archives: bool) -> None:
        self._join = join
        self._archives = archives
        changed = {event.item: event.message for event in join.ledger.events if event.state != "open"}
        later = (item.id for item in join.ledger.items if changed.get(item.id, item.message) != item.message)
        self._state_from = {name: changed[name] for name in later}
        self._words: dict[str, str] = {}
        self._general: dict[tuple[str, str, bool, tuple[str, ...]], Reason] = {}
        self._uncited: dict[Reason, Reason] = {}

    def write(self, number: int, reasons: Iterable[verdict.Reason], *, binding: bool = True) -> tuple[Reason, ...]:
        """The reasons for the verdict of a span; rules in mode `warn` are not `binding`, so that there is nothing to lift."""
        items = {item.id: item for item in self._join.items[number]}
        return tuple(self._reason(number, reason, items, binding=binding) for reason in reasons)

    def _reason(self, number: int, reason: verdict.Reason, items: Mapping[str, Item], *, binding: bool) -> Reason:
        """One reason; those that cite nothing are the same for many spans, and are kept once."""
        written = msgspec.structs.replace(
            self._general_of(reason, bars=binding and reason.effect is RuleEffect.BARRIER),
            explanation=self._words.setdefault(reason.explanation, reason.explanation),
            evidence=tuple(map(self._evidence, self._cited(number, reason, items))),
        )
        return written if written.evidence else self._uncited.setdefault(written, written)

    def _general_of(self, reason: verdict.Reason, *, bars: bool) -> Reason:
        """What a rule says of every span that it cites items of the same kinds of: of items, what lifts a barrier says no more."""
        kinds = tuple(dict.fromkeys([cited.item.partition(":")[0] for cited in reason.evidence]))
        key = (reason.policy, reason.rule, bars, kinds)
        if key not in self._general:
            self._general[key] = Reason(
                policy=reason.policy,
                version=reason.version,
                rule=reason.rule,
                effect=reason.effect,
                severity=reason.severity,
                explanation="",
                references=reason.references,
                evidence=(),
                lifted_by=lifted_by(repairs_of("", reason, archives=self._archives)) if bars else "",
            )
        return self._general[key]

    def _cited(self, number: int, reason: verdict.Reason, items: Mapping[str, Item]) -> Sequence[Cited]:
        """What a rule cites. A barrier that cites nothing rests on what its condition reads: no barrier is without a place."""
        if reason.evidence or reason.effect is not RuleEffect.BARRIER:
            return [items.get(cited.item, cited) for cited in reason.evidence]
        return marks(self._join, number, reason.about)

    def _evidence(self, cited: Cited) -> Evidence:
        name, message = (cited.item if isinstance(cited, verdict.Evidence) else cited.id), cited.message
        kind, _, place = name.partition(":")
        part = place.partition(":")[0].split(".")
        number = int(part[1]) if len(part) > 1 and part[1].isdigit() else 0
        parts = self._join.messages[message].parts
        state_from = self._state_from.get(name, message)
        return Evidence(
            item=name,
            kind=intern(kind),
            message=message,
            pointer=parts[number].pointer if number < len(parts) else "",
            state_from=state_from if state_from != message else None,
        )
