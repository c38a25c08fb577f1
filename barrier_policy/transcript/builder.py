"""Putting a transcript together: indices, origins, synthetic call ids, carriers, and a count of what is left out."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import groupby
from sys import intern
from typing import Any

import msgspec

from barrier_policy.transcript.elements import Place
from barrier_policy.transcript.model import (
    Message,
    MessageKind,
    Origin,
    Part,
    PartType,
    Skipped,
    ToolDeclaration,
    Transcript,
)
from barrier_policy.transcript.parts import unknown_part
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, first_text

CARRIER_MARK = "<barrier-policy-carrier"
SUMMARY_MARK = "<barrier-policy-summary"

ORIGINS = {
    "system": Origin.SYSTEM,
    "developer": Origin.DEVELOPER,
    "user": Origin.USER,
    "human": Origin.USER,
    "assistant": Origin.AGENT,
    "agent": Origin.AGENT,
    "ai": Origin.AGENT,
    "model": Origin.AGENT,
    "gemini": Origin.AGENT,
}
"""Origins by recorded role. Every other role has that of tools: text without a known author has no authority."""

CALL_OR_RESULT = (PartType.TOOL_CALL, PartType.TOOL_RESULT)
SPEAKERS = (Origin.SYSTEM, Origin.DEVELOPER, Origin.USER)
NOWHERE = Place()


def origin_of(role: str) -> Origin:
    """The origin that a recorded role stands for."""
    return ORIGINS.get(role, Origin.TOOL)


def is_result(part: Part) -> bool:
    """Whether a part is a tool result or a picture inside one."""
    return part.type is PartType.TOOL_RESULT or (part.call_id != "" and part.type is not PartType.TOOL_CALL)


class CallIds:
    """Synthetic ids `#1`, `#2`, … for calls that were recorded without one, so that results find them by order and name.

    A result goes to the oldest open call with its name, one without a name to the oldest open call. A new call after a
    result opens a new step: what was left open before it is not answered any more.
    """

    def __init__(self) -> None:
        self._count = 0
        self._names: OrderedDict[str, str] = OrderedDict()
        self._waiting: dict[str, deque[str]] = {}
        self._answering = False

    def call(self, name: str) -> str:
        """The id of a new call."""
        if self._answering:
            self._names.clear()
            self._waiting.clear()
            self._answering = False
        self._count += 1
        call_id = f"#{self._count}"
        self._names[call_id] = name
        self._waiting.setdefault(name, deque()).append(call_id)
        return call_id

    def result(self, name: str) -> str:
        """The id of the call that a result answers, "" where none is open."""
        if not self._names:
            return ""
        waiting = self._waiting.get(name or self._names[next(iter(self._names))])
        if not waiting:
            return ""
        call_id = waiting.popleft()
        del self._names[call_id]
        self._answering = True
        return call_id


class TranscriptBuilder:
    """Collects messages in order; readers decide what is a message, this class what every message has."""

    def __init__(self, source: Source, format: str) -> None:
        self._source = source
        self._format = format
        self._messages: list[Message] = []
        self._skipped: dict[str, int] = {}
        self._tools: dict[str, ToolDeclaration] = {}
        self._ids = CallIds()
        self._no_environment: dict[str, str] = {}
        self._malformed = 0

    def __len__(self) -> int:
        return len(self._messages)

    def skip(self, what: str, count: int = 1) -> None:
        """Count records that are left out on purpose."""
        if count:
            self._skipped[what] = self._skipped.get(what, 0) + count

    def declare_tools(self, tools: Any) -> None:
        """Take the tools that the transcript declares, in the shapes of OpenAI, Anthropic and Gemini."""
        for entry in as_list(tools):
            tool = as_dict(entry)
            self.declare_tools(tool.get("functionDeclarations"))
            function = as_dict(tool.get("function")) or tool
            if name := first_text(function, "name"):
                self._tools[name] = ToolDeclaration(
                    name=name,
                    description=first_text(function, "description"),
                    annotations=as_dict(tool.get("annotations")) or as_dict(function.get("annotations")),
                )

    def add(
        self,
        role: str,
        parts: Sequence[Part],
        place: Place = NOWHERE,
        *,
        origin: Origin | None = None,
        kind: MessageKind = MessageKind.MESSAGE,
    ) -> None:
        """Add one message.

        Its origin is that of its role unless given, or that of tools where it holds results only. Calls and results
        without an id get a synthetic one. A message that holds nothing but carriers of the gate is of kind `carrier`, one with nothing
        but its summaries of kind `summary`.
        """
        origin = origin or origin_of(role)
        if any(not part.call_id and part.type in CALL_OR_RESULT for part in parts):
            parts = [self._with_id(part) for part in parts]
        if origin in SPEAKERS:
            if parts and all(is_result(part) for part in parts):
                origin = Origin.TOOL
            elif kind is MessageKind.MESSAGE:
                kind = _own_kind(parts)
        self._messages.append(
            Message(
                index=len(self._messages),
                role=intern(role),
                origin=origin,
                parts=tuple(parts),
                kind=kind,
                line=place.line,
                pointer=place.pointer,
                timestamp=place.timestamp,
                id=place.id,
                environment=place.environment or self._no_environment,
            )
        )

    def add_split(
        self,
        role: str,
        parts: Sequence[Part],
        place: Place = NOWHERE,
        *,
        origin: Origin | None = None,
        kind: MessageKind = MessageKind.MESSAGE,
    ) -> None:
        """Add a message whose results become messages of their own.

        The user's results stand first, whatever their place in the record; the agent's (of tools that the model's own
        server runs) stay in their place.
        """
        if not any(is_result(part) for part in parts):
            self.add(role, parts, place, origin=origin, kind=kind)
        elif origin_of(role) is Origin.AGENT:
            for result, group in groupby(parts, is_result):
                self.add(role, list(group), place, origin=Origin.TOOL if result else origin, kind=kind)
        else:
            for run in ([p for p in parts if is_result(p)], [p for p in parts if not is_result(p)]):
                if run:
                    self.add(role, run, place, origin=origin, kind=kind)

    def add_notice(self, role: str, parts: Sequence[Part], place: Place = NOWHERE) -> None:
        """Add the runtime's own text. It speaks with no more authority than a tool, whatever role it is stored under."""
        self.add(role, parts, place, origin=Origin.TOOL, kind=MessageKind.NOTICE)

    def add_malformed(self, value: Any, place: Place = NOWHERE) -> None:
        """Add a record that is no message of its format, as an unknown part."""
        self._malformed += 1
        self.add("", [unknown_part(value)], place)

    def build(self) -> Transcript:
        """The transcript. Raises TranscriptError where nothing in the source is a message of the format."""
        if self._messages and self._malformed == len(self._messages):
            self._source.refuse(f"no record in it is a message of format `{self._format}`")
        if self._source.truncated:
            self.skip("truncated last line")
        return Transcript(
            format=self._format,
            digest=self._source.digest,
            messages=tuple(self._messages),
            tools=tuple(self._tools[name] for name in sorted(self._tools)),
            skipped=tuple(Skipped(what=what, count=count) for what, count in sorted(self._skipped.items())),
            path=self._source.path,
        )

    def _with_id(self, part: Part) -> Part:
        if part.call_id or part.type not in CALL_OR_RESULT:
            return part
        take = self._ids.call if part.type is PartType.TOOL_CALL else self._ids.result
        return msgspec.structs.replace(part, call_id=take(part.name))


def is_carrier(parts: Sequence[Part]) -> bool:
    """Whether parts are nothing but records that this gate wrote: what a user adds to them must not be lost to mining."""
    return _begin_with(parts, CARRIER_MARK)


def _own_kind(parts: Sequence[Part]) -> MessageKind:
    """What a message of the gate's own is, told by how all its texts begin."""
    if is_carrier(parts):
        return MessageKind.CARRIER
    return MessageKind.SUMMARY if _begin_with(parts, SUMMARY_MARK) else MessageKind.MESSAGE


def _begin_with(parts: Sequence[Part], mark: str) -> bool:
    texts = [part for part in parts if part.type is PartType.TEXT]
    return bool(texts) and all(part.text.startswith(mark) for part in texts)


def own_apart(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts in runs; each that begins with the mark of a carrier or summary is one. One run where there is no such part."""
    runs: list[list[Part]] = []
    for part in parts:
        if runs and not _is_own(part) and not _is_own(runs[-1][0]):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs or [[]]


def _is_own(part: Part) -> bool:
    return part.type is PartType.TEXT and part.text.startswith((CARRIER_MARK, SUMMARY_MARK))
