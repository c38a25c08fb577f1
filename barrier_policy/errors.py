"""The error tree. Every message reads `file:line:col: what is wrong (how to see it right)`.

May be imported by every module; imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Issue(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One problem at one place of one file.

    `line` and `column` count from 1; 0 means that the place is not known.
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
        return f"{place}: {self.message}" + (f" @ {self.path}" if self.path else "")


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


class CarrierError(BarrierPolicyError):
    """A carrier message that can't be read."""


class CompactionBarrierError(BarrierPolicyError, RuntimeError):
    """A span is a barrier and can't be summarized safely (source: Compaction barrier, 2026-11-10)."""

    exit_code = 1


class CompactionRefusedError(BarrierPolicyError, RuntimeError):
    """The whole compaction can't be done safely (source: Refusal to reclaim, 2026-11-06)."""

    exit_code = 1
