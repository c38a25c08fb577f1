"""Parts from what transcripts hold: texts, calls, results, and the content blocks of all large vendors.

Block types are those of OpenAI Chat and Responses, Anthropic Messages, and the agents that imitate them. A block of an
unknown type is kept as a part of type `unknown` with its JSON as text: nothing is ever dropped. Names and pointers come
again and again, so equal ones are one string.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import intern
from typing import Any

from barrier_policy.digest import digest_text
from barrier_policy.transcript.model import Part, PartType
from barrier_policy.transcript.values import as_dict, as_text, decode_arguments, first_text, json_text

TEXT_TYPES = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
REASONING_TYPES = frozenset({"thinking", "think", "reasoning", "redacted_thinking"})
CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool_call"})
RESULT_TYPES = frozenset({"tool_result", "toolResult", "tool-result", "tool_call_response"})
DATA_TYPES = frozenset({"json", "search_result", "tool_reference", "web_fetch_result", "web_search_result"})
BLOB_TYPES = frozenset({
    "image", "image_url", "input_image", "input_audio", "audio", "video", "video_url", "document", "file", "input_file", "media",
    "computer_screenshot",
})  # fmt: skip
PAYLOAD_TYPES = TEXT_TYPES | BLOB_TYPES
BLOB_FIELDS = ("source", "image_url", "input_audio", "audio", "video_url", "document", "file", "inlineData", "fileData")
INLINE_KEYS = ("data", "base64", "file_data", "bytes")
PLACE_KEYS = ("url", "image_url", "file_url", "video_url", "uri", "fileUri", "path", "file_id", "filename")


def text_part(text: str, pointer: str = "") -> Part:
    """A part of plain text."""
    return Part(type=PartType.TEXT, text=text, pointer=intern(pointer))


def reasoning_part(text: str, pointer: str = "") -> Part:
    """A part of the model's own reasoning."""
    return Part(type=PartType.REASONING, text=text, pointer=intern(pointer))


def unknown_part(value: Any, pointer: str = "") -> Part:
    """A part that the reader does not understand, as JSON."""
    return Part(type=PartType.UNKNOWN, text=json_text(value), pointer=pointer)


def call_part(name: str, arguments: Any, *, call_id: str = "", pointer: str = "") -> Part:
    """A tool call; `arguments` are a JSON value, or JSON or free text as recorded."""
    text = arguments if isinstance(arguments, str) else "" if arguments is None else json_text(arguments)
    decoded = decode_arguments(arguments)
    return Part(
        type=PartType.TOOL_CALL,
        text=text,
        name=intern(name),
        arguments=decoded,
        call_id=call_id,
        pointer=intern(pointer),
    )


def result_parts(
    content: Any, *, call_id: str = "", name: str = "", is_error: bool | None = None, pointer: str = ""
) -> list[Part]:
    """A tool result whose content is text, a list of blocks or any JSON value.

    The texts of a list are joined with line feeds. What is no text in it (pictures, unknown blocks) follows as parts of
    their own under the same call id.
    """
    texts: list[str] = []
    others: list[Part] = []
    if isinstance(content, list) or (isinstance(content, dict) and as_text(content.get("type")) in PAYLOAD_TYPES):
        for part in content_parts(content, pointer):
            if part.type is PartType.TEXT:
                texts.append(part.text)
            else:
                others.append(_inside_result(part, call_id))
    elif content is not None:
        texts.append(content if isinstance(content, str) else json_text(content))
    payload = Part(
        type=PartType.TOOL_RESULT,
        text="\n".join(texts),
        name=intern(name),
        call_id=call_id,
        is_error=is_error,
        pointer=intern(pointer),
    )
    return [payload, *others]


def _inside_result(part: Part, call_id: str) -> Part:
    """A block inside a result is payload, whatever it calls itself: it is neither a call nor a result of its own."""
    kind = part.type if part.type is PartType.BLOB else PartType.UNKNOWN
    return Part(type=kind, text=part.text, pointer=part.pointer, media_type=part.media_type, call_id=call_id)


