"""What a transcript format has to provide, and the choice among formats by content (design section 4, first arrow)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from barrier_policy.errors import TranscriptError
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

    Ties go to the name that sorts first. Raises TranscriptError where none fits: it names the place where the text is
    broken, or the formats tried.
    """
    known = {reader.name: reader for reader in sorted(readers, key=lambda reader: reader.name)}
    if not source.data.strip():
        source.fail("the file is empty (a transcript has at least one message)")
    if format and format not in known:
        source.fail(f"unknown format `{format}` (known: {', '.join(known)})")
    scores = {format: 1} if format else {name: _score(reader, source) for name, reader in known.items()}
    best = max(scores, key=lambda name: scores[name], default="")
    if not best or scores[best] <= 0:
        source.refuse(f"not a transcript in a known format (known: {', '.join(known)}; name one with --format)")
    try:
        return known[best].read(source)
    except TranscriptError:
        raise
    except Exception as error:  # a stranger's reader may raise anything on a file that it misjudged
        source.fail(f"reader `{best}` failed on this file ({type(error).__name__}: {error}; name another with --format)")


def _score(reader: Reader, source: Source) -> int:
    """How well a format fits; a probe that raises fits nothing."""
    try:
        return reader.probe(source)
    except Exception:
        return 0
