"""Bytes as JSON documents and JSON Lines: encodings, places, broken and hostile input."""

from __future__ import annotations

import json

import pytest

from barrier_policy import Source
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.values import MAX_DEPTH, DepthError, decode_arguments, decode_json, json_text

DOCUMENT = '{"a": "é"}'


def _records(data: bytes) -> list[tuple[int, object]]:
    return [(record.line, record.value) for record in Source(data).records]


def _refusal(data: bytes) -> str:
    with pytest.raises(TranscriptError) as caught:
        Source(data, path="run").refuse("not a transcript")
    return str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        DOCUMENT.encode(),
        b"\xef\xbb\xbf" + DOCUMENT.encode(),
        DOCUMENT.encode("utf-16"),
        "\ufeff".encode("utf-16-be") + DOCUMENT.encode("utf-16-be"),
        DOCUMENT.encode("utf-32"),
        f" \n{DOCUMENT}\n\n".encode(),
    ],
)
def test_a_document_is_read_in_every_unicode_encoding_with_a_mark_and_in_utf8_without(data: bytes) -> None:
    source = Source(data)
    assert source.document == {"a": "é"}
    assert source.text.strip() == DOCUMENT
    assert source.head(3).strip().startswith("{")


@pytest.mark.parametrize(
    "data, records",
    [
        (b'{"a":1}\n{"a":2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'{"a":1}\r\n\r\n  {"a":2}', [(1, {"a": 1}), (3, {"a": 2})]),
        (b'{"a":1}\n7\n[1]\n"x"', [(1, {"a": 1}), (2, 7), (3, [1]), (4, "x")]),
        (b'{"a":1}{"a":2}\n{"a":3}', [(1, {"a": 1}), (1, {"a": 2}), (2, {"a": 3})]),
        (b'{"a":1} {"a":"}{"}\n{"a":3}{"a":4}', [(1, {"a": 1}), (1, {"a": "}{"}), (2, {"a": 3}), (2, {"a": 4})]),
        (b'{"a":1}\n{"a":2}\n\x00\x00\x00\x00', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'{"a":"\xe2\x80\xa8"}\n{"a":2}', [(1, {"a": "\u2028"}), (2, {"a": 2})]),
        (b'\n\n{"a":1}\n', [(3, {"a": 1})]),
        (b'{\n"a":1}', []),
        (b"plain text\nof two lines", []),
        (b"12\nplain text", []),
        (b"", []),
    ],
)
def test_lines_become_records_with_their_numbers(data: bytes, records: list[tuple[int, object]]) -> None:
    assert _records(data) == records
    assert not Source(data).truncated


@pytest.mark.parametrize(
    "data, records",
    [
        (b'{"a":1}\n{"a":', [(1, {"a": 1})]),
        (b'{"a":1}\n{"a":2}{"a"', [(1, {"a": 1}), (2, {"a": 2})]),
        (b'{"a":1}\n{"a":"\xc3', [(1, {"a": 1})]),
        (b'{"a":1}\n{"a":"\x00\x00\x00', [(1, {"a": 1})]),
        (b'{"a":1}{"b"', [(1, {"a": 1})]),
    ],
)
def test_a_last_line_that_breaks_off_is_left_out_and_said(data: bytes, records: list[tuple[int, object]]) -> None:
    assert _records(data) == records
    assert Source(data).truncated


@pytest.mark.parametrize(
    "data, message",
    [
        (b'{"a":1}\n{"a":\n{"a":3}\n', "run:2: the line is not JSON"),
        (b'{"a":1}\n\n{"a":2}{"a"\n{"a":3}\n', "run:3: the line is not JSON"),
        (b'{"a": 1,\n "b": }', "run:2:7: the JSON is broken or cut off"),
        (b'[{"role": "user", "content": "x"}, {"ro', "run:1:"),
        ('{"a": "é"}'.encode("latin-1"), "run: the file is not UTF-8 text (byte 0xE9 at offset 7; save it as UTF-8)"),
        ('{"a":1}\n{"a":"é"}\n{"a":3}'.encode("latin-1"), "run: the file is not UTF-8 text (byte 0xE9"),
        (b'{"a": "\xed\xa0\x80"}', "run: the file is not UTF-8 text (byte 0xED"),
        (b"caf\xe9", "run: the file is not UTF-8 text"),
        (b"\xff\xfe{\x00\x22", "run: the file begins with a UTF-16 mark but is cut off"),
        (b"[" * 100_000, f"run: the JSON is nested deeper than {MAX_DEPTH} levels"),
        (b"[" * 100_000 + b"]" * 100_000, f"run: the JSON is nested deeper than {MAX_DEPTH} levels"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, f"run: the JSON is nested deeper than {MAX_DEPTH} levels"),
        (b'{"a":1}\n' + b"[" * 100_000 + b"]" * 100_000 + b"\n{}", "run:2: the JSON is nested deeper"),
        (b'{"a":1}\n{"b":' + b"[" * 201 + b"]" * 201 + b"}\n{}", "run:2: the JSON is nested deeper"),
        (b'{"a": "\\ud800", "b": ' + b"[" * 100_000, f"run: the JSON is nested deeper than {MAX_DEPTH} levels"),
        (b"plain text", "run: not a transcript"),
        (b'{"a": 1}', "run: not a transcript"),
    ],
)
def test_a_refusal_names_the_place_where_the_text_is_broken(data: bytes, message: str) -> None:
    assert _refusal(data).startswith(message)
    assert "\n" not in _refusal(data)


@pytest.mark.parametrize("data", [b"caf\xe9", b"\xff\xfe{\x00\x22", b'{"a": "\xe9"}'])
def test_neither_document_nor_records_raise_where_the_text_is_none(data: bytes) -> None:
    source = Source(data)
    assert (source.document, source.records, source.truncated) == (None, (), False)
    assert source.head() in ("caf", "", '{"a": ""}')
    with pytest.raises(TranscriptError):
        _ = source.text


@pytest.mark.parametrize("depth, fits", [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_the_depth_limit_is_exact_for_bytes_and_for_values(depth: int, fits: bool) -> None:
    data = b"[" * depth + b"]" * depth
    assert (Source(data).document is not None) is fits
    value = json.loads(data)
    if fits:
        assert Source.from_value(value).document == value
    else:
        with pytest.raises(TranscriptError, match="nested deeper"):
            Source.from_value(value)


@pytest.mark.parametrize(
    "data, value",
    [
        (rb'"\ud800"', "\ud800"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\u0000"', "\x00"),
        (b'"a\x00b\tc"', "a\x00b\tc"),
        (b"1e400", float("inf")),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"-0.5e-3", -0.0005),
        (b'{"a":1,"a":2}', {"a": 2}),
    ],
)
def test_what_real_writers_produce_is_read_and_kept(data: bytes, value: object) -> None:
    assert decode_json(data) == value
    assert Source(data).document == value


def test_not_a_number_is_read() -> None:
    assert str(decode_json(b'{"a": NaN}')["a"]) == "nan"


@pytest.mark.parametrize("data", [b"", b"{", b"{'a': 1}", b"[1,]", b'{"a":1} x', b"9" * 5000, b'"\xff"'])
def test_what_is_no_json_raises_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        decode_json(data)


def test_deep_nesting_raises_a_depth_error_and_no_recursion_error() -> None:
    with pytest.raises(DepthError):
        decode_json("[" * 100_000)


@pytest.mark.parametrize(
    "recorded, decoded",
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        (None, {}),
        ("", {}),
        ("  ", {}),
        ("not json", None),
        ('{"a": ', None),
        ("[" * 100_000, None),
        ("7", 7),
    ],
)
def test_arguments_are_decoded_or_none(recorded: object, decoded: object) -> None:
    assert decode_arguments(recorded) == decoded


@pytest.mark.parametrize(
    "value, text",
    [
        ({"b": 1, "a": [None, True]}, '{"b":1,"a":[null,true]}'),
        ({"é": "\ud800"}, '{"é":"\ud800"}'),
        ([2**70], "[1180591620717411303424]"),
    ],
)
def test_values_become_compact_text_with_keys_in_their_order(value: object, text: str) -> None:
    assert json_text(value) == text


def test_a_source_from_values_has_the_digest_of_their_canonical_json() -> None:
    one = Source.from_value([{"role": "user", "content": "x"}])
    other = Source.from_value([{"content": "x", "role": "user"}])
    assert one.digest == other.digest
    assert one.document == [{"role": "user", "content": "x"}]
    assert [(record.line, record.value) for record in one.records] == [(1, {"role": "user", "content": "x"})]


def test_messages_in_memory_are_copied_as_plain_json() -> None:
    message = {"role": "user", "content": ({"type": "text", "text": "\ud800"},), 1: 2}
    source = Source.from_value([message])
    message["content"] = "changed"
    assert source.document == [{"role": "user", "content": [{"type": "text", "text": "\ud800"}], "1": 2}]


@pytest.mark.parametrize("value", [object(), [{"a": {1, 2} and object()}]])
def test_values_that_are_no_json_data_are_refused(value: object) -> None:
    with pytest.raises(TranscriptError, match="no JSON data"):
        Source.from_value(value)


def test_a_file_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barrier_policy.transcript.source.MAX_BYTES", 9)
    with pytest.raises(TranscriptError, match=r"the file has 10 bytes \(at most 9 are read\)"):
        Source(b"x" * 10, path="run")
