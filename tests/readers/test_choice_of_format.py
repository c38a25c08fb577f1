"""Which reader is taken, and what is said when none fits."""

from __future__ import annotations

from typing import NoReturn

import pytest

from barrier_policy import Reader, Source, Transcript
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.reader import read_transcript

CHAT = b'[{"role": "user", "content": "hello"}]'


def _reader(name: str, score: int) -> Reader:
    return Reader(
        name=name,
        title=name,
        probe=lambda source: score,
        read=lambda source: Transcript(format=name, digest=source.digest, messages=()),
    )


def _raise(source: Source) -> NoReturn:
    raise KeyError("oops")


def _refusal(data: bytes, readers: tuple[Reader, ...], format: str = "") -> str:
    with pytest.raises(TranscriptError) as caught:
        read_transcript(Source(data, path="run"), readers, format=format)
    return str(caught.value)


def test_the_best_fit_is_taken_and_ties_go_to_the_first_name() -> None:
    readers = (_reader("c", 5), _reader("b", 9), _reader("a", 9), _reader("d", 0))
    assert read_transcript(Source(b"x"), readers).format == "a"
    assert read_transcript(Source(b"x"), tuple(reversed(readers))).format == "a"


def test_a_named_format_is_taken_whatever_its_fit() -> None:
    assert read_transcript(Source(b"x"), (_reader("a", 9), _reader("d", 0)), format="d").format == "d"


def test_an_unknown_format_names_the_known_ones() -> None:
    assert _refusal(b"x", (_reader("a", 9), _reader("b", 1)), "c") == "run: unknown format `c` (known: a, b)"


@pytest.mark.parametrize("data", [b"", b" \n\t "])
@pytest.mark.parametrize("format", ["", "openai_chat"])
def test_an_empty_file_is_said_to_be_empty(data: bytes, format: str, readers: tuple[Reader, ...]) -> None:
    assert _refusal(data, readers, format) == "run: the file is empty (a transcript has at least one message)"


@pytest.mark.parametrize(
    "data", [b"{}", b"[1, 2]", b'"text"', b"null", b'{"a": [{"b": 1}]}', b"# Notes", b'{"messages": 3}']
)
def test_what_is_no_transcript_is_refused_naming_the_formats(data: bytes, readers: tuple[Reader, ...]) -> None:
    assert _refusal(data, readers).startswith("run: not a transcript in a known format (known: adp, ")


def test_a_probe_that_raises_fits_nothing() -> None:
    broken = Reader(name="broken", title="broken", probe=_raise, read=_raise)
    assert read_transcript(Source(b"x"), (broken, _reader("a", 1))).format == "a"


def test_a_reader_that_raises_is_named() -> None:
    broken = Reader(name="broken", title="broken", probe=lambda source: 9, read=_raise)
    assert (
        _refusal(b"x", (broken,)) == "run: reader `broken` failed on this file (KeyError: 'oops'; name another with --from)"
    )


def test_a_broken_text_is_explained_even_when_the_format_is_named(readers: tuple[Reader, ...]) -> None:
    for reader in readers:
        assert "run:1:" in _refusal(b'[{"role": "us', readers, reader.name), reader.name


def test_every_reader_refuses_another_document_with_what_it_expects(readers: tuple[Reader, ...]) -> None:
    for reader in readers:
        message = _refusal(b'{"nothing": "here"}', readers, reader.name)
        assert message.startswith("run: "), reader.name
        assert "failed on this file" not in message


def test_names_and_titles_are_unique(readers: tuple[Reader, ...]) -> None:
    assert len({reader.name for reader in readers}) == len({reader.title for reader in readers}) == len(readers)


@pytest.mark.parametrize(
    "data, said",
    [
        (b'{"resourceSpans": []}', "OpenTelemetry spans"),
        (b'{"kind": "scope", "atof_version": "0.1", "uuid": "u"}\n{"atof_version": "0.1"}', "ATOF events"),
        (b'{"question_entry": {}, "possible_answer_entry": {}}', "BFCL"),
        (b'{"id": "p", "sessionID": "s", "messageID": "m", "type": "text", "text": "x"}', "OpenCode"),
        (b'{"step_index": 0, "source": "MODEL", "type": "X"}\n{"step_index": 1, "source": "MODEL"}', "Antigravity"),
        (b'{"info": {}, "num_chat_messages": 3}', "session index"),
        (
            b'{"messages": [{"role": "user", "content": "a"}]}\n{"messages": [{"role": "user", "content": "b"}]}',
            "several runs",
        ),
        (
            b'[{"steps": [{"source": "user", "message": "a"}]}, {"steps": [{"source": "user", "message": "b"}]}]',
            "several runs",
        ),
    ],
)
def test_files_without_a_readable_run_are_refused_by_name_in_one_line(
    data: bytes, said: str, readers: tuple[Reader, ...]
) -> None:
    message = _refusal(data, readers)
    assert said in message
    assert "\n" not in message
