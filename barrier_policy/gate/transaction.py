"""One compaction, from its plan to the commit: every step is durable before the next, and nothing is in place before it was audited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from barrier_policy.audit.audit import audit_analysis
from barrier_policy.audit.model import AuditReport, Outcome
from barrier_policy.carrier.earlier import Earlier
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import AuditFailedError, BarrierPolicyError, JournalError, SummaryTooLongError
from barrier_policy.gate.archive import Archive, archive_originals
from barrier_policy.gate.assemble import Run, arrange, summary_text
from barrier_policy.gate.carry import carry_on
from barrier_policy.gate.compaction import Compaction, Draft, Missed, Written, unchanged
from barrier_policy.gate.journal import FINAL, Journal, State
from barrier_policy.gate.recover import owner
from barrier_policy.gate.refused import refused, told
from barrier_policy.gate.summary_request import Summary, SummaryRequest, make_request
from barrier_policy.gate.target import Target
from barrier_policy.profile import Inconclusive
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.model import Message, Transcript
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.tokens import MESSAGE_OVERHEAD, message_tokens
from barrier_policy.transcript.writer import Inserted, Kept, Piece, write_transcript
from barrier_policy.walk import Analysis, Decider, records_of

WRAPPING = 40
"""Tokens that a summary costs besides its words; a run that is not larger stays as it is."""
ATTEMPTS = 5
"""How often a transcript may grow while it is being compacted before the compaction gives up."""

Summarize = Callable[[SummaryRequest], Summary]


class Transaction(msgspec.Struct, kw_only=True):
    """What one compaction works on. `run` does it all, or leaves everything as it was and raises."""

    decider: Decider
    source: Source
    analysis: Analysis
    actions: Sequence[str]
    runs: tuple[Run, ...]
    earlier: Earlier
    store: Store | None
    target: Target
    journal: Journal
    summarize: Summarize
    now: str
    limit: int | None = None
    """Tokens that the new context may have, None where it only has to be smaller."""

    def run(self) -> Compaction | Missed:
        """Archive, rebind, summarize, seal, apply aside, audit, commit. Raises BarrierPolicyError; then nothing has changed.

        Nothing has changed either where the new context would be larger than `limit`.
        """
        if self.limit is not None and (least := self._least()) > self.limit:
            return Missed(tokens=least)
        try:
            return self._run()
        except BaseException as error:
            self.target.discard()
            if self.journal.state not in FINAL:
                reason = str(error) if isinstance(error, BarrierPolicyError) else type(error).__name__
                self._roll_back(reason)
            raise

    def _roll_back(self, reason: str) -> None:
        with suppress(BarrierPolicyError):  # the store is why it failed: recovery finds the transaction unfinished
            self.journal.record(State.ROLLED_BACK, reason=reason)

    def _least(self) -> int:
        """What the new context costs at the least, however short its summaries are. Asks no summarizer and writes nothing."""
        records = records_of(self.analysis.join, self.analysis.assessments, self.actions)
        carrier = carry_on(self.earlier, records, self.analysis, None)
        frames = {run: summary_text("", "", run.end - run.start) for run in self.runs}
        return self._size(arrange(self.analysis.transcript.messages, carrier.text, self.earlier.messages, frames))

    def _run(self) -> Compaction | Missed:
        decision, transcript = self.analysis.decision, self.analysis.transcript
        keep_last = len(transcript.messages) - decision.tail.start
        self.journal.record(
            State.PLANNED, decision=decision.decision_id, head=self.source.digest, keep_last=keep_last, **owner()
        )
        archive = None
        if self.store is not None:
            archive = archive_originals(self.store, self.source, decision, transcript.messages, self.runs)
        self.journal.record(State.ARCHIVED, manifest=archive.manifest.digest if archive else "")
        records = records_of(self.analysis.join, self.analysis.assessments, self.actions)
        gone = {index for run in self.runs for index in range(run.start, run.end)}
        carrier = carry_on(self.earlier, records, self.analysis, self.store, gone=gone)
        self.journal.record(State.REBOUND, records=carrier.pointer.digest if carrier.pointer else "")
        summaries, kept = self._summaries(archive)
        draft = Draft(
            decision=decision,
            carrier=carrier,
            transaction=self.journal.name,
            archive=archive,
            kept=kept,
            unreadable_carriers=self.earlier.unreadable,
            untyped_carriers=self.earlier.untyped,
        )
        return self._settle(summaries, draft)

    def _settle(self, summaries: dict[Run, str], draft: Draft) -> Compaction | Missed:
        """Commit the new context. Where its audit finds some summaries at fault, what these stand for stays.

        Raises AuditFailedError where all are at fault, or nothing is gained without them.
        """
        messages = self.analysis.transcript.messages
        failed: AuditFailedError | None = None
        while True:
            pieces = arrange(messages, draft.carrier.text, self.earlier.messages, summaries)
            size = self._size(pieces)
            over = self.limit is not None and size > self.limit
            if failed is not None and (over or size >= draft.decision.totals.tokens_before):
                raise failed
            if over:
                self.journal.record(State.ROLLED_BACK, reason="the new context would be larger than the target")
                return Missed(tokens=size)
            if size >= draft.decision.totals.tokens_before:
                self.journal.record(State.ROLLED_BACK, reason="the new context would be no smaller")
                return unchanged(draft.decision, self.target, kept=draft.kept)
            try:
                written = self._write(self.source, self.analysis.transcript, pieces)
            except AuditFailedError as error:
                found = refused(error.report, pieces, summaries)
                if not found or len(found) == len(summaries):
                    raise
                failed = error
                gone = {entry.run for entry in found}
                summaries = {run: text for run, text in summaries.items() if run not in gone}
                draft = msgspec.structs.replace(draft, refused=(*draft.refused, *found))
            else:
                return self._commit(pieces, written, draft)

    def _summaries(self, archive: Archive | None) -> tuple[dict[Run, str], tuple[Run, ...]]:
        """The text for each run; a run whose summary is no shorter than itself stays."""
        summaries: dict[Run, str] = {}
        kept = []
        for run in self.runs:
            messages = self.analysis.transcript.messages[run.start : run.end]
            request = make_request(
                messages,
                self.analysis.masker,
                tokens=run.tokens,
                max_tokens=run.tokens - WRAPPING,
                preserve=self.decider.profile.fidelity.preserve,
            )
            try:
                words = self.summarize(request).text
            except SummaryTooLongError:
                kept.append(run)
                continue
            original = archive.runs[run.start].digest if archive else ""
            summaries[run] = summary_text(words, original, run.end - run.start)
        return summaries, tuple(kept)

    def _size(self, pieces: Sequence[Piece]) -> int:
        """What a context would cost, in tokens."""
        messages, count = self.analysis.transcript.messages, self.decider.counter
        return sum(
            count(piece.text) + MESSAGE_OVERHEAD
            if isinstance(piece, Inserted)
            else message_tokens(messages[piece.message], count)
            for piece in pieces
        )

    def _write(self, source: Source, transcript: Transcript, pieces: Sequence[Piece]) -> Written:
        """Seal against a head, write aside, audit. Raises AuditFailedError."""
        output = write_transcript(source, transcript, pieces, self.decider.plugins.writers)
        self.journal.record(State.SEALED, head=source.digest, output=digest_bytes(output))
        self.journal.record(State.APPLIED, **self.target.stage(output))
        report, tokens = self._audited(output, transcript)
        return Written(output=output, report=report, tokens_after=tokens)

    def _commit(self, pieces: tuple[Piece, ...], written: Written, draft: Draft) -> Compaction:
        """Put what was written aside in place. A transcript that grew meanwhile is written again with what came,

        also one that grew while it was being replaced.
        """
        source, transcript = self.source, self.analysis.transcript
        for attempt in range(1, ATTEMPTS + 1):
            head = self.target.commit(source)
            if head is None:
                self.journal.record(State.COMMITTED)
                arrived = len(transcript.messages) - len(self.analysis.transcript.messages)
                return draft.finish(arrived=arrived, **msgspec.structs.asdict(written))
            if attempt < ATTEMPTS:
                source, transcript, pieces = self._carried_over(head, pieces)
                written = self._write(source, transcript, pieces)
        raise JournalError(
            f"{self.source.path}: the transcript kept growing while it was compacted (try again when the agent rests)"
        )

    def _audited(self, output: bytes, transcript: Transcript) -> tuple[AuditReport, int]:
        """The report on what was written, read by the reader of its format, and its size in tokens. Raises AuditFailedError."""
        after = read_transcript(
            Source(output, path=self.source.path), self.decider.plugins.readers, format=transcript.format
        )
        report = audit_analysis(self.decider, self.analysis, after, now=self.now, earlier=self.earlier.records)
        problem = self._problem(report.outcome)
        self.journal.record(State.AUDITED, outcome=str(report.outcome), **({"refused": True} if problem else {}))
        if problem:
            message = f"{self.source.path}: {problem}; the original is as it was\n{told(report)}"
            raise AuditFailedError(message, decision=self.analysis.decision, report=report)
        return report, sum(message_tokens(message, self.decider.counter) for message in after.messages)

    def _problem(self, outcome: Outcome) -> str:
        """Why a result with this outcome of its audit is not put in place, "" where it is: what could not be looked into is no pass."""
        if outcome is Outcome.FAIL:
            return "the compacted transcript fails its audit"
        if outcome is Outcome.INCONCLUSIVE and self.decider.profile.inconclusive is Inconclusive.REFUSE:
            return "the audit of the compacted transcript is inconclusive (`audit: {inconclusive: accept}` in the profile takes it)"
        return ""

    def _carried_over(self, head: Source, pieces: tuple[Piece, ...]) -> tuple[Source, Transcript, tuple[Piece, ...]]:
        """What came in since the plan, kept behind what was planned. Raises JournalError where what was planned for has changed."""
        before, start = self.analysis.transcript, self.analysis.decision.tail.start
        transcript = read_transcript(head, self.decider.plugins.readers, format=before.format)
        if [_content(m) for m in transcript.messages[:start]] != [_content(m) for m in before.messages[:start]]:
            raise JournalError(f"{head.path}: the transcript was changed while it was compacted (compact it again)")
        if any(skipped.what == "truncated last line" for skipped in transcript.skipped):
            raise JournalError(f"{head.path}: its last line is being written (try again when the agent rests)")
        planned = [piece for piece in pieces if isinstance(piece, Inserted) or piece.message < start]
        tail = [Kept(message=index) for index in range(start, len(transcript.messages))]
        return head, transcript, (*planned, *tail)


def _content(message: Message) -> tuple[Any, ...]:
    """What a message says, wherever it stands in the file."""
    parts = tuple(msgspec.structs.replace(part, pointer="", line=0) for part in message.parts)
    return message.role, message.origin, message.kind, parts
