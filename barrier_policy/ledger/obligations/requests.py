"""Requests: what users have asked for, until it is done, confirmed or called off (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.ledger.conversation.adopted import MAX_PROPOSAL, steps
from barrier_policy.ledger.conversation.answered import PLAIN_TASK, answers_question, last_sentence
from barrier_policy.ledger.conversation.asides import without_asides
from barrier_policy.ledger.conversation.halves import is_broken_off, is_left_open
from barrier_policy.ledger.conversation.resumed import resumed
from barrier_policy.ledger.conversation.told import FEWEST_POINTS, INSTRUCTIVE, confidence_of, is_instruction, told_text
from barrier_policy.ledger.conversation.turns import (
    Call,
    Conversation,
    Turn,
    end_of,
    speaks,
    user_text,
)
from barrier_policy.ledger.dialogue.cues import asks, tells_rest
from barrier_policy.ledger.effects.reconciled import effect_id
from barrier_policy.ledger.model import UNSETTLED, Event
from barrier_policy.ledger.obligations.owed import Found, new_obligation
from barrier_policy.ledger.obligations.put_aside import put_aside
from barrier_policy.transcript.model import MessageKind, Origin

MAX_FRAGMENT = 200
"""Characters of a message that may be one piece of several."""
HELD_TURNS = 5
"""Turns of the user for which a message stays owed that was held when all behind it was summarized: what told so has left."""
MAX_SINCE = 30
"""Turns in which the steps of a list are done."""
SURE = 60
"""Confidence from which an instruction that was only looked into counts as work still open."""


def requests(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
    """One obligation for each user turn that gives work; satisfied once the work has been done and confirmed.

    One that still waits for an effect, or that the agent is at now, can't be held by a record, unless it tells a secret, which the
    record leaves out and the context should lose. One that an earlier compaction held although it summarized all behind it is held by a
    record, for a time: what made it owed is not in sight, and neither is what answered it.
    """
    conversation = msgspec.structs.replace(conversation, turns=without_asides(conversation))
    noted = put_aside(conversation)
    runs = list(_runs_of_work(conversation, effect_states, noted))
    again = resumed(conversation, _asked_for_work(conversation, [run[-1] for run in runs]))
    if again is not None and all(again not in run for run in runs):
        runs = sorted([*runs, [again]], key=lambda run: run[0].start)
    given = [run[-1] for run in runs]
    ended = [None if turn is again else _ended(conversation, turn, effect_states, noted) for turn in given]
    in_dialogue = any(map(_is_open_dialogue, (call for turn in conversation.turns for call in turn.calls)))
    newest = next((turn for turn in reversed(given) if is_instruction(turn)), None)
    held = {turn.start for turn in given if _was_held(conversation, turn)}
    past = [
        turn
        for turn, end in zip(given, ended, strict=True)
        if end is None and turn.start < conversation.present and turn.start not in held
    ]
    unfinished = past[-1] if past else None
    for run, turn, end in zip(runs, given, ended, strict=True):
        at_work = (
            bool(_unsettled(turn, effect_states))
            or turn.start < conversation.present < turn.end
            or _awaits_word(conversation, turn)
            or (in_dialogue and turn is newest)
            or turn is unfinished
            or turn is again
            or turn.at_rest
            or _is_several_things(conversation, turn)
            or is_left_open(conversation, turn)
            or _stands_since_question(conversation, turn)
            or turn.start in noted
        )
        for told in run:
            whole = at_work or told.start in held
            text = user_text(conversation, told) if whole else told_text(conversation, told)
            rebindable = not at_work or ("secret" in told.kinds and "request" not in told.kinds)
            item = new_obligation(
                "request",
                told.start,
                text,
                rebindable=rebindable,
                debtor=Origin.AGENT,
                creditor=Origin.USER,
                turns=HELD_TURNS if told.start in held and not is_instruction(told) else 0,
            )
            events = [Event(told.start, item.id, "detached", "asked by the user")]
            if end:
                events.append(Event(min(turn.end, len(conversation.messages)) - 1, item.id, *end))
            yield item, events


def _asked_for_work(conversation: Conversation, given: Sequence[Turn]) -> list[Turn]:
    """The turns that give work, and those that ask for it as politely as one asks a question: `could you put together …? I need it by four`."""
    polite = (turn for turn in conversation.turns if turn.has_user and _asks_politely(conversation, turn))
    return sorted({turn.index: turn for turn in (*given, *polite)}.values(), key=lambda turn: turn.index)


def _asks_politely(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message holds a request, or a question after which the user says more that is none."""
    return "request" in turn.kinds or (
        "question" in turn.kinds and not asks(last_sentence(user_text(conversation, turn).strip()))
    )


