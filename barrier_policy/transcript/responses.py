"""Items of the OpenAI Responses form, as requests, sessions and rollouts hold them."""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.transcript.model import MessageKind, Part
from barrier_policy.transcript.parts import blob_part, call_part, content_parts, reasoning_part, result_parts, unknown_part
from barrier_policy.transcript.values import as_dict, as_list, as_text, first_text, json_text

OPAQUE_TYPES = frozenset({"compaction", "compaction_summary", "context_compaction"})
FRAME_KEYS = frozenset({
    "id", "type", "status", "call_id", "role", "name", "function", "metadata", "timestamp",
    "internal_chat_message_metadata_passthrough",
})  # fmt: skip
OUTCOME_KEYS = ("output", "outputs", "results", "result", "error")
DONE = frozenset({"completed", "failed", "incomplete"})


class ItemMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What one item says: the recorded or implied role, its parts, and whether it is an earlier compaction."""

    role: str
    parts: list[Part]
    kind: MessageKind = MessageKind.MESSAGE


def is_response_item(value: dict[str, Any]) -> bool:
    """Whether an object has a type that only Responses items have."""
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    if kind == "message":
        blocks = as_list(value.get("content"))
        return any(as_dict(block).get("type") in ("input_text", "output_text", "input_image", "refusal") for block in blocks)
    return kind.endswith(("_call", "_call_output")) or kind in OPAQUE_TYPES or (kind == "reasoning" and "summary" in value)


def item_messages(item: dict[str, Any]) -> list[ItemMessage]:
    """The messages of one item: one, or two where the item holds a call and its outcome (tools that the server runs).

    A compaction that only the server can read is an unknown part in a message of kind `summary`.
    """
    kind = as_text(item.get("type"))
    if kind == "message" or (not kind and "role" in item):
        return [ItemMessage(role=as_text(item.get("role")), parts=_message_parts(item))]
    if kind == "agent_message":
        return [ItemMessage(role="agent", parts=content_parts(item.get("content"), "/content"))]
    if kind == "reasoning":
        return [ItemMessage(role="assistant", parts=[_reasoning(item)])]
    if kind in OPAQUE_TYPES:
        return [ItemMessage(role="assistant", parts=[unknown_part(item)], kind=MessageKind.SUMMARY)]
    if kind == "image_generation_call":
        return _image(item)
    if kind.endswith("_output") or kind == "tool_result":
        return [ItemMessage(role="tool", parts=_output(item))]
    if kind.endswith("_call"):
        return _call(item, kind)
    return [ItemMessage(role=as_text(item.get("role")), parts=[unknown_part(item)])]


def _message_parts(item: dict[str, Any]) -> list[Part]:
    """Content, except pictures without a place or data, which writers leave behind as empty shells."""
    content = item.get("content")
    if not isinstance(content, list):
        return content_parts(content, "/content")
    return [
        part
        for index, block in enumerate(content)
        if not (as_dict(block).get("type") == "input_image" and not block.get("image_url") and not block.get("file_id"))
        for part in content_parts(block, f"/content/{index}")
    ]


def _reasoning(item: dict[str, Any]) -> Part:
    blocks = as_list(item.get("summary")) + as_list(item.get("content"))
    return reasoning_part("\n".join(part.text for part in content_parts(blocks)), "/summary")


def _output(item: dict[str, Any]) -> list[Part]:
    key = next((key for key in (*OUTCOME_KEYS, "tools") if key in item), "output")
    content = item.get(key)
    return result_parts(
        json_text(content) if key == "tools" else content,
        call_id=first_text(item, "call_id"),
        name=first_text(item, "name"),
        is_error=True if item.get("status") == "failed" else None,
        pointer=f"/{key}",
    )


def _call(item: dict[str, Any], kind: str) -> list[ItemMessage]:
    """A call; its outcome follows where the server ran the tool, which then has no item of its own."""
    function = as_dict(item.get("function"))
    name = first_text(item, "name") or first_text(function, "name") or kind.removesuffix("tool_call").removesuffix("_call")
    call_id = first_text(item, "call_id", "id")
    call = ItemMessage(role="assistant", parts=[call_part(name, _arguments(item), call_id=call_id)])
    outcome = next((key for key in OUTCOME_KEYS if item.get(key) is not None), "")
    status = as_text(item.get("status"))
    if not outcome and ("call_id" in item or status not in DONE):
        return [call]
    parts = result_parts(
        json_text(item[outcome]) if isinstance(item.get(outcome), list) else item.get(outcome) or status,
        call_id=call_id,
        name=name,
        is_error=outcome == "error" or status == "failed" or None,
        pointer=f"/{outcome or 'status'}",
    )
    return [call, ItemMessage(role="tool", parts=parts)]


def _arguments(item: dict[str, Any]) -> Any:
    for key in ("arguments", "input", "action"):
        if key in item:
            return item[key]
    return {key: value for key, value in item.items() if key not in FRAME_KEYS and key not in OUTCOME_KEYS}


def _image(item: dict[str, Any]) -> list[ItemMessage]:
    """A picture that the server drew: the prompt is the call, the data the result."""
    call_id = first_text(item, "call_id", "id")
    call = call_part("image_generation", {"prompt": as_text(item.get("revised_prompt"))}, call_id=call_id)
    data = as_text(item.get("result"))
    if not data:
        return [ItemMessage(role="assistant", parts=[call])]
    picture = blob_part({"type": "image", "data": data, "media_type": "image/png"}, "/result")
    result = result_parts(as_text(item.get("status")), call_id=call_id, name="image_generation", pointer="/status")
    return [
        ItemMessage(role="assistant", parts=[call]),
        ItemMessage(role="tool", parts=[*result, msgspec.structs.replace(picture, call_id=call_id)]),
    ]
