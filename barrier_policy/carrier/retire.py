"""Which records of earlier carriers no longer hold, by what the transcript has said since (design sections 2 and 5).

Only structured evidence counts, the same as for the ledger's own items: a release by an equal or higher origin, a reported end, a newer
state of the same thing. What was said before the record was last looked at can't end it: the record outlived it then. Receipts are
never retired, because whoever forgets that a thing is done does it again. When in doubt, a record is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.replace import VALUE, find_later, find_replacements
from barrier_policy.carrier.shelf import Dropped, Shelf
from barrier_policy.carrier.shown import Lines
from barrier_policy.carrier.unit import Unit
from barrier_policy.carrier.write import record_kind
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.ledger.model import TERMINAL, Ending, Family, Item, Ledger
from barrier_policy.ledger.rules.constraints import Rules, may_end, rule_of
from barrier_policy.ledger.rules.replaced import threshold
from barrier_policy.transcript.identity import message_digest
from barrier_policy.transcript.model import Message, Origin

REACH = 5
"""Turns of the user that `those` and `it` may point back to, as for findings of the ledger."""
IN_REACH = "reach"
"""Field of a finding that a request needed which has left the transcript, and of a request that was held although what told so has left:

how many turns of the user may still point back to it."""
NOTED = ("statement", "evidence")
"""Kinds of records that hold what was said and is no rule and no debt."""
RELEASABLE = frozenset({"constraint", "gate", "obligation", "plan_item"})
"""What words can end. A job ends when it is reported to have ended."""


class Retired(msgspec.Struct, frozen=True, kw_only=True):
    """The records that still hold, and what no longer does, each with its reason."""

    records: tuple[CarrierRecord, ...]
    dropped: tuple[Dropped, ...]


def retire(records: Sequence[CarrierRecord], ledger: Ledger, messages: Sequence[Message]) -> Retired:
    """What of earlier carriers still holds after a transcript; `ledger` is that of `messages`. Linear in all three."""
    shelf = Shelf()
    for record in records:
        shelf.put_earlier(record)
    present = _Present(ledger, messages)
    judged: set[str] = set()
    while pending := [unit for name, unit in shelf.units.items() if name not in judged]:
        judged.update(unit.name for unit in pending)
        for name, reason in (*present.released(pending), *present.ended(pending)):
            if name in shelf.units:
                shelf.remove(name, reason)
    units = list(shelf.units.values())
    for reason, found in (
        ("nothing is owed any more to what needed it", present.served(units)),
        ("nobody has come back to it since what it waited for has left", present.held(units)),
    ):
        for name, left in found:
            if left > 0:
                shelf.note(name, IN_REACH, left)
            else:
                shelf.remove(name, reason)
    for change in list(find_replacements(shelf, ledger, messages, present.places)):
        if change.name.startswith(VALUE):
            shelf.remove_value(change.name.removeprefix(VALUE), change.reason)
        elif change.item is not None:
            shelf.rewrite(change.name, change.item, "it says now what holds instead of its values")
        elif change.name in shelf.units:
            shelf.remove(change.name, change.reason)
    for change in list(find_later(shelf, ledger, present.places)):
        if change.item is not None:
            shelf.rewrite(change.name, change.item, "it says now what came later")
    values = shelf.values()
    gone = dict(present.corrected_values(values))
    gone |= dict(
        present.superseded_values(
            {value: (head, str(shelf.value(value).get("subject", ""))) for value, head in values.items()}
        )
    )
    for value, reason in gone.items():
        shelf.remove_value(value, reason)
    shelf.heard(ledger.head)
    return Retired(records=shelf.records(), dropped=tuple(shelf.dropped))


class _Present:
    """What the transcript says, arranged for looking up what it ends."""

    def __init__(self, ledger: Ledger, messages: Sequence[Message]) -> None:
        self.endings = ledger.endings
        self.places = {message_digest(message): message.index for message in messages}
        turns = [message.index for message in messages if opens_turn(message)]
        self._turns = turns
        self._recent = frozenset(turns[-REACH:])
        owed = [item for item in ledger.items if item.family is Family.OBLIGATION]
        self._live = {item.message for item in owed if ledger.state(item) not in TERMINAL}
        self._promised = max((item.message for item in owed if item.kind == "commitment" and not item.subject), default=-1)
        self._states: dict[tuple[str, str], tuple[int, bool]] = {}
        self._settings: dict[str, Item] = {}
        self._readings: dict[str, Item] = {}
        self._thresholds: dict[tuple[frozenset[str], str], Item] = {}
        for item in ledger.items:
            if item.family in (Family.OBLIGATION, Family.CONSTRAINT):
                self._learn(item, ledger.state(item) in TERMINAL)
                if item.family is Family.CONSTRAINT and (said := threshold(rule_of(item))) is not None:
                    self._thresholds[said[0], item.kind] = item
            elif item.kind == "environment":
                self._settings[item.attributes["name"]] = item
            elif item.family is Family.BINDING and item.subject and ledger.state(item) != "superseded":
                self._readings[item.subject] = item

    def _learn(self, item: Item, terminal: bool) -> None:
        """By kind and words, and jobs by handle: the last place, and whether it is over at all places."""
        kind = record_kind(item)
        key = (kind, item.subject if kind == "job" else item.text)
        place, others = self._states.get(key, (-1, True))
        self._states[key] = (max(place, item.message), terminal and others)

    def since(self, unit: Unit) -> int | None:
        """The last message that had been weighed when the record was last found to hold; None where that message is not known."""
        return self.places.get(unit.source.head)

    def released(self, units: Iterable[Unit]) -> Iterator[tuple[str, str]]:
        """What a later release ends by its words, or a correction says anew, in the order of the transcript."""
        waiting = sorted(
            ((since, unit) for unit in units if (since := self.since(unit)) is not None), key=lambda entry: entry[0]
        )
        rules, statements = Rules(), Rules()
        taken = 0
        for ending in self.endings:
            while taken < len(waiting) and waiting[taken][0] < ending.message:
                unit = waiting[taken][1]
                taken += 1
                if (item := _as_rule(unit)) is not None:
                    (statements if unit.kind in NOTED else rules).add(item)
            words = content_words(ending.text)
            if ending.kind == "release":
                yield from (
                    (item.id, _reason(ending)) for item in rules.end(words, Origin(ending.origin), permits=ending.permits)
                )
            else:
                found = statements.matching(words)
                yield from ((item.id, _reason(ending)) for item in found if _says_anew(words, item.text))

    def ended(self, units: Iterable[Unit]) -> Iterator[tuple[str, str]]:
        """What the ledger has anew, and as over; and promises that a later one took the place of."""
        for unit in units:
            since = self.since(unit)
            if since is None:
                continue
            setting = self._settings.get(unit.item.get("name", "")) if unit.kind == "environment" else None
            if setting is not None and setting.message > since and setting.text != unit.item["text"]:
                yield unit.name, f"set anew at message {setting.message}"
                continue
            rule = self._replacing(unit) if unit.kind in ("constraint", "gate") else None
            if rule is not None and rule.message > since:
                yield unit.name, f"message {rule.message} says it with another number"
                continue
            key = unit.item.get("subject", "") if unit.kind == "job" else unit.item["text"]
            place, over = self._states.get((unit.kind, key), (-1, False))
            if over and place > since:
                yield unit.name, f"over since message {place}"
            elif self._promised > since and _is_vague_promise(unit):
                yield unit.name, f"a later promise took its place at message {self._promised}"

    def _replacing(self, unit: Unit) -> Item | None:
        """The rule that says what a carried one says, with another number."""
        said, origin = threshold(unit.item.get("rule") or unit.item["text"]), str(unit.item.get("origin", ""))
        rule = self._thresholds.get((said[0], str(unit.item.get("polarity", "")))) if said else None
        if said is None or rule is None or origin not in set(Origin) or not may_end(rule.attributes["origin"], origin):
            return None
        now = threshold(rule_of(rule))
        return rule if now is not None and now[1] != said[1] else None

    def served(self, units: Sequence[Unit]) -> Iterator[tuple[str, int]]:
        """Findings to whose consumers nothing is owed any more, and how many turns may still mean them by `those`: 0 where none may.

        A consumer that has left the transcript did not become older by that, so turns are counted from when the finding was recorded.
        """
        carried = {unit.item.get("asked_in") for unit in units}
        for unit in units:
            consumers, since = unit.item.get("serves", ()), self.since(unit)
            if consumers and since is not None and all(self._is_done(name, carried) for name in consumers):
                gone = any(name not in self.places for name in consumers)
                yield unit.name, self._left(unit, since) if gone else 0

    def held(self, units: Sequence[Unit]) -> Iterator[tuple[str, int]]:
        """Requests that are owed for some turns only, and for how many more."""
        for unit in units:
            since = self.since(unit)
            if unit.kind == "obligation" and IN_REACH in unit.item and since is not None:
                yield unit.name, self._left(unit, since)

    def _left(self, unit: Unit, since: int) -> int:
        return max(0, int(unit.item.get(IN_REACH, REACH)) - (len(self._turns) - bisect_right(self._turns, since)))

    def _is_done(self, consumer: str, carried: set[str | None]) -> bool:
        place = self.places.get(consumer)
        return consumer not in carried and (place is None or (place not in self._recent and place not in self._live))

    def corrected_values(self, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Values that a later correction names: its words say what of them holds. `values` has the head by value."""
        spoken = Lines((str(n), ending.text) for n, ending in enumerate(self.endings) if ending.kind == "correction")
        for value, head in values.items():
            since, found = self.places.get(head), spoken.showing(value)
            if since is not None and found and self.endings[int(found)].message > since:
                yield value, _reason(self.endings[int(found)])

    def superseded_values(self, values: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Values of which a newer reading has been taken since; `values` has head and subject by value."""
        for value, (head, subject) in values.items():
            since, newest = self.places.get(head), self._readings.get(subject)
            if since is not None and newest is not None and newest.text != value and newest.message > since:
                yield value, f"read anew at message {newest.message}"


def _as_rule(unit: Unit) -> Item | None:
    """A thing that words can end, with the origin that must at least say them; None where nothing can."""
    origin = str(unit.item.get("origin") or unit.item.get("creditor") or "")
    if unit.kind in NOTED and unit.item.get("type") == "note":
        origin = Origin.USER
    elif unit.kind not in RELEASABLE or origin not in set(Origin):
        return None
    return Item(
        id=unit.name,
        family=Family.CONSTRAINT,
        kind=str(unit.item.get("polarity", "")),
        message=unit.source.message,
        text=unit.item["text"],
        attributes={"origin": origin, "rule": str(unit.item.get("rule", ""))},
    )


def _says_anew(correction: frozenset[str], statement: str) -> bool:
    """Whether a correction names every value of a statement: then nothing is lost with it."""
    values = {word for word in content_words(statement) if any(character.isdigit() for character in word)}
    return bool(values) and values <= correction


def _is_vague_promise(unit: Unit) -> bool:
    """A promise that names no time or number."""
    promised = unit.kind == "obligation" and unit.item.get("type") == "commitment"
    return promised and not any(character.isdigit() for character in unit.item["text"])


def _reason(ending: Ending) -> str:
    return f"{'released' if ending.kind == 'release' else 'corrected'} at message {ending.message}"
