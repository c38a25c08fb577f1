"""What the tests of writers share: writing by pieces, reading again, and dropping whole spans."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import barrier_policy_plugins
import msgspec
import pytest

from barrier_policy import Message, MessageKind, Reader, Source, Transcript
from barrier_policy.errors import TranscriptError
from barrier_policy.spans.segment import segment
from barrier_policy.transcript.model import Part, PartType
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.writer import Inserted, Kept, Piece, Writer, write_transcript

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"
FIXTURES = Path(__file__).parents[1] / "readers" / "fixtures"
CARRIER = '<barrier-policy-carrier version="1">\nkept: é \x00 "quoted" \ud800 42\n</barrier-policy-carrier>'
SUMMARY = "<barrier-policy-summary>\nThen some work was done.\n</barrier-policy-summary>"


def _provided(hook: str) -> Iterator[Any]:
    """What the modules provide, loaded without entry points so that an uninstalled checkout can be tested."""
    for name in sorted(module.name for module in pkgutil.iter_modules(barrier_policy_plugins.__path__)):
        if name.startswith("read_"):
            yield from getattr(importlib.import_module(f"barrier_policy_plugins.{name}"), hook, tuple)()


READERS: tuple[Reader, ...] = tuple(_provided("barrier_readers"))
WRITERS: tuple[Writer, ...] = tuple(_provided("barrier_writers"))
WRITABLE = frozenset(writer.name for writer in WRITERS)


def source_of(data: Any, path: str = "run") -> Source:
    if isinstance(data, str):
        data = data.encode("utf-8")
    return Source(data if isinstance(data, bytes) else json.dumps(data).encode("utf-8"), path=path)


def read(source: Source, format: str = "") -> Transcript:
    return read_transcript(source, READERS, format=format)


def write(source: Source, pieces: Sequence[Piece], format: str = "") -> bytes:
    return write_transcript(source, read(source, format), pieces, WRITERS)


def everything(transcript: Transcript) -> list[Piece]:
    return [Kept(message=message.index) for message in transcript.messages]


def carrier() -> Inserted:
    return Inserted(kind=MessageKind.CARRIER, text=CARRIER)


def summary() -> Inserted:
    return Inserted(kind=MessageKind.SUMMARY, text=SUMMARY)


def every_third_span_dropped(transcript: Transcript, *, first: int = 1, keep_last: int = 2) -> list[Piece]:
    """Whole spans leave, a summary in the place of each, a carrier in that of the first; no pair is torn apart."""
    pairs = pair_calls(transcript.messages)
    spans = segment(transcript.messages, pairs, keep_last=keep_last).spans
    dropped = [span for span in spans[first::3] if span.closed]
    gone = {index for span in dropped for index in range(span.start, span.end)}
    pieces: list[Piece] = []
    for message in transcript.messages:
        if message.index not in gone:
            pieces.append(Kept(message=message.index))
        elif any(span.start == message.index for span in dropped):
            pieces += [summary()] if message.index != min(gone) else [carrier(), summary()]
    return pieces


Seen = tuple[Any, ...]


def part_seen(part: Part, ids: dict[str, str]) -> Seen:
    """A part without its place; calls that were recorded without an id are numbered as they come."""
    call = ids.setdefault(part.call_id, f"call {len(ids)}") if part.call_id.startswith("#") else part.call_id
    arguments = json.dumps(msgspec.to_builtins(part.arguments))
    return part.type, part.text, call, part.name, arguments, part.is_error, part.media_type


def seen(messages: Sequence[Message]) -> list[Seen]:
    ids: dict[str, str] = {}
    return [(m.role, m.origin, m.kind, tuple(part_seen(part, ids) for part in m.parts)) for m in messages]


def expected(transcript: Transcript, pieces: Sequence[Piece]) -> list[Seen | tuple[str, str]]:
    kept = [transcript.messages[piece.message] for piece in pieces if isinstance(piece, Kept)]
    told = iter(seen(kept))
    return [next(told) if isinstance(piece, Kept) else (piece.kind, piece.text) for piece in pieces]


def found(transcript: Transcript, pieces: Sequence[Piece]) -> list[Seen | tuple[str, str]]:
    """What was written, in the form of `expected`: inserted messages by kind and text, all others whole."""
    new = [isinstance(piece, Inserted) for piece in pieces] + [False] * len(transcript.messages)
    told = iter(seen([message for message in transcript.messages if not new[message.index]]))
    return [
        (message.kind, "\n".join(part.text for part in message.parts)) if new[message.index] else next(told)
        for message in transcript.messages
    ]


def orphans(transcript: Transcript) -> int:
    pairs = pair_calls(transcript.messages)
    calls = sum(part.type is PartType.TOOL_CALL for message in transcript.messages for part in message.parts)
    results = sum(part.type is PartType.TOOL_RESULT for message in transcript.messages for part in message.parts)
    return calls + results - len(pairs.call_of) - sum(bool(results) for results in pairs.results_of.values())


def check_written(source: Source, pieces: Sequence[Piece], format: str = "") -> bytes:
    """Write, read again, compare with what was asked for; write that again, which must change nothing."""
    transcript = read(source, format)
    data = write_transcript(source, transcript, pieces, WRITERS)
    again = read(source_of(data), transcript.format)
    assert found(again, pieces) == expected(transcript, pieces)
    assert orphans(again) <= orphans(transcript)
    assert write(source_of(data), everything(again), transcript.format) == data
    return data


def shared_files() -> list[Path]:
    return sorted(path for path in SHARED.rglob("*") if path.is_file()) if SHARED.is_dir() else []


def transcript_in(path: Path) -> Transcript | None:
    """The transcript in a file, None where it is refused or of a format that is not written."""
    try:
        transcript = read(Source(path.read_bytes(), path=path.name))
    except TranscriptError:
        return None
    return transcript if transcript.format in WRITABLE else None


@pytest.fixture(scope="session")
def kit() -> ModuleType:
    """This module: tests are imported one by one and can't import each other."""
    return sys.modules[__name__]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A case for each file in a writable format: those that are shared, where they are, and the readers' fixtures."""
    skipped = pytest.mark.skip(reason="the shared transcripts are not here")
    absent = [] if SHARED.is_dir() else [pytest.param(None, id="shared", marks=skipped)]
    if "shared_session" in metafunc.fixturenames:
        sessions = sorted(SHARED.glob("claude_code/*.jsonl"))
        metafunc.parametrize("shared_session", [*(pytest.param(path, id=path.name) for path in sessions), *absent])
    if "written_file" in metafunc.fixturenames:
        paths = [*shared_files(), *sorted(FIXTURES.glob("*.*"))]
        found = [pytest.param(path, id=path.name) for path in paths if transcript_in(path) is not None]
        metafunc.parametrize("written_file", [*found, *absent])
