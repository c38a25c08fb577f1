"""What before knows of every deed, done or open, and new text that tells an open one as done, or a done one as open (design section 5).

A deed is a call with its result and the words that asked for it, a part of a request, what the agent or a user says of how things
stand, and what a rule forbids. Of the deeds that a clause may speak of the one with most of its words decides, of equal ones the last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from barrier_policy.audit.calls import MAX_TEXT, is_id, words_asked, words_of_call
from barrier_policy.audit.claim_words import (
    AGREED,
    BEGUN,
    CONDITION,
    DONE,
    HANGING,
    LATER,
    OPEN,
    PLACE_WORDS,
    UNDONE,
    clauses,
)
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import STEM, Matters, matter
from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Place
from barrier_policy.audit.needs import is_particular
from barrier_policy.audit.text import Sentence, split_sentences
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.ledger.model import UNSETTLED, Family
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

PART_END = re.compile(
    r"[,;:，、；：]\s*|\s(?:and|then|also|und|dann|außerdem|et|puis|ensuite|y|luego|e|poi|depois|en|dan|och|sedan|i|potem|и|затем|ve|sonra)\s"
)
"""Where one part of a request may end and the next begin."""
SPOKEN_OF, ACTED, MEANT = 0.5, 1 / 3, 0.6
"""The share of a clause's words that a call must have, that of a request's part that a call must have, and that of a clause's words that
other deeds must have."""
MUCH = 0.4
"""The share of the words of what only began that a foreign summary must have to speak of it."""
SURE = 2 / 3
"""The share of a clause's words from which a foreign summary surely speaks of a call."""
FEWEST = 2
"""A clause about fewer things tells of no deed."""
TOOL = re.compile(r"\w+")
MAX_PARTS = 30
"""Parts of one request that are compared with each call."""
MAX_ANSWER = 300
"""Characters of the answer to a call that are read."""
BEHIND = frozenset({*UNSETTLED, "failed_clean"})


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was or was not done: what it is about, as which effect before knows it, and where it stands."""

    is_open: bool
    words: frozenset[str]
    text: str
    place: Place
    known: Known | None = None
    is_asked: bool = False


class _Turn(msgspec.Struct, kw_only=True):
    """A request and the calls that follow it."""

    parts: list[Deed] = []
    calls: list[Deed] = []


class Deeds:
    """All deeds of before, found by what a clause is about."""

    def __init__(
        self,
        known: Sequence[Known],
        messages: Sequence[Message],
        *,
        exact: bool,
        waiting: frozenset[tuple[int, int]],
        settled: frozenset[str],
    ) -> None:
        """`exact`, `waiting` as in `Doubted`; `settled` has a later call done. Of foreign runtimes a call's report to somebody is no deed."""
        self._exact = exact
        places = ((k, (k.item.message, k.item.part)) for k in known if k.item.family is Family.EFFECT)
        effects = {place: k for k, place in places if place not in waiting}
        said = list(_statements(messages))
        turns = list(_turns(messages, effects, words_of_call if exact else words_asked, settled))
        done = Matters(deed.words for deed in said if not deed.is_open)
        self._calls = [deed for turn in turns for deed in _with_requests(turn)]
        self._all = [*self._calls, *said, *_forbidden(known, messages), *_left(turns, done)]
        self._by_tool: dict[str, list[Deed]] = {}
        for deed in self._calls:
            if deed.known is not None and "_" in (tool := deed.text.partition(" ")[0]):
                self._by_tool.setdefault(tool, []).append(deed)
        self._call_words = Matters(deed.words for deed in self._calls)
        self._all_words = Matters(deed.words for deed in self._all)

    def told_wrongly(self, sentence: Sentence) -> Iterator[tuple[Deed, str, bool]]:
        """The deeds that a sentence tells as done and that are open, or the other way round, each with the clause, and whether that is sure."""
        for clause in clauses(sentence.text):
            words = matter(clause)
            if LATER.match(clause) or (len(words) < FEWEST and not any(map(is_id, words))):
                continue
            is_done = DONE.search(clause) is not None
            if is_done and not OPEN.search(clause) and not HANGING.search(clause):
                deed, sure = self._open(words)
                begun = BEGUN.search(clause)
                if (
                    begun
                    and deed is not None
                    and not (deed.known is None and begun[0][:STEM].casefold() in deed.text.casefold())
                ):
                    continue  # that something was begun says nothing of its end, unless to begin it was all that was asked
            elif not is_done and HANGING.search(clause) and not CONDITION.search(HANGING.sub("", clause)):
                deed, sure = self._closed(words), False
                if deed is not None and not _is_named(clause, deed):
                    continue
            else:
                continue
            if deed is not None:
                yield deed, clause, sure

    def is_under_way(self, words: frozenset[str]) -> bool:
        """Whether the words speak of an effect that is open."""
        share, numbers = self._call_words.best(words)
        return share >= SPOKEN_OF and any(self._calls[number].is_open for number in numbers)

    def named_wrongly(self, sentence: Sentence) -> Iterator[tuple[Deed, str, str]]:
        """Effects whose tool a clause names together with the id of another tool's effect, each with the clause and that id."""
        for clause in clauses(sentence.text):
            tools = self._by_tool.keys() & set(TOOL.findall(clause))
            for word in sorted(matter(clause)) if len(tools) == 1 else ():
                (tool,) = tools
                deeds = self._by_tool[tool]
                others = [deed for name, found in self._by_tool.items() if name != tool for deed in found]
                is_id = is_particular("resource_id", word)
                if is_id and not any(word in deed.words for deed in deeds) and any(word in deed.words for deed in others):
                    yield deeds[-1], clause, word

    def _open(self, words: frozenset[str]) -> tuple[Deed | None, bool]:
        """The open deed that the words speak of, if they speak of no done one rather; surely if it is a call."""
        share, numbers = self._call_words.best(words)
        called = [self._calls[number] for number in numbers]
        called = [deed for deed in called if deed.known is not None] or called  # what was only looked at decides nothing
        if share >= (SPOKEN_OF if self._exact else SURE) and called[-1].is_open and self._is_meant(words, called[-1]):
            return called[-1], all(deed.is_open for deed in called)
        elsewhere = [deed for deed in called if _is_elsewhere(words, deed)]
        if share >= SPOKEN_OF and elsewhere and len(elsewhere) == len(called):
            return elsewhere[-1], False
        share, numbers = self._all_words.best(words)
        deeds = sorted((self._all[number] for number in numbers), key=lambda deed: deed.place)
        if share < MEANT or not deeds[-1].is_open or deeds[-1].known is not None or not (self._exact or deeds[-1].is_asked):
            return None, False
        return deeds[-1], False

    def _is_meant(self, words: frozenset[str], deed: Deed) -> bool:
        """Whether a foreign summary speaks of this one: by an id, or by much of what it is about, for a long call has words of everything.

        What only began is often told as done by who saw its end, and then more of it must be meant.
        """
        shared, began = words & deed.words, deed.known is not None and deed.known.state == "started"
        enough = (MUCH if began else ACTED) * len(deed.words)
        return self._exact or any(map(is_id, shared)) or len(shared) >= enough

    def _closed(self, words: frozenset[str]) -> Deed | None:
        """The effect that the words surely speak of, where it is done and nothing that is open has as many of them."""
        share, numbers = self._all_words.best(words)
        deeds = [self._all[number] for number in numbers]
        if share < SURE or any(deed.is_open for deed in deeds):
            return None
        return next((deed for deed in reversed(deeds) if deed.known is not None and deed.known.state == "confirmed"), None)


