"""What a transcript format has to provide, and the choice among formats by content (design section 4, first arrow)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NoReturn

import msgspec

from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.model import Message, Transcript
from barrier_policy.transcript.source import Source

MAX_COMPACTIONS = 200
"""Of a session's compactions, how many are looked at: each is read on its own."""


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction that a runtime made and recorded: what the model saw just before it and just after it.

    `line` is the 1-based line of the record that marks it. `later` is how the conversation went on, up to the next compaction or the end of
    the log: its messages are numbered on from those of `after`. A reader leaves it out; `read_compactions` adds it. `tokens` is how many
    the runtime says it compacted, instructions and tool declarations counted, 0 where it does not say.
    """

    before: Transcript
    after: Transcript
    line: int
    later: tuple[Message, ...] = ()
    tokens: int = 0


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """One transcript format.

    `probe` says how well the content fits: 0 no, 1 to 100 yes, more is more specific; it must not raise and should look
    at a bounded part of the source. `read` returns the transcript or calls `source.fail`. `name` is what `--format` takes.
    `compactions` finds those that the runtime recorded in its own log, in order; None where the format has no record of them.
    """

    name: str
    title: str
    probe: Callable[[Source], int]
    read: Callable[[Source], Transcript]
    compactions: Callable[[Source], Iterable[Compaction]] | None = None


def read_transcript(source: Source, readers: Iterable[Reader], *, format: str = "") -> Transcript:
    """Read a source with the named format, or with the best fit among `readers`.

    Ties go to the name that sorts first. Raises TranscriptError where none fits: it names the place where the text is
    broken, or the formats tried.
    """
    reader = _choose(source, readers, format)
    try:
        return reader.read(source)
    except TranscriptError:
        raise
    except Exception as error:  # a stranger's reader may raise anything on a file that it misjudged
        _failed(reader, source, error)


def read_compactions(source: Source, readers: Iterable[Reader], *, format: str = "") -> Iterator[Compaction]:
    """The compactions that a session's own log records, in order, at most MAX_COMPACTIONS; none where it records none.

    Raises TranscriptError where the source can't be read, and where its format keeps no record of compactions.
    """
    reader = _choose(source, readers, format)
    if reader.compactions is None:
        source.fail(
            f"format `{reader.name}` keeps no record of compactions (give two files: what was before, and what was after)"
        )
    try:
        yield from islice(_continued(reader.compactions(source), lambda: reader.read(source)), MAX_COMPACTIONS)
    except TranscriptError:
        raise
    except Exception as error:  # see read_transcript
        _failed(reader, source, error)


def _continued(found: Iterable[Compaction], read: Callable[[], Transcript]) -> Iterator[Compaction]:
    """Compactions with what came after each: what stands behind it in the view before the next one, or at the end of the log."""
    waiting: Compaction | None = None
    for compaction in found:
        if waiting is not None:
            yield _with_later(waiting, compaction.before)
        waiting = compaction
    if waiting is not None:
        yield _with_later(waiting, read())


def _with_later(compaction: Compaction, grown: Transcript) -> Compaction:
    return msgspec.structs.replace(compaction, later=grown.messages[len(compaction.after.messages) :])


def _choose(source: Source, readers: Iterable[Reader], format: str) -> Reader:
    known = {reader.name: reader for reader in sorted(readers, key=lambda reader: reader.name)}
    if not source.data.strip():
        source.fail("the file is empty (a transcript has at least one message)")
    if format and format not in known:
        source.fail(f"unknown format `{format}` (known: {', '.join(known)})")
    scores = {format: 1} if format else {name: _score(reader, source) for name, reader in known.items()}
    best = max(scores, key=lambda name: scores[name], default="")
    if not best or scores[best] <= 0:
        hint = "name one with --from, or give a list of messages, or an object with `messages`"
        source.refuse(f"not a transcript in a known format (known: {', '.join(known)}; {hint})")
    return known[best]


def _failed(reader: Reader, source: Source, error: Exception) -> NoReturn:
    source.fail(f"reader `{reader.name}` failed on this file ({type(error).__name__}: {error}; name another with --from)")


def _score(reader: Reader, source: Source) -> int:
    """How well a format fits; a probe that raises fits nothing."""
    try:
        return reader.probe(source)
    except Exception:
        return 0
