"""One call of `compact`: planned, aimed at the target, each attempt a transaction, a refusal remembered (design sections 2 and 4)."""

from __future__ import annotations

import secrets
from functools import partial

import msgspec

from barrier_policy.carrier.earlier import find_earlier
from barrier_policy.decision.model import Decision
from barrier_policy.errors import SummaryTooLongError
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo
from barrier_policy.gate.aim import Short, aim
from barrier_policy.gate.asked_span import within
from barrier_policy.gate.assemble import Run, find_runs
from barrier_policy.gate.compaction import Compaction, Missed, unchanged
from barrier_policy.gate.journal import FINAL, Journal, State, Watch
from barrier_policy.gate.refusal import Seen, reasons_digest, refusal, remember
from barrier_policy.gate.summarize import Check, summarize
from barrier_policy.gate.summary_check import check_summary
from barrier_policy.gate.summary_request import Summarizer, Summary, SummaryRequest
from barrier_policy.gate.target import Target
from barrier_policy.gate.threads import Cancellation
from barrier_policy.gate.transaction import WRAPPING, Summarize, Transaction
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.logged import log_decision
from barrier_policy.log.record import Asked
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source
from barrier_policy.walk import Analysis, Decider, Established, timestamp
from barrier_policy.walk.establish import Read

EVERYWHERE = -1
"""No message: only secrets that are masked wherever they turn up."""


class Compacting(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be compacted, to where, and with what; `now` is ISO 8601, `patience` seconds for one summary, None for no limit."""

    decider: Decider
    store: Store | None
    summarizer: Summarizer
    patience: float | None
    source: Source
    target: Target
    now: str
    keep_last: int | None = None
    target_tokens: int | None = None
    span: tuple[int, int] | None = None
    format: str = ""
    watch: Watch | None = None
    cancellation: Cancellation
    memo: FactMemo | None = None

    def run(self) -> Compaction:
        """Plan and carry out, planned anew until the result keeps to the target. Raises BarrierPolicyError; then nothing has changed.

        It is cancelled where it is asked to be before the commit begins: between its steps, and while it waits for a summary.
        """
        transcript = read_transcript(self.source, self.decider.plugins.readers, format=self.format)
        established = self.decider.establish(
            transcript, keep_last=self.keep_last, now=self.now, ranges=self._ranges, memo=self.memo, read=self._read
        )
        planned = partial(self._planned, established)
        analysis = planned(self.target_tokens)
        decision = analysis.decision
        if decision.outcome == "refuse":
            raise refusal(decision, self._seen(reasons_digest(decision)))
        # the target is about the whole, which a span alone can't answer for
        limit = None if self.span else decision.budget.target_tokens
        attempt = partial(self._attempt, summarize=self._summaries(established), limit=limit)
        done = attempt(analysis) if limit is None else aim(analysis, limit, planned, attempt)
        if isinstance(done, Short):
            decision = done.analysis.decision
            raise refusal(
                decision, self._seen(reasons_digest(decision)), target=limit, least=done.tokens, planned=done.planned
            )
        assert isinstance(done, Compaction)
        return done

    @property
    def _read(self) -> Read | None:
        return self.store.read if self.store else None

    @property
    def _ranges(self) -> tuple[tuple[int, int], ...]:
        return (self.span,) if self.span else ()

    def _planned(self, established: Established, tokens: int | None) -> Analysis:
        """A plan for a target, on the log that the profile names. Raises LogError: what can't be accounted for is not done."""
        self.cancellation.check()
        analysis = self.decider.conclude(established, target_tokens=tokens, store=self.store)
        if self.decider.profile.log is not None:
            asked = Asked(now=self.now, ranges=self._ranges, keep_last=self.keep_last, target_tokens=tokens)
            with DecisionLog.open(self.decider.profile.log) as log:
                log_decision(
                    log, analysis, self.decider, self.source.data, asked, store=self.store, timestamp=timestamp(None)
                )
        return analysis

    def _summaries(self, established: Established) -> Summarize:
        """What asks the summarizer, once for each run of messages however often it is planned."""
        check = _checks(self.decider, established.masker)
        known: dict[tuple[int, int, int], Summary | SummaryTooLongError] = {}

        def ask(request: SummaryRequest) -> Summary:
            key = (request.messages[0].index, len(request.messages), request.max_tokens)
            if key not in known:
                try:
                    known[key] = summarize(
                        request, self.summarizer, timeout=self.patience, check=check, cancellation=self.cancellation
                    )
                except SummaryTooLongError as error:
                    known[key] = error
            found = known[key]
            if isinstance(found, SummaryTooLongError):
                raise found
            return found

        return ask

    def _attempt(self, analysis: Analysis, *, summarize: Summarize, limit: int | None) -> Compaction | Missed:
        """Carry one plan out, unless the result would be larger than `limit`, in tokens."""
        decision, messages = analysis.decision, analysis.transcript.messages
        runs = self._runs(decision, analysis.transcript)
        if not runs:
            tokens = decision.totals.tokens_before
            return unchanged(decision, self.target) if limit is None or tokens <= limit else Missed(tokens=tokens)
        gone = {number for run in runs for number in run.spans}
        return Transaction(
            decider=self.decider,
            source=self.source,
            analysis=analysis,
            actions=[found.action if number in gone else "retain" for number, found in enumerate(decision.spans)],
            runs=runs,
            earlier=find_earlier(messages, self._read),
            store=self.store,
            target=self.target,
            journal=Journal(self.store, _name(decision, self.now), now=self.now, watch=self._watched),
            now=self.now,
            summarize=summarize,
            limit=limit,
        ).run()

    def _seen(self, reasons: str) -> Seen:
        return remember(self.store, reasons, self.now)

    def _watched(self, state: State) -> None:
        """After a state has been made durable: what is committed is not cancelled any more."""
        if self.watch is not None:
            self.watch(state)
        if state not in FINAL:
            self.cancellation.check()

    def _runs(self, decision: Decision, transcript: Transcript) -> tuple[Run, ...]:
        """The runs that are large enough to be worth a summary; with a span, those in it. Raises CompactionBarrierError where that must stay."""
        if self.span is not None:
            decision = within(decision, self.span, self._seen)
        return tuple(run for run in find_runs(decision, transcript.messages) if run.tokens > WRAPPING)


def _checks(decider: Decider, masker: Masker) -> Check:
    """What an answer has to pass; the secrets of the transcript, which the summarizer was not told, are among it."""
    return partial(check_summary, count=decider.counter, holds_secret=lambda text: masker.text(text, EVERYWHERE) != text)


def _name(decision: Decision, now: str) -> str:
    """A name for a transaction that sorts by time and is taken by no other one."""
    moment = "".join(character for character in now if character.isdigit())[:14]
    return f"{moment}-{decision.decision_id.removeprefix('sha256:')[:12]}-{secrets.token_hex(4)}"
