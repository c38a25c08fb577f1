"""Answers that somebody other than the user has yet to give: what the agent says that it waits for, and look-ups that told nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import MAX_REPLY, Call, Conversation, Turn, closing_words, user_text
from barrier_policy.ledger.effects.receipt import leaves
from barrier_policy.ledger.model import Event, Item
from barrier_policy.ledger.obligations.owed import new_obligation
from barrier_policy.ledger.obligations.promises import only_answers
from barrier_policy.ledger.obligations.spoken import Spoken
from barrier_policy.transcript.model import Origin

SHARED_WORDS = 2
MAX_LEAVES = 40


def awaited_answers(conversation: Conversation) -> Iterator[tuple[Item, list[Event]]]:
    """What the agent says that somebody else has yet to answer, until a later turn speaks of the same and no longer waits."""
    spoken = Spoken()
    waiting = {
        turn.index: turn.awaits
        for turn in conversation.turns
        if turn.awaits is not None and turn.end <= conversation.present and not _only_tells(conversation, turn)
    }
    first = min(waiting, default=len(conversation.turns))
    for turn in reversed(conversation.turns[first:]):
        said = closing_words(conversation, turn)
        waits = waiting.get(turn.index)
        if waits is not None:
            item = new_obligation(
                "handoff", turn.final, waits, number=700, rebindable=False, debtor=Origin.TOOL, creditor=Origin.AGENT
            )
            events = [Event(turn.final, item.id, "detached", "the agent says that an answer is awaited")]
            later = spoken.first(content_words(said), _names(turn), enough=SHARED_WORDS)
            if later is not None:
                place = conversation.turns[later].start
                events.append(Event(place, item.id, "satisfied", "a later turn came back to it"))
            yield item, events
        else:
            spoken.add(turn.index, _heard(turn, said))


def _only_tells(conversation: Conversation, turn: Turn) -> bool:
    """Whether an answer tells of somebody's waiting whom the question had not named: `how many permits?` – `31, two wait for a signature`."""
    if not only_answers(conversation, turn):
        return False
    asked = content_words(user_text(conversation, turn)[:MAX_REPLY])
    return len(asked & content_words(closing_words(conversation, turn))) < SHARED_WORDS


def inconclusive_look_ups(look_ups: Sequence[Call]) -> Iterator[tuple[Item, list[Event]]]:
    """Look-ups at open effects that could not tell either: whoever makes the next one must know when and how."""
    for call in look_ups:
        fact = call.results[-1].fact
        told_nothing = fact is not None and (fact.get("reports") in ("pending", "unknown") or fact.get("state") == "failed")
        if call.reads and told_nothing:
            item = new_obligation(
                "handoff",
                call.ref.message,
                call.part.name,
                number=600,
                part=call.ref.part,
                rebindable=False,
                debtor=Origin.TOOL,
                creditor=Origin.AGENT,
            )
            yield item, [Event(call.results[-1].ref.message, item.id, "detached", "a look-up that told nothing yet")]


def _names(turn: Turn) -> frozenset[str]:
    """What the calls of a turn were about."""
    return content_words("\n".join(leaf for call in turn.calls for leaf in islice(leaves(call.part.arguments), MAX_LEAVES)))


def _heard(turn: Turn, said: str) -> frozenset[str]:
    """What the agent says at the end of a turn and what its calls returned."""
    told = (result.part.text[:MAX_REPLY] for call in turn.calls for result in call.results)
    return content_words("\n".join((said, *told)))
