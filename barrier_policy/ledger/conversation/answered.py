"""Turns in which the agent looked something up and told the user: what was asked there has been answered (design section 5)."""

from __future__ import annotations

import re

from barrier_policy.ledger.conversation.halves import is_half_answered
from barrier_policy.ledger.conversation.turns import Conversation, Turn, speaks, user_text
from barrier_policy.ledger.dialogue.cues import asks

TELLING = frozenset({"instruction", "release", "correction", "binding", "denial"})
"""Kinds of facts by which a sentence is more than a question."""
RULES = ("constraint", "approval_gate")
CLAUSES = ",;:—–，、；："
PLAIN_TASK = 60
PLAIN_QUESTION = 100
_SENTENCE = re.compile(r"(?<=[.!?…。！？؟])\s*(?=\S)")


def is_plain(task: str) -> bool:
    """Whether a sentence is one short clause: nothing in it can outlive the doing of it."""
    return len(task) <= PLAIN_TASK and not any(sign in task for sign in CLAUSES)


def last_sentence(text: str) -> str:
    """The last sentence of a message."""
    return _SENTENCE.split(text)[-1]


def is_answered(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn is over before the tail, only looked things up, and ends with the agent's words, which leave nothing open."""
    if not turn.has_user or not turn.is_read or turn.end > conversation.present or not turn.calls:
        return False
    if turn.asks or turn.at_rest or turn.shows or not all(call.reads and call.results for call in turn.calls):
        return False
    last = max(result.ref.message for call in turn.calls for result in call.results)
    return turn.final > last and not is_half_answered(conversation, turn)


def only_asked(conversation: Conversation, turn: Turn) -> frozenset[tuple[int, int]]:
    """Part and start of the sentences of the turn's user that are taken for rules with little ground and were answered by looking it up.

    Where another sentence asks, that one was answered, and what stands beside it and asks for nothing was not.
    """
    weak = [fact for fact in conversation.of_kind(turn.start, *RULES) if fact.get("proposed")]
    if not weak or not is_answered(conversation, turn):
        return frozenset()
    telling = _places(conversation, turn, *TELLING)
    questions = _places(conversation, turn, "question")
    wanted = questions | _places(conversation, turn, "request")
    return frozenset(
        place
        for fact in weak
        if (place := (fact.part, fact.start)) not in telling
        and (place in wanted or not questions)
        and (is_plain(fact.text) or asks(fact.text))
    )


def _places(conversation: Conversation, turn: Turn, *kinds: str) -> frozenset[tuple[int, int]]:
    """Part and start of the sentences of the turn's user that state a fact of one of the kinds."""
    return frozenset((fact.part, fact.start) for fact in conversation.of_kind(turn.start, *kinds))


def is_plain_look_up(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn answers one short task or question by looking it up: nothing that was asked can outlive it."""
    if not is_answered(conversation, turn):
        return False
    if not _places(conversation, turn, *RULES) <= only_asked(conversation, turn):
        return False
    text = user_text(conversation, turn).strip()
    return is_plain(text) or asks(text)


def answers_question(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn answers one short question, put in the last sentence of the user's message, by looking something up."""
    if "approval_gate" in turn.kinds or not is_answered(conversation, turn):
        return False
    text = user_text(conversation, turn).strip()
    return len(text) <= PLAIN_QUESTION and not any(sign in text for sign in CLAUSES) and asks(last_sentence(text))


def told_look_ups(conversation: Conversation, turn: Turn) -> frozenset[int]:
    """The messages at which the agent tells what it has just looked up on the way, or in a turn of nothing else: it can be read again.

    What it acts on next is the ground of a deed, and what a turn without deeds finds for a longer task is its outcome: neither is on the way.
    """
    if not turn.calls or (all(call.reads for call in turn.calls) and not is_plain_look_up(conversation, turn)):
        return frozenset()
    found: list[int] = []
    before = 0
    for message in range(turn.start, turn.end):
        if not speaks(conversation.messages[message]):
            continue
        after = before
        while after < len(turn.calls) and turn.calls[after].ref.message < message:
            after += 1
        just, following = turn.calls[before:after], turn.calls[after : after + 1]
        if just and all(call.reads and call.results for call in just) and all(call.reads for call in following):
            found.append(message)
        before = after
    return frozenset(found)
