"""From the command line to an analysis: profile, decider, store and input, made ready once for all files of a command."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.cli.console import clean
from barrier_policy.cli.options import Request
from barrier_policy.errors import BarrierPolicyError, StoreError
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.model import PolicySet
from barrier_policy.profile import PROFILE_NAME, Profile
from barrier_policy.profile_file import load_profile
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.reader import Compaction, read_compactions, read_transcript
from barrier_policy.transcript.source import Source, read_bounded
from barrier_policy.walk import Analysis, Decider, open_store, timestamp

STDIN = "-"


class Session:
    """Everything that one command needs, checked before the first file is read.

    Raises ProfileError, PluginError or PolicyError.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.decider = Decider(chosen_profile(request))
        self.store = self._store()
        self.now = chosen_time(request.now)
        warn_expired(self.decider.policies, self.now)

    def _store(self) -> Store | None:
        chosen = False if self.request.no_store else self.request.store
        try:
            return open_store(chosen, self.decider.profile, self.decider.plugins.stores)
        except StoreError as error:
            named = self.request.profile or PROFILE_NAME
            raise StoreError(f"{named if self.request.store is None else '--store'}: {error}") from None

    def read(self, name: str) -> Transcript:
        """Read a file, or standard input for `-`. Raises BarrierPolicyError."""
        return self.read_source(open_source(name))

    def read_source(self, source: Source) -> Transcript:
        """Read bytes. Raises TranscriptError."""
        return read_transcript(source, self.decider.plugins.readers, format=self.request.reader)

    def compactions(self, name: str) -> Iterator[Compaction]:
        """The compactions that a session's own log records. Raises BarrierPolicyError."""
        return read_compactions(open_source(name), self.decider.plugins.readers, format=self.request.reader)

    def analyse(self, name: str) -> Analysis:
        """Read and decide. Raises BarrierPolicyError."""
        return self.decide(self.read(name))

    def decide(self, transcript: Transcript) -> Analysis:
        """Decide about a transcript. Raises BarrierPolicyError."""
        return self.decider.analyse(
            transcript,
            keep_last=self.request.keep_last,
            target_tokens=self.request.target_tokens,
            now=self.now,
            store=self.store,
            ranges=self.request.ranges,
        )


def warn_expired(policies: PolicySet, now: str) -> None:
    """Name on standard error the exceptions that do nothing any more."""
    for waiver in policies.exceptions:
        if not waiver.in_force(now):
            how = "it does nothing; remove or renew it"
            place = f"{waiver.file}:{waiver.line}:{waiver.column}"
            print(clean(f"{place}: warning: exception `{waiver.name}` expired on {waiver.expires} ({how})"), file=sys.stderr)


def chosen_profile(request: Request) -> Profile:
    """The profile that was named, or the one in the working directory, with what the command line changes. Raises BarrierPolicyError."""
    path = request.profile or Path(PROFILE_NAME)
    profile = load_profile(path) if request.profile or path.is_file() else Profile()
    changes: dict[str, Any] = {}
    check_layers(request.policies)
    if request.policies:
        changes["overlays"] = (*profile.overlays, *request.policies)
    if request.engine:
        changes["engine"] = request.engine
    if request.strategy is not None:
        changes["strategy"] = request.strategy
    return msgspec.structs.replace(profile, **changes)


def check_layers(folders: Iterable[Path], place: str = "--policies: ") -> None:
    """Refuse what is neither a folder of policy files nor a bundle; `place` says who named it. Raises BarrierPolicyError."""
    for folder in folders:
        if not folder.is_dir() and not (is_bundle(folder) and folder.is_file()):
            raise BarrierPolicyError(f"{place}`{folder}` is no folder (give a folder of policy files, or a bundle)")
        if folder.is_dir() and not any(folder.glob("*.yaml")):
            raise BarrierPolicyError(f"{place}`{folder}` has no policy files (give a folder with `*.yaml`)")


def chosen_time(text: str) -> str:
    """The value of `--now`, or the clock's. Raises BarrierPolicyError."""
    try:
        return timestamp(text or None)
    except BarrierPolicyError as error:
        raise BarrierPolicyError(f"--now: {error}") from None


def open_source(name: str) -> Source:
    """A file, or standard input for `-`. Raises TranscriptError."""
    if name == STDIN:
        return Source(read_bounded(sys.stdin.buffer), path="<stdin>")
    return Source.open(name)
