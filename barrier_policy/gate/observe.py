"""A conversation as it grows: each message is read and its facts are found when it arrives, so that a decision pays only for the rest."""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.errors import BarrierPolicyError, TranscriptError
from barrier_policy.facts.extract import FactExtraction, result_calls
from barrier_policy.facts.memo import FactMemo
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.pairing import PairingState
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source
from barrier_policy.walk import Decider


class Observer:
    """The messages that a runtime has shown so far, as it gave them, and the facts of each.

    A message alone is read as its format reads it in a list; where the list as a whole turns out otherwise (a result without an id, a
    format that joins messages), the decision finds the facts of those messages again: what was observed saves time and decides nothing.
    """

    def __init__(self, decider: Decider) -> None:
        self.records: list[dict[str, Any]] = []
        plugins = decider.plugins
        self.memo = FactMemo(timeless=all(extractor.declares is None for extractor in plugins.extractors))
        self._decider = decider
        self._messages: list[Message] = []
        self._pairs = PairingState()
        self._extraction = FactExtraction(plugins.extractors, plugins.kinds, now="", memo=self.memo)

    def observe(self, record: dict[str, Any]) -> None:
        """Take the next message. Costs time in its own size only. Raises BarrierPolicyError for what is no dict.

        A dict that is no message of its format is taken as it would be in a list: nobody knows what it says, so it stays verbatim.
        """
        if not isinstance(record, dict):
            raise BarrierPolicyError(f"`observe` got a `{type(record).__name__}` (give one message, as a dict)")
        number = len(self.records)
        self.records.append(record)
        for message in self._read(record):
            found = msgspec.structs.replace(message, index=len(self._messages), pointer=f"/{number}")
            self._messages.append(found)
            self._pairs.add(found)
            self._extraction.add(found, result_calls(found, self._pairs.call_of, self._messages))

    def _read(self, record: dict[str, Any]) -> tuple[Message, ...]:
        try:
            return read_transcript(Source.from_value([record]), self._decider.plugins.readers).messages
        except TranscriptError:
            return ()  # no message on its own; the decision reads the list as a whole and says what is wrong
