"""Parts of Gemini contents: text, thoughts, function calls and responses, files."""

from __future__ import annotations

from typing import Any

from barrier_policy.transcript.model import Part
from barrier_policy.transcript.parts import blob_part, call_part, reasoning_part, result_parts, text_part, unknown_part
from barrier_policy.transcript.values import as_dict, as_list, as_text

RESPONSE_KEYS = ("output", "error", "result", "content")


def gemini_parts(parts: Any, pointer: str = "") -> list[Part]:
    """The parts of a Gemini content: a string, a part, or a list of either."""
    if isinstance(parts, str):
        return [text_part(parts, pointer)] if parts else []
    items = parts if isinstance(parts, list) else [] if parts is None else [parts]
    found: list[Part] = []
    for index, item in enumerate(items):
        place = f"{pointer}/{index}" if isinstance(parts, list) else pointer
        found += _part(item, place)
    return found


def _part(item: Any, pointer: str) -> list[Part]:
    if isinstance(item, str):
        return [text_part(item, pointer)] if item else []
    part = as_dict(item)
    if isinstance(part.get("functionCall"), dict):
        call = part["functionCall"]
        return [
            call_part(
                as_text(call.get("name")),
                call.get("args"),
                call_id=as_text(call.get("id")),
                pointer=f"{pointer}/functionCall",
            )
        ]
    if isinstance(part.get("functionResponse"), dict):
        return _response(part["functionResponse"], f"{pointer}/functionResponse")
    if isinstance(part.get("text"), str):
        make = reasoning_part if part.get("thought") is True else text_part
        return [make(part["text"], f"{pointer}/text")] if part["text"] else []
    if "inlineData" in part or "fileData" in part:
        return [blob_part(part, pointer)]
    return [] if set(part) == {"thoughtSignature"} else [unknown_part(item, pointer)]


def _response(response: dict[str, Any], pointer: str) -> list[Part]:
    """A result is an object; where it has a single field of text, that is what the model reads."""
    body = response.get("response")
    fields = as_dict(body)
    key = next(iter(fields)) if len(fields) == 1 else ""
    content = fields[key] if key in RESPONSE_KEYS and isinstance(fields[key], str) else body
    parts = result_parts(
        content,
        call_id=as_text(response.get("id")),
        name=as_text(response.get("name")),
        is_error=True if "error" in fields else None,
        pointer=f"{pointer}/response",
    )
    return parts + [
        part
        for index, nested in enumerate(as_list(response.get("parts")))
        for part in _part(nested, f"{pointer}/parts/{index}")
    ]
