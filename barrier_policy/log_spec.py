"""Where and how a team logs decisions (profile section `log`)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec

LABEL = r"[a-z][a-z0-9_.-]{0,62}"
MAX_LABELS = 32
MAX_LABEL_LENGTH = 200
MAX_ROTATE_MB = 100_000
MAX_KEEP_FILES = 100_000
MAX_KEEP_DAYS = 36_500


class LogKind(StrEnum):
    """What a log is kept in; `auto` says so by what is there, or by the name: `.db`, `.sqlite` and `.sqlite3` are databases."""

    AUTO = "auto"
    JSONL = "jsonl"
    SQLITE = "sqlite"


class Fsync(StrEnum):
    """When a record is made durable: before `append` returns, every so many records and when the log is closed, or by the system."""

    ALWAYS = "always"
    BATCH = "batch"
    NEVER = "never"


class LogSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A decision log. Without a `path` these are settings for one that is named elsewhere, by `--log`.

    `rotate_mb` is the size in megabytes (10**6 bytes) from which on a file of JSON lines is put aside; None: never. `include_text` keeps
    the explanations of rules, which quote the transcript; secrets in them are masked. `labels` are put into every record.

    `keep_files` and `keep_days` are what `log prune` leaves at least, in files that were put aside and in days; `anchors` is a file of
    anchors whose records stay as well.
    """

    path: Path = Path()
    kind: LogKind = LogKind.AUTO
    fsync: Fsync = Fsync.ALWAYS
    rotate_mb: int | None = None
    keep_files: int | None = None
    keep_days: int | None = None
    anchors: Path | None = None
    include_text: bool = False
    labels: dict[str, str] = {}
