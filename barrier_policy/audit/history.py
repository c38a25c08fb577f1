"""The deeds of before: calls with their results and the words that asked for them, parts of requests that nothing acts on, what is said of
how things stand, and what rules forbid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from barrier_policy.audit.calls import MAX_TEXT, words_asked
from barrier_policy.audit.claim_words import AGREED, DONE, HANGING, OPEN, UNDONE, clauses
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Place
from barrier_policy.audit.text import split_sentences
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.ledger.model import UNSETTLED, Family
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

PART_END = re.compile(
    r"[,;:，、；：]\s*|\s(?:and|then|also|und|dann|außerdem|et|puis|ensuite|y|luego|e|poi|depois|en|dan|och|sedan|i|potem|и|затем|ve|sonra)\s"
)
"""Where one part of a request may end and the next begin."""
SPOKEN_OF, ACTED = 0.5, 1 / 3
"""The share of a clause's words that a call must have, and that of a request's part that a call must have."""
FEWEST = 2
"""A clause about fewer things tells of no deed."""
PLAN = "plan"
"""The subject of obligations that are entries of a plan."""
MAX_PARTS = 30
"""Parts of one request that are compared with each call."""
MAX_ANSWER = 300
"""Characters of the answer to a call that are read."""
BEHIND = frozenset({*UNSETTLED, "failed_clean"})
"""States of an effect that is not done."""


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was or was not done: what it is about, as which effect before knows it, and where it stands.

    `own` are the words of an effect without those that it only writes down, in a message to somebody, say: these tell of other deeds.
    """

    is_open: bool
    words: frozenset[str]
    own: frozenset[str] = frozenset()
    text: str
    place: Place
    known: Known | None = None
    is_asked: bool = False

    @property
    def operation(self) -> str:
        """What an effect does, whatever it does it to: the name of its tool, or the command."""
        return self.known.item.attributes.get("operation", "") if self.known else ""

    @property
    def is_unsettled(self) -> bool:
        """Whether it is an effect that is open, and not because it surely failed."""
        return self.is_open and self.known is not None and self.known.state in UNSETTLED


class Turn(msgspec.Struct, kw_only=True):
    """A request and the calls that follow it."""

    parts: list[Deed] = []
    calls: list[Deed] = []


def find_turns(
    messages: Sequence[Message],
    effects: Mapping[tuple[int, int], Known],
    words_of: Callable[[Part, str], frozenset[str]],
    settled: frozenset[str],
) -> Iterator[Turn]:
    """The turns, with the calls known as `effects` by message and part; what is in `settled` is not open."""
    turn = Turn()
    answers = {
        part.call_id: part.text for message in messages for part in message.parts if part.type is PartType.TOOL_RESULT
    }
    for message in messages:
        if opens_turn(message):
            yield turn
            turn = Turn(parts=list(_parts(message)))
        for number, part in enumerate(message.parts):
            if part.type is PartType.TOOL_CALL:
                known = effects.get((message.index, number))
                # what a look-up shows was not done by it
                answer = answers.get(part.call_id, "")[:MAX_ANSWER] if known else ""
                deed = Deed(
                    is_open=known is not None and known.state in BEHIND and known.item.id not in settled,
                    words=words_of(part, answer),
                    own=words_asked(part, answer) if known else frozenset(),
                    text=known.item.text if known else f"{part.name} {part.text[:MAX_TEXT]}",
                    place=place_of(message, number),
                    known=known,
                )
                turn.calls.append(deed)
    yield turn


def _parts(message: Message) -> Iterator[Deed]:
    """The parts of what a user asks. A question asks for an answer, which leaves no trace but words; what is told as done is no request."""
    for number, part in enumerate(message.parts):
        if part.type is not PartType.TEXT or len(part.text) > MAX_TEXT:
            continue
        for _, sentence in split_sentences(part.text):
            for clause in PART_END.split(sentence) if "?" not in sentence else ():
                words = matter(clause)
                if len(words) >= FEWEST and not DONE.search(clause) and not AGREED.search(clause):
                    yield Deed(
                        is_open=True, words=words, text=clause.strip(), place=place_of(message, number), is_asked=True
                    )


