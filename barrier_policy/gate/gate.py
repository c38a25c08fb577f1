"""The gate between a runtime and its summarizer: plan, compact, audit (design sections 2 and 4)."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport
from barrier_policy.carrier.earlier import find_earlier
from barrier_policy.decision.model import Decision, Reason, SpanDecision
from barrier_policy.errors import BarrierPolicyError, CompactionBarrierError, JournalError, SummaryTooLongError
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo
from barrier_policy.gate.aim import Short, aim
from barrier_policy.gate.assemble import Run, find_runs
from barrier_policy.gate.journal import Journal, Watch
from barrier_policy.gate.observe import Observer
from barrier_policy.gate.recover import Recovered, recover
from barrier_policy.gate.refusal import refusal, remember
from barrier_policy.gate.rounds import find_rounds
from barrier_policy.gate.summarize import Check, summarize
from barrier_policy.gate.summarizers.make import make_summarizer
from barrier_policy.gate.summary_check import check_summary
from barrier_policy.gate.summary_request import Summarizer, Summary, SummaryRequest
from barrier_policy.gate.target import FileTarget, MemoryTarget, Target
from barrier_policy.gate.transaction import WRAPPING, Compaction, Missed, Summarize, Transaction, unchanged
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.logged import log_decision
from barrier_policy.log.record import Asked
from barrier_policy.profile import Profile
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source
from barrier_policy.walk import (
    Analysis,
    Decider,
    Established,
    StoreLike,
    TranscriptLike,
    as_path,
    as_profile,
    open_store,
    prepared,
    source_of,
    timestamp,
)

EVERYWHERE = -1
"""No message: only secrets that are masked wherever they turn up."""
Messages = list[dict[str, Any]] | dict[str, Any]


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

        Costs time in this message only; what is found is what would be found from scratch. May be called while a compaction runs.
        """
        with self._arrival:
            self._observer.observe(message)

    def plan(self, source: TranscriptLike | None = None, **options: Any) -> Decision:
        """What may leave, and why: the decision of `decide`, with its options. Without a source: of what was observed. Writes nothing."""
        if source is None:
            return self._analyse(self._observer.records, memo=self._observer.memo, **options).decision
        return self._analyse(source, **options).decision

    def compact(
        self,
        source: Messages | bytes | None = None,
        *,
        keep_last: int | None = None,
        target_tokens: int | None = None,
        span: tuple[int, int] | None = None,
        now: str | datetime | None = None,
        format: str = "",
        head: Callable[[], Messages | bytes] | None = None,
        watch: Watch | None = None,
    ) -> Compaction:
        """Compact messages that a caller holds; without a source those that were observed, and the result is what is observed from then on.

        `span` ([start, end) in message indices) compacts only that. `head` returns the messages as they are now: what arrived while the
        compaction ran is carried over, and so is what was observed meanwhile. `watch` is told each state of the transaction.

        Raises CompactionRefusedError where the target can't be reached, CompactionBarrierError where `span` must stay, SummaryError,
        StoreError, CarrierError or AuditFailedError. Then nothing has changed.
        """
        options: dict[str, Any] = {"keep_last": keep_last, "target_tokens": target_tokens, "now": now}
        options |= {"span": span, "format": format, "watch": watch}
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

    def compact_file(
        self,
        path: str | Path,
        output: str | Path,
        *,
        keep_last: int | None = None,
        target_tokens: int | None = None,
        span: tuple[int, int] | None = None,
        now: str | datetime | None = None,
        format: str = "",
        watch: Watch | None = None,
    ) -> Compaction:
        """Compact a file into another one, or into itself. As `compact`; the output is written at once or not at all."""
        target = FileTarget(as_path(path), as_path(output))
        options: dict[str, Any] = {"keep_last": keep_last, "target_tokens": target_tokens, "now": now}
        return self._compact(target.head(), target, span=span, format=format, watch=watch, **options)

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
        return await asyncio.to_thread(partial(self.audit_rounds, before, after, **options))

    def recover(self, now: str | datetime | None = None) -> tuple[Recovered, ...]:
        """Finish transactions that a crash left unfinished."""
        return recover(self.store, timestamp(now)) if self.store is not None else ()

    async def aplan(self, source: TranscriptLike | None = None, **options: Any) -> Decision:
        """As `plan`, in a thread."""
        return await asyncio.to_thread(partial(self.plan, source, **options))

    async def acompact(self, source: Messages | bytes | None = None, **options: Any) -> Compaction:
        """As `compact`, in a thread; an async summarizer runs in the caller's loop."""
        return await asyncio.to_thread(partial(self.compact, source, **options))

    async def acompact_file(self, path: str | Path, output: str | Path, **options: Any) -> Compaction:
        """As `compact_file`, in a thread."""
        return await asyncio.to_thread(partial(self.compact_file, path, output, **options))

    async def aaudit(self, before: TranscriptLike, after: TranscriptLike, **options: Any) -> AuditReport:
        """As `audit`, in a thread."""
        return await asyncio.to_thread(partial(self.audit, before, after, **options))

    def _analyse(self, source: TranscriptLike, **options: Any) -> Analysis:
        return self.decider.analyse(source, store=self.store, **options)

    def _log(self, analysis: Analysis, source: Source, asked: Asked) -> None:
        """Write the decision on the log that the profile names. Raises LogError: what can't be accounted for is not done."""
        if self.decider.profile.log is not None:
            with DecisionLog.open(self.decider.profile.log) as log:
                log_decision(log, analysis, self.decider, source.data, asked, store=self.store, timestamp=timestamp(None))

    def _compact(
        self,
        source: Source,
        target: Target,
        *,
        span: tuple[int, int] | None,
        format: str,
        watch: Watch | None,
        now: str | datetime | None,
        keep_last: int | None,
        target_tokens: int | None,
        memo: FactMemo | None = None,
    ) -> Compaction:
        at = timestamp(now)
        _check_span(span)
        self.recover(at)
        transcript = read_transcript(source, self.decider.plugins.readers, format=format)
        ranges = (span,) if span else ()
        established = self.decider.establish(transcript, keep_last=keep_last, now=at, ranges=ranges, memo=memo)
        summaries = self._summaries(established)

        def planned(tokens: int | None) -> Analysis:
            analysis = self.decider.conclude(established, target_tokens=tokens, store=self.store)
            self._log(analysis, source, Asked(now=at, ranges=ranges, keep_last=keep_last, target_tokens=tokens))
            return analysis

        def attempt(analysis: Analysis) -> Compaction | Missed:
            return self._attempt(analysis, source, target, span=span, watch=watch, now=at, limit=limit, summarize=summaries)

        analysis = planned(target_tokens)
        decision = analysis.decision
        if decision.outcome == "refuse":
            raise refusal(decision, remember(self.store, decision, at))
        limit = (
            None if span else decision.budget.target_tokens
        )  # the target is about the whole, which a span alone can't answer for
        done = attempt(analysis) if limit is None else aim(analysis, limit, planned, attempt)
        if isinstance(done, Short):
            decision = done.analysis.decision
            raise refusal(decision, remember(self.store, decision, at), target=limit, least=done.tokens)
        assert isinstance(done, Compaction)
        return done

    def _summaries(self, established: Established) -> Summarize:
        """What asks the summarizer, once for each run of messages however often it is planned."""
        check = _checks(self.decider, established.masker)
        known: dict[tuple[int, int, int], Summary | SummaryTooLongError] = {}

        def ask(request: SummaryRequest) -> Summary:
            key = (request.messages[0].index, len(request.messages), request.max_tokens)
            if key not in known:
                try:
                    known[key] = summarize(request, self.summarizer, timeout=self.patience, check=check)
                except SummaryTooLongError as error:
                    known[key] = error
            found = known[key]
            if isinstance(found, SummaryTooLongError):
                raise found
            return found

        return ask

    def _attempt(
        self,
        analysis: Analysis,
        source: Source,
        target: Target,
        *,
        span: tuple[int, int] | None,
        watch: Watch | None,
        now: str,
        limit: int | None,
        summarize: Summarize,
    ) -> Compaction | Missed:
        """Carry one plan out, unless the result would be larger than `limit`, in tokens."""
        decision, messages = analysis.decision, analysis.transcript.messages
        runs = _runs(decision, analysis.transcript, span)
        if not runs:
            tokens = decision.totals.tokens_before
            return unchanged(decision, target) if limit is None or tokens <= limit else Missed(tokens=tokens)
        gone = {number for run in runs for number in run.spans}
        return Transaction(
            decider=self.decider,
            source=source,
            analysis=analysis,
            actions=[found.action if number in gone else "retain" for number, found in enumerate(decision.spans)],
            runs=runs,
            earlier=find_earlier(messages, self.store.read if self.store else None),
            store=self.store,
            target=target,
            journal=Journal(self.store, _name(decision, now), now=now, watch=watch),
            now=now,
            summarize=summarize,
            limit=limit,
        ).run()


