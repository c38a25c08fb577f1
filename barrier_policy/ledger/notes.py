"""Sentences and result lines that stand in one place only and that something still open depends on.

What the user states (values, corrections, consent not yet used) and what a look-up returned for a live consumer: the tail, a live
request, an unsettled effect, a promise. Lines and consumers are joined by rare words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation import Call, Conversation, Turn
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Event, Family, Item
from barrier_policy.ledger.obligations import user_text
from barrier_policy.transcript.model import Message, Origin, PartType

SHARED_WORDS = 2
RARE = 3
"""A word is rare if it stands in at most this many messages."""
MAX_LINES = 60
MAX_LINE = 240
MAX_RESULT = 6_000


def find_notes(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> tuple[list[Item], list[Event]]:
    """Notes and rows, each open."""
    found = [*_statements(conversation), *_reports(conversation), *_rows(conversation, items, states)]
    return found, [Event(item.message, item.id, "open", "needed later") for item in found]


def _note(kind: str, message: int, part: int, number: int, text: str, name: str = "") -> Item:
    return Item(
        id=f"{kind}:{message}.{part}.{number}",
        family=Family.BINDING,
        kind=kind,
        message=message,
        part=part,
        text=text,
        attributes={"name": name, "consumers": "1", "held": ""},
    )


# what users state ---------------------------------------------------------------------------------------------------

STATEMENTS = ("binding", "correction", "approval", "denial", "release", "commitment", "status_pending", "status_failed", "negation_evidence")


def _statements(conversation: Conversation) -> Iterator[Item]:
    """Sentences of users that give values, correct, or consent to something that has not been done yet."""
    for turn in conversation.turns:
        if not turn.has_user:
            continue
        facts = conversation.of_kind(turn.start, *STATEMENTS)
        for number, fact in enumerate(_once_a_sentence(facts)):
            if fact.kind in ("approval", "denial") and _consumed(turn):
                continue
            yield _note("note", turn.start, fact.part, number, fact.text, fact.kind)


def _once_a_sentence(facts: Sequence[Fact]) -> Iterator[Fact]:
    seen = set()
    for fact in facts:
        if (fact.part, fact.start) not in seen:
            seen.add((fact.part, fact.start))
            yield fact


def _consumed(turn: Turn) -> bool:
    return any(not call.reads for call in turn.calls)


# what the agent reports and nobody else says ------------------------------------------------------------------------


def _reports(conversation: Conversation) -> Iterator[Item]:
    """Evidence that something was not done or does not exist, in the agent's closing words."""
    for turn in conversation.turns:
        if 0 <= turn.final < conversation.present:
            for number, fact in enumerate(conversation.of_kind(turn.final, "negation_evidence", "correction", "binding")):
                yield _note("note", turn.final, fact.part, 100 + number, fact.text, fact.kind)


# lines of results ---------------------------------------------------------------------------------------------------


def _rows(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> Iterator[Item]:
    wanted = _wanted(conversation, items, states)
    if not wanted:
        return
    lines = list(_lines(conversation))
    frequency = Counter(word for _, _, words in lines for word in words)
    for (call, number), line, words in lines:
        shared = [word for word in words & wanted if frequency[word] <= RARE]
        if len(shared) >= SHARED_WORDS:
            result = call.results[-1]
            yield _note("row", result.ref.message, result.ref.part, number, line, "")


def _wanted(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> frozenset[str]:
    """Words of whatever still has to be done: the tail, live requests and promises, unsettled effects."""
    texts = [
        text
        for message in conversation.messages[conversation.present :]
        if message.origin in (Origin.USER, Origin.AGENT)
        for text in _spoken(message)
    ]
    for item in items:
        state = states.get(item.id, "")
        live = state in UNSETTLED if item.family is Family.EFFECT else state not in TERMINAL
        if live and item.family in (Family.EFFECT, Family.OBLIGATION):
            texts.append(item.text)
    return frozenset().union(*(content_words(text) for text in texts)) if texts else frozenset()


def _spoken(message: Message) -> Iterator[str]:
    return (part.text for part in message.parts if part.type in (PartType.TEXT, PartType.TOOL_CALL))


def _lines(conversation: Conversation) -> Iterator[tuple[tuple[Call, int], str, frozenset[str]]]:
    for turn in conversation.turns:
        for call in turn.calls:
            if not call.reads or not call.results or call.results[-1].ref.message >= conversation.present:
                continue
            text = call.results[-1].part.text
            if len(text) > MAX_RESULT:
                continue
            for number, line in enumerate(text.splitlines()[:MAX_LINES]):
                if line.strip():
                    clipped = line.strip()[:MAX_LINE]
                    yield (call, number), clipped, content_words(clipped)


__all__ = ["find_notes", "user_text"]
