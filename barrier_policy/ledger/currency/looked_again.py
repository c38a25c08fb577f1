"""What a look-up answered, and what the same look-up answered later: line by line and key by key (design section 5, superseded).

The same tool with the same arguments says anew what it said before. A line is found again by its key (`workers = …`, a JSON path), else by
its form with every number left out; one whose key or form stands in an answer twice can't be told apart and holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from barrier_policy.digest import digest_text

MAX_ANSWER = 12_000
"""Characters of an answer that are compared; a longer one is a listing."""
MAX_DEPTH = 6
_KEYED = re.compile(r"\s*[\"']?([\w.\-/ ]{1,60}?)[\"']?\s*(?:=|:(?=\s))\s*(.*?)[\s,;]*$")
_NUMBER = re.compile(r"[^\W_]*\d[\w.:]*")
_TIME = re.compile(r"\b\d{1,2}:\d\d\b")
"""A line with a time of day tells an event: the next one does not take its place."""


def look_up_name(name: str, arguments: str) -> str:
    """What the answers of a look-up are known by, in every round."""
    return f"look-up:{digest_text(f'{name} {arguments}')[7:23]}"


def changed_cells(line: str, newer: str) -> tuple[dict[str, str], bool]:
    """What of a line an answer says otherwise, as new by old, and whether the answer says all of the line anew."""
    if len(line) > MAX_ANSWER or len(newer) > MAX_ANSWER:
        return {}, False
    old, new = _cells(line), _cells(newer)
    common = [key for key, value in old.items() if value and new.get(key)]
    changed = {old[key]: new[key] for key in common if old[key] != new[key]}
    return changed, len(common) == len(old)


def _cells(text: str) -> dict[str, str]:
    """By key, what an answer says; "" where it says several things under one key."""
    found: dict[str, str] = {}
    for key, value in _entries(text):
        found[key] = "" if key in found else value
    return found


def _entries(text: str) -> Iterator[tuple[str, str]]:
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from _leaves(msgspec.json.decode(text), "", MAX_DEPTH)
            return
        except (ValueError, RecursionError):
            pass
    for line in text.splitlines():
        if keyed := _KEYED.match(line):
            yield f"{keyed[1]}=", keyed[2]
        elif line.strip() and not _TIME.search(line):
            yield _NUMBER.sub("#", line.strip()), line.strip()


def _leaves(value: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}", depth - 1)
    elif isinstance(value, (list, tuple)) and depth:
        for inner in value:  # entries of a list are told apart by nothing: several of a key make it unknown
            yield from _leaves(inner, f"{path}[]", depth - 1)
    else:
        yield path, value if isinstance(value, str) else msgspec.json.encode(value).decode()
