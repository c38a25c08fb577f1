"""Bytes as readers see them: decoded once, parsed once, with places (design section 4, first arrow)."""

from __future__ import annotations

import codecs
import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from barrier_policy.digest import canonical_json, digest_bytes
from barrier_policy.errors import Issue, TranscriptError, reason_of
from barrier_policy.transcript.values import MAX_DEPTH, DepthError, decode_glued, decode_json, glued_texts, json_text

MAX_BYTES = 512 * 1024 * 1024
PIECE = 1024 * 1024
"""Bytes that are asked for at once of what has no size: Python sets aside what is asked for, however little there is."""
BLANK = b" \t\r\x00"
"""Stripped from lines: a file system that loses its last write leaves NULs behind."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark begins this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One JSON value of a JSON Lines file with its 1-based line; two values glued on one line share it."""

    line: int
    value: Any


class _Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """What the text is: a document, or records, or neither because of `problem` ("" where it is no JSON at all)."""

    document: Any = None
    records: tuple[Record, ...] = ()
    truncated: bool = False
    problem: str = ""
    line: int = 0
    column: int = 0


class Source:
    """The bytes of a transcript (or its messages in memory), parsed on first use and kept.

    `document` is the whole as one JSON value, None where it is none. `records` are the JSON values line by line, () where
    the text is no JSON Lines. Both raise nothing: a reader asks for what it understands, and `refuse` says what is wrong
    with the text where it is neither. Nesting deeper than 200 levels, and input over 512 MiB, is refused.
    """

    def __init__(self, data: bytes, *, path: str = "<bytes>") -> None:
        self.path = path
        self.data = data
        if len(data) > MAX_BYTES:
            self.fail(f"the file has {len(data):,} bytes (at most {MAX_BYTES:,} are read)")

    @classmethod
    def open(cls, path: str | Path, *, shown: str = "") -> Source:
        """A source from a file; no more than one byte beyond the limit is read, so that an endless device is refused as well.

        Raises TranscriptError, which calls the file `shown` where that is given.
        """
        try:
            with open(path, "rb") as file:
                return cls(read_bounded(file, os.fstat(file.fileno()).st_size), path=str(path))
        except OSError as error:
            reason = reason_of(error)
        except ValueError:  # a NUL in the name
            reason = "not a file name"
        raise TranscriptError([Issue(file=shown or str(path), message=f"can't be read ({reason})")])

    @classmethod
    def from_value(cls, value: Any, *, path: str = "<messages>") -> Source:
        """A source from messages that are already Python objects; their bytes are the canonical JSON.

        The messages are copied: what the caller changes later changes no transcript. Raises TranscriptError where they
        are no JSON data, or nested deeper than MAX_DEPTH levels.
        """
        try:
            document = decode_json(json_text(msgspec.to_builtins(value, str_keys=True)))
            source = cls(canonical_json(document), path=path)
        except (RecursionError, DepthError):
            raise TranscriptError(
                [Issue(file=path, message=f"the messages are nested deeper than {MAX_DEPTH} levels")]
            ) from None
        except (TypeError, ValueError) as error:
            raise TranscriptError([Issue(file=path, message=f"the messages are no JSON data ({error})")]) from None
        source.__dict__["_parsed"] = _Parsed(document=document)
        # the canonical bytes hold neither lone surrogates nor large integers; the text that is cut for writing must
        source.__dict__["text"] = json_text(document).encode("utf-8", "backslashreplace").decode("utf-8")
        return source

    def fail(self, message: str, line: int = 0, column: int = 0) -> NoReturn:
        """Raise a TranscriptError that names this source."""
        raise TranscriptError([Issue(file=self.path, line=line, column=column, message=message)])

    def refuse(self, reason: str) -> NoReturn:
        """Raise a TranscriptError for a text that no reader, or not the one asked for, understands.

        Says what is wrong with the text itself where it is broken, else `reason`.
        """
        parsed = self._parsed
        if parsed.problem:
            self.fail(parsed.problem, parsed.line, parsed.column)
        self.fail(reason)

    @cached_property
    def digest(self) -> str:
        """`sha256:<hex>` of the bytes."""
        return digest_bytes(self.data)

    @cached_property
    def text(self) -> str:
        """The bytes as text: UTF-8 with or without a mark, or UTF-16 and UTF-32 with one. Raises TranscriptError else.

        For messages in memory it is their JSON as they are, with keys in their order.
        """
        try:
            return self._utf8.decode("utf-8")
        except UnicodeDecodeError as error:
            self.fail(_encoding_problem(error))

    def head(self, length: int = 200) -> str:
        """The first characters, for probes of formats that are no JSON; what is no text in them is left out. Raises nothing."""
        try:
            return self._utf8[: 4 * length].decode("utf-8", "ignore")[:length]
        except UnicodeDecodeError:
            return ""

    @property
    def document(self) -> Any:
        """The whole text as one JSON value, or None."""
        return self._parsed.document

    @property
    def records(self) -> tuple[Record, ...]:
        """The JSON values line by line, () if any line but the last is no JSON.

        A last line that breaks off is left out, and `truncated` says so. Of a document that is a list they are its elements, each with its
        number in place of a line: what a runtime writes line by line may be handed over as a list.
        """
        return self._parsed.records if self._elements is None else self._elements

    @cached_property
    def _elements(self) -> tuple[Record, ...] | None:
        found = self._parsed.document
        return (
            tuple(Record(line=n, value=value) for n, value in enumerate(found, start=1)) if isinstance(found, list) else None
        )

    @cached_property
    def record_texts(self) -> tuple[str, ...]:
        """The text of each of `records` as it stands in the file, without what surrounds it on its line."""
        if self._elements is not None:
            return tuple(json_text(record.value) for record in self.records)
        texts: list[str] = []
        counts = Counter(record.line for record in self.records)
        for number, line in _lines(self._utf8):
            if counts[number] == 1 and not (self.truncated and number == self.records[-1].line):
                texts.append(line.decode("utf-8"))
            elif counts[number]:
                texts += glued_texts(line.decode("utf-8"))
        return tuple(texts)

    def one_record_a_line(self) -> Source:
        """The same source where values glued on one line have numbers of their own; itself where there are none."""
        if len({record.line for record in self.records}) == len(self.records):
            return self
        source = Source(self.data, path=self.path)
        records = tuple(Record(line=number, value=record.value) for number, record in enumerate(self.records, start=1))
        source.__dict__.update(
            _parsed=msgspec.structs.replace(self._parsed, records=records), record_texts=self.record_texts
        )
        return source

    @property
    def truncated(self) -> bool:
        """Whether the last line of a JSON Lines text breaks off."""
        return self._parsed.truncated

    @cached_property
    def _utf8(self) -> bytes:
        """The bytes as UTF-8 without a mark; not checked."""
        for mark, encoding in _MARKS:
            if self.data.startswith(mark):
                if encoding == "utf-8":
                    return self.data[len(mark) :]
                return self.data.decode(encoding).encode("utf-8")
        return self.data

    @cached_property
    def _parsed(self) -> _Parsed:
        try:
            data = self._utf8
        except UnicodeDecodeError as error:
            return _Parsed(problem=_encoding_problem(error))
        try:
            return _parse_lines(data) if _begins_with_whole_line(data) else _parse_document(data)
        except DepthError as error:
            return _Parsed(problem=str(error))
        except ValueError as error:
            parsed = _parse_lines(data)
            return parsed if parsed.records or parsed.problem else _Parsed(**_document_problem(data, error))


