"""Calls whose text is in no file any more: the whole file has been written anew since (design section 5, bindings)."""

from __future__ import annotations

from collections.abc import Sequence

from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.pairing import Pairs, PartRef

WHOLE = frozenset({"content", "contents", "file_text", "new_content", "file_content"})
"""Names of the argument that is all of a file."""
PIECE = ("old", "append", "insert", "line", "offset", "range", "patch", "diff", "mode", "start", "end")
"""Beginnings of names of arguments by which only a piece of a file is written."""


def find_overwritten(messages: Sequence[Message], facts: Facts, pairs: Pairs) -> frozenset[PartRef]:
    """The calls that changed one file which a later call, that succeeded, has written as a whole."""
    states = {
        PartRef(fact.message, fact.part): str(fact.get("state", ""))
        for found in facts.by_message
        for fact in found
        if fact.kind == "tool_result"
    }
    since: dict[str, list[PartRef]] = {}
    gone: list[PartRef] = []
    for found in facts.by_message:
        for fact in found:
            file = _file(fact)
            if not file:
                continue
            call = PartRef(fact.message, fact.part)
            results = pairs.results_of.get(call, ())
            if (
                results
                and _is_whole(messages[fact.message].parts[fact.part].arguments)
                and states.get(results[-1]) == "done"
            ):
                gone += since.pop(file, ())
            since.setdefault(file, []).append(call)
    return frozenset(gone)


def _file(fact: Fact) -> str:
    """The one file that a call changes; "" where it is none."""
    if fact.kind != "tool_call" or fact.get("effect_class") == "read_only":
        return ""
    targets: Sequence[str] = fact.get("targets", ())
    return targets[0] if len(targets) == 1 and ("/" in targets[0] or "." in targets[0]) else ""


def _is_whole(arguments: object) -> bool:
    """Whether a call is given all of a file, and not a place in it."""
    if not isinstance(arguments, dict):
        return False
    names = [str(name).casefold() for name in arguments]
    return not WHOLE.isdisjoint(names) and not any(name.startswith(PIECE) for name in names)
