"""What a transcript format has to provide, and the choice among formats by content (design section 4, first arrow)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.source import Source


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """One transcript format.

    `probe` says how well the content fits: 0 no, 1 to 100 yes, more is more specific; it must not raise and should look
    at a bounded part of the source. `read` returns the transcript or calls `source.fail`. `name` is what `--format` takes.
    """

    name: str
    title: str
    probe: Callable[[Source], int]
    read: Callable[[Source], Transcript]


def read_transcript(source: Source, readers: Iterable[Reader], *, format: str = "") -> Transcript:
    """Read a source with the named format, or with the best fit among `readers`.

    Ties go to the name that sorts first. Raises TranscriptError where none fits, naming the formats tried.
    """
    known = {reader.name: reader for reader in sorted(readers, key=lambda reader: reader.name)}
    if format:
        if format not in known:
            source.fail(f"unknown format `{format}` (known: {', '.join(known)})")
        return known[format].read(source)
    if not source.data.strip():
        source.fail("the file is empty (a transcript has at least one message)")
    scores = {name: reader.probe(source) for name, reader in known.items()}
    best = max(scores, key=lambda name: (scores[name], -list(known).index(name)), default="")
    if not best or scores[best] <= 0:
        source.fail(f"not a transcript in a known format (known: {', '.join(known)}; name one with --format)")
    return known[best].read(source)
