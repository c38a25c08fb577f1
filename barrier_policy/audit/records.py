"""Checks of the carrier: can be read, says of every item exactly what holds, holds nothing else, in the order in which things happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from barrier_policy.audit.items import Known
from barrier_policy.audit.likeness import Likes
from barrier_policy.audit.lines import VALUES, Line, Shown
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Outcome, Place
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.result import Result, Standing
from barrier_policy.audit.stale import Superseded
from barrier_policy.audit.text import OPPOSED, WordIndex
from barrier_policy.carrier.block import Block
from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.transcript.builder import CARRIER_MARK
from barrier_policy.transcript.model import Message

ALIKE = 0.5
"""A line that has this share of the words of an item that is gone stands in its place."""
TOGETHER = ("evidence", VALUES)
"""Records that are written by what consumes them; their order says nothing of what happened."""
Order = tuple[int, int]


def check_carriers(result: Result, carriers: Sequence[Shown], notes: Notebook) -> None:
    """Carriers that are whole, each once, and none that hides in other new text."""
    seen: list[Block] = []
    for shown in carriers:
        notes.count("carrier")
        if shown.block in seen:
            name, told = f"carrier:{shown.place.message}", "the carrier stands there twice"
            notes.add("audit.unsupported", "carrier", name, "copy", after=shown.place, found=told)
        if shown.block is not None:
            seen.append(shown.block)
        if shown.block is None or not shown.block.intact:
            found = shown.problem or "its digest is not that of its text"
            notes.add(
                "audit.carrier-damaged",
                "carrier",
                f"carrier:{shown.place.message}",
                "carrier",
                after=shown.place,
                found=found,
            )
    for message in result.of(Standing.NEW, Standing.NOTICE):
        for number, part in enumerate(message.parts):
            if CARRIER_MARK in part.text:
                text = part.text[part.text.index(CARRIER_MARK) :]
                where = place_of(message, number)
                notes.add(
                    "audit.carrier-damaged", "carrier", f"carrier:{message.index}", "forged carrier", after=where, found=text
                )


def place_before(known: Known, messages: Sequence[Message]) -> Place:
    """Where an item stands in before."""
    return place_of(messages[known.item.message], known.item.part)


def as_record(known: Known) -> str:
    """The words that a record of an item shows."""
    return known.prefix + known.words


def add_about(
    notes: Notebook,
    check: str,
    messages: Sequence[Message],
    rule: str,
    known: Known,
    after: Place | None,
    found: str,
    expected: str = "",
    *,
    outcome: Outcome | None = None,
) -> None:
    """Note what became of an item of before, whose `messages` say where it stands."""
    notes.add(
        rule,
        check,
        known.item.id,
        known.record,
        before=place_before(known, messages),
        after=after,
        expected=expected or as_record(known),
        found=found,
        outcome=outcome,
    )


class LineChecks:
    """What is wrong with the lines of the carriers; `reported` are items whose finding says already what became of them.

    `missing` are protected items without a witness, `stands_in_before` says whether a text stands verbatim in before, `keeps` whether the
    result has a message of before as it was, `judge` gives the facts of a text as if a user had said it, and
    `superseded` holds the values that before knows as such.
    """

    def __init__(
        self,
        missing: Sequence[Known],
        messages: Sequence[Message],
        stands_in_before: Callable[[str], bool],
        keeps: Callable[[int], bool],
        judge: Callable[[str], Iterable[Fact]],
        superseded: Superseded,
        notes: Notebook,
    ) -> None:
        self._missing = list(missing)
        self._by_id = {known.item.id: known for known in missing}
        self._words = WordIndex(content_words(known.item.text) for known in missing)
        self._likes = Likes((known.item.id, as_record(known)) for known in missing)
        self._values = Likes((known.item.id, known.item.text) for known in missing if known.is_value)
        self._messages = messages
        self._stands_in_before = stands_in_before
        self._keeps = keeps
        self._judge = judge
        self._superseded = superseded
        self._notes = notes
        self._told: Counter[str] = Counter()
        self.reported: set[str] = set()

    def check(self, lines: Sequence[Line]) -> None:
        """Check every line."""
        self._notes.count("records", len(lines))
        for number, line in enumerate(lines):
            if line.items:
                self._known(line)
            elif not line.carried:
                self._stray(line, number)
        self._order(lines)

    def _known(self, line: Line) -> None:
        known = line.items[0]
        if line.kind == "receipt" and not line.wrong:
            self._told[line.receipt] += line.times
            if self._told[line.receipt] > len(line.items) + line.before:
                self._add("audit.unsupported", line, known)
        if line.wrong:
            rule = {
                "state": "audit.contradicted",
                "kind": "audit.misfiled",
                "line": "audit.misbound",
                "mark": "audit.stale",
            }[line.wrong]
            self._add(rule, line, known)
        elif not any(
            known.current or known.words != known.item.text for known in line.items
        ):  # a line that says it is no lie
            self._add("audit.stale", line, known, expected=f"{known.state}: {known.item.text}")

    def _stray(self, line: Line, number: int) -> None:
        known = self._nearest(line)
        stale = self._superseded.told(line.text) if line.kind in TOGETHER else None
        if known is not None:
            self._add(self._how(line, known), line, known)
        elif stale is not None:
            self._add("audit.stale", line, stale.known, expected=f"{stale.old} is superseded: now {stale.new}")
        elif not (line.kind in TOGETHER and self._stands_in_before(line.text)):
            self._notes.add("audit.unsupported", "records", f"line:{number}", line.kind, after=line.place, found=line.text)

    def _nearest(self, line: Line) -> Known | None:
        likes = self._values if line.kind == VALUES else self._likes
        name = likes.nearest(line.text)
        if name:
            return self._by_id[name]
        number, share = self._words.nearest(content_words(line.text))
        return self._missing[number] if number >= 0 and share >= ALIKE else None

    def _how(self, line: Line, known: Known) -> str:
        """What kind of change a line is that stands in the place of an item."""
        facts = [fact for fact in self._judge(line.text) if fact.kind in ("constraint", "approval_gate")]
        if known.record not in ("constraint", "gate") or line.kind != known.record or not facts:
            return "audit.altered"
        if all((known.item.kind, str(fact.get("polarity"))) in OPPOSED for fact in facts):
            return "audit.contradicted"
        softer = known.item.attributes.get("strength") == "hard" and all(fact.get("strength") == "soft" for fact in facts)
        return "audit.weakened" if softer else "audit.altered"

    def _add(self, rule: str, line: Line, known: Known, expected: str = "") -> None:
        self.reported.update(item.item.id for item in (line.items or (known,)))
        add_about(self._notes, "records", self._messages, rule, known, line.place, line.text, expected)

    def _order(self, lines: Sequence[Line]) -> None:
        """Items of an entry in the order of the walk, and entries of a kind in that of their first items. Values have no order among them.

        What the carrier of before had comes first, as it stood there.
        """
        last: dict[int, Order] = {}
        first: dict[str, Order] = {}
        times = Counter((line.kind, line.text) for line in lines)
        for line in lines:
            orders = [] if line.wrong else self._places(line, alone=times[line.kind, line.text] == 1)
            if not orders or line.kind == VALUES:
                continue
            self._notes.count("order")
            row = line.entry
            wider = f"entry {line.entry}" if line.kind in TOGETHER else line.kind
            low = last.get(row) or first.get(wider)
            order = min((found for found in orders if low is None or found >= low), default=None)
            if order is None:
                self._add("audit.unordered", line, line.items[0])
                continue
            if row not in last:
                first[wider] = order
            last[row] = order

    def _places(self, line: Line, *, alone: bool) -> list[Order]:
        """Where in the walk a line may stand. One that stands `alone` for all that said the same stands where the first of them does."""
        if line.items and line.stood >= 0:
            return [(-1, line.stood)]
        places = {
            known.order: known.item.message for known in line.items if known.protected and known.holder == known.item.id
        }
        if not alone or not places:
            return [known.order for known in line.items]
        left = [order for order, message in places.items() if not self._keeps(message)]
        return [min(places), min(left, default=min(places))]  # of equal messages nobody can tell which was kept
