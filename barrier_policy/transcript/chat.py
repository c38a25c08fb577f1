"""Messages of the OpenAI Chat Completions form, with the additions that are common in the wild."""

from __future__ import annotations

from typing import Any

from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Element
from barrier_policy.transcript.model import Part
from barrier_policy.transcript.parts import call_part, content_parts, reasoning_part, result_parts, text_part, unknown_part
from barrier_policy.transcript.values import as_dict, as_text, first_text

CHAT_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
RESULT_ROLES = frozenset({"tool", "function"})


def looks_like_chat(message: dict[str, Any]) -> bool:
    """Whether an object has a chat role and something that a chat message says."""
    return as_text(message.get("role")) in CHAT_ROLES and (
        "content" in message or "tool_calls" in message or "function_call" in message
    )


def chat_parts(message: dict[str, Any], pointer: str = "") -> list[Part]:
    """The parts of one chat message: reasoning, content, refusal, calls; pointers are relative to the message's record.

    Reads tool calls with arguments as JSON text or as an object, nested under `function` or flat, custom tool calls, and
    the legacy `function_call` with its results under role `function`.
    """
    content = message.get("content")
    parts = _reasoning(message, pointer)
    if as_text(message.get("role")) in RESULT_ROLES:
        parts += result_parts(
            content,
            call_id=_answered_id(message),
            name=first_text(message, "name", "tool_name"),
            is_error=_error_flag(message),
            pointer=f"{pointer}/content",
        )
    else:
        parts += content_parts(content, f"{pointer}/content")
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        parts.append(text_part(refusal, f"{pointer}/refusal"))
    if calls := message.get("tool_calls"):
        parts += _calls(calls, f"{pointer}/tool_calls")
    if call := message.get("function_call"):
        parts.append(_call(call, f"{pointer}/function_call"))
    return parts


def add_chat_message(builder: TranscriptBuilder, element: Element) -> None:
    """Add one element of a chat list as one message; what is no chat message becomes an unknown part."""
    message = element.value
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str):
        builder.add_malformed(message, element.place())
        return
    builder.add(role, chat_parts(message), element.place(timestamp=message.get("timestamp"), id=message.get("id")))


def _reasoning(message: dict[str, Any], pointer: str) -> list[Part]:
    """The first field that has any: writers repeat the same reasoning under several names."""
    for key in ("reasoning_content", "reasoning"):
        if isinstance(text := message.get(key), str) and text:
            return [reasoning_part(text, f"{pointer}/{key}")]
    blocks = message.get("thinking_blocks")
    return content_parts(blocks, f"{pointer}/thinking_blocks") if isinstance(blocks, list) else []


def _answered_id(message: dict[str, Any]) -> str:
    """tau2-bench names the call under `id`; everywhere else that is the message's own."""
    keys = ("tool_call_id", "id") if "requestor" in message else ("tool_call_id",)
    return first_text(message, *keys)


def _error_flag(message: dict[str, Any]) -> bool | None:
    for key in ("is_error", "error"):
        if isinstance(flag := message.get(key), bool):
            return flag
    return True if message.get("status") == "error" else None


def _calls(calls: Any, pointer: str) -> list[Part]:
    if not isinstance(calls, list):
        return [unknown_part(calls, pointer)]
    return [_call(call, f"{pointer}/{index}") for index, call in enumerate(calls)]


def _call(call: Any, pointer: str) -> Part:
    if not isinstance(call, dict):
        return unknown_part(call, pointer)
    function = as_dict(call.get("function")) or as_dict(call.get("custom")) or call
    key = next((key for key in ("arguments", "input", "args") if key in function), "arguments")
    call_id = first_text(call, "id", "call_id", "tool_call_id")
    return call_part(first_text(function, "name"), function.get(key), call_id=call_id, pointer=pointer)
