"""What two policy sets are compared on: transcripts in files and folders, or those of a decision log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from barrier_policy.errors import BarrierPolicyError

MAX_LINE = 64_000_000


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One transcript, in the file `path` or in the store under `digest`, and how it was or is to be decided.

    `size` is in bytes, as far as it is known. `optional` is a file that was found in a folder, and need not be a transcript.
    """

    name: str
    now: str
    path: str = ""
    digest: str = ""
    size: int = 0
    format: str = ""
    keep_last: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()
    optional: bool = False


def subjects_of_files(
    paths: Iterable[Path], *, now: str, format: str = "", keep_last: int | None = None
) -> tuple[Subject, ...]:
    """Files, and all files below folders but hidden ones, each once, in the order of their names. Raises BarrierPolicyError."""
    found: dict[str, Subject] = {}
    for path in paths:
        if not path.exists():
            raise BarrierPolicyError(f"--transcripts: `{path}` is not there (give transcripts, or folders of them)")
        for file in sorted(_files(path)) if path.is_dir() else [path]:
            found[str(file)] = Subject(
                name=str(file),
                path=str(file),
                size=file.stat().st_size,
                now=now,
                format=format,
                keep_last=keep_last,
                optional=path.is_dir(),
            )
    return tuple(found[name] for name in sorted(found))


def _files(folder: Path) -> Iterator[Path]:
    """Files below a folder; links are not followed out of it."""
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in inside.parts):
            yield path


class _Transcript(msgspec.Struct, frozen=True):
    digest: str
    length: int
    format: str


class _Asked(msgspec.Struct, frozen=True):
    now: str
    keep_last: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()


class _Inputs(msgspec.Struct, frozen=True):
    archive: str
    asked: _Asked
    transcript: _Transcript


class _Record(msgspec.Struct, frozen=True):
    """What is needed of a log record; `policy diff` is about what was decided, `log verify` about whether the log is whole."""

    decision_id: str
    inputs: _Inputs


def subjects_of_log(path: Path) -> tuple[Subject, ...]:
    """The transcripts of a decision log of JSON lines, each once for each way in which it was decided. Raises BarrierPolicyError."""
    found: dict[tuple[object, ...], Subject] = {}
    for number, line in enumerate(_lines(path), 1):
        try:
            record = msgspec.json.decode(line, type=_Record)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BarrierPolicyError(
                f"{path}:{number}: the line is no record of a decision log (try `log verify`)"
            ) from None
        about, asked = record.inputs.transcript, record.inputs.asked
        subject = Subject(
            name=f"decision {record.decision_id.removeprefix('sha256:')[:12]}",
            digest=about.digest,
            size=about.length,
            format=about.format,
            now=asked.now,
            keep_last=asked.keep_last,
            ranges=asked.ranges,
        )
        found.setdefault((about.digest, asked.now, asked.keep_last, asked.ranges), subject)
    if not found:
        raise BarrierPolicyError(f"{path}: the log has no decisions")
    return tuple(sorted(found.values(), key=lambda subject: subject.name))


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE):
                if line.strip():
                    yield line
    except OSError as error:
        raise BarrierPolicyError(f"{path}: can't be read ({(error.strerror or str(error)).lower()})") from None
