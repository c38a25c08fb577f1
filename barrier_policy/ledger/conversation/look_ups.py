"""Calls of doubtful name that were made to answer a question: taken for look-ups (design section 5, effects).

A tool that nothing is known of may do anything. Where the user only asked, the call is the first thing that the agent did about it, and
its answer tells of no deed, the call has read.
"""

from __future__ import annotations

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.turns import Call, Conversation, Turn, says_only, words_of
from barrier_policy.ledger.dialogue.cues import asks, has_question_word, may_ask

TELLING = frozenset({"instruction", "constraint", "approval_gate", "release", "correction", "denial"})
MAX_ASKED = 400
NOUNS = frozenset({"noun", "report"})
DOUBTFUL = NOUNS | {"unknown"}
"""What the class of a call follows from where its name has no verb."""


def is_untold(turn: Turn) -> bool:
    """Whether the user's message gives no work that was recognized."""
    return turn.has_user and not turn.kinds & TELLING


def gives_order(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user's message asks nothing, and says enough to be an order."""
    return (
        turn.has_user
        and "question" not in turn.kinds
        and not may_ask(words_of(conversation.messages[turn.start])[:MAX_ASKED])
    )


def with_look_ups(conversation: Conversation) -> Conversation:
    """The conversation with the calls that only looked something up as reads. Linear in its calls."""
    turns = tuple(_settled(conversation, turn) if turn.calls and is_untold(turn) else turn for turn in conversation.turns)
    return msgspec.structs.replace(conversation, turns=turns)


def _settled(conversation: Conversation, turn: Turn) -> Turn:
    asked = _Asked.of(conversation, turn)
    calls = tuple(
        msgspec.structs.replace(call, effect_class="read_only") if not call.reads and asked.looks_up(call) else call
        for call in turn.calls
    )
    return msgspec.structs.replace(turn, calls=calls)


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """How the user's message asks: at all, as a question and not just in few words, by a question word, or for no deed; and where it was answered."""

    maybe: bool
    surely: bool
    by_word: bool
    merely: bool
    answered: int

    @classmethod
    def of(cls, conversation: Conversation, turn: Turn) -> _Asked:
        """What a turn's opening message asks."""
        text = words_of(conversation.messages[turn.start])[:MAX_ASKED]
        surely = "question" in turn.kinds or asks(text)
        answers = (index for index in range(turn.start + 1, turn.end) if says_only(conversation.messages[index]))
        return cls(
            maybe=surely or may_ask(text),
            surely=surely,
            by_word=has_question_word(text),
            merely="question" in turn.kinds and "request" not in turn.kinds,
            answered=next(answers, turn.end),
        )

    def looks_up(self, call: Call) -> bool:
        """Whether a call was made to answer the question, and its results tell of no deed."""
        basis = _basis(call)
        if basis not in DOUBTFUL or not call.results or call.ref.message > self.answered:
            return False
        if not (self.surely if basis in NOUNS else self.maybe):
            return False
        return all(result.fact is not None and self._is_answer(result.fact) for result in call.results)

    def _is_answer(self, fact: Fact) -> bool:
        """A result that speaks of no state; `was it sent?` may be answered by any, in words: it is that of what was asked about."""
        reports = str(fact.get("reports", ""))
        if reports in ("", "failed"):
            return True
        tells = self.merely and reports == "done" and not fact.get("handles")
        return fact.get("basis") == "text" and (self.by_word or tells)


def _basis(call: Call) -> str:
    """What the class of a call follows from; of a command whose program nobody knows, nothing is known."""
    if call.fact is None:
        return ""
    basis = str(call.fact.get("basis", ""))
    return "unknown" if basis == "shell" and call.fact.get("assumed") else basis