def _assign(turn: Turn) -> dict[int, list[int]]:
    """By call, the parts of the request that it does: by their words, or because one call is left for each part that is left."""
    found: dict[int, list[int]] = {}
    for number, call in enumerate(turn.calls):
        shares = [(len(part.words & call.words) / len(part.words), -n) for n, part in enumerate(turn.parts[:MAX_PARTS])]
        share, part = max(shares, default=(0.0, 0))
        if share >= ACTED:
            found[number] = [-part]
    taken = {part for parts in found.values() for part in parts}
    free = [part for part in range(len(turn.parts)) if part not in taken]
    idle = [call for call in range(len(turn.calls)) if call not in found]
    if len(free) == len(idle):
        found.update({call: [part] for call, part in zip(idle, free, strict=True)})
    return found


def with_requests(turn: Turn) -> Iterator[Deed]:
    """The calls of a turn, with the words that asked for each."""
    parts = _assign(turn)
    for number, call in enumerate(turn.calls):
        own = parts.get(number, ()) if call.known is not None else ()  # what was only looked at is no deed of the request
        asked = frozenset().union(*(turn.parts[part].words for part in own))
        yield msgspec.structs.replace(call, words=call.words | asked, own=call.own | asked)


def find_left(turns: Sequence[Turn], said: Matters) -> Iterator[Deed]:
    """Parts of requests that no call does, in that turn or later, and that nobody tells as done. A call for no part may do any of them."""
    called = Matters(call.words for turn in turns for call in turn.calls)
    for turn in turns:
        assigned = _assign(turn)
        taken = {part for parts in assigned.values() for part in parts}
        busy = any(number not in assigned and not call.is_open for number, call in enumerate(turn.calls))
        for number, part in enumerate(turn.parts):
            told = max(said.best(part.words)[0], called.best(part.words)[0])
            if number not in taken and not busy and (told < SPOKEN_OF or told * len(part.words) < FEWEST):
                yield part


def find_statements(messages: Sequence[Message]) -> Iterator[Deed]:
    """What the agent and users say of how things stand, sentence by sentence, and earlier summaries."""
    for message in messages:
        if message.origin.rank < Origin.USER.rank or message.kind is MessageKind.CARRIER:
            continue
        for number, part in enumerate(message.parts):
            if part.type is not PartType.TEXT or (message.origin is Origin.USER and len(part.text) > MAX_TEXT):
                continue
            for _, sentence in split_sentences(part.text[:MAX_TEXT]):
                for clause in PART_END.split(sentence) if message.origin is Origin.AGENT else clauses(sentence):
                    is_open = HANGING.search(clause) is not None or (UNDONE.search(clause) is not None)
                    if not is_open and OPEN.search(clause):
                        continue  # what will be, what may be and what somebody wants says nothing of how things stand
                    if is_open or message.origin is not Origin.USER or DONE.search(clause) or AGREED.search(clause):
                        yield Deed(is_open=is_open, words=matter(clause), text=clause, place=place_of(message, number))


def find_forbidden(known: Sequence[Known], messages: Sequence[Message]) -> Iterator[Deed]:
    """What rules forbid, at all or for now, has not been done."""
    for rule in known:
        if rule.item.family is Family.CONSTRAINT and rule.current and rule.item.kind in ("must_not", "only_if"):
            message = messages[rule.item.message]
            place = place_of(message, rule.item.part)
            yield Deed(is_open=True, words=matter(rule.item.text), text=rule.item.text, place=place)


def find_planned(known: Sequence[Known], messages: Sequence[Message]) -> Iterator[Deed]:
    """The open entries of plans."""
    for entry in known:
        if entry.item.family is Family.OBLIGATION and entry.item.subject == PLAN and entry.current:
            place = place_of(messages[entry.item.message], entry.item.part)
            yield Deed(is_open=True, words=matter(entry.item.text), text=entry.item.text, place=place)