def _check_span(span: Any) -> None:
    """Raises BarrierPolicyError for what is no pair of message indices."""
    if span is not None and not (
        isinstance(span, (tuple, list)) and len(span) == 2 and all(type(index) is int for index in span)
    ):
        raise BarrierPolicyError(
            f"`span` is `{span!r:.80}` (give two message indices: the first, and the one behind the last)"
        )


def _runs(decision: Decision, transcript: Transcript, span: tuple[int, int] | None) -> tuple[Run, ...]:
    """The runs that are large enough to be worth a summary; with `span`, the one in it. Raises CompactionBarrierError where that must stay."""
    if span is not None:
        decision = _within(decision, span)
    return tuple(run for run in find_runs(decision, transcript.messages) if run.tokens > WRAPPING)


def _checks(decider: Decider, masker: Masker) -> Check:
    """What an answer has to pass; the secrets of the transcript, which the summarizer was not told, are among it."""
    return partial(check_summary, count=decider.counter, holds_secret=lambda text: masker.text(text, EVERYWHERE) != text)


def _within(decision: Decision, span: tuple[int, int]) -> Decision:
    """The decision about one span: all others stay."""
    start, end = span
    wanted = [found for found in decision.spans if found.messages[0] < end and found.messages[1] > start]
    held = [found for found in wanted if found.action == "retain"]
    if held or not wanted:
        raise _barrier(held, span, decision)
    inside = {found.id for found in wanted}
    spans = (found if found.id in inside else msgspec.structs.replace(found, action="retain") for found in decision.spans)
    return msgspec.structs.replace(decision, spans=tuple(spans))


def _barrier(held: Sequence[SpanDecision], span: tuple[int, int], decision: Decision) -> CompactionBarrierError:
    if not held:
        return CompactionBarrierError(
            f"messages {span[0]}:{span[1]} are in the tail, which stays (shorten the tail)", decision=decision
        )
    lines = []
    for found in held:
        barriers = [reason for reason in found.reasons if reason.effect == "barrier"]
        lines += [f"span {found.id} is a compaction barrier: {_told(reason)}" for reason in barriers]
        lines += [f"span {found.id} is a compaction barrier: {error.rule} could not be evaluated" for error in found.errors]
        if not barriers and not found.errors:
            lines.append(f"span {found.id} is a compaction barrier: no rule permits it to be summarized")
    return CompactionBarrierError("\n".join(lines), decision=decision)


def _told(reason: Reason) -> str:
    """A reason on one line: its explanation may quote the transcript."""
    return f"{reason.rule}: {' '.join(reason.explanation.split())}"


def _name(decision: Decision, now: str) -> str:
    """A name for a transaction that sorts by time and is taken by no other one."""
    moment = "".join(character for character in now if character.isdigit())[:14]
    return f"{moment}-{decision.decision_id.removeprefix('sha256:')[:12]}-{secrets.token_hex(4)}"
