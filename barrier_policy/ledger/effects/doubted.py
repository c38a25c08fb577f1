"""Deeds that look done by their results and that the words about them leave open (design section 5: unknown protects).

The agent's words discharge nothing, and they may protect: what it says right after a result may tell that it is only taken in, half done or
not yet in force.
"""

from __future__ import annotations

from collections.abc import Mapping

from barrier_policy.ledger.conversation.told import is_guess
from barrier_policy.ledger.conversation.turns import MAX_REPLY, Call, Conversation, says_only, user_text, words_of
from barrier_policy.ledger.dialogue.cues import says_not_yet, wants_word
from barrier_policy.ledger.model import Event

SURE = frozenset({"key", "flag", "exit_code"})
"""What a result's state may follow from that is no matter of wording."""
DOUBT = 1_000
"""Thousandths of a logit from which the words of a result and of the reply together leave a deed open."""
LIKELY = 50
"""Confidence, in percent, from which a sentence of the reply that something is pending is about the deed before it."""


def answered_at(conversation: Conversation) -> dict[int, int]:
    """By message that calls something, the last message with a result of one of its calls."""
    found: dict[int, int] = {}
    for call in (call for turn in conversation.turns for call in turn.calls):
        for result in call.results:
            found[call.ref.message] = max(result.ref.message, found.get(call.ref.message, -1))
    return found


def doubted(conversation: Conversation, call: Call, item: str, answered: Mapping[int, int]) -> Event | None:
    """The event by which an effect that its results confirm is open after all; None where it is not. `answered` is `answered_at`."""
    last = call.results[-1] if call.results else None
    if last is None or last.fact is None or (last.fact.get("reports") and last.fact.get("basis") in SURE):
        return None
    place, reply = last.ref.message, _reply(conversation, call, answered)
    if reply >= 0 and _leaves_open(conversation, reply):
        return Event(reply, item, "started", f"the agent's words at message {reply} leave it open")
    if last.fact.get("reports"):
        return None
    replies = conversation.of_kind(reply, "doubt") if reply >= 0 else []
    doubt = int(last.fact.get("doubt", 0)) + sum(int(fact.get("score", 0)) for fact in replies)
    if doubt > DOUBT and not (call.fact and call.fact.get("basis") == "table"):
        return Event(max(place, reply), item, "started", f"the words at message {max(place, reply)} leave it open")
    if wants_word(user_text(conversation, conversation.turn(place))):
        return Event(place, item, "started", "the user wants to hear of its end, and the result does not tell it")
    return None


def _leaves_open(conversation: Conversation, reply: int) -> bool:
    """Whether the agent says of what it has just done that it is pending, or has not come about yet."""
    if any(not is_guess(fact, LIKELY) for fact in conversation.of_kind(reply, "status_pending")):
        return True
    said = words_of(conversation.messages[reply])
    return len(said) <= MAX_REPLY and says_not_yet(said)


def _reply(conversation: Conversation, call: Call, answered: Mapping[int, int]) -> int:
    """The agent's message right after the results of a call and of those that were made with it; -1 where there is none."""
    turn, after = conversation.turn(call.ref.message), answered.get(call.ref.message, -1)
    following = after + 1
    return following if after >= 0 and following < turn.end and says_only(conversation.messages[following]) else -1
