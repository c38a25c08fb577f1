"""Small conversations, and what is decided about them."""

from __future__ import annotations

import json
from typing import Any

from barrier_policy import decide
from barrier_policy.decision.model import Decision, SpanDecision

Messages = list[dict[str, Any]]

NOW = "2026-06-01T00:00:00Z"
TAIL: Messages = [{"role": "user", "content": "Lovely weather today."}, {"role": "assistant", "content": "Yes, it is."}]
THANKS: Messages = [{"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "You are welcome."}]


def user(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def agent(text: str) -> Messages:
    return [{"role": "assistant", "content": text}]


def tool(name: str, answer: str | None, /, **arguments: Any) -> Messages:
    """A call and its result, or a call alone."""
    return called(f"call-{name}-{len(str(answer))}", name, arguments, answer)


def called(call_id: str, name: str, arguments: dict[str, Any], answer: str | None) -> Messages:
    """The same, with an id of one's own."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    made: Messages = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    return made if answer is None else [*made, {"role": "tool", "tool_call_id": call_id, "content": answer}]


def judge(messages: Messages, tail: Messages = TAIL) -> Decision:
    return decide([*messages, *tail], keep_last=len(tail), now=NOW, store=None)


def at(decision: Decision, message: int) -> SpanDecision:
    return next(span for span in decision.spans if span.messages[0] <= message < span.messages[1])


def shown(decision: Decision, *kinds: str) -> str:
    return "\n".join(record.text for record in decision.carrier if not kinds or record.kind in kinds)
