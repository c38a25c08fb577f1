"""The error tree. Every message reads `file:line:col: what is wrong (how to see it right)`.

May be imported by every module; imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec


class Issue(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One problem at one place of one file.

    `line` and `column` count from 1; 0 means that the place is not known. `path` is the place inside the data; it is shown where there is no
    line.
    """

    file: str
    line: int = 0
    column: int = 0
    message: str
    path: str = ""

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        return f"{place}: {self.message}" + (f" @ {self.path}" if self.path and not self.line else "")


def reason_of(error: OSError) -> str:
    """Why the operating system refused, for the brackets at the end of a message: in its own words, lower case."""
    return (error.strerror or str(error)).lower()


class BarrierPolicyError(Exception):
    """Base of all errors that this package raises on purpose."""

    exit_code = 2


class IssuesError(BarrierPolicyError):
    """Several problems at once, sorted by place; `issues` has them one by one."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = tuple(sorted(set(issues)))
        super().__init__("\n".join(str(issue) for issue in self.issues))


class TranscriptError(IssuesError):
    """A transcript that can't be read."""


class ProfileError(IssuesError):
    """A profile file that is not valid."""


class PluginError(IssuesError):
    """A plugin that can't be used."""


class PolicyError(IssuesError):
    """Policies that are not valid; nothing was decided."""

    exit_code = 3


class BundleError(BarrierPolicyError):
    """A bundle of policies that is damaged, not signed as it must be, or can't be made; nothing was decided."""

    exit_code = 3


class MissingExtraError(BarrierPolicyError):
    """An optional dependency is not installed; the message names the install command."""


class StoreError(BarrierPolicyError):
    """The provenance store can't be used."""


class DamagedObjectError(StoreError):
    """An object of the store is not what its name says."""

    exit_code = 4


class CarrierError(BarrierPolicyError):
    """A carrier message that can't be read."""


class JournalError(BarrierPolicyError):
    """A compaction that is refused because its transcript changed under it: a head that moved voids the seal. Nothing was changed."""

    exit_code = 1


class CompactionCancelledError(BarrierPolicyError):
    """A compaction that was asked to end before its commit. Nothing was changed."""


class SummaryError(BarrierPolicyError):
    """A summarizer gave nothing that can be used; nothing was changed."""


class SummaryTooLongError(SummaryError):
    """A summary that is not shorter than its source, or longer than was asked for: what it stands for stays verbatim."""


class LogError(BarrierPolicyError):
    """A decision log that can't be read or written, or is not as it was."""


class CompactionBarrierError(BarrierPolicyError, RuntimeError):
    """A span is a barrier and can't be summarized safely (source: Compaction barrier, 2026-11-10).

    `decision` is the Decision that says why, None where the error is raised without one; `seen` how often the same span was refused for
    the same reasons before.
    """

    exit_code = 1

    def __init__(self, message: str, *, decision: Any = None, seen: int = 0) -> None:
        self.decision = decision
        self.seen = seen
        super().__init__(message)


class CompactionRefusedError(BarrierPolicyError, RuntimeError):
    """The whole compaction can't be done safely (source: Refusal to reclaim, 2026-11-06).

    `decision` is the Decision with its blocking set; `relief` what would help, cheapest first; `seen` how often the same compaction was
    refused for the same reasons before.
    """

    exit_code = 1

    def __init__(self, message: str, *, decision: Any = None, relief: tuple[Any, ...] = (), seen: int = 0) -> None:
        self.decision = decision
        self.relief = relief
        self.seen = seen
        super().__init__(message)


class AuditFailedError(BarrierPolicyError, RuntimeError):
    """A compacted context did not pass its audit, and was not put in place. `decision` and `report` say what was lost and where."""

    exit_code = 4

    def __init__(self, message: str, *, decision: Any = None, report: Any = None) -> None:
        self.decision = decision
        self.report = report
        super().__init__(message)
