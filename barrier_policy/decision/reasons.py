"""Why a span got its verdict: kept in short while spans are judged, and written as the decision says it once nothing else is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern

import msgspec

from barrier_policy.decision.model import Evidence, Reason
from barrier_policy.decision.remedies import lifted_by, repairs_of
from barrier_policy.join.join import Join
from barrier_policy.join.places import Mark, marks
from barrier_policy.ledger.model import Item
from barrier_policy.policy import verdict
from barrier_policy.policy.model import RuleEffect
from barrier_policy.transcript.elements import part_pointers

Cited = Item | Mark | verdict.Evidence


class Told(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A rule that determined the verdict, in short: `general` is what it says of every span, without explanation and evidence."""

    general: Reason
    explanation: str
    cited: tuple[Cited, ...]

    @property
    def rule(self) -> str:
        """The rule's id."""
        return self.general.rule


class ReasonTeller:
    """Tells the reasons of one transcript in short. What engines return anew for each span (ids, explanations) is kept once.

    `archives`: the gate has a store that an original can be archived in.
    """

    def __init__(self, join: Join, *, archives: bool) -> None:
        self._join = join
        self._archives = archives
        self._words: dict[str, str] = {}
        self._general: dict[tuple[str, str, bool, tuple[str, ...]], Reason] = {}

    def tell(self, number: int, reasons: Iterable[verdict.Reason], *, binding: bool = True) -> tuple[Told, ...]:
        """The reasons for the verdict of a span; rules in mode `warn` are not `binding`, so that there is nothing to lift."""
        items = {item.id: item for item in self._join.items[number]}
        return tuple(self._told(number, reason, items, binding=binding) for reason in reasons)

    def _told(self, number: int, reason: verdict.Reason, items: Mapping[str, Item], *, binding: bool) -> Told:
        bars = binding and reason.effect is RuleEffect.BARRIER
        kinds = tuple(dict.fromkeys([cited.item.partition(":")[0] for cited in reason.evidence]))
        key = (
            reason.policy,
            reason.rule,
            bars,
            kinds,
        )  # of items, the words of what lifts a barrier say no more than their kinds
        if key not in self._general:
            self._general[key] = self._general_of(reason, bars=bars)
        return Told(
            general=self._general[key],
            explanation=self._words.setdefault(reason.explanation, reason.explanation),
            cited=self._cited(number, reason, items),
        )

    def _general_of(self, reason: verdict.Reason, *, bars: bool) -> Reason:
        return Reason(
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

    def _cited(self, number: int, reason: verdict.Reason, items: Mapping[str, Item]) -> tuple[Cited, ...]:
        """What a rule cites. A barrier that cites nothing rests on what its condition reads: no barrier is without a place."""
        if reason.evidence or reason.effect is not RuleEffect.BARRIER:
            return tuple(items.get(cited.item, cited) for cited in reason.evidence)
        return marks(self._join, number, reason.about)


class ReasonWriter:
    """Writes the reasons of one transcript, each piece of evidence with its place. Holds nothing of the transcript but pointers."""

    def __init__(self, join: Join) -> None:
        self._pointers = part_pointers(join.messages)
        changed = {event.item: event.message for event in join.ledger.events if event.state != "open"}
        later = (item.id for item in join.ledger.items if changed.get(item.id, item.message) != item.message)
        self._state_from = {name: changed[name] for name in later}
        self._written: dict[Reason, Reason] = {}

    def write(self, told: Iterable[Told]) -> tuple[Reason, ...]:
        """The reasons for the verdict of a span; those that cite nothing are the same for many, and are kept once."""
        return tuple(map(self._reason, told))

    def _reason(self, told: Told) -> Reason:
        evidence = tuple(map(self._evidence, told.cited))
        written = msgspec.structs.replace(told.general, explanation=told.explanation, evidence=evidence)
        return written if evidence else self._written.setdefault(written, written)

    def _evidence(self, cited: Cited) -> Evidence:
        name, message = (cited.item if isinstance(cited, verdict.Evidence) else cited.id), cited.message
        kind, _, place = name.partition(":")
        part = place.partition(":")[0].split(".")
        number = int(part[1]) if len(part) > 1 and part[1].isdigit() else 0
        pointers = self._pointers[message]
        state_from = self._state_from.get(name, message)
        return Evidence(
            item=name,
            kind=intern(kind),
            message=message,
            pointer=pointers[number] if number < len(pointers) else "",
            state_from=state_from if state_from != message else None,
        )
