"""Each shipped format, read from a small hand-written file and compared line by line with its outline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from barrier_policy import MessageKind, PartType, Reader, Source
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.reader import read_transcript

FIXTURES = Path(__file__).parent / "fixtures"
OUTLINES = FIXTURES / "outlines"
FILES = sorted(path.name for path in FIXTURES.iterdir() if path.is_file())
REFUSED_BY_NAME = "unsupported"


def _source(name: str) -> Source:
    return Source((FIXTURES / name).read_bytes(), path=name)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_and_read_as_its_outline_says(name: str, readers: tuple[Reader, ...], whole_outline) -> None:
    transcript = read_transcript(_source(name), readers)
    assert whole_outline(transcript) == (OUTLINES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_messages_are_numbered_in_order_and_pointers_lead_into_the_record(name: str, readers: tuple[Reader, ...]) -> None:
    source = _source(name)
    transcript = read_transcript(source, readers)
    assert [message.index for message in transcript.messages] == list(range(len(transcript.messages)))
    for message in transcript.messages:
        for part in message.parts:
            records = _records(source, part.line or message.line)
            assert any(_leads(record, message.pointer + part.pointer) for record in records), (message.index, part)


@pytest.mark.parametrize("name", FILES)
def test_reading_twice_gives_the_same_transcript(name: str, readers: tuple[Reader, ...]) -> None:
    assert read_transcript(_source(name), readers) == read_transcript(_source(name), tuple(reversed(readers)))


def test_every_shipped_reader_reads_a_fixture(readers: tuple[Reader, ...]) -> None:
    read = {read_transcript(_source(name), readers).format for name in FILES}
    assert read == {reader.name for reader in readers} - {REFUSED_BY_NAME}


def test_every_kind_and_part_type_occurs_in_the_fixtures(readers: tuple[Reader, ...]) -> None:
    transcripts = [read_transcript(_source(name), readers) for name in FILES]
    kinds = {message.kind for transcript in transcripts for message in transcript.messages}
    types = {part.type for transcript in transcripts for message in transcript.messages for part in message.parts}
    assert kinds == set(MessageKind) - {MessageKind.CARRIER}
    assert types == set(PartType)


@pytest.mark.parametrize("name", FILES)
def test_another_format_reads_or_refuses_a_file_but_never_crashes(name: str, readers: tuple[Reader, ...]) -> None:
    for reader in readers:
        try:
            reader.read(_source(name))
        except TranscriptError as error:
            assert str(error).startswith(f"{name}:")
            assert "\n" not in str(error)


def _records(source: Source, line: int) -> list[object]:
    """The document, or the values on a line; the text itself where the format is no JSON."""
    if line == 0:
        return [source.document]
    return [record.value for record in source.records if record.line == line] or [source.text]


def _leads(value: object, pointer: str) -> bool:
    """Whether an RFC 6901 pointer leads somewhere; an empty one leads to the value itself."""
    for token in pointer.split("/")[1:]:
        try:
            value = value[int(token)] if isinstance(value, list) else value[token]  # type: ignore[index]
        except (KeyError, IndexError, TypeError, ValueError):
            return False
    return True


NOT_AS_LIST = {"codex_bare.jsonl", "gemini_session.jsonl"}
"""Known by their first line alone; as a list they are refused by name."""


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".jsonl") and name not in NOT_AS_LIST])
def test_rows_that_are_handed_over_as_a_list_read_like_the_lines_of_a_file(name: str, readers: tuple[Reader, ...]) -> None:
    lines = read_transcript(_source(name), readers)
    rows = [record.value for record in _source(name).records]
    for source in (Source.from_value(rows), Source(json.dumps(rows).encode(), path="rows.json")):
        listed = read_transcript(source, readers)
        assert listed.format == lines.format
        assert [(m.role, [part.text for part in m.parts]) for m in listed.messages] == [
            (m.role, [part.text for part in m.parts]) for m in lines.messages
        ]
