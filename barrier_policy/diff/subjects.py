"""What two policy sets are compared on: transcripts in files and folders, or those of a decision log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from barrier_policy.errors import BarrierPolicyError
from barrier_policy.log.decision_log import DecisionLog


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

    @property
    def source(self) -> str:
        """The same for all decisions about one transcript."""
        return self.digest or self.name


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


def subjects_of_log(log: DecisionLog, tell: Callable[[str], None]) -> tuple[Subject, ...]:
    """The decisions of a log, each once, as of the last time that it was made. `tell` is told where the log is not whole.

    Raises BarrierPolicyError. INVARIANT: a transcript is read from the store under its digest, so a changed record can name another one
    and can't make one up.
    """
    found: dict[str, Subject] = {}
    for record in log.records(tell):
        about, asked = record.inputs.transcript, record.inputs.asked
        found[record.decision_id] = Subject(
            name=f"decision {record.decision_id.removeprefix('sha256:')[:12]}",
            digest=about.digest,
            size=about.length,
            format=about.format,
            now=asked.now,
            keep_last=asked.keep_last,
            ranges=asked.ranges,
        )
    if not found:
        raise BarrierPolicyError(f"{log.spec.path}: the log has no decisions")
    unlike: dict[tuple[object, ...], Subject] = {}
    for _, subject in sorted(found.items()):  # what is asked for beside the spans, as a budget, changes nothing here
        unlike.setdefault((subject.digest, subject.now, subject.keep_last, subject.ranges), subject)
    return tuple(unlike.values())