def _is_named(clause: str, deed: Deed) -> bool:
    """Whether a clause has the key or the target of an effect."""
    attributes = deed.known.item.attributes if deed.known else {}
    return any(name and name in clause for name in (attributes.get("key"), attributes.get("target")))


def _is_elsewhere(words: frozenset[str], deed: Deed) -> bool:
    """Whether a deed was done in another place than the words name: in staging, and they say production."""
    places = frozenset().union(*map(matter, PLACE_WORDS))
    return bool(words & places) and bool(deed.words & places) and not words & places & deed.words


def _turns(
    messages: Sequence[Message],
    effects: Mapping[tuple[int, int], Known],
    words_of: Callable[[Part, str], frozenset[str]],
    settled: frozenset[str],
) -> Iterator[_Turn]:
    turn = _Turn()
    answers = {
        part.call_id: part.text for message in messages for part in message.parts if part.type is PartType.TOOL_RESULT
    }
    for message in messages:
        if opens_turn(message):
            yield turn
            turn = _Turn(parts=list(_parts(message)))
        for number, part in enumerate(message.parts):
            if part.type is PartType.TOOL_CALL:
                known = effects.get((message.index, number))
                # what a look-up shows was not done by it
                answer = answers.get(part.call_id, "")[:MAX_ANSWER] if known else ""
                deed = Deed(
                    is_open=known is not None and known.state in BEHIND and known.item.id not in settled,
                    words=words_of(part, answer),
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


def _assign(turn: _Turn) -> dict[int, list[int]]:
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


def _with_requests(turn: _Turn) -> Iterator[Deed]:
    """The calls of a turn, with the words that asked for each."""
    parts = _assign(turn)
    for number, call in enumerate(turn.calls):
        own = parts.get(number, ()) if call.known is not None else ()  # what was only looked at is no deed of the request
        asked = frozenset().union(*(turn.parts[part].words for part in own))
        yield msgspec.structs.replace(call, words=call.words | asked)


def _left(turns: Sequence[_Turn], said: Matters) -> Iterator[Deed]:
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


def _statements(messages: Sequence[Message]) -> Iterator[Deed]:
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


def _forbidden(known: Sequence[Known], messages: Sequence[Message]) -> Iterator[Deed]:
    """What rules forbid, at all or for now, has not been done."""
    for rule in known:
        if rule.item.family is Family.CONSTRAINT and rule.current and rule.item.kind in ("must_not", "only_if"):
            message = messages[rule.item.message]
            place = place_of(message, rule.item.part)
            yield Deed(is_open=True, words=matter(rule.item.text), text=rule.item.text, place=place)
