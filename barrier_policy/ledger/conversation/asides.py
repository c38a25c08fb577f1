"""Questions that users ask while the agent is at something else: once they are answered, the agent's next calls belong to the work before."""

from __future__ import annotations

import msgspec

from barrier_policy.ledger.conversation.look_ups import is_untold
from barrier_policy.ledger.conversation.told import is_instruction
from barrier_policy.ledger.conversation.turns import Call, Conversation, Turn, says_only, user_text
from barrier_policy.ledger.dialogue.cues import asks

MAX_ASKED = 400
WORK = frozenset({"request", "constraint", "approval_gate"})
"""Kinds of facts by which a message gives work although it does not look like an instruction."""


def without_asides(conversation: Conversation) -> tuple[Turn, ...]:
    """The turns, in which what the agent does after it has answered a mere question is part of the newest work before. Linear."""
    turns = list(conversation.turns)
    more: dict[int, list[Call]] = {}
    work = -1
    for turn in conversation.turns:
        answer = _answer(conversation, turn) if work >= 0 else -1
        if answer < 0:
            work = turn.index if is_instruction(turn) or turn.kinds & WORK else work
            continue
        own = tuple(call for call in turn.calls if call.ref.message < answer)
        turns[turn.index] = msgspec.structs.replace(turn, calls=own, end=answer + 1, final=answer, at_rest=False)
        turns[work] = msgspec.structs.replace(turns[work], end=turn.end)
        more.setdefault(work, []).extend(turn.calls[len(own) :])
    for index, calls in more.items():
        turns[index] = msgspec.structs.replace(turns[index], calls=(*turns[index].calls, *calls))
    return tuple(turns)


def _answer(conversation: Conversation, turn: Turn) -> int:
    """The message that answers the question that a turn opens with, where the agent does more after it; -1 otherwise."""
    if not turn.calls or not turn.is_read or not is_untold(turn):
        return -1
    answer = next((index for index in range(turn.start + 1, turn.end) if says_only(conversation.messages[index])), turn.end)
    own = [call for call in turn.calls if call.ref.message < answer]
    if len(own) == len(turn.calls) or not all(call.reads and call.results for call in own):
        return -1
    return answer if "question" in turn.kinds or asks(user_text(conversation, turn)[:MAX_ASKED]) else -1
