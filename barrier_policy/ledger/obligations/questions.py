"""Questions of the agent, and proposals that the user puts off, until the user comes back to them (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.answered import PLAIN_QUESTION, last_sentence
from barrier_policy.ledger.conversation.told import is_instruction
from barrier_policy.ledger.conversation.turns import (
    MAX_REPLY,
    Conversation,
    Turn,
    user_text,
    waiting_words,
    words_of,
)
from barrier_policy.ledger.dialogue.cues import asks, declines, defers, has_question_mark, only_asks, turns_elsewhere
from barrier_policy.ledger.model import Event, Item
from barrier_policy.ledger.obligations.owed import Found, new_obligation
from barrier_policy.transcript.model import Origin

ANSWERS = frozenset({"approval", "denial", "binding"})
"""Kinds of facts that make a user's message an answer; a value does too, unless the message only asks."""

MAX_BARE = 60
"""Characters of an answer that may mean nothing without the question."""


def questions(conversation: Conversation) -> Iterator[Found]:
    """The agent's last question, where the user has not come back to it; a proposal that the user puts off is one."""
    past = [turn for turn in conversation.turns if turn.end <= conversation.present]
    asked = [turn for turn in past if turn.asks]
    answers = [_answered(conversation, turn) for turn in asked]
    is_open = bool(asked) and answers[-1] is None
    words = [content_words(_question(conversation, turn).text[-MAX_REPLY:]) for turn in asked]
    again: frozenset[str] = frozenset()
    found: list[Found] = []
    for turn, answered, about in reversed(list(zip(asked, answers, words, strict=True))):
        item = _question(conversation, turn)
        events = [Event(turn.final, item.id, "detached", "asked by the agent")]
        if answered is not None:
            events.append(Event(answered, item.id, "satisfied", "the user came back to it"))
        elif turn is not asked[-1] and (2 * len(about & again) >= len(about) or not _is_passed_over(conversation, turn)):
            events.append(Event(asked[-1].final, item.id, "expired", "a later question took its place"))
        else:
            found += [*_put_off(conversation, turn)][::-1]
        again |= about
        found.append((item, events))
    yield from reversed(found)
    proposals = [turn for turn in past if not turn.asks and _proposed(conversation, turn)]
    for turn in proposals[-1:]:
        if not is_open:
            item = _question(conversation, turn)
            events = [Event(turn.final, item.id, "detached", "proposed by the agent, put off by the user")]
            decided = [later.start for later in conversation.turns[turn.index + 2 :] if later.kinds & {"approval", "denial"}]
            yield item, [*events, *(Event(start, item.id, "satisfied", "the user decided") for start in decided[:1])]
            if not decided:
                yield from _put_off(conversation, turn)


def _put_off(conversation: Conversation, turn: Turn) -> Iterator[Found]:
    """The user's next words, which leave open what the agent asked: by them it is known to be open in later rounds too.

    A mere question is none, and neither is what made the agent act: that was about something else.
    """
    for after in conversation.turns[turn.index + 1 :][:1]:
        if any(call.results for call in after.calls):
            return
        text = user_text(conversation, after) if after.has_user else ""
        if asks(text[:MAX_REPLY]) and not (after.puts_off or defers(text[:MAX_REPLY])):
            return
        if text and after.start < conversation.present and not conversation.has_left_between(turn, after):
            item = new_obligation(
                "question", after.start, text, number=1, rebindable=False, debtor=Origin.USER, creditor=Origin.AGENT
            )
            yield item, [Event(after.start, item.id, "detached", "put off by the user")]


def _proposed(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user took the agent's closing words for a question: the next message puts the answer off."""
    after = turn.index + 1
    if turn.final < 0 or after >= len(conversation.turns) or not conversation.turns[after].has_user:
        return False
    return defers(user_text(conversation, conversation.turns[after])[:MAX_REPLY])


def _question(conversation: Conversation, turn: Turn) -> Item:
    told, final = conversation.of_kind(turn.final, "question"), conversation.messages[turn.final]
    part, words = (told[-1].part, told[-1].text) if told else waiting_words(final) or (0, words_of(final))
    return new_obligation(
        "question", turn.final, words, part=part, rebindable=False, debtor=Origin.USER, creditor=Origin.AGENT
    )


def _answered(conversation: Conversation, turn: Turn) -> int | None:
    """The user message after a question, where it gives consent, a value or an instruction and does not only ask or chat."""
    if turn.index + 1 >= len(conversation.turns):
        return None
    after = conversation.turns[turn.index + 1]
    if after.start >= conversation.present and not _stands_alone(conversation, after):
        return None
    if conversation.has_left_between(turn, after):
        return None
    told = (
        bool(after.kinds & ANSWERS)
        or declines(user_text(conversation, after)[:MAX_REPLY])
        or ("value" in after.kinds and not only_asks(user_text(conversation, after).strip()))
    )
    answers = (
        (is_instruction(after) and not _asks_back(conversation, after))
        or told
        or _picks(conversation, turn, after)
        or _is_taken(conversation, after)
    )
    if not answers or not after.is_read or after.puts_off or _turns_elsewhere(conversation, after):
        return None
    return after.start


def _picks(conversation: Conversation, turn: Turn, reply: Turn) -> bool:
    """Whether the user says one of the things that the agent named, and no more: `Nordpost or DHL?` – `nordpost`."""
    text = user_text(conversation, reply)[:MAX_REPLY]
    picked = content_words(text)
    return (
        bool(picked)
        and not has_question_mark(text)
        and picked <= content_words(_question(conversation, turn).text[-MAX_REPLY:])
    )


def _asks_back(conversation: Conversation, reply: Turn) -> bool:
    """Whether a short message ends with a plain question and made the agent do nothing: what it told besides was no answer to act on."""
    text = user_text(conversation, reply).strip()
    idle = len(text) <= PLAIN_QUESTION and all(call.reads for call in reply.calls)
    return idle and "request" not in reply.kinds and asks(last_sentence(text))


def _stands_alone(conversation: Conversation, turn: Turn) -> bool:
    """Whether an answer that is kept can be read without its question: it is no bare word, and the agent has gone on from it."""
    return turn.final >= 0 and len(user_text(conversation, turn)) > MAX_BARE


def _is_passed_over(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user only asked something else, or put the answer off: the question still waits, whatever is asked and answered after it."""
    after = conversation.turns[turn.index + 1] if turn.index + 1 < len(conversation.turns) else None
    if after is None or not after.has_user:
        return False
    text = user_text(conversation, after).strip()
    return after.puts_off or only_asks(text) or defers(text[:MAX_REPLY])


def _is_taken(conversation: Conversation, reply: Turn) -> bool:
    """Whether the agent took the next message, which asks nothing itself, for the answer: it left it at a few words, and the talk went on."""
    went_on = reply.end < len(conversation.messages) and not reply.calls and reply.final >= 0
    return went_on and not reply.asks and not reply.at_rest and not asks(user_text(conversation, reply)[:MAX_REPLY])


def _turns_elsewhere(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user begins with something else (`also …`) and says neither yes nor no."""
    return not turn.kinds & {"approval", "denial"} and turns_elsewhere(user_text(conversation, turn))
