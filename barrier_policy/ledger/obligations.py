"""Obligations: requests, promises, questions, calls without an answer, work in flight (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation import (
    MAX_CLOSING,
    MAX_REPLY,
    Call,
    Conversation,
    Turn,
    says_only,
    speaks,
    waiting_words,
    words_of,
)
from barrier_policy.ledger.cues import SHARE, defers, only_acknowledges, tells_rest, turns_elsewhere
from barrier_policy.ledger.effects import effect_id
from barrier_policy.ledger.halves import is_half_answered
from barrier_policy.ledger.model import UNSETTLED, Event, Item
from barrier_policy.ledger.owed import new_obligation, user_text
from barrier_policy.ledger.waiting import awaited_answers, inconclusive_look_ups
from barrier_policy.transcript.model import Origin
from barrier_policy.transcript.pairing import PartRef

Found = tuple[Item, list[Event]]

INSTRUCTIVE = ("instruction", "release", "correction")
"""Kinds of facts that make a user's message more than a question or a remark."""

SURE = 60
"""Confidence from which an instruction that was only looked into counts as work still open."""

MARKER = 5
"""A gap of this many characters holds no more than a list marker."""
ANSWERS = frozenset({"approval", "denial", "value", "binding"})


def find_obligations(
    conversation: Conversation, effect_states: Mapping[str, str], look_ups: Sequence[Call] = ()
) -> tuple[list[Item], list[Event]]:
    """All obligations, with their events. `look_ups` are the last ones of effects that are still open."""
    items: list[Item] = []
    events: list[Event] = []
    for found in (
        _requests(conversation, effect_states),
        _open_calls(conversation),
        _commitments(conversation),
        _questions(conversation),
        _half_done(conversation, effect_states),
        awaited_answers(conversation),
        inconclusive_look_ups(look_ups),
        _jobs(conversation, effect_states),
        _plan_items(conversation),
    ):
        for item, history in found:
            items.append(item)
            events.extend(history)
    return items, events


# requests -----------------------------------------------------------------------------------------------------------


