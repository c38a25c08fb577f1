"""Which files of a log may go: the oldest ones that every limit lets go, up to the first that somebody still needs.

The writer removes nothing; `log prune` does. What goes is a beginning of the log, so the chain of the rest stays whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import groupby, takewhile
from pathlib import Path

import msgspec

from barrier_policy.errors import LogError, reason_of
from barrier_policy.log.chain import Anchor, Chain, Line, parse_anchor
from barrier_policy.log.files import FileLog
from barrier_policy.log.record import Head, read_record
from barrier_policy.provenance.names import find_digests


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What stays at least: so many files that were put aside, and records of so many days. A limit that is None lets everything go."""

    files: int | None = None
    days: int | None = None


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One file: its records `first` to `head.count`, when the newest was logged, and who needs which of them."""

    file: str
    first: int
    head: Head
    newest: str
    needed: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What goes, and what the limits would let go but stays because it, or one before it, is needed."""

    go: tuple[Segment, ...] = ()
    stay: tuple[Segment, ...] = ()


def plan_retention(
    log: FileLog, limits: Limits, *, now: str, anchors: Collection[Anchor], held: Mapping[str, str], needed_too: bool = False
) -> Plan:
    """What may go of a log. `held` says by digest who holds an object. With `needed_too` what is needed goes as well.

    Raises LogError where the log is not whole: nothing is taken from it then.
    """
    segments = list(_segments(log, anchors, held))
    aside = [segment for segment in segments if segment.file != str(log.path)]
    oldest = aside[: max(0, len(aside) - limits.files)] if limits.files is not None else aside
    if limits.days is not None:
        start = datetime.fromisoformat(now) - timedelta(days=limits.days)
        oldest = list(takewhile(lambda segment: datetime.fromisoformat(segment.newest) < start, oldest))
    if limits.files is None and limits.days is None:
        oldest = []
    go = oldest if needed_too else list(takewhile(lambda segment: not segment.needed, oldest))
    return Plan(go=tuple(go), stay=tuple(oldest[len(go) :]))


def read_anchors(path: Path) -> tuple[Anchor, ...]:
    """The anchors of a file, the first word of each line; empty lines and those that begin with `#` are left out. Raises LogError."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "not UTF-8"
        raise LogError(f"{path}: can't be read ({reason})") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found.append(parse_anchor(line.split()[0]))
            except LogError as error:
                raise LogError(f"{path}:{number}: {error}") from None
    return tuple(found)


def _segments(log: FileLog, anchors: Collection[Anchor], held: Mapping[str, str]) -> Iterator[Segment]:
    chain = Chain(log.start())
    for file, lines in groupby(log.lines(), key=lambda line: line.file):
        first, newest, needed = chain.head.count + 1, "", list[str]()
        for line in lines:
            chain.take(line)
            if chain.problem:
                raise LogError(f"{chain.problem}; nothing is removed from a log that is not whole")
            newest = max(newest, read_record(line.data).timestamp)
            needed += _needed(line, chain.head, anchors, held)
        yield Segment(file=file, first=first, head=chain.head, newest=newest, needed=tuple(needed))


def _needed(line: Line, head: Head, anchors: Iterable[Anchor], held: Mapping[str, str]) -> Iterator[str]:
    if any(anchor.digest == head.digest or anchor.count == head.count for anchor in anchors):
        yield f"record {head.count} is anchored"
    for digest in sorted(find_digests(line.data) & held.keys()):
        yield f"record {head.count} names {digest[:19]}…, held for {held[digest]}"
