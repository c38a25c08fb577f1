"""Facts that were established when a message arrived, so that a decision pays only for what is new (invariant 11).

What is known is used where the message and all that its facts rest on are equal, and nowhere else: a decision with it is the decision
without it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Fact, Failure
from barrier_policy.transcript.model import Message, Part, ToolDeclaration


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one message and the failures of extractors there, with all that they rest on."""

    message: Message
    calls: Mapping[int, Part]
    previous: Message | None
    now: str
    facts: tuple[Fact, ...]
    failures: tuple[Failure, ...]


class FactMemo:
    """Facts of the first messages of a growing transcript, unmasked, by index.

    `timeless` says that no extractor asks for the time, as none of the shipped ones does; else facts hold for one time only.
    """

    def __init__(self, *, timeless: bool = False) -> None:
        self.timeless = timeless
        self.tools: Mapping[str, ToolDeclaration] = {}
        self._known: list[Known] = []

    def find(self, message: Message, context: Context) -> Known | None:
        """What is known of a message in these surroundings, None where any of it differs."""
        if message.index >= len(self._known):
            return None
        known = self._known[message.index]
        timely = self.timeless or known.now == context.now
        same = known.message == message and known.calls == context.calls and known.previous == context.previous
        return known if same and timely else None

    def keep(self, known: Known) -> None:
        """Remember the facts of a message, instead of what was known of the one in its place."""
        index = known.message.index
        if index <= len(self._known):  # what stands behind a gap could not be found again
            self._known[index : index + 1] = [known]

    def use_tools(self, tools: Mapping[str, ToolDeclaration]) -> None:
        """Facts may rest on any tool that the transcript declares: where these change, nothing is known any more."""
        if tools != self.tools:
            self.tools, self._known = tools, []
