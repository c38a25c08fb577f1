"""Broken, huge and hostile files: read or refused in one line, and never a crash."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import PartType, Reader, Source
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.reader import read_transcript

FIXTURES = sorted(path for path in (Path(__file__).parent / "fixtures").iterdir() if path.is_file())
LINES = [path for path in FIXTURES if path.suffix == ".jsonl"]
ODD_VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    [],
    {},
    ["x"],
    {"a": 1},
    [[]],
    [None],
    {"type": {}},
    {"type": "text"},
    "\ud800",
    10**30,
]


def _names(path: Path) -> str:
    return path.name


def _reads_or_refuses(source: Source, readers: tuple[Reader, ...], format: str = "") -> None:
    try:
        read_transcript(source, readers, format=format)
    except TranscriptError as error:
        assert "failed on this file" not in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize("path", FIXTURES, ids=_names)
def test_a_file_that_breaks_off_anywhere_is_read_or_refused(path: Path, readers: tuple[Reader, ...]) -> None:
    data = path.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 60)):
        _reads_or_refuses(Source(data[:end], path="run"), readers)


@pytest.mark.parametrize("path", LINES, ids=_names)
def test_a_truncated_last_line_is_left_out_and_counted(path: Path, readers: tuple[Reader, ...]) -> None:
    data = path.read_bytes().rstrip() + b'\n{"type": "user", "mess'
    transcript = read_transcript(Source(data), readers)
    assert {skipped.what: skipped.count for skipped in transcript.skipped}["truncated last line"] == 1


@pytest.mark.parametrize("path", [path for path in LINES if path.read_bytes().count(b"\n") > 2], ids=_names)
def test_a_broken_line_in_the_middle_is_refused_with_its_number(path: Path, readers: tuple[Reader, ...]) -> None:
    lines = path.read_bytes().splitlines()
    with pytest.raises(TranscriptError, match="run:2: the line is not JSON"):
        read_transcript(Source(b"\n".join([lines[0], b'{"type": "user", "mess', *lines[1:]]), path="run"), readers)


@pytest.mark.parametrize("path", FIXTURES, ids=_names)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_file_reads_the_same_in_every_encoding_with_a_mark(path: Path, encoding: str, readers: tuple[Reader, ...]) -> None:
    plain = read_transcript(Source(path.read_bytes()), readers)
    marked = read_transcript(Source(path.read_text(encoding="utf-8").encode(encoding)), readers)
    assert marked.messages == plain.messages


def test_latin_1_is_refused_saying_so(readers: tuple[Reader, ...]) -> None:
    data = '[{"role": "user", "content": "café"}]'.encode("latin-1")
    with pytest.raises(
        TranscriptError, match=r"run: the file is not UTF-8 text \(byte 0xE9 at offset 33; save it as UTF-8\)"
    ):
        read_transcript(Source(data, path="run"), readers)


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize(
    "place", ['[{"role":"user","content":%s}]', '{"messages":%s}', '{"type":"user","uuid":"1","message":%s}\n{}']
)
def test_deep_nesting_is_refused_cleanly(depth: int, place: str, readers: tuple[Reader, ...]) -> None:
    with pytest.raises(TranscriptError, match="nested deeper than 200 levels"):
        read_transcript(Source((place % ("[" * depth + "]" * depth)).encode()), readers)


def test_deep_nesting_inside_arguments_that_are_text_is_kept_as_text(read) -> None:
    arguments = "[" * 100_000
    calls = [{"id": "c", "function": {"name": "f", "arguments": arguments}}]
    part = (
        read([{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": calls}])
        .messages[1]
        .parts[0]
    )
    assert (part.text, part.arguments) == (arguments, None)


def test_surrogates_nuls_and_escapes_are_kept(read) -> None:
    text = "a\ud800b\x00c\x1b[31m\ufffd"
    assert read([{"role": "user", "content": text}]).messages[0].parts[0].text == text


def test_a_message_of_ten_megabytes_is_read(read) -> None:
    text = "x" * 10_000_000
    assert len(read([{"role": "user", "content": text}]).messages[0].parts[0].text) == len(text)


@pytest.mark.parametrize("reverse", [False, True])
def test_ten_thousand_calls_in_one_turn_are_read_and_paired(reverse: bool, read) -> None:
    number = 10_000
    calls = [{"id": f"c{index}", "function": {"name": "f", "arguments": "{}"}} for index in range(number)]
    results = [{"role": "tool", "tool_call_id": f"c{index}", "content": "ok"} for index in range(number)]
    rows = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *(reversed(results) if reverse else results),
    ]
    pairs = pair_calls(read(rows).messages)
    assert len(pairs.call_of) == number


def test_ten_thousand_calls_without_ids_are_paired(read) -> None:
    number = 10_000
    parts = [{"functionCall": {"name": f"f{index % 100}", "args": {}}} for index in range(number)]
    answers = [
        {"functionResponse": {"name": f"f{index % 100}", "response": {"output": "ok"}}} for index in reversed(range(number))
    ]
    transcript = read([{"role": "model", "parts": parts}, {"role": "user", "parts": answers}])
    assert len({part.call_id for part in transcript.messages[1].parts}) == number


def test_a_message_of_ten_thousand_equal_parts_is_split(read) -> None:
    content = [{"type": "text", "text": "same"}, {"type": "tool_result", "tool_use_id": "t", "content": "same"}] * 10_000
    transcript = read(
        [{"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": content}}, {"type": "x"}], lines=True
    )
    assert [len(message.parts) for message in transcript.messages] == [10_000, 10_000]


def test_repeated_ids_of_rows_and_results_are_all_kept(read) -> None:
    row = {
        "type": "user",
        "uuid": "1",
        "sessionId": "s",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
    }
    transcript = read([row, row, row], lines=True)
    assert [message.parts[0].type for message in transcript.messages] == [PartType.TOOL_RESULT] * 3


def _mutated(value: Any, source: random.Random, rate: float) -> Any:
    if source.random() < rate:
        return source.choice(ODD_VALUES)
    if isinstance(value, dict):
        return {key: _mutated(item, source, rate) for key, item in value.items() if source.random() >= rate}
    return [_mutated(item, source, rate) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", [path for path in FIXTURES if path.suffix != ".md"], ids=_names)
def test_values_of_any_type_in_any_place_never_crash_a_reader(path: Path, readers: tuple[Reader, ...]) -> None:
    whole = Source(path.read_bytes())
    values = [record.value for record in whole.records] or [whole.document]
    source = random.Random(path.name)
    for round_number in range(60):
        mutated = [_mutated(value, source, (0.01, 0.05, 0.2)[round_number % 3]) for value in values]
        broken = Source("\n".join(json.dumps(value) for value in mutated).encode())
        for reader in readers:
            assert reader.probe(broken) >= 0
            _reads_or_refuses(broken, (reader,), reader.name)


@pytest.mark.parametrize("reader_index", range(40))
def test_mutated_bytes_never_crash(reader_index: int, readers: tuple[Reader, ...]) -> None:
    source = random.Random(reader_index)
    path = FIXTURES[reader_index % len(FIXTURES)]
    data = bytearray(path.read_bytes())
    for _ in range(200):
        position = source.randrange(len(data))
        data[position : position + source.randrange(3)] = bytes(source.randrange(256) for _ in range(source.randrange(3)))
        if source.random() < 0.1:
            _reads_or_refuses(Source(bytes(data), path="run"), readers)
