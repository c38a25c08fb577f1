"""The gate between a runtime and its summarizer: plan, compact, audit (design sections 2 and 4)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport
from barrier_policy.decision.model import Decision
from barrier_policy.errors import JournalError
from barrier_policy.gate.asked_span import check_span
from barrier_policy.gate.compacting import Compacting
from barrier_policy.gate.compaction import Compaction
from barrier_policy.gate.journal import Watch
from barrier_policy.gate.observe import Observer
from barrier_policy.gate.recover import Recovered, recover
from barrier_policy.gate.rounds import find_rounds
from barrier_policy.gate.summarizers.make import make_summarizer
from barrier_policy.gate.summary_request import Summarizer
from barrier_policy.gate.target import FileTarget, MemoryTarget, Target
from barrier_policy.gate.threads import Cancellation, cancellable, left_behind
from barrier_policy.profile import Profile
from barrier_policy.transcript.source import Source
from barrier_policy.walk import (
    Decider,
    StoreLike,
    TranscriptLike,
    as_path,
    as_profile,
    open_store,
    prepared,
    source_of,
    timestamp,
)

Messages = list[dict[str, Any]] | dict[str, Any]


class Options(TypedDict, total=False):
    """What a compaction may be asked for.

    `keep_last`, `target_tokens`, `now` and `format` are those of `decide`. `span` ([start, end) in message indices) compacts only that.
    `watch` is told each state of the transaction. Another thread ends the compaction by `cancellation.ask()`; it is rolled back, unless its
    commit has begun.
    """

    keep_last: int | None
    target_tokens: int | None
    span: tuple[int, int] | None
    now: str | datetime | None
    format: str
    watch: Watch | None
    cancellation: Cancellation | None


class Gate:
    """Plugins, policies, store and summarizer, made ready once and used for any number of compactions.

    `store` is a folder, an address or a Store, False for none, None for what the profile says. `summarizer` is a callable, sync or
    async, that takes a SummaryRequest and returns text; None for what the profile says. Transactions that a crash left unfinished are
    finished here. Raises ProfileError, PluginError or PolicyError.
    """

    def __init__(
        self,
        profile: Profile | str | Path | None = None,
        *,
        store: StoreLike = None,
        summarizer: Summarizer | None = None,
        decider: Decider | None = None,
    ) -> None:
        self.decider = decider or prepared(as_profile(profile))
        self.store = open_store(store, self.decider.profile, self.decider.plugins.stores)
        spec = self.decider.profile.summarizer
        self.summarizer = summarizer or make_summarizer(spec, count=self.decider.counter)
        self.patience = spec.timeout_seconds if summarizer else None  # those of a profile keep their own limit
        self._observer = Observer(self.decider)
        self._arrival = threading.Lock()

    def observe(self, message: dict[str, Any]) -> None:
        """Take the next message of a conversation, when it arrives. Then `plan()` and `compact()` without a source are about it.

        Costs time in this message only; what is found is what would be found from scratch. May be called while a compaction runs. What
        is no message of its format stays verbatim, as in a list that is given whole. Raises BarrierPolicyError for what is no dict.
        """
        with self._arrival:
            self._observer.observe(message)

    def plan(self, source: TranscriptLike | None = None, **options: Any) -> Decision:
        """What may leave, and why: the decision of `decide`, with its options. Without a source: of what was observed. Writes nothing."""
        if source is None:
            source, options = self._observer.records, options | {"memo": self._observer.memo}
        return self.decider.analyse(source, store=self.store, **options).decision

    def compact(
        self,
        source: Messages | bytes | None = None,
        *,
        head: Callable[[], Messages | bytes] | None = None,
        **options: Unpack[Options],
    ) -> Compaction:
        """Compact messages that a caller holds; without a source those that were observed, and the result is what is observed from then on.

        `head` returns the messages as they are now: what arrived while the compaction ran is carried over, and so is what was observed
        meanwhile.

        Raises CompactionRefusedError where the target can't be reached, CompactionBarrierError where `span` must stay, SummaryError,
        StoreError, CarrierError, AuditFailedError or CompactionCancelledError. Then nothing has changed.
        """
        if source is None:
            return self._compact_observed(head, **options)
        opened = source_of(source)
        return self._compact(opened, MemoryTarget(opened, (lambda: source_of(head())) if head else None), **options)

    def _compact_observed(self, head: Callable[[], Messages | bytes] | None, **options: Any) -> Compaction:
        """Compact what was observed; what is observed meanwhile stands behind the result, in it or in what is observed from then on."""
        observer = self._observer
        seen = 0

        def present() -> Source:
            nonlocal seen
            if self._observer is not observer:
                raise JournalError("what was observed was compacted meanwhile (one compaction of it at a time)")
            records = list(observer.records)
            seen = len(records)
            return source_of(head() if head else records)

        opened = source_of(list(observer.records))
        done = self._compact(opened, MemoryTarget(opened, present), memo=observer.memo, **options)
        if done.outcome == "compacted":
            successor = Observer(self.decider)
            for message in done.messages:
                successor.observe(message)
            with self._arrival:
                for message in observer.records[seen:]:
                    successor.observe(message)
                self._observer = successor
        return done

    def compact_file(self, path: str | Path, output: str | Path, **options: Unpack[Options]) -> Compaction:
        """Compact a file into another one, or into itself. As `compact`; the output is written at once or not at all."""
        target = FileTarget(as_path(path), as_path(output))
        return self._compact(target.head(), target, **options)

    def audit(self, before: TranscriptLike, after: TranscriptLike, **options: Any) -> AuditReport:
        """What a compaction lost, weakened, contradicted or brought back, whoever made it. Writes nothing.

        Carriers in `before` are known by their typed records where the store has them.
        """
        return audit(before, after, decider=self.decider, read=self.store.read if self.store else None, **options)

    def audit_rounds(self, before: TranscriptLike, after: TranscriptLike, **options: Any) -> tuple[AuditReport, ...]:
        """As `audit`, for a conversation that was compacted, grew and was compacted again: a report for each round, the first one first.

        The store knows what each round was made of; where it does not, there is one report, of `after` against `before`.
        """
        format = str(options.pop("format", ""))
        old, new = self.decider.read(before, format=format), self.decider.read(after, format=format)
        given = options.pop("keep_last", None)
        return tuple(
            self.audit(found.before, found.after, keep_last=found.keep_last if given is None else given, **options)
            for found in find_rounds(self.store, old, new, self.decider.plugins)
        )

    async def aaudit_rounds(self, before: TranscriptLike, after: TranscriptLike, **options: Any) -> tuple[AuditReport, ...]:
        """As `audit_rounds`, in a thread."""
        return await left_behind(partial(self.audit_rounds, before, after, **options))

    def recover(self, now: str | datetime | None = None) -> tuple[Recovered, ...]:
        """Finish transactions that a crash left unfinished."""
        return recover(self.store, timestamp(now)) if self.store is not None else ()

    async def aplan(self, source: TranscriptLike | None = None, **options: Any) -> Decision:
        """As `plan`, in a thread. Where the task is cancelled, that is left behind: it writes nothing, and keeps nobody waiting."""
        return await left_behind(partial(self.plan, source, **options))

    async def acompact(self, source: Messages | bytes | None = None, **options: Any) -> Compaction:
        """As `compact`, in a thread; an async summarizer runs in an event loop of its own.

        Where the task is cancelled before the commit, the compaction is rolled back first.
        """
        return await cancellable(lambda asked: self.compact(source, cancellation=asked, **options))

    async def acompact_file(self, path: str | Path, output: str | Path, **options: Any) -> Compaction:
        """As `compact_file`, in a thread, and as `acompact` where the task is cancelled."""
        return await cancellable(lambda asked: self.compact_file(path, output, cancellation=asked, **options))

    async def aaudit(self, before: TranscriptLike, after: TranscriptLike, **options: Any) -> AuditReport:
        """As `audit`, in a thread."""
        return await left_behind(partial(self.audit, before, after, **options))

    def _compact(
        self,
        source: Source,
        target: Target,
        *,
        span: tuple[int, int] | None = None,
        now: str | datetime | None = None,
        cancellation: Cancellation | None = None,
        **options: Any,
    ) -> Compaction:
        at = timestamp(now)
        check_span(span)
        self.recover(at)
        return Compacting(
            decider=self.decider,
            store=self.store,
            summarizer=self.summarizer,
            patience=self.patience,
            source=source,
            target=target,
            span=span,
            now=at,
            cancellation=cancellation or Cancellation(),
            **options,
        ).run()
