"""Side effects of calls: state from results, settled later only by structured evidence (design section 5)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from barrier_policy.ledger.conversation import Call, Conversation, Result
from barrier_policy.ledger.model import UNSETTLED, Event, Family, Item
from barrier_policy.transcript.model import MessageKind

STATE_OF_RESULT = {
    "done": "confirmed",
    "pending": "started",
    "partial": "partial",
    "failed": "failed_clean",
    "rejected": "failed_clean",
    "unknown": "unknown",
}
LOCAL_BASES = frozenset({"shell", "table", "sql"})
"""A tool known to be silent on success; from any other, an empty answer leaves the outcome open."""

MAX_ARGUMENTS = 220
MAX_LEAF = 90
MAX_RECEIPT = 600
MAX_WHOLE = 320


def effect_id(call: Call) -> str:
    """The name of a call's effect in the ledger."""
    return f"effect:{call.ref.message}.{call.ref.part}"


def find_effects(conversation: Conversation) -> tuple[list[Item], list[Event]]:
    """An item for each call that is not a plain read, with its events in order."""
    items: list[Item] = []
    events: list[Event] = []
    open_handles: dict[str, str] = {}
    states: dict[str, str] = {}
    for turn in conversation.turns:
        for call in turn.calls:
            if not call.reads:
                item = _effect(call)
                items.append(item)
                for event in _own_events(call, item.id):
                    events.append(event)
                    states[item.id] = event.state
                if states[item.id] in UNSETTLED:
                    open_handles.update(dict.fromkeys(_handles(call), item.id))
            for event in _reconciled(call, open_handles, states):
                events.append(event)
                states[event.item] = event.state
    events.extend(_jobs(conversation, open_handles, states))
    return items, events


def _effect(call: Call) -> Item:
    fact = call.fact
    targets = fact.get("targets", ()) if fact else ()
    keys = fact.get("keys", ()) if fact else ()
    operation = (fact.get("operation") if fact else "") or call.part.name
    return Item(
        id=effect_id(call),
        family=Family.EFFECT,
        kind=call.effect_class,
        message=call.ref.message,
        part=call.ref.part,
        text=receipt_text(call, operation),
        subject=f"{operation} {targets[0]}" if targets else "",
        attributes={
            "tool": call.part.name,
            "operation": operation,
            "target": targets[0] if targets else "",
            "key": keys[0] if keys else "",
            "assumed": "true" if fact is None or fact.get("assumed") else "",
        },
    )


def _own_events(call: Call, item: str) -> Iterator[Event]:
    """Intended by the call, then whatever its results say, in order."""
    yield Event(call.ref.message, item, "started", "called")
    for result in call.results:
        yield Event(result.ref.message, item, _state(call, result), f"result at message {result.ref.message}")


def _state(call: Call, result: Result) -> str:
    fact = result.fact
    state = str(fact.get("state", "unknown")) if fact else "unknown"
    if state == "empty":
        basis = call.fact.get("basis") if call.fact else ""
        return "confirmed" if basis in LOCAL_BASES else "unknown"
    return STATE_OF_RESULT.get(state, "unknown")


def _handles(call: Call) -> Iterator[str]:
    """Names under which a later message may speak of this effect: job ids from results, keys from the call."""
    for result in call.results:
        yield from result.fact.get("handles", ()) if result.fact else ()
    if call.fact:
        yield from call.fact.get("keys", ())


def _reconciled(call: Call, handles: dict[str, str], states: dict[str, str]) -> Iterator[Event]:
    """A later call that names an open handle settles it when its result reports a terminal state."""
    named = {handle for handle in _names(call) if handle in handles}
    for handle in sorted(named):
        item = handles[handle]
        if item == effect_id(call) or states.get(item) not in UNSETTLED:
            continue
        for result in call.results:
            state = _reported(result)
            if state:
                yield Event(result.ref.message, item, state, f"`{handle}` at message {result.ref.message}")


def _names(call: Call) -> Iterator[str]:
    yield from leaves(call.part.arguments)
    for result in call.results:
        yield from result.fact.get("handles", ()) if result.fact else ()


def _reported(result: Result) -> str:
    """What a look-up says about the thing it looks at; "" where it says nothing final."""
    if result.fact is None:
        return ""
    reported = str(result.fact.get("reports", ""))
    return {"done": "confirmed", "failed": "failed_clean", "rejected": "failed_clean", "partial": "partial"}.get(reported, "")


def _jobs(conversation: Conversation, handles: dict[str, str], states: dict[str, str]) -> Iterator[Event]:
    """Notices of the runtime that a background job has ended."""
    for message in conversation.messages:
        if message.kind is not MessageKind.NOTICE:
            continue
        for fact in conversation.of_kind(message.index, "background_job"):
            item = handles.get(str(fact.get("handle", "")))
            state = {"finished": "confirmed", "failed": "failed_clean"}.get(str(fact.get("state", "")), "")
            if item and state and states.get(item) in UNSETTLED:
                states[item] = state
                yield Event(message.index, item, state, f"notice at message {message.index}")


def leaves(value: Any) -> Iterator[str]:
    """The scalar leaves of JSON arguments, as strings, in order."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            stack.extend(reversed(list(current.values())))
        elif isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, str):
            yield current
        elif current is not None and not isinstance(current, bool):
            yield str(current)


def receipt_text(call: Call, operation: str) -> str:
    """The dense line that a receipt shows: what was called with what, and the short pieces of its answer."""
    pieces = dict.fromkeys(piece for result in call.results for piece in _pieces(result))
    answer = _clip("; ".join(pieces), MAX_RECEIPT)
    shown = f"{call.part.name} {compact_arguments(call.part.arguments, call.part.text)}".strip()
    return f"{shown} → {answer}" if answer else shown


def _pieces(result: Result) -> Sequence[str]:
    """A short answer whole, of a longer one what its extractor found worth keeping."""
    whole = " ".join(result.part.text.split(" ")).strip()
    if len(whole) <= MAX_WHOLE:
        return (whole,) if whole else ()
    return result.fact.get("receipt", ()) if result.fact else ()


def compact_arguments(arguments: Any, text: str) -> str:
    """Arguments as compact JSON; where they are long, without the long leaves."""
    if arguments is None:
        return _clip(text, MAX_ARGUMENTS)
    whole = _json(arguments)
    if len(whole) <= MAX_ARGUMENTS:
        return whole
    return _clip(_json(_short(arguments)), 2 * MAX_ARGUMENTS)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(item) for key, item in list(value.items())[:20]}
    if isinstance(value, list):
        return [_short(item) for item in value[:20]]
    if isinstance(value, str):
        return _clip(value, MAX_LEAF)
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _clip(text: str, size: int) -> str:
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"


def settled(state: str) -> bool:
    """Whether an effect in this state needs nobody to look at it any more."""
    return state not in UNSETTLED


def effect_states(items: Iterable[Item], states: dict[str, str]) -> dict[int, list[str]]:
    """States of effects by the message of their call."""
    by_message: dict[int, list[str]] = {}
    for item in items:
        by_message.setdefault(item.message, []).append(states[item.id])
    return by_message
