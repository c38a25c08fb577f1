"""The ledger: what the transcript says is owed, done, forbidden and exact, each with a state (design section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class Family(StrEnum):
    """What an item is."""

    OBLIGATION = "obligation"
    EFFECT = "effect"
    CONSTRAINT = "constraint"
    BINDING = "binding"
    EXTENSION = "extension"


class Event(msgspec.Struct, frozen=True, order=True, gc=False):
    """One line of the append-only list: at `message`, `item` came to be in `state`, because of `reason`."""

    message: int
    item: str
    state: str
    reason: str


class Item(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that a compaction could lose.

    `kind` is the obligation's kind, the effect's class, the constraint's polarity or the binding's type. `text` is what a
    carrier line would say of it, verbatim from the transcript and never a secret. `subject` groups items that one record
    can speak for. `rebindable` says whether a record can hold it at all. `attributes` are the family's further fields.
    """

    id: str
    family: Family
    kind: str
    message: int
    part: int = 0
    text: str = ""
    subject: str = ""
    rebindable: bool = True
    attributes: dict[str, str] = {}


TERMINAL = frozenset(
    {
        "satisfied",
        "released",
        "cancelled",
        "expired",
        "abandoned",
        "overridden",
        "revoked",
        "scope_ended",
        "closed",
        "superseded",
    }
)
UNSETTLED = frozenset({"started", "partial", "unknown"})


class Ending(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Words of a user or higher that end something said before: a `release` or a `correction`, each a whole sentence.

    One that only `permits` says that something may be done again: it ends a prohibition and no gate, which consent never ends.
    """

    kind: str
    message: int
    origin: str
    text: str
    permits: bool = False


class Correction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A sentence that may put a value in the place of another. One of the agent (`by_user` is false) reaches what the agent said alone."""

    message: int
    text: str
    by_user: bool = True


class Amendment(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A sentence of a user or higher that may change a rule.

    `words` are those of its words of content that are not used all the time, `about` those of all that was said with it. One that is `sure`
    is a release, or says that it changes what was planned.
    """

    message: int
    origin: str
    text: str
    words: frozenset[str]
    about: frozenset[str]
    sure: bool = False


class Restatement(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that may take the place of older ones: by its number, or, where it surely is a rule, by saying one anew."""

    message: int
    rule: Item
    sure: bool

    @property
    def text(self) -> str:
        """The words of the rule."""
        return self.rule.text


class Words(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Words that may end or change what was said before them, each kind in order of messages."""

    endings: tuple[Ending, ...] = ()
    corrections: tuple[Correction, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    restatements: tuple[Restatement, ...] = ()


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """Words of messages that have left: what they may end was said before them, and may have stayed.

    `after` is the digest of the last message before them that stayed. Their own `message` is its index in the transcript that they left.
    """

    after: str
    words: Words


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The newest answer of a look-up: where it stands, and its words."""

    message: int
    text: str


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """Items in the order of their first event, and the events. Every state is the last event's.

    `endings` are the words that may end what earlier compactions carried here, `corrections` those that may replace a value in it,
    `amendments` those that may change a rule, `restatements` the rules that may take the place of others, and `answers` the newest ones by look-up, where anything was carried; `head` is the digest of
    the last message. `left` are those of the words that earlier compactions took away, at the places where they were said.
    """

    items: tuple[Item, ...]
    events: tuple[Event, ...]
    states: dict[str, str]
    endings: tuple[Ending, ...] = ()
    corrections: tuple[Correction, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    restatements: tuple[Restatement, ...] = ()
    answers: Mapping[str, Answer] = {}
    head: str = ""
    left: Words = Words()

    def state(self, item: Item) -> str:
        """The item's present state."""
        return state_in(self.states, item)


def state_in(states: Mapping[str, str], item: Item) -> str:
    """An item's state among the states of a ledger; a fact of an outside plugin has no events and is simply `open`."""
    return "open" if item.family is Family.EXTENSION else states[item.id]


def derive_states(events: tuple[Event, ...]) -> dict[str, str]:
    """States as a pure function of the event list: the last event of an item says its state."""
    return {event.item: event.state for event in events}


def is_live(item: Item, state: str) -> bool:
    """Whether an item still matters: owed, in force, open or unsettled."""
    if item.family is Family.EFFECT:
        return state in UNSETTLED
    return state == "open" if item.family is Family.BINDING else state not in TERMINAL
