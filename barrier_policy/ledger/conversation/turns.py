"""The transcript as a conversation: turns, calls with their results, and what the facts say of each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import msgspec

from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact
from barrier_policy.ledger.dialogue.cues import (
    asks_for_report,
    find_awaited,
    find_waiting,
    postpones,
    says_it_waits,
    tells_rest,
    withdrawn_from,
)
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType
from barrier_policy.transcript.pairing import Pairs, PartRef


class Result(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An answer to a call; `fact` is its `tool_result` fact, None where no extractor could read it."""

    ref: PartRef
    part: Part
    fact: Fact | None


class Call(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tool call with its answers; `fact` is its `tool_call` fact, None where no extractor could read it."""

    ref: PartRef
    part: Part
    fact: Fact | None
    results: tuple[Result, ...]
    effect_class: str

    @property
    def reads(self) -> bool:
        """Whether the call changes nothing."""
        return self.effect_class == "read_only"


MAX_CLOSING = 400
MAX_REPLY = 2_000
"""Characters that are searched for words that put off, wait or go on."""
CALL_OR_RESULT = (PartType.TOOL_CALL, PartType.TOOL_RESULT)
UNREAD = frozenset({"instruction", "request"})
"""What a user's message that an extractor failed on counts as: work, and never an answer. Unknown protects."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """From one user message to the next, `[start, end)`.

    `kinds` are the kinds of facts in the user's message, or UNREAD where it could not be read (`is_read`); it `shows` a picture or file or
    not; `final` is the index of the last text of the agent (-1: none), by which it `asks` the user something or waits for the user's word,
    or says that it is still `at_rest` of what was asked, or in which words (`awaits`) that somebody else has yet to answer, or that it
    `wants_report` of what the user does or sees. The user's message `puts_off` an answer, and `replies` where the agent had just asked,
    unless it does that, or gives an order instead of a report, or the agent had only said, in words of a list, that it waits (`only_waits`).
    What it asks for is `withdrawn` where the user took it back before anything was done, there or in the next message, which is so too.
    """

    index: int
    start: int
    end: int
    kinds: frozenset[str]
    calls: tuple[Call, ...]
    final: int = -1
    has_user: bool = True
    shows: bool = False
    is_read: bool = True
    asks: bool = False
    only_waits: bool = False
    at_rest: bool = False
    awaits: str | None = None
    wants_report: bool = False
    puts_off: bool = False
    replies: bool = False
    withdrawn: bool = False


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """All turns; `turn_of` gives the turn of a message; `present` is where the tail begins. `facts` has no values."""

    messages: tuple[Message, ...]
    facts: Facts
    turns: tuple[Turn, ...]
    turn_of: tuple[int, ...]
    present: int

    def of_kind(self, message: int, *kinds: str) -> list[Fact]:
        """The facts of a message that are of one of the kinds."""
        if self.facts.kinds[message].isdisjoint(kinds):
            return []
        return [fact for fact in self.facts.by_message[message] if fact.kind in kinds]

    def turn(self, message: int) -> Turn:
        """The turn that a message belongs to."""
        return self.turns[self.turn_of[message]]

    def is_report(self, turn: Turn) -> bool:
        """Whether the user's message tells what the agent has asked to be told."""
        return turn.replies and self.turns[turn.index - 1].wants_report

    def has_left_in(self, turn: Turn) -> bool:
        """Whether something behind the user's message of a turn has left in an earlier compaction."""
        return _has_left(self.messages[turn.start + 1 : turn.end])

    def has_left_between(self, turn: Turn, later: Turn) -> bool:
        """Whether something between the agent's last words in a turn and a later turn has left in an earlier compaction."""
        return _has_left(self.messages[turn.final + 1 : later.start])


def opens_turn(message: Message) -> bool:
    """Whether a message is the user's own word, as opposed to a result, a notice or a call made on the user's side."""
    if message.origin is not Origin.USER or message.kind is not MessageKind.MESSAGE:
        return False
    return any(part.type is not PartType.TOOL_CALL and part.type is not PartType.TOOL_RESULT for part in message.parts)


def speaks(message: Message) -> bool:
    """Whether a message is text of the agent."""
    return (
        message.origin is Origin.AGENT
        and message.kind is MessageKind.MESSAGE
        and any(part.type is PartType.TEXT and part.text.strip() for part in message.parts)
    )


def says_only(message: Message) -> bool:
    """Whether a message is text of the agent and calls nothing."""
    return speaks(message) and all(part.type is not PartType.TOOL_CALL for part in message.parts)


def _has_left(messages: Sequence[Message]) -> bool:
    """Whether something that stood among messages has left: a summary stands for it."""
    return any(message.kind is MessageKind.SUMMARY for message in messages)


def converse(
    messages: Sequence[Message], pairs: Pairs, facts: Facts, *, present: int, tool_classes: Mapping[str, str] | None = None
) -> Conversation:
    """Build the conversation. Linear in the transcript. `tool_classes` are a team's own classes by tool name; they win."""
    starts = [message.index for message in messages if opens_turn(message)]
    bounds = ([0] if not starts or starts[0] > 0 else []) + starts + [len(messages)]
    tool_facts = {
        PartRef(fact.message, fact.part): fact
        for found in facts.by_message
        for fact in found
        if fact.kind in ("tool_call", "tool_result")
    }
    calls = _Calls(messages=messages, pairs=pairs, tool_facts=tool_facts, classes=tool_classes or {})
    unread = frozenset(failure.message for failure in facts.failures)
    turns: list[Turn] = []
    turn_of: list[int] = []
    for index, (start, end) in enumerate(itertools.pairwise(bounds)):
        before = turns[-1] if turns else None
        turns.append(_turn(index, start, end, messages, facts, calls, is_read=start not in unread, before=before))
        turn_of.extend([index] * (end - start))
    return Conversation(messages=tuple(messages), facts=facts, turns=tuple(turns), turn_of=tuple(turn_of), present=present)


class _Calls(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to build a call."""

    messages: Sequence[Message]
    pairs: Pairs
    tool_facts: Mapping[PartRef, Fact]
    classes: Mapping[str, str]

    def call(self, ref: PartRef, part: Part) -> Call:
        """The call at a place, with its results."""
        fact = self.tool_facts.get(ref)
        results = tuple(
            Result(ref=result, part=self.messages[result.message].parts[result.part], fact=self.tool_facts.get(result))
            for result in self.pairs.results_of.get(ref, ())
        )
        found = str(fact.get("effect_class", "")) if fact else ""
        effect_class = self.classes.get(part.name) or found or "non_idempotent"
        return Call(ref=ref, part=part, fact=fact, results=results, effect_class=effect_class)


def _turn(
    index: int,
    start: int,
    end: int,
    messages: Sequence[Message],
    facts: Facts,
    calls: _Calls,
    *,
    is_read: bool,
    before: Turn | None,
) -> Turn:
    has_user = start < end and opens_turn(messages[start])
    made = []
    final = -1
    for message in messages[start:end]:
        if speaks(message):
            final = message.index
        for number, part in enumerate(message.parts):
            if part.type is PartType.TOOL_CALL:
                made.append(calls.call(PartRef(message.index, number), part))
    kinds: frozenset[str] = frozenset()
    if has_user:
        kinds = facts.kinds[start] if is_read else UNREAD
    shows = has_user and any(part.type is PartType.BLOB for part in messages[start].parts)
    questions = final >= 0 and any(fact.kind == "question" for fact in facts.by_message[final])
    waits = waiting_words(messages[final]) if final >= 0 and not questions else None
    closing = end_of(messages[final]) if final >= 0 else ""
    asked = before is not None and before.asks
    orders = has_user and any(fact.kind == "request" and not fact.get("proposed") for fact in facts.by_message[start])
    opening = words_of(messages[start])[:MAX_REPLY] if asked else ""
    puts_off = postpones(opening) and withdrawn_from(opening) < 0
    return Turn(
        index=index,
        start=start,
        end=end,
        kinds=kinds,
        calls=tuple(made),
        final=final,
        has_user=has_user,
        shows=shows,
        is_read=is_read,
        asks=questions or waits is not None,
        only_waits=waits is not None and not says_it_waits(waits[1]),
        at_rest=tells_rest(closing),
        awaits=find_awaited(closing),
        wants_report=asks_for_report(closing),
        puts_off=puts_off,
        replies=before is not None
        and not before.only_waits
        and ((asked and not puts_off) or (before.wants_report and not orders)),
    )


def waiting_words(message: Message) -> tuple[int, str] | None:
    """The part and the words by which the agent's closing message says that it waits for the user."""
    for index, part in enumerate(message.parts):
        if part.type is PartType.TEXT and (found := find_waiting(part.text[-MAX_CLOSING:])):
            return index, found
    return None


def end_of(message: Message) -> str:
    """The last words of a message, in which one says what comes next."""
    return words_of(message)[-MAX_CLOSING:]


def words_of(message: Message) -> str:
    """The words of a message, calls and results left out; a text of its own.

    Items hold it: the very text of a part would keep the memory of the texts around it, which are let go before.
    """
    return "".join([f"{part.text}\n" for part in message.parts if part.text and part.type not in CALL_OR_RESULT])[:-1]


def user_text(conversation: Conversation, turn: Turn) -> str:
    """The words of the user's message."""
    return words_of(conversation.messages[turn.start])


def closing_words(conversation: Conversation, turn: Turn) -> str:
    """The end of the last text of the agent in a turn."""
    return end_of(conversation.messages[turn.final]) if turn.final >= 0 else ""