def _is_several_things(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message that was only looked into says more than a short task does: the deed is still to come.

    One that surely sets a rule is kept by the record of the rule.
    """
    text = user_text(conversation, turn).strip()
    rules = conversation.of_kind(turn.start, "constraint", "approval_gate")
    looked = bool(turn.calls) and all(call.reads for call in turn.calls) and not turn.replies
    return (
        looked and all(rule.get("proposed") for rule in rules) and len(text) > PLAIN_TASK and not asks(last_sentence(text))
    )


def _runs_of_work(
    conversation: Conversation, effect_states: Mapping[str, str], noted: Mapping[int, int]
) -> Iterator[list[Turn]]:
    """Runs whose last message gives work share its fate; of any other run, each message that gives work."""
    for run in _runs(conversation):
        if run[-1].start in noted or _gives_work(conversation, run[-1], effect_states):
            yield run
        else:
            yield from ([turn] for turn in run[:-1] if _gives_work(conversation, turn, effect_states))


def _runs(conversation: Conversation) -> Iterator[list[Turn]]:
    """The user's turns, those together that were written in one go: nothing stands between them."""
    run: list[Turn] = []
    for turn in conversation.turns:
        if not turn.has_user:
            continue
        answered = turn.final >= 0 or any(call.results for call in turn.calls) or conversation.has_left_in(turn)
        if answered or turn.end >= len(conversation.messages):
            yield [*run, turn]
            run = []
        elif not is_broken_off(conversation, turn) and _is_fragment(turn, user_text(conversation, turn)):
            run.append(turn)
        else:
            yield [turn]


def _is_fragment(turn: Turn, text: str) -> bool:
    """Whether a message is short and says something that belongs to the next one; a program's output is none."""
    says = is_instruction(turn) or any(map(str.isdigit, text))
    return says and len(text) <= MAX_FRAGMENT and not text.lstrip().startswith("<")


def _gives_work(conversation: Conversation, turn: Turn, effect_states: Mapping[str, str]) -> bool:
    """Whether the user's message makes the agent act, beyond answering a question."""
    if _works_at_present(conversation, turn) or _effects(turn, effect_states) or _goes_on(conversation, turn):
        return True
    if is_left_open(conversation, turn) or _stands_since_question(conversation, turn) or _was_held(conversation, turn):
        return True
    if not is_instruction(turn) or turn.replies:
        return False
    told = map(confidence_of, conversation.of_kind(turn.start, *INSTRUCTIVE))
    return (turn.shows or max(told, default=100) >= SURE) and (
        bool(turn.calls) or turn.final < 0 or conversation.has_left_in(turn)
    )


def _was_held(conversation: Conversation, turn: Turn) -> bool:
    """Whether nothing but summaries stands behind the user's message: the compaction that wrote them had to keep it.

    Neighbours that may leave leave together, so it was no message that might.
    """
    behind = conversation.messages[turn.start + 1 : turn.end]
    summarized = bool(behind) and all(message.kind is MessageKind.SUMMARY for message in behind)
    return turn.has_user and summarized and turn.end <= conversation.present


def _is_open_dialogue(call: Call) -> bool:
    """Whether a call puts something before somebody (a plan, a form) who has not answered."""
    return not call.results and call.fact is not None and bool(call.fact.get("interactive"))


def _goes_on(conversation: Conversation, turn: Turn) -> bool:
    """Whether the agent says in the turn that it is still at a part of what was asked."""
    said = (
        end_of(conversation.messages[index])
        for index in range(turn.start + 1, turn.end)
        if index != turn.final and speaks(conversation.messages[index])
    )
    return turn.at_rest or any(map(tells_rest, said))


def _works_at_present(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn reaches into the tail: the agent is at it now.

    A question that the tail has answered is over, and so is what looked like more where the user has spoken again since.
    """
    reaches = turn.start < conversation.present < turn.end
    if turn.end == len(conversation.messages):
        return reaches
    return reaches and is_instruction(turn) and not _is_told(conversation, turn)


def _is_told(conversation: Conversation, turn: Turn) -> bool:
    """Whether the tail has the agent's answer to a question, or to something that it looked up: no promise, and no deed left behind."""
    if turn.final < conversation.present or turn.at_rest or not all(call.reads for call in turn.calls):
        return False
    promises = conversation.of_kind(turn.final, "commitment", "status_pending")
    return not promises and (bool(turn.calls) or asks(last_sentence(user_text(conversation, turn).strip())))


def _effects(turn: Turn, effect_states: Mapping[str, str]) -> list[str]:
    return [effect_states[effect_id(call)] for call in turn.calls if effect_id(call) in effect_states]


def _unsettled(turn: Turn, effect_states: Mapping[str, str]) -> list[str]:
    return [state for state in _effects(turn, effect_states) if state in UNSETTLED]


def _ended(
    conversation: Conversation, turn: Turn, effect_states: Mapping[str, str], noted: Mapping[int, int]
) -> tuple[str, str] | None:
    """The terminal state of a request and its reason; None while it is open."""
    if _works_at_present(conversation, turn):
        return None
    if _called_off(conversation, turn):
        return "cancelled", "called off by the user"
    if noted.get(turn.start, -1) >= 0:
        return "satisfied", "done later"
    if turn.at_rest or is_left_open(conversation, turn):
        return None
    if _effects(turn, effect_states) and not _unsettled(turn, effect_states) and not _awaits_word(conversation, turn):
        return None if _has_more_steps(conversation, turn) else ("satisfied", "its effects are settled")
    if answers_question(conversation, turn):
        return "satisfied", "answered by what was looked up"
    return None


def _has_more_steps(conversation: Conversation, turn: Turn) -> bool:
    """Whether a message numbers more steps than there have been calls since, each of which is one step at the most."""
    numbered = steps(user_text(conversation, turn)[:MAX_PROPOSAL])
    if numbered < FEWEST_POINTS:
        return False
    since = conversation.turns[turn.index : turn.index + MAX_SINCE]
    return numbered > sum(1 for later in since for call in later.calls if call.results)


def _awaits_word(conversation: Conversation, turn: Turn) -> bool:
    """Whether the message itself says that something waits for somebody's word, and nobody has given it since.

    What is only likely to say so is kept by the record of the gate.
    """
    gates = conversation.of_kind(turn.start, "approval_gate") if turn.calls else []
    if all(gate.get("proposed") for gate in gates):
        return False
    return not any("approval" in later.kinds for later in conversation.turns[turn.index + 1 :])


def _stands_since_question(conversation: Conversation, turn: Turn) -> bool:
    """Whether the agent answered a request with a question only, and has neither done nor said anything since the user came back to it."""
    following = conversation.turns[turn.index + 1 : turn.index + 2]
    if turn.final < 0 or turn.calls or not is_instruction(turn) or not following:
        return False
    if not conversation.of_kind(turn.final, "question"):
        return False
    reply = following[0]
    unanswered = reply.has_user and not reply.calls and reply.final < 0 and reply.end < len(conversation.messages)
    return unanswered and not _called_off(conversation, turn)


def _called_off(conversation: Conversation, turn: Turn) -> bool:
    """The user's next word surely takes the request back. What the user said next may have left in an earlier compaction."""
    after = turn.index + 1
    if after >= len(conversation.turns) or conversation.has_left_in(turn):
        return False
    reply = conversation.turns[after]
    denials = conversation.of_kind(reply.start, "denial") if "denial" in reply.kinds else []
    sure = any(not denial.get("proposed") for denial in denials)
    return sure and "request" not in reply.kinds and not asks(last_sentence(user_text(conversation, reply)))
