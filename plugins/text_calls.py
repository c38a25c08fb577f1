"""Calls that a model writes out as text, because its endpoint takes no tools, and the messages that answer them.

The form is that of SWE-agent and OpenHands (https://github.com/All-Hands-AI/OpenHands, `fn_call_converter`): `<function=NAME>` with
`<parameter=KEY>` inside ends the agent's message, and the runtime answers under the user's role, behind a mark of its own. Such an
answer has a tool's authority, not the user's. Without such an answer the text stays text: it may only speak of calls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from barrier_policy.transcript.model import Part, PartType
from barrier_policy.transcript.parts import call_part, content_parts, result_parts, text_part

OPENING: Final = "<function="
_CALL: Final = re.compile(
    r"<function=(?P<name>[\w.:/-]{1,100})>(?P<body>(?:(?!</function).)*)(?:</function>?)?\s*\Z", re.DOTALL
)
_PARAMETER: Final = re.compile(r"<parameter=(?P<key>[\w.-]{1,100})>\n?(?P<value>.*?)\n?(?:</parameter>|\Z)", re.DOTALL)
_ANSWER: Final = re.compile(r"OBSERVATION:|EXECUTION RESULT of \[[^\]\n]{1,100}\]:")


def split_call(parts: Sequence[Part]) -> list[Part]:
    """The parts of an agent's message, a call at the end of its last text as a part of its own."""
    if not parts or parts[-1].type is not PartType.TEXT:
        return [*parts]  # what has calls of its own has them behind its text
    last = parts[-1]
    start = last.text.rfind(OPENING)
    found = _CALL.match(last.text, start) if start >= 0 else None
    if found is None:
        return [*parts]
    arguments = {match["key"]: match["value"] for match in _PARAMETER.finditer(found["body"])}
    before = last.text[:start]
    said = [text_part(before, last.pointer)] if before.strip() else []
    return [*parts[:-1], *said, call_part(found["name"], arguments, pointer=last.pointer)]


def is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a chat message under the user's role begins as the runtimes begin their answers to a written call."""
    if message.get("role") != "user":
        return False
    parts = content_parts(message.get("content"))
    return bool(parts) and parts[0].type is PartType.TEXT and _ANSWER.match(parts[0].text) is not None


def as_result(parts: Sequence[Part]) -> list[Part]:
    """The texts of an answer as the result of the call before it, the mark included; what else it holds stays as it is."""
    return [
        result
        for part in parts
        for result in (result_parts(part.text, pointer=part.pointer) if part.type is PartType.TEXT else [part])
    ]
