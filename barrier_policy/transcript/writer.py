"""What a transcript format has to provide so that a compacted transcript can be written in it again.

What is kept is copied from the source as it stands there; only the gate's own messages are new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from barrier_policy.transcript.model import MessageKind, Transcript
from barrier_policy.transcript.source import Source


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the source that stays, by its index in the transcript."""

    message: int


class Inserted(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the gate's own: a carrier, or the summary of a run of messages that left."""

    kind: MessageKind
    text: str


Piece = Kept | Inserted


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """One format that can be written; `name` is that of its reader.

    `write` takes the source, its transcript as the reader returned it, and the pieces of the new one in order. Read again, its bytes
    give one message for each piece: kept ones with equal parts, inserted ones of their kind.
    """

    name: str
    write: Callable[[Source, Transcript, Sequence[Piece]], bytes]


def write_transcript(source: Source, transcript: Transcript, pieces: Sequence[Piece], writers: Iterable[Writer]) -> bytes:
    """The compacted transcript in the format that it was read in. Raises TranscriptError where that can't be written."""
    known = {writer.name: writer for writer in writers}
    writer = known.get(transcript.format)
    if writer is None:
        source.fail(f"format `{transcript.format}` can be read but not written (written are: {', '.join(sorted(known))})")
    return writer.write(source, transcript, pieces)