def content_parts(content: Any, pointer: str = "") -> list[Part]:
    """The parts of a message's content: a string, a block, a list of blocks, or nothing. Empty strings give no part."""
    if isinstance(content, str):
        return [text_part(content, pointer)] if content else []
    if content is None:
        return []
    if isinstance(content, list):
        return [part for index, block in enumerate(content) for part in block_parts(block, f"{pointer}/{index}")]
    return list(block_parts(content, pointer))


def block_parts(block: Any, pointer: str = "") -> Iterator[Part]:
    """The parts of one content block."""
    if isinstance(block, str):
        if block:
            yield text_part(block, pointer)
        return
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str):
        yield _untyped_part(block, pointer)
    elif kind in TEXT_TYPES and isinstance(block.get("text"), str):
        if block["text"]:
            yield text_part(block["text"], f"{pointer}/text")
    elif kind == "refusal" and isinstance(block.get("refusal"), str):
        yield text_part(block["refusal"], f"{pointer}/refusal")
    elif kind in REASONING_TYPES:
        yield _reasoning_block(block, pointer)
    elif kind in CALL_TYPES:
        yield _call_block(block, pointer)
    elif kind in RESULT_TYPES or kind.endswith("_tool_result"):
        yield from _result_block(block, pointer)
    elif kind in BLOB_TYPES:
        yield blob_part(block, pointer)
    elif kind in DATA_TYPES:
        yield text_part(json_text(block), pointer)
    else:
        yield unknown_part(block, pointer)


def _untyped_part(block: Any, pointer: str) -> Part:
    """`{text: …}` without a type is text in several formats."""
    if isinstance(block, dict) and isinstance(block.get("text"), str) and len(block) == 1:
        return text_part(block["text"], f"{pointer}/text")
    return unknown_part(block, pointer)


def _reasoning_block(block: dict[str, Any], pointer: str) -> Part:
    """Reasoning in clear; what is encrypted has no text."""
    for key in ("thinking", "text", "think", "reasoning"):
        if isinstance(block.get(key), str):
            return reasoning_part(block[key], f"{pointer}/{key}")
    texts = [part.text for key in ("summary", "content") for part in content_parts(block.get(key))]
    return reasoning_part("\n".join(texts), pointer)


def _call_block(block: dict[str, Any], pointer: str) -> Part:
    key = next((key for key in ("input", "arguments", "args", "parameters") if key in block), "input")
    return call_part(
        first_text(block, "name", "toolName"),
        block.get(key),
        call_id=first_text(block, "id", "toolCallId", "tool_call_id", "call_id"),
        pointer=pointer,
    )


def _result_block(block: dict[str, Any], pointer: str) -> list[Part]:
    key = next((key for key in ("content", "output", "result", "text") if key in block), "content")
    content = block.get(key)
    flag = block.get("is_error", block.get("isError"))
    return result_parts(
        # a server tool's list holds search hits, which are no content blocks
        json_text(content) if block["type"] not in RESULT_TYPES and not isinstance(content, str) else content,
        call_id=first_text(block, "tool_use_id", "toolCallId", "tool_call_id", "call_id"),
        name=first_text(block, "name", "toolName", "tool_name"),
        is_error=flag if isinstance(flag, bool) else None,
        pointer=f"{pointer}/{key}",
    )


def blob_part(block: dict[str, Any], pointer: str = "") -> Part:
    """A picture, sound or file.

    Its text is the place it is read from, the text of a plain-text document, or the digest of data that stands inline
    (the model does not see those characters, and two pictures must not look the same).
    """
    fields = dict(block)
    for key in BLOB_FIELDS:
        fields.update(as_dict(block.get(key)))
    media = first_text(fields, "media_type", "mimeType", "mime_type", "mime", "format")
    inline = first_text(fields, *INLINE_KEYS)
    place = first_text(fields, *PLACE_KEYS)
    if not inline and place.startswith("data:"):
        inline, media = place, media or place[5:].partition(";")[0].partition(",")[0][:80]
    if inline:
        text = inline if media.startswith("text/") and fields.get("type") != "base64" else digest_text(inline)
    else:
        text = place or json_text(block)
    return Part(type=PartType.BLOB, text=text, media_type=media, pointer=pointer)
