"""What a comparison of two policy sets says, span by span and rule by rule."""

from __future__ import annotations

from enum import StrEnum

import msgspec

SCHEMA = "barrier_policy/diff/v1"


class Change(StrEnum):
    """What changes for a span. Loosened and tightened are about what may happen to it, the others leave that as it is."""

    LOOSENED = "loosened"
    TIGHTENED = "tightened"
    ERRING = "erring"
    REASON = "reason"


class SpanChange(msgspec.Struct, frozen=True, kw_only=True):
    """A span that two sets judge differently.

    `messages` are `[start, end)`, `tokens` its size. `base` and `head` are what may happen to it: summarize, repair or retain, without
    regard to any budget. `rules` are those that made the change, `erring` those that can't be evaluated with head only. `dropped` are
    items that base would keep in records and head would not.
    """

    transcript: str
    span: str
    messages: tuple[int, int]
    tokens: int
    change: Change
    base: str
    head: str
    rules: tuple[str, ...]
    erring: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    acknowledged: bool = False


class TranscriptChange(msgspec.Struct, frozen=True, kw_only=True):
    """One transcript as it was or is to be decided, and what differs. `problem` says why it could not be compared.

    `source` is the same for all decisions about one transcript, which is counted once. `sizes` are tokens by span.
    """

    name: str
    source: str
    sizes: dict[str, int] = {}
    changes: tuple[SpanChange, ...] = ()
    problem: str = ""


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript that could not be compared, and why."""

    name: str
    problem: str


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """Spans, and their tokens."""

    spans: int = 0
    tokens: int = 0


class RuleChange(msgspec.Struct, frozen=True, kw_only=True):
    """One rule that differs, or that made a difference.

    `edit` is added, removed, changed, excepted, excepted no more, or same; where only its exceptions differ, a rule is excepted if head has
    one that base has not. `place` is where it stands, in head if it is there, or that exception; `exceptions` are names. The counts are of
    spans.
    """

    rule: str
    edit: str
    place: str
    exceptions: tuple[str, ...] = ()
    loosened: Count = Count()
    tightened: Count = Count()
    erring: Count = Count()
    reason: Count = Count()
    acknowledged_by: str = ""


class SetInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A policy set: its name and the digest that decisions state."""

    name: str
    digest: str


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison. `unacknowledged` are rules that loosened spans and that nobody has acknowledged.

    `now` is as of when was decided, the latest time where it is a log's. `decisions` are those of a log, 0 for files. A span that several decisions are about is one of `changes` for each, and counted once.
    """

    schema: str = SCHEMA
    base: SetInfo
    head: SetInfo
    engine: str
    now: str
    transcripts: int
    decisions: int
    spans: int
    tokens: int
    totals: dict[str, Count]
    rules: tuple[RuleChange, ...]
    changes: tuple[SpanChange, ...]
    unacknowledged: tuple[str, ...]
    skipped: tuple[Skipped, ...]
