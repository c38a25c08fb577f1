"""What users state and later turns may depend on: values, corrections, consent not yet used, what they have shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from barrier_policy.ledger.conversation.answered import is_answered, is_plain
from barrier_policy.ledger.conversation.told import (
    STATES,
    confidence_of,
    is_instruction,
    joined,
    may_bind,
    numbers_points,
    whole_message,
)
from barrier_policy.ledger.conversation.turns import Conversation, Turn, closing_words, user_text
from barrier_policy.ledger.dialogue.cues import (
    asks,
    has_question_mark,
    is_for_later,
    limits,
    may_ask,
    only_asks,
    takes_note,
)
from barrier_policy.ledger.model import Item
from barrier_policy.ledger.notes.note import MAX_LINE, new_note, once_a_sentence
from barrier_policy.transcript.model import Origin, PartType

STATEMENTS = ("instruction", "release", "correction", "request", "denial")
MAX_TOLD = 12
"""Of a longer message, the surest sentences; its original is archived."""
MIN_TOLD = 4
MAX_DICTATED = 4_000
"""Characters of what the agent took down as it was told, or has read, and has done nothing with yet."""
LIKELY = 40
"""Confidence, in percent, from which a request that was only looked into may be one."""
MAX_NOTED = 60
MAX_ANSWER = 120
_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")


def statements(conversation: Conversation, live: Set[int]) -> Iterator[Item]:
    """Sentences of users that later turns may depend on.

    Left out: open requests, which are obligations as a whole; rules, which are constraints; the sentences of an answer to the agent's question, whose values count; and a task in
    one sentence that has been done, unless it is the newest.
    """
    working = [
        turn
        for turn in conversation.turns
        if turn.start < conversation.present and not turn.withdrawn and (is_instruction(turn) or _said(conversation, turn))
    ]
    for turn in working:
        if turn.start in live:
            continue
        facts = once_a_sentence(conversation.of_kind(turn.start, *STATEMENTS))
        settled = is_answered(conversation, turn) or (_consumed(turn) and turn is not working[-1])
        done = len(facts) == 1 and settled and (is_plain(facts[0].text) or asks(facts[0].text))
        if turn.replies or done:
            facts = [fact for fact in facts if fact.kind in ("release", "correction") or _is_limited(fact.text)]
        rules = {
            (fact.part, fact.start)
            for fact in conversation.of_kind(turn.start, "constraint", "approval_gate")
            if may_bind(conversation, turn, fact)  # else it is no rule, and what limits the answer is told here
        }
        if len(facts) > MAX_TOLD:
            facts = sorted(facts, key=lambda fact: -confidence_of(fact))[:MAX_TOLD]
        plain = [fact for fact in facts if (fact.part, fact.start) not in rules]
        leaning = plain if not rules else facts if numbers_points(user_text(conversation, turn)) else []
        whole = whole_message(conversation, turn, leaning) if leaning else ""
        if whole:
            yield new_note("note", turn.start, leaning[0].part, 0, whole, leaning[0].kind, said_by=Origin.USER)
            continue
        for number, fact in enumerate(joined(conversation, plain)):
            yield new_note("note", turn.start, fact.part, number, fact.text, fact.kind, said_by=Origin.USER)


def told_in_passing(conversation: Conversation) -> Iterator[Item]:
    """What a user said that asks nothing and that the agent took note of in a few words: `sorry, the other way round: …`."""
    for turn in conversation.turns:
        if not turn.has_user or turn.withdrawn or turn.calls or turn.start >= conversation.present or "secret" in turn.kinds:
            continue
        text = user_text(conversation, turn).strip()
        reply = closing_words(conversation, turn).strip()
        longest = MAX_DICTATED if takes_note(reply) else MAX_LINE
        if len(text.split()) < MIN_TOLD or len(text) > longest or not 0 < len(reply) <= MAX_NOTED:
            continue
        if _is_news(turn, text) or _is_taken_down(conversation, turn, text, reply):
            yield new_note("note", turn.start, 0, 970, text, "told", said_by=Origin.USER)


def _is_news(turn: Turn, text: str) -> bool:
    """Whether a message that was understood as nothing states something."""
    return not turn.kinds - {"value"} and STATES.search(text) is not None and not may_ask(text)


def _is_taken_down(conversation: Conversation, turn: Turn, text: str, reply: str) -> bool:
    """Whether the agent says that it has noted, or says again, or leaves for later, what no rule of the message holds by itself."""
    ruled = sum(fact.end - fact.start for fact in conversation.of_kind(turn.start, "constraint", "approval_gate"))
    if 4 * ruled > 3 * len(text) or has_question_mark(text) or only_asks(text):
        return False
    return takes_note(reply) or is_for_later(text) or bool(set(_NUMBER.findall(reply)) & set(_NUMBER.findall(text)))


def shown_places(conversation: Conversation) -> Iterator[Item]:
    """Where the pictures and files are that users have shown and that may be looked at again."""
    for turn in conversation.turns:
        if turn.shows and turn.start < conversation.present:
            for number, part in enumerate(conversation.messages[turn.start].parts):
                if part.type is PartType.BLOB and part.text.startswith(("http://", "https://", "file:", "/")):
                    yield new_note("note", turn.start, number, 950, part.text, "shown")


def _said(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user surely asked for something, or may have stopped it, in words that did not look like an instruction."""
    requests = conversation.of_kind(turn.start, "request")
    likely = any(confidence_of(fact) >= LIKELY for fact in requests)
    undone = likely and (bool(turn.calls) or turn.final < 0) and not _consumed(turn) and not is_answered(conversation, turn)
    return undone or any(not fact.get("proposed") for fact in requests) or "denial" in turn.kinds


def _is_limited(answer: str) -> bool:
    """More than the bare answer: `yes, but the other one only if …`."""
    return len(answer) <= MAX_ANSWER and limits(answer)


def _consumed(turn: Turn) -> bool:
    return any(call.results and not call.reads for call in turn.calls)