def _begins_with_whole_line(data: bytes) -> bool:
    """Whether the first line is a JSON value and others follow: no need then to read the whole as one document first."""
    if b"\n" not in data:  # then its only line is the whole, which need not be copied
        return False
    lines = _lines(data)
    _, line = next(lines, (0, b""))
    if line[:1] not in (b"{", b"[") or next(lines, None) is None:
        return False
    return _parse_line(line)[1]


def _parse_document(data: bytes) -> _Parsed:
    document = decode_json(data)
    start = len(data) - len(data.lstrip())
    if b"\n" in data[start:].rstrip():
        return _Parsed(document=document)
    line = data.count(b"\n", 0, start) + 1
    return _Parsed(document=document, records=(Record(line=line, value=document),))


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Line numbers and lines that are not blank, copied one at a time."""
    number = start = 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if line := data[start:end].strip(BLANK):
            yield number, line
        start = end + 1


def _parse_lines(data: bytes) -> _Parsed:
    """The text as JSON Lines; nothing where it does not begin with an object or an array. Raises no DepthError."""
    records: list[Record] = []
    broken = 0
    for number, line in _lines(data):
        if broken:
            return _Parsed(**_line_problem(data, broken))
        try:
            values, whole = _parse_line(line)
        except DepthError as error:
            return _Parsed(problem=str(error), line=number)
        records += [Record(line=number, value=value) for value in values]
        if not whole:
            broken = number
        if not records or not isinstance(records[0].value, (dict, list)):
            return _Parsed()
    return _Parsed(records=tuple(records), truncated=bool(broken))


def _parse_line(line: bytes) -> tuple[list[Any], bool]:
    """The values of a line, and whether they are the whole of it. Raises DepthError."""
    try:
        return [decode_json(line)], True
    except DepthError:
        raise
    except ValueError:
        pass
    try:
        return decode_glued(line.decode("utf-8"))
    except UnicodeDecodeError:
        return [], False


def _encoding_problem(error: UnicodeDecodeError) -> str:
    if error.encoding in ("utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        return f"the file begins with a {error.encoding[:6].upper()} mark but is cut off or broken at byte {error.start}"
    byte = error.object[error.start]
    return f"the file is not UTF-8 text (byte 0x{byte:02X} at offset {error.start}; save it as UTF-8)"


def _problem(data: bytes, problem: str, line: int, column: int = 0) -> dict[str, Any]:
    """The problem of a broken text; a wrong encoding explains all others."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return {"problem": _encoding_problem(error)}
    return {"problem": problem, "line": line, "column": column}


def _line_problem(data: bytes, line: int) -> dict[str, Any]:
    return _problem(data, "the line is not JSON, and it is not the last one (one JSON value a line is expected)", line)


def _document_problem(data: bytes, error: ValueError) -> dict[str, Any]:
    """Why a text that looks like one JSON value is none; no problem where it does not look like one."""
    looks_like_json = data.lstrip()[:1] in (b"{", b"[") and isinstance(error, json.JSONDecodeError)
    if not looks_like_json:
        return _problem(data, "", 0)
    assert isinstance(error, json.JSONDecodeError)
    return _problem(
        data,
        f"the JSON is broken or cut off: {error.msg.lower().removesuffix(' starting at')} (give the whole file)",
        error.lineno,
        error.colno,
    )


def read_bounded(file: BinaryIO, size: int = 0) -> bytes:
    """What a file or a stream of about this size holds, or one byte beyond the limit."""
    pieces: list[bytes] = []
    left, ask = MAX_BYTES + 1, size + 1 if size else PIECE
    while left > 0:
        piece = file.read(min(left, ask))
        pieces.append(piece)
        left -= len(piece)
        if len(piece) < ask:
            break
        ask = PIECE  # it has grown since its size was asked for
    return b"".join(pieces)
