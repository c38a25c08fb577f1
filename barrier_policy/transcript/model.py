"""The transcript: what every reader returns and every later stage works on (design section 3).

Part names are those of the OpenTelemetry GenAI conventions. All records are frozen.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class Origin(StrEnum):
    """Who said it, highest authority first. Set from the record, never from text."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    AGENT = "agent"
    TOOL = "tool_result"
    RETRIEVED = "retrieved_content"

    @property
    def rank(self) -> int:
        """0 for the highest authority."""
        return _RANK[self]


_RANK = {origin: rank for rank, origin in enumerate(Origin)}


class PartType(StrEnum):
    """What a part is."""

    TEXT = "text"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_call_response"
    BLOB = "blob"
    UNKNOWN = "unknown"


class MessageKind(StrEnum):
    """What a message is for.

    `notice` is the runtime's own text (reminders, caveats, task notifications), whatever role it is stored under;
    `summary` an earlier compaction's summary; `carrier` a message that this gate wrote. The last two are never mined.
    """

    MESSAGE = "message"
    NOTICE = "notice"
    SUMMARY = "summary"
    CARRIER = "carrier"


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The smallest unit of a transcript.

    `text` is what the model sees: the text, the arguments of a call as JSON text, or the payload of a result.
    `pointer` is the RFC 6901 pointer of the part inside its message's source record. `call_id` is as recorded and is
    not unique in real files. `arguments` is the decoded JSON of a call's arguments, None where it is no JSON.
    `is_error` is the flag that the format carries for a result, None where it has none. `line` is that of the part's own
    record where a message is put together from several lines, else 0.
    """

    type: PartType
    text: str = ""
    pointer: str = ""
    call_id: str = ""
    name: str = ""
    arguments: Any = None
    is_error: bool | None = None
    media_type: str = ""
    line: int = 0


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message, in the order of the file.

    `role` is as recorded; `origin` is who really speaks. `line` is the 1-based line of the source record in a JSON
    Lines file, 0 in a single document; `pointer` leads to the record inside that line or document. `timestamp` is as
    recorded, "" where absent. `environment` holds what the record states about cwd, branch, mode and the like.
    """

    index: int
    role: str
    origin: Origin
    parts: tuple[Part, ...]
    kind: MessageKind = MessageKind.MESSAGE
    line: int = 0
    pointer: str = ""
    timestamp: str = ""
    id: str = ""
    environment: dict[str, str] = {}


class ToolDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as the transcript declares it; `annotations` are MCP's hints where it has them."""

    name: str
    description: str = ""
    annotations: dict[str, Any] = {}


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of record that a reader left out on purpose, with how many there were."""

    what: str
    count: int


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded agent run.

    `digest` is that of the source bytes (of the canonical JSON for messages handed over in memory). `format` is the
    reader's name. `skipped` says what the reader left out, so that nothing is lost silently.
    """

    format: str
    digest: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDeclaration, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    path: str = ""
