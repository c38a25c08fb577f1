"""What an extractor may ask about a message's surroundings."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from barrier_policy.transcript.model import Message, Part, ToolDeclaration


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of one message.

    `calls` maps the index of each result part of this message to the call part that it answers (absent: an orphan).
    `tools` are the declared tools by name. `now` is the time of the decision, ISO 8601 with zone. `previous` is the last
    message before this one whose kind is `message` and whose role is not tool, None at the start.
    """

    calls: Mapping[int, Part]
    tools: Mapping[str, ToolDeclaration]
    now: str
    previous: Message | None = None
