"""What later calls and notices of the runtime say of effects that are still open (design section 5: settled only by structured evidence)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from barrier_policy.ledger.conversation.tool_names import name_parts
from barrier_policy.ledger.conversation.turns import Call, Conversation, Result
from barrier_policy.ledger.effects.receipt import leaves
from barrier_policy.ledger.model import UNSETTLED, Event
from barrier_policy.transcript.model import MessageKind

MAX_OPEN = 20
_SETTLING = (
    "abort accept approve cancel check close commit complete confirm continue end finalize finish kill ping poll promote "
    "query reconcile rerun resolve resume retry revert rollback status stop submit sync undo verify void wait withdraw"
)
SETTLING = frozenset(_SETTLING.split())
"""Parts of the names of tools that settle what another call has begun."""


def effect_id(call: Call) -> str:
    """The name of a call's effect in the ledger."""
    return f"effect:{call.ref.message}.{call.ref.part}"


def reconciled(
    call: Call, named: Sequence[str], handles: Mapping[str, list[str]], states: Mapping[str, str], tools: Mapping[str, str]
) -> Iterator[Event]:
    """A later call that names open effects settles them when its result reports so. A deed of another kind tells of itself."""
    for handle in named:
        for item in handles[handle][-MAX_OPEN:]:
            if item == effect_id(call) or states.get(item) not in UNSETTLED or not _may_settle(call, tools[item]):
                continue
            for result in call.results:
                state = _reported(result)
                if state:
                    yield Event(result.ref.message, item, state, f"`{handle}` at message {result.ref.message}")


def _may_settle(call: Call, tool: str) -> bool:
    """Whether a call looks at something, is made with the tool of the open effect, or by its name ends or goes on with what was begun."""
    return call.reads or call.part.name == tool or not name_parts(call.part.name).isdisjoint(SETTLING)


def names_of(call: Call) -> Iterator[str]:
    """What a call speaks of: its arguments and targets, and the handles in its results."""
    yield from leaves(call.part.arguments)
    yield from call.fact.get("targets", ()) if call.fact else ()
    for result in call.results:
        yield from result.fact.get("handles", ()) if result.fact else ()


def tells_nothing(call: Call) -> bool:
    """Whether a look-up failed, or could not tell."""
    fact = call.results[-1].fact if call.results else None
    return fact is not None and (fact.get("state") in ("failed", "unknown") or fact.get("reports") == "unknown")


def _reported(result: Result) -> str:
    """What a look-up says about the thing it looks at; "" where it says nothing final."""
    if result.fact is None:
        return ""
    reported = str(result.fact.get("reports", ""))
    return {"done": "confirmed", "failed": "failed_clean", "rejected": "failed_clean", "partial": "partial"}.get(
        reported, ""
    )


def jobs(conversation: Conversation, handles: Mapping[str, list[str]], states: dict[str, str]) -> Iterator[Event]:
    """Notices of the runtime that a background job has ended."""
    for message in conversation.messages:
        if message.kind is not MessageKind.NOTICE:
            continue
        for fact in conversation.of_kind(message.index, "background_job"):
            state = {"finished": "confirmed", "failed": "failed_clean"}.get(str(fact.get("state", "")), "")
            for item in handles.get(str(fact.get("handle", "")), ())[-MAX_OPEN:]:
                if state and states.get(item) in UNSETTLED:
                    states[item] = state
                    yield Event(message.index, item, state, f"notice at message {message.index}")
