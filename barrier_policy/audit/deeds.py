"""What before knows of every deed, done or open, and new text that tells an open one as done, or a done one as open (design section 5).

A deed is a call with its result and the words that asked for it, a part of a request, what the agent or a user says of how things
stand, and what a rule forbids. Of the deeds that a clause may speak of the one with most of its words decides, of equal ones the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from barrier_policy.audit.calls import is_id, words_asked, words_of_call
from barrier_policy.audit.claim_words import (
    ALL_DONE,
    BEGUN,
    CONDITION,
    DONE,
    DUE,
    ENDED_WELL,
    HANGING,
    LATER,
    OPEN,
    PLACE_WORDS,
    UNDONE,
    clauses,
)
from barrier_policy.audit.history import (
    ACTED,
    FEWEST,
    SPOKEN_OF,
    Deed,
    find_forbidden,
    find_left,
    find_planned,
    find_statements,
    find_turns,
    with_requests,
)
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import STEM, Matters, matter
from barrier_policy.audit.needs import is_particular
from barrier_policy.audit.text import Sentence
from barrier_policy.ledger.model import Family
from barrier_policy.transcript.model import Message

MEANT = 0.6
"""The share of a clause's words that deeds other than calls must have."""
MUCH = 0.4
"""The share of the words of what only began that a foreign summary must have to speak of it."""
SURE = 2 / 3
"""The share of a clause's words from which it surely speaks of a call: demanded of foreign summaries, and where another call has them too."""
TOOL = re.compile(r"\w+")


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
        said = list(find_statements(messages))
        turns = list(find_turns(messages, effects, words_of_call if exact else words_asked, settled))
        done = Matters(deed.words for deed in said if not deed.is_open)
        self._calls = [deed for turn in turns for deed in with_requests(turn)]
        self._planned = list(find_planned(known, messages))
        self._all = [*self._calls, *said, *find_forbidden(known, messages), *find_left(turns, done), *self._planned]
        self._by_tool: dict[str, list[Deed]] = {}
        for deed in self._calls:
            if deed.known is not None and "_" in (tool := deed.text.partition(" ")[0]):
                self._by_tool.setdefault(tool, []).append(deed)
        self._effects = [deed for deed in self._calls if deed.known is not None]
        self._own_words = Matters(deed.own for deed in self._effects)
        self._operations = Matters(matter(deed.operation) for deed in self._effects)
        self._call_words = Matters(deed.words for deed in self._calls)
        self._all_words = Matters(deed.words for deed in self._all)

    def told_wrongly(self, sentence: Sentence) -> Iterator[tuple[Deed, str, bool]]:
        """The deeds that a sentence tells as done and that are open, or the other way round, each with the clause, and whether that is sure."""
        for clause in clauses(sentence.text):
            words = matter(clause)
            if LATER.match(clause):
                continue
            if self._planned and self._exact and ALL_DONE.search(clause) and not CONDITION.search(clause):
                yield self._planned[-1], clause, False
            if len(words) < FEWEST and not any(map(is_id, words)):
                continue
            done = DONE.search(clause)
            deed, sure = None, False
            if done and not OPEN.search(clause) and not HANGING.search(clause):
                deed, sure = self._told_as_done(clause, words, done[0])
            elif not done or UNDONE.search(done[0]):
                deed = self._told_as_open(clause, words)
            if deed is not None:
                yield deed, clause, sure

    def _told_as_done(self, clause: str, words: frozenset[str], done: str) -> tuple[Deed | None, bool]:
        """The open deed that a clause tells as done in these words of it, and whether that is sure."""
        is_ended = ENDED_WELL.search(clause) is not None
        deed, sure = self._open(words)
        deed = deed or self._unsettled(words, is_ended=is_ended)
        if deed is None or (not is_ended and self._is_of_another(matter(done), words, deed)):
            return None, False
        begun = BEGUN.search(clause)
        if begun and not (deed.known is None and begun[0][:STEM].casefold() in deed.text.casefold()):
            return None, False  # that something was begun says nothing of its end, unless to begin it was all that was asked
        return deed, sure

    def _told_as_open(self, clause: str, words: frozenset[str]) -> Deed | None:
        """The done effect that a clause names and tells as unfinished, as still to be done, or by its own verb as not done."""
        rest = DUE.sub(" ", HANGING.sub(" ", clause))
        positive = " ".join(UNDONE.sub(" ", rest).split())
        undone = DONE.search(positive) if UNDONE.search(rest) else None
        if CONDITION.search(positive if undone else rest) or (undone is None and rest == clause):
            return None
        deed = self._closed(words)
        is_named = deed is not None and (_is_named(clause, deed) or any(map(is_id, words & deed.own)))
        return deed if deed and is_named and (undone is None or matter(undone[0]) <= deed.words) else None

    def is_under_way(self, words: frozenset[str]) -> bool:
        """Whether the words speak of an effect that is open."""
        share, numbers = self._call_words.best(words)
        is_open = share >= SPOKEN_OF and any(self._calls[number].is_open for number in numbers)
        return is_open or self._unsettled(words, is_ended=False) is not None

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

    def _unsettled(self, words: frozenset[str], *, is_ended: bool) -> Deed | None:
        """The effect that is open and that no done one has as much of what the words name, whatever that one writes: ids first, then all words.

        Of what a clause tells as ended as a whole (`mig_2240 completed`) the id is enough, if nothing else that names it has more of the words.
        """
        _, named = self._own_words.best(frozenset(filter(is_id, words)))
        numbers = named or self._own_words.best(words)[1]
        most = max((len(words & self._effects[number].own) for number in numbers), default=0)
        deeds = [self._effects[number] for number in numbers if len(words & self._effects[number].own) == most]
        deed = next((deed for deed in reversed(deeds) if deed.is_unsettled), None)
        is_about = most >= SURE * len(words)
        if self._exact and named and is_ended:
            is_about = is_about or not self._is_told_by_another(words, most)
        if deed is None or not is_about or not self._is_meant(words, deed):
            return None
        is_redone = any(
            not other.is_open and other.operation == deed.operation and other.place > deed.place for other in deeds
        )
        return None if is_redone else deed

    def _is_told_by_another(self, words: frozenset[str], most: int) -> bool:
        """Whether something done that has an id among the words has more than so many of them."""
        share, numbers = self._all_words.best(words)
        done = (self._all[number] for number in numbers if not self._all[number].is_open)
        return share * len(words) > most and any(any(map(is_id, words & deed.words)) for deed in done)

    def _is_of_another(self, verb: frozenset[str], words: frozenset[str], deed: Deed) -> bool:
        """Whether the verb of a clause, in which the words stand, is that of a done effect, and not of the deed: `paused`, `posted`."""
        if not verb or verb <= deed.words:
            return False
        share, numbers = self._operations.best(verb)
        done = (self._effects[number] for number in numbers if not self._effects[number].is_open)
        return share == 1 and any(len(words & other.words) >= SPOKEN_OF * len(words) for other in done)

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
