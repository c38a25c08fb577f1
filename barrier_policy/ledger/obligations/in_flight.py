"""Work in flight: calls without an answer, what is half done, background jobs and sub-agents (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.told import is_instruction
from barrier_policy.ledger.conversation.turns import (
    Call,
    Conversation,
    says_only,
)
from barrier_policy.ledger.dialogue.cues import SHARE, only_acknowledges
from barrier_policy.ledger.effects.reconciled import effect_id
from barrier_policy.ledger.model import UNSETTLED, Event, Item
from barrier_policy.ledger.obligations.owed import Found, new_obligation
from barrier_policy.transcript.model import Origin
from barrier_policy.transcript.pairing import PartRef


def open_calls(conversation: Conversation) -> Iterator[Found]:
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


def half_done(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
    """What the agent says is under way or half done in the newest unfinished work: its own words are the only record.

    Words whose order has left in an earlier compaction count as of such work: they were kept for it.
    """
    given = [
        turn
        for turn in conversation.turns
        if turn.start < conversation.present and (is_instruction(turn) if turn.has_user else conversation.has_left_in(turn))
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


def jobs(conversation: Conversation, effect_states: Mapping[str, str]) -> Iterator[Found]:
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
