"""What a reader and a writer owe to everybody after them (docs/readers.md), one check a promise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from barrier_policy.errors import TranscriptError
from barrier_policy.spans.segment import segment
from barrier_policy.transcript.builder import CARRIER_MARK, SUMMARY_MARK
from barrier_policy.transcript.model import MessageKind, PartType, Transcript
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.writer import Inserted, Kept, Piece, Writer, find_mismatch, write_transcript

CUTS = 60
"""Places at which a sample is cut off."""

WRONG: tuple[Any, ...] = (None, 0, True, "", "text", [], [1], {}, {"": None}, [[[]]])
"""What stands in the place of each value of a sample, one at a time."""
MAX_PLACES = 200


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript of a format, and how many calls, results and texts somebody counted in it, reasoning not among them."""

    format: str
    data: bytes
    calls: int
    results: int
    texts: int


class ReaderCase(msgspec.Struct, frozen=True, kw_only=True):
    """A reader and the samples of its format."""

    reader: Reader
    samples: tuple[Sample, ...]


class WriterCase(msgspec.Struct, frozen=True, kw_only=True):
    """A writer, the reader of its format, and samples."""

    writer: Writer
    reader: Reader
    samples: tuple[Sample, ...]


def a_sample_of_the_format_is_given(case: ReaderCase) -> None:
    """Otherwise the checks of readers check nothing."""
    assert case.samples, f"no sample of format `{case.reader.name}` (give one: contract_tests(…, samples=[Sample(…)]))"


def samples_are_recognised(case: ReaderCase) -> None:
    """`probe` says that a sample fits, and that nothing and plain prose do not."""
    for sample in case.samples:
        assert 0 < case.reader.probe(Source(sample.data)) <= 100, "`probe` does not say 1 to 100 for a sample"
    for other in (b"Just some prose.\n", b"{}", b"3"):
        assert case.reader.probe(Source(other)) <= 0, f"`probe` claims {other!r}"


def nothing_is_lost(case: ReaderCase) -> None:
    """As many calls, results and texts are read as somebody counted."""
    for sample in case.samples:
        transcript = case.reader.read(Source(sample.data))
        parts = [part.type for message in transcript.messages for part in message.parts]
        kinds = {"calls": PartType.TOOL_CALL, "results": PartType.TOOL_RESULT, "texts": PartType.TEXT}
        counted = {name: getattr(sample, name) for name in kinds}
        assert {name: parts.count(kind) for name, kind in kinds.items()} == counted, f"read, not as counted: {counted}"
        assert [message.index for message in transcript.messages] == list(range(len(transcript.messages)))
        assert transcript.format == case.reader.name


def reading_twice_gives_the_same(case: ReaderCase) -> None:
    """Nothing is kept between calls."""
    for sample in case.samples:
        assert case.reader.read(Source(sample.data)) == case.reader.read(Source(sample.data))


def broken_input_is_a_transcript_error(case: ReaderCase) -> None:
    """Cut off anywhere, empty, or with values of a wrong type: a transcript or a TranscriptError, never anything else."""
    for sample in case.samples:
        for name, data in _broken(sample.data):
            source = Source(data)
            try:
                case.reader.probe(source)
                case.reader.read(source)
            except TranscriptError:
                continue
            except Exception as error:
                raise AssertionError(f"{type(error).__name__} was raised on {name}: {error}") from error


def _broken(data: bytes) -> Iterator[tuple[str, bytes]]:
    for odd in (b"", b"\n", b"null", b"[]", b"{}", b"[[]]", b"\xff\xfe", b"\x00" * 9, b"[" * 5_000, b'"text"', b"1e999"):
        yield f"{odd[:12]!r}", odd
    for number in range(CUTS):
        cut = len(data) * number // CUTS
        yield f"a sample cut off after {cut} bytes", data[:cut]
    yield from _with_wrong_values(data)


def _with_wrong_values(data: bytes) -> Iterator[tuple[str, bytes]]:
    """A JSON document, or each line of JSON Lines, with one value replaced."""
    try:
        documents = [json.loads(data)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in data.splitlines() if line.strip()]
        except ValueError:
            return
    places = [(number, place) for number, document in enumerate(documents) for place in _places(document)]
    for number, place in places[:: max(1, len(places) // MAX_PLACES)]:
        for value in WRONG:
            changed = [_replaced(one, place, value) if at == number else one for at, one in enumerate(documents)]
            shown = "/".join(str(step) for step in place) or "the whole"
            yield f"{shown} replaced by {value!r}", "\n".join(json.dumps(one) for one in changed).encode()


def _places(value: Any, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield before
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in steps:
        yield from _places(child, (*before, step))


def _replaced(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    if not place:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = _replaced(value[place[0]], place[1:], new)
    return copy


def what_was_written_reads_back_equal(case: WriterCase) -> None:
    """All messages kept; with a carrier and a summary put in; and with every third span gone."""
    assert case.samples, f"no sample of format `{case.writer.name}` (give one: contract_tests(…, samples=[Sample(…)]))"
    for sample in case.samples:
        source = Source(sample.data)
        transcript = case.reader.read(source)
        for name, pieces in _piece_lists(transcript):
            data = write_transcript(source, transcript, pieces, [case.writer])
            problem = find_mismatch(transcript, pieces, case.reader.read(Source(data)))
            assert not problem, f"{name}: {problem}"


def writing_again_changes_nothing(case: WriterCase) -> None:
    """What was written, read and written once more is the same, byte for byte."""
    for sample in case.samples:
        source = Source(sample.data)
        for _, pieces in _piece_lists(transcript := case.reader.read(source)):
            data = write_transcript(source, transcript, pieces, [case.writer])
            again = case.reader.read(Source(data))
            kept = [Kept(message=message.index) for message in again.messages]
            assert write_transcript(Source(data), again, kept, [case.writer]) == data


def _piece_lists(transcript: Transcript) -> Iterator[tuple[str, list[Piece]]]:
    kept: list[Piece] = [Kept(message=message.index) for message in transcript.messages]
    carrier = Inserted(
        kind=MessageKind.CARRIER, text=f'{CARRIER_MARK} version="1">\nkept: é "quoted" 42\n</barrier-policy-carrier>'
    )
    summary = Inserted(
        kind=MessageKind.SUMMARY, text=f"{SUMMARY_MARK}>\nThen some work was done.\n</barrier-policy-summary>"
    )
    yield "all messages kept", kept
    spans = segment(transcript.messages, pair_calls(transcript.messages), keep_last=1).spans
    gone = {index for span in spans[::3] if span.closed for index in range(span.start, span.end)}
    if gone:
        left = [piece for number, piece in enumerate(kept) if number not in gone]
        yield "spans gone, a carrier and a summary put in", [*left[: min(gone)], carrier, summary, *left[min(gone) :]]


READER_CHECKS: tuple[Callable[[ReaderCase], None], ...] = (
    a_sample_of_the_format_is_given,
    samples_are_recognised,
    nothing_is_lost,
    reading_twice_gives_the_same,
    broken_input_is_a_transcript_error,
)
WRITER_CHECKS: tuple[Callable[[WriterCase], None], ...] = (
    what_was_written_reads_back_equal,
    writing_again_changes_nothing,
)
