"""Promises of the agent and open entries of its plan (design section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from barrier_policy.facts.model import Fact
from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.look_ups import is_untold
from barrier_policy.ledger.conversation.turns import (
    MAX_CLOSING,
    MAX_REPLY,
    Conversation,
    Turn,
    end_of,
    says_only,
    user_text,
    words_of,
)
from barrier_policy.ledger.dialogue.cues import (
    asks,
    has_question_mark,
    only_acknowledges,
    promises,
    promises_for_later,
    tells_rest,
)
from barrier_policy.ledger.model import Event, Item
from barrier_policy.ledger.obligations.owed import Found, new_obligation
from barrier_policy.transcript.model import Origin, Part, PartType

MAX_LATER = 40
"""Messages after a promise in which the agent may come back to it."""
SHARED = 2
"""Words that a promise and what keeps it must share."""
Words = tuple[int, str]
"""A part of a message, and words in it."""


def commitments(conversation: Conversation) -> Iterator[Found]:
    """Promises that name something. A later one takes the place of an earlier one, unless that names a time or number."""
    made = [
        promise
        for turn in conversation.turns
        if turn.final >= 0 and turn.end <= conversation.present
        for promise in (*_on_the_way(conversation, turn), *((turn.final, *told) for told in _promised(conversation, turn)))
        if not only_acknowledges(promise[2])
    ]
    last = max((message for message, _, _ in made if conversation.turn(message).final == message), default=-1)
    for number, (message, part, text) in enumerate(made):
        item = new_obligation(
            "commitment",
            message,
            text,
            number=number,
            part=part,
            rebindable=True,
            debtor=Origin.AGENT,
            creditor=Origin.USER,
        )
        events = [Event(message, item.id, "detached", "promised")]
        if message < last and not any(character.isdigit() for character in text):
            events.append(Event(last, item.id, "expired", "a later promise took its place"))
        yield item, events


def _on_the_way(conversation: Conversation, turn: Turn) -> Iterator[tuple[int, int, str]]:
    """What the agent surely promises before it goes on in the same turn, and does not come back to there."""
    for message in range(turn.start + 1, turn.final):
        if not says_only(conversation.messages[message]):
            continue
        parts = enumerate(conversation.messages[message].parts)
        for part, text in (words for number, told in parts for words in _spelled_out(number, told, _promises)):
            later = conversation.messages[message + 1 : min(turn.end, message + 1 + MAX_LATER)]
            rest = "\n".join(words_of(said)[:MAX_CLOSING] for said in later)
            if len(content_words(text) & content_words(rest)) < SHARED:
                yield message, part, text


def _promised(conversation: Conversation, turn: Turn) -> list[Words]:
    """What the agent's closing words seem to promise; of an answer to a mere question only what surely is a promise."""
    found = conversation.of_kind(turn.final, "commitment")
    if any(fact.get("proposed") for fact in found) and only_answers(conversation, turn):
        found = [fact for fact in found if not fact.get("proposed")]
    told = [(fact.part, fact.text) for fact in found]
    if turn.wants_report or (turn.asks and has_question_mark(end_of(conversation.messages[turn.final]))):
        return told  # what it will do next hangs on the answer, which is owed before
    parts = conversation.messages[turn.final].parts
    owes = _owes if turn.at_rest else _promises
    spelled_out = (words for number, part in enumerate(parts) for words in _spelled_out(number, part, owes))
    return [*told, *(words for words in spelled_out if words not in told)]


def _spelled_out(number: int, part: Part, owes: Callable[[str], bool]) -> list[Words]:
    """The closing sentences of a part by which something is owed, in words which mean nothing else; an offer is none."""
    if part.type is not PartType.TEXT or not owes(part.text[-MAX_CLOSING:]):
        return []
    sentences = (sentence.text for sentence in prose_sentences(part.text[-MAX_CLOSING:]))
    return [(number, text) for text in sentences if owes(text) and not has_question_mark(text)]


def _promises(text: str) -> bool:
    """Whether the agent says that it will look again, report or remind, or what it will do at a later time."""
    return promises(text) or promises_for_later(text)


def _owes(text: str) -> bool:
    """Whether it does, or says that the rest is still to come: `next I take the old one out`."""
    return _promises(text) or tells_rest(text)


def only_answers(conversation: Conversation, turn: Turn) -> bool:
    """Whether the agent's closing words answer a mere question: `after three` and `clean now` promise nothing there."""
    if not is_untold(turn) or not turn.is_read or not all(call.reads for call in turn.calls):
        return False
    return "question" in turn.kinds or asks(user_text(conversation, turn)[:MAX_REPLY])


def plan_items(conversation: Conversation) -> Iterator[Found]:
    """Open entries of the newest state of each plan entry."""
    latest: dict[str, tuple[Item, Event]] = {}
    for message in conversation.messages:
        turn = conversation.turn(message.index)
        answers = message.index == turn.final and only_answers(conversation, turn)
        for number, fact in enumerate(conversation.of_kind(message.index, "plan_item")):
            if answers and fact.get("source") == "sentence":
                continue
            key = _plan_key(fact)
            words = fact.text or (latest[key][0].text if key in latest else "")
            if not words:
                continue
            item = new_obligation(
                "precondition" if message.origin is Origin.SYSTEM else "commitment",
                message.index,
                words,
                number=1000 + number,
                part=fact.part,
                rebindable=True,
                debtor=Origin.AGENT,
                creditor=Origin.USER,
                subject="plan",
            )
            state = {"done": "satisfied", "cancelled": "cancelled"}.get(str(fact.get("state", "open")), "detached")
            latest[key] = (item, Event(message.index, item.id, state, "entry of a plan"))
    for item, event in latest.values():
        yield item, [event]


def _plan_key(fact: Fact) -> str:
    return str(fact.get("id", "")) or " ".join(fact.text.split()).casefold()
