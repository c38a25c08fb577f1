"""Lines of what look-ups returned that a live consumer asks for; lines and consumers are joined by rare words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from sys import intern

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import Call, Conversation
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Family, Item
from barrier_policy.ledger.notes.note import MAX_LINE, MAX_RESULT, SHARED_WORDS, new_note, spoken
from barrier_policy.transcript.model import Origin
from barrier_policy.transcript.pairing import PartRef

RARE = 3
"""A word is rare if it stands in at most this many messages."""
MAX_LINES = 40
MAX_ROWS = 4


def rows(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> Iterator[Item]:
    """Lines that share rare words with what still has to be done."""
    wanted = _wanted(conversation, items, states)
    if not wanted:
        return
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    lines: list[tuple[Call, int, str, tuple[str, ...]]] = []
    frequency: Counter[str] = Counter()
    for call, number, line in _lines(conversation):
        words = tuple(map(intern, content_words(line) & wanted))
        frequency.update(words)
        if len(words) >= SHARED_WORDS:
            lines.append((call, number, line, words))
    taken: Counter[PartRef] = Counter()
    for call, number, line, words in lines:
        if taken[call.ref] < MAX_ROWS and sum(frequency[word] <= RARE for word in words) >= SHARED_WORDS:
            taken[call.ref] += 1
            place = call.results[-1].ref
            yield new_note("row", place.message, place.part, 1 + number, line, "", at_hand)


def _wanted(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> frozenset[str]:
    """Words of whatever still has to be done: the tail, live requests and promises, unsettled effects."""
    texts = [
        text
        for message in conversation.messages[conversation.present :]
        if message.origin in (Origin.USER, Origin.AGENT)
        for text in spoken(message)
    ]
    for item in items:
        state = states.get(item.id, "")
        live = state in UNSETTLED if item.family is Family.EFFECT else state not in TERMINAL
        if live and item.family in (Family.EFFECT, Family.OBLIGATION):
            texts.append(item.text)
    return frozenset().union(*(content_words(text) for text in texts)) if texts else frozenset()


def _lines(conversation: Conversation) -> Iterator[tuple[Call, int, str]]:
    """Lines of the short answers of look-ups; what is JSON is indexed by its values instead."""
    for turn in conversation.turns:
        for call in turn.calls:
            if not call.reads or not call.results or call.results[-1].ref.message >= conversation.present:
                continue
            text = call.results[-1].part.text
            if len(text) > MAX_RESULT or text.lstrip()[:1] in ("{", "["):
                continue
            for number, line in enumerate(text.splitlines()[:MAX_LINES]):
                if line.strip():
                    yield call, number, line.strip()[:MAX_LINE]
