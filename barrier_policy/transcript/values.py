"""JSON values as transcripts hold them: decoded leniently and bounded, written as text, taken apart without surprises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

MAX_DEPTH = 200

_LENIENT = json.JSONDecoder(strict=False)


class DepthError(ValueError):
    """JSON nested deeper than MAX_DEPTH levels."""

    def __init__(self) -> None:
        super().__init__(f"the JSON is nested deeper than {MAX_DEPTH} levels")


def _nested_too_deep(value: Any) -> bool:
    """Level by level, because recursion is what deep nesting breaks."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def check_depth(value: Any) -> None:
    """Raise DepthError where containers are nested deeper than MAX_DEPTH levels."""
    if _nested_too_deep(value):
        raise DepthError


def _brackets(data: bytes | str) -> int:
    if isinstance(data, bytes):
        return data.count(b"{") + data.count(b"[")
    return data.count("{") + data.count("[")


def decode_json(data: bytes | str) -> Any:
    """The one JSON value in UTF-8 bytes or text.

    What real writers produce is accepted although JSON forbids it: lone surrogates, NaN and Infinity, raw control
    characters in strings. Raises ValueError where it is no JSON (a json.JSONDecodeError with the place, or a
    UnicodeDecodeError) and DepthError where it is nested deeper than MAX_DEPTH levels. Never RecursionError.
    """
    try:
        try:
            value = msgspec.json.decode(data)
        except ValueError:  # the strict decoder is the fast one; the lenient one decides
            value = _LENIENT.decode(data if isinstance(data, str) else data.decode("utf-8"))
    except RecursionError:
        raise DepthError from None
    if _brackets(data) > MAX_DEPTH:
        check_depth(value)
    return value


def decode_glued(text: str) -> tuple[list[Any], bool]:
    """The JSON values that stand one after another on a line, and whether they are the whole of it.

    Raises DepthError where one is nested deeper than MAX_DEPTH levels.
    """
    values: list[Any] = []
    read = 0
    try:
        for value, _, end in _glued(text):
            check_depth(value)
            values.append(value)
            read = end
    except RecursionError:
        raise DepthError from None
    return values, read >= len(text)


def glued_texts(text: str) -> list[str]:
    """The texts of the values that `decode_glued` finds."""
    return [text[start:end].rstrip(" \t\r") for _, start, end in _glued(text)]


def _glued(text: str) -> Iterator[tuple[Any, int, int]]:
    """Values with where each begins and where the next one does."""
    position = 0
    while position < len(text):
        start = position
        try:
            value, position = _LENIENT.raw_decode(text, position)
        except ValueError:
            return
        while position < len(text) and text[position] in " \t\r":
            position += 1
        yield value, start, position


def json_text(value: Any) -> str:
    """A value as compact JSON text with keys in their order; lone surrogates stay as they are."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, OverflowError):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def decode_arguments(value: Any) -> Any:
    """The decoded arguments of a call that were recorded as JSON text or as a value; None where they are no JSON.

    A call without arguments is recorded as nothing, null or an empty text by many writers: all of them are `{}`.
    """
    if value is None:
        return {}
    if not isinstance(value, str):
        return value
    if not value.strip():
        return {}
    try:
        return decode_json(value)
    except ValueError:
        return None


def as_text(value: Any) -> str:
    """A string as it is, a number as text, anything else as an empty string."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return ""


def as_dict(value: Any) -> dict[str, Any]:
    """A dict as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []


def first_text(record: dict[str, Any], *keys: str) -> str:
    """The first of a record's fields that is a non-empty text or a number."""
    for key in keys:
        if text := as_text(record.get(key)):
            return text
    return ""