def _requests(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
    """One obligation for each user turn that gives work; satisfied once the work has been done and confirmed.

    One that still waits for an effect, or that the agent is at now, can't be held by a record, unless it tells a secret, which the
    record leaves out and the context should lose.
    """
    runs = list(_runs_of_work(conversation, effect_states))
    given = [run[-1] for run in runs]
    ended = [_ended(conversation, turn, effect_states) for turn in given]
    in_dialogue = any(map(_is_open_dialogue, (call for turn in conversation.turns for call in turn.calls)))
    newest = next((turn for turn in reversed(given) if is_instruction(turn)), None)
    past = [turn for turn, end in zip(given, ended, strict=True) if end is None and turn.start < conversation.present]
    unfinished = past[-1] if past else None
    for run, turn, end in zip(runs, given, ended, strict=True):
        at_work = (
            bool(_unsettled(turn, effect_states))
            or turn.start < conversation.present < turn.end
            or _awaits_word(conversation, turn)
            or (in_dialogue and turn is newest)
            or turn is unfinished
            or turn.at_rest
            or is_half_answered(conversation, turn)
            or _stands_since_question(conversation, turn)
        )
        for told in run:
            text = user_text(conversation, told) if at_work else told_text(conversation, told)
            rebindable = not at_work or ("secret" in told.kinds and "request" not in told.kinds)
            item = new_obligation(
                "request", told.start, text, rebindable=rebindable, debtor=Origin.AGENT, creditor=Origin.USER
            )
            events = [Event(told.start, item.id, "detached", "asked by the user")]
            if end:
                events.append(Event(min(turn.end, len(conversation.messages)) - 1, item.id, *end))
            yield item, events


def _runs_of_work(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[list[Turn]]:
    """Runs whose last message gives work share its fate; of any other run, each message that gives work."""
    for run in _runs(conversation):
        if _gives_work(conversation, run[-1], effect_states):
            yield run
        else:
            yield from ([turn] for turn in run[:-1] if _gives_work(conversation, turn, effect_states))


def _runs(conversation: Conversation) -> Iterator[list[Turn]]:
    """The user's turns, those together that were written in one go: nothing stands between them."""
    run: list[Turn] = []
    for turn in conversation.turns:
        if not turn.has_user:
            continue
        answered = turn.end > turn.start + 1 or turn.end >= len(conversation.messages)
        if answered:
            yield [*run, turn]
            run = []
        elif is_instruction(turn) or any(map(str.isdigit, user_text(conversation, turn))):
            run.append(turn)


def _gives_work(conversation: Conversation, turn: Turn, effect_states: Mapping[str, str]) -> bool:
    """Whether the user's message makes the agent act, beyond answering a question."""
    if _works_at_present(conversation, turn) or _effects(turn, effect_states) or _goes_on(conversation, turn):
        return True
    if is_half_answered(conversation, turn) or _stands_since_question(conversation, turn):
        return True
    if not is_instruction(turn) or turn.replies:
        return False
    told = [int(fact.get("confidence", 100)) for fact in conversation.of_kind(turn.start, *INSTRUCTIVE)]
    return (turn.shows or max(told, default=100) >= SURE) and bool(turn.calls or turn.final < 0)


def _is_open_dialogue(call: Call) -> bool:
    """Whether a call puts something before somebody (a plan, a form) who has not answered."""
    return not call.results and call.fact is not None and bool(call.fact.get("interactive"))


def _goes_on(conversation: Conversation, turn: Turn) -> bool:
    """Whether the agent says in the turn that it is still at a part of what was asked."""
    said = (
        words_of(conversation.messages[index])[-MAX_CLOSING:]
        for index in range(turn.start + 1, turn.end)
        if index != turn.final and speaks(conversation.messages[index])
    )
    return turn.at_rest or any(map(tells_rest, said))


def is_instruction(turn: Turn) -> bool:
    """Whether the user's message says something that later turns may depend on, and does not only ask or chat."""
    return not turn.kinds.isdisjoint(INSTRUCTIVE) or turn.shows


def _works_at_present(conversation: Conversation, turn: Turn) -> bool:
    """Whether the turn reaches into the tail: the agent is at it now. A question that the tail has answered is over."""
    reaches = turn.start < conversation.present < turn.end
    return reaches and (is_instruction(turn) or turn.end == len(conversation.messages))


def _effects(turn: Turn, effect_states: Mapping[str, str]) -> list[str]:
    return [effect_states[effect_id(call)] for call in turn.calls if effect_id(call) in effect_states]


def _unsettled(turn: Turn, effect_states: Mapping[str, str]) -> list[str]:
    return [state for state in _effects(turn, effect_states) if state in UNSETTLED]


def _ended(conversation: Conversation, turn: Turn, effect_states: Mapping[str, str]) -> tuple[str, str] | None:
    """The terminal state of a request and its reason; None while it is open."""
    if _works_at_present(conversation, turn):
        return None
    if _called_off(conversation, turn):
        return "cancelled", "called off by the user"
    if turn.at_rest or is_half_answered(conversation, turn):
        return None
    if _effects(turn, effect_states) and not _unsettled(turn, effect_states) and not _awaits_word(conversation, turn):
        return "satisfied", "its effects are settled"
    return None


def _awaits_word(conversation: Conversation, turn: Turn) -> bool:
    """Whether the message itself says that something waits for somebody's word, and nobody has given it since."""
    if "approval_gate" not in turn.kinds or not turn.calls:
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
    """The user's next word takes the request back."""
    after = turn.index + 1
    if after >= len(conversation.turns):
        return False
    kinds = conversation.turns[after].kinds
    return bool(kinds & {"denial"}) and "request" not in kinds


def _proposed(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user took the agent's closing words for a question: the next message puts the answer off."""
    after = turn.index + 1
    if turn.final < 0 or after >= len(conversation.turns) or not conversation.turns[after].has_user:
        return False
    return defers(user_text(conversation, conversation.turns[after])[:MAX_REPLY])


def told_text(conversation: Conversation, turn: Turn) -> str:
    """The sentences of the user's message that tell or order something; those that are rules have records of their own."""
    rules = {(fact.part, fact.start) for fact in conversation.of_kind(turn.start, "constraint", "approval_gate")}
    told = conversation.of_kind(turn.start, *INSTRUCTIVE)
    plain = [fact for fact in told if (fact.part, fact.start) not in rules]
    words = [fact.text for fact in joined(conversation, plain or told[:1])]
    return "\n".join(words) or user_text(conversation, turn)


def joined(conversation: Conversation, facts: Sequence[Fact]) -> list[Fact]:
    """Sentences as one where nothing but blanks and list markers stands between them, so that numbers of steps are not lost."""
    found: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (fact.part, fact.start, -fact.end)):
        last = found[-1] if found else None
        if last is not None and last.part == fact.part and fact.start <= last.end + MARKER:
            text = conversation.messages[fact.message].parts[fact.part].text
            end = max(last.end, fact.end)
            found[-1] = msgspec.structs.replace(last, end=end, text=text[last.start : end])
        else:
            found.append(fact)
    return found


# calls, promises, questions -----------------------------------------------------------------------------------------


def _open_calls(conversation: Conversation) -> Iterator[Found]:
    """Calls without a result, and questions to somebody that were only sent. A read that the agent went on without is abandoned."""
    answered = [call.ref.message for turn in conversation.turns for call in turn.calls if call.results]
    last_answered = max(answered, default=-1)
    for turn in conversation.turns:
        for call in turn.calls:
            sent = _is_only_sent(call)
            if call.results and not sent:
                continue
            item = new_obligation(
                "open_call",
                call.ref.message,
                call.part.name,
                part=call.ref.part,
                rebindable=False,
                debtor=Origin.TOOL,
                creditor=Origin.AGENT,
            )
            events = [Event(call.ref.message, item.id, "detached", "called, no result yet")]
            asks = call.fact is not None and call.fact.get("interactive")
            if call.reads and not asks and last_answered > call.ref.message:
                events.append(Event(last_answered, item.id, "abandoned", "the agent went on without it"))
            following = conversation.turns[turn.index + 1 :][:1] if sent else ()
            if any(reply.replies for reply in following):
                events.append(Event(following[0].start, item.id, "satisfied", "the next message answers"))
            yield item, events


def _is_only_sent(call: Call) -> bool:
    """Whether a call put a question to somebody and its result says that the answer is to come."""
    if call.fact is None or not call.fact.get("interactive") or not call.results:
        return False
    return all(result.fact is not None and result.fact.get("reports") == "pending" for result in call.results)


def _commitments(conversation: Conversation) -> Iterator[Found]:
    """Promises in closing words that name something. A later one takes the place of an earlier one, unless that names a time or number."""
    made = [
        (turn.final, fact)
        for turn in conversation.turns
        if turn.final >= 0 and turn.end <= conversation.present
        for fact in conversation.of_kind(turn.final, "commitment")
        if not only_acknowledges(fact.text)
    ]
    for number, (message, fact) in enumerate(made):
        item = new_obligation(
            "commitment",
            message,
            fact.text,
            number=number,
            part=fact.part,
            rebindable=True,
            debtor=Origin.AGENT,
            creditor=Origin.USER,
        )
        events = [Event(message, item.id, "detached", "promised")]
        if message != made[-1][0] and not any(character.isdigit() for character in fact.text):
            events.append(Event(made[-1][0], item.id, "expired", "a later promise took its place"))
        yield item, events


def _questions(conversation: Conversation) -> Iterator[Found]:
    """The agent's last question, where the user has not come back to it; a proposal that the user puts off is one."""
    past = [turn for turn in conversation.turns if turn.end <= conversation.present]
    asked = [turn for turn in past if turn.asks]
    answers = [_answered(conversation, turn) for turn in asked]
    is_open = bool(asked) and answers[-1] is None
    for turn, answered in zip(asked, answers, strict=True):
        item = _question(conversation, turn)
        events = [Event(turn.final, item.id, "detached", "asked by the agent")]
        if answered is not None:
            events.append(Event(answered, item.id, "satisfied", "the user came back to it"))
        elif turn is not asked[-1]:
            events.append(Event(asked[-1].final, item.id, "expired", "a later question took its place"))
        yield item, events
    proposals = [turn for turn in past if not turn.asks and _proposed(conversation, turn)]
    for turn in proposals[-1:]:
        if not is_open:
            item = _question(conversation, turn)
            events = [Event(turn.final, item.id, "detached", "proposed by the agent, put off by the user")]
            decided = [later.start for later in conversation.turns[turn.index + 2 :] if later.kinds & {"approval", "denial"}]
            yield item, [*events, *(Event(start, item.id, "satisfied", "the user decided") for start in decided[:1])]


def _question(conversation: Conversation, turn: Turn) -> Item:
    told, final = conversation.of_kind(turn.final, "question"), conversation.messages[turn.final]
    part, words = (told[-1].part, told[-1].text) if told else waiting_words(final) or (0, words_of(final))
    return new_obligation(
        "question", turn.final, words, part=part, rebindable=False, debtor=Origin.USER, creditor=Origin.AGENT
    )


def _half_done(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
    """What the agent says is under way or half done in the newest unfinished work: its own words are the only record."""
    given = [
        turn for turn in conversation.turns if turn.has_user and turn.start < conversation.present and is_instruction(turn)
    ]
    for turn in given[-1:]:
        for message in range(turn.start, min(turn.end, conversation.present)):
            if says_only(conversation.messages[message]):
                facts = conversation.of_kind(message, "status_pending", "report")
                told = [fact for fact in facts if not only_acknowledges(fact.text)]
                pending = [
                    fact for fact in told if _is_half(fact) or (fact.kind == "status_pending" and not fact.get("proposed"))
                ]
                for number, fact in enumerate(pending):
                    item = new_obligation(
                        "handoff",
                        message,
                        fact.text,
                        number=500 + number,
                        part=fact.part,
                        rebindable=False,
                        debtor=Origin.AGENT,
                        creditor=Origin.USER,
                    )
                    yield item, [Event(message, item.id, "detached", "the agent says that it is not finished")]


def _is_half(fact: Fact) -> bool:
    """`4 of 10`: fewer than there are."""
    found = SHARE.search(fact.text)
    return found is not None and int(found[1]) < int(found[2])


def _answered(conversation: Conversation, turn: Turn) -> int | None:
    """The user message after a question, where it gives consent, a value or an instruction and does not only ask or chat."""
    if turn.index + 1 >= len(conversation.turns):
        return None
    after = conversation.turns[turn.index + 1]
    if after.start >= conversation.present:
        return None
    answers = is_instruction(after) or bool(after.kinds & ANSWERS)
    if not answers or not after.is_read or after.puts_off or _turns_elsewhere(conversation, after):
        return None
    return after.start


def _turns_elsewhere(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user begins with something else (`also …`) and says neither yes nor no."""
    return not turn.kinds & {"approval", "denial"} and turns_elsewhere(user_text(conversation, turn))


# work in flight, plans ----------------------------------------------------------------------------------------------


def _jobs(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
    """Background jobs and sub-agents, by handle: started, and ended when a fact says so or the effect that started them is settled.

    One that is listed in a durable registry can be held by a record.
    """
    first: dict[str, Item] = {}
    events: dict[str, list[Event]] = {}
    callers = {result.ref: call for turn in conversation.turns for call in turn.calls for result in call.results}
    for message in conversation.messages:
        for fact in conversation.of_kind(message.index, "background_job"):
            handle = str(fact.get("handle", ""))
            if handle not in first:
                first[handle] = new_obligation(
                    "handoff",
                    message.index,
                    f"{fact.get('what', '')} {handle} {fact.get('registry', '')}".strip(),
                    number=len(first),
                    part=fact.part,
                    rebindable=bool(fact.get("registry")),
                    debtor=Origin.TOOL,
                    creditor=Origin.AGENT,
                    subject=handle,
                )
                events[handle] = []
            ended = str(fact.get("state", "")) in ("finished", "failed")
            caller = callers.get(PartRef(message.index, fact.part))
            if caller is not None and effect_states.get(effect_id(caller), "unknown") not in UNSETTLED:
                ended = True
            events[handle].append(
                Event(
                    message.index,
                    first[handle].id,
                    "satisfied" if ended else "detached",
                    f"reported at message {message.index}",
                )
            )
    for handle, item in first.items():
        yield item, events[handle]


def _plan_items(conversation: Conversation) -> Iterator[Found]:
    """Open entries of the newest state of each plan entry."""
    latest: dict[str, tuple[Item, Event]] = {}
    for message in conversation.messages:
        for number, fact in enumerate(conversation.of_kind(message.index, "plan_item")):
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
