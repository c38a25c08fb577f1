"""Neighbours that one speaker has said as one record, for formats whose turns alternate.

What a reader takes for messages of the gate's own stands in a block each, so it reads as it did in a record of its own.
"""

from __future__ import annotations

from typing import Any

from barrier_policy.transcript.splice import Item, children, find_value, new_text, replace_items
from barrier_policy.transcript.values import as_dict, decode_json

TURN = {"role", "content"}
"""What a record may hold: of all else there can be only one."""


def join_records(first: str, second: str, *, like: str, base: str) -> str | None:
    """The record that has the blocks of both, None where they are of two speakers, or hold more than a role and blocks or words.

    `like` is the text of a record as they are written in this list, `base` the indentation at which they stand there.
    """
    ours, theirs = _turn(first), _turn(second)
    if ours is None or theirs is None or ours["role"] != theirs["role"]:
        return None
    first, second = _with_blocks(first, ours, like, base), _with_blocks(second, theirs, like, base)
    added = [Item(text=block) for block in _blocks(second)]
    return replace_items(first, "/content", [*map(_item, range(len(_blocks(first)))), *added])


def _turn(text: str) -> dict[str, Any] | None:
    turn = as_dict(decode_json(text))
    content = turn.get("content")
    return turn if set(turn) == TURN and content and isinstance(content, (str, list)) else None


def _with_blocks(text: str, turn: dict[str, Any], like: str, base: str) -> str:
    """The record with its words as a block; one that has blocks stays as it is written."""
    if isinstance(turn["content"], list):
        return text
    return new_text({**turn, "content": [{"type": "text", "text": turn["content"]}]}, like=like, base=base)


def _blocks(text: str) -> list[str]:
    place = find_value(text, "/content")
    return [text[block.start : block.end] for block in children(text, place.start)] if place else []


def _item(index: int) -> Item:
    return Item(index=index)
