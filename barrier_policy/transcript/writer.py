"""What a transcript format has to provide so that a compacted transcript can be written in it again.

What is kept is copied from the source as it stands there; only the gate's own messages are new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import msgspec

from barrier_policy.transcript.builder import CARRIER_MARK, SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Transcript
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.source import Source


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the source that stays, by its index in the transcript."""

    message: int


class Inserted(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the gate's own: a carrier, or the summary of a run of messages that left."""

    kind: MessageKind
    text: str


Piece = Kept | Inserted

MARKS = {MessageKind.CARRIER: CARRIER_MARK, MessageKind.SUMMARY: SUMMARY_MARK}
"""How the texts of inserted messages begin, by which readers know them again."""


class Writer(msgspec.Struct, frozen=True, kw_only=True):
    """One format that can be written; `name` is that of its reader.

    `write` takes the source, its transcript as the reader returned it, and the pieces of the new one in order. Read again, its bytes
    give one message for each piece: kept ones with equal parts, inserted ones of their kind.
    """

    name: str
    write: Callable[[Source, Transcript, Sequence[Piece]], bytes]


def write_transcript(source: Source, transcript: Transcript, pieces: Sequence[Piece], writers: Iterable[Writer]) -> bytes:
    """The compacted transcript in the format that it was read in.

    Raises TranscriptError where that can't be written: the format has no writer, pieces are not in the order of the transcript, a call would
    stay without its result or a result without its call (design section 9, invariant 13), or a new message does not begin with the mark of its kind.
    """
    known = {writer.name: writer for writer in writers}
    writer = known.get(transcript.format)
    if writer is None:
        source.fail(f"format `{transcript.format}` can be read but not written (written are: {', '.join(sorted(known))})")
    if problem := _problem(transcript, pieces):
        source.fail(problem)
    return writer.write(source, transcript, pieces)


def _problem(transcript: Transcript, pieces: Sequence[Piece]) -> str:
    """What is wrong with the pieces, "" where nothing is."""
    order = [piece.message for piece in pieces if isinstance(piece, Kept)]
    if any(not 0 <= message < len(transcript.messages) for message in order):
        return f"a piece is no message of the transcript (it has {len(transcript.messages)})"
    if any(later <= earlier for earlier, later in pairwise(order)):
        return "the pieces are not in the order of the transcript"
    for piece in pieces:
        if isinstance(piece, Inserted) and not piece.text.startswith(MARKS.get(piece.kind, "\0")):
            return f"a message of kind `{piece.kind}` can't be inserted with a text that does not begin with the mark of it"
    kept = set(order)
    for result, call in pair_calls(transcript.messages).call_of.items():
        if (result.message in kept) != (call.message in kept):
            return f"message {result.message} answers a call in message {call.message}: they stay or leave together"
    return ""


def find_mismatch(transcript: Transcript, pieces: Sequence[Piece], again: Transcript) -> str:
    """What differs between the pieces and what was written of them, read `again`; "" where it is what a writer promises."""
    if len(again.messages) != len(pieces):
        return f"{len(pieces)} messages were written and {len(again.messages)} are read back"
    renamed = _Renamed()
    for piece, message in zip(pieces, again.messages, strict=True):
        if isinstance(piece, Inserted):
            same = message.kind is piece.kind and [part.text for part in message.parts] == [piece.text]
        else:
            same = _same(transcript.messages[piece.message], message, renamed)
        if not same:
            return f"message {message.index} is read back as another than was written"
    return ""


class _Renamed:
    """Call ids that readers gave, before and after: they count anew, and each stands for the same call."""

    def __init__(self) -> None:
        self._after: dict[str, str] = {}
        self._before: dict[str, str] = {}

    def same(self, before: str, after: str) -> bool:
        """Whether two ids name one call."""
        if not (before.startswith("#") and after.startswith("#")):
            return before == after
        return self._after.setdefault(before, after) == after and self._before.setdefault(after, before) == before


def _same(before: Message, after: Message, renamed: _Renamed) -> bool:
    """Whether two messages differ in nothing but their places."""
    if (before.role, before.origin, before.kind) != (after.role, after.origin, after.kind):
        return False
    return len(before.parts) == len(after.parts) and all(
        renamed.same(one.call_id, other.call_id) and all(getattr(one, name) == getattr(other, name) for name in SEEN)
        for one, other in zip(before.parts, after.parts, strict=True)
    )


SEEN = ("type", "text", "name", "is_error", "media_type")
"""What makes a part, besides its call id; its place does not, and a call's decoded arguments follow from its text."""
