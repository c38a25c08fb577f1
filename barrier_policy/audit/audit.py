"""The audit: BEFORE's own analysis against nothing but the text and structure of AFTER (design sections 2, 5 and 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from barrier_policy.audit.carried import check_carried, held_words, still_due
from barrier_policy.audit.claim_words import EMPHATIC
from barrier_policy.audit.claims import ClaimChecks, Doubted
from barrier_policy.audit.items import CHECK_OF, Known, known_items
from barrier_policy.audit.lines import LineReader, carried_entries, find_carriers, lines_of
from barrier_policy.audit.messages import Instructions, check_messages, check_opaque, check_pairs, unanswered
from barrier_policy.audit.model import SCHEMA, AuditReport, Need, Outcome, Side, Unproven, Witnesses, worst
from barrier_policy.audit.needs import Consumers, Judge
from barrier_policy.audit.new_values import ValueChecks
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.records import LineChecks, as_record, check_carriers, place_before
from barrier_policy.audit.result import Result, Standing, compare, gives_instructions
from barrier_policy.audit.rules import RULES
from barrier_policy.audit.speakers import check_authority, check_speakers
from barrier_policy.audit.stale import find_superseded
from barrier_policy.audit.text import NewText, mined
from barrier_policy.audit.witness import Fate, Witness, index_messages
from barrier_policy.audit.witness import Witnesses as Search
from barrier_policy.carrier.earlier import find_earlier
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.facts.extract import Facts
from barrier_policy.ledger.model import Family
from barrier_policy.ledger.values.bindings import MAX_STATEMENT
from barrier_policy.transcript.model import Message, Transcript
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.reader import Compaction
from barrier_policy.walk import Analysis, Decider, TranscriptLike, prepared, timestamp

WHOLE = 0.25
"""A log with less than this share of the tokens that the runtime counted does not hold all that was compacted."""
RULE_OF = {
    Fate.GONE: "audit.severed",
    Fate.MENTIONED: "audit.severed",
    Fate.WEAKENED: "audit.weakened",
    Fate.CONTRADICTED: "audit.contradicted",
}


def audit(
    before: TranscriptLike,
    after: TranscriptLike,
    *,
    keep_last: int | None = None,
    now: str | datetime | None = None,
    decider: Decider | None = None,
    format: str = "",
    read: Callable[[str], bytes | None] | None = None,
    recorded: Compaction | None = None,
    exact: bool | None = None,
) -> AuditReport:
    """Say what a compaction of `before` into `after` severed, weakened, contradicted or made up, whoever made it. Writes nothing.

    Both are paths, bytes, lists of message dicts or Transcripts; `format` names the reader of both. `keep_last` is the number of last
    messages that had to stay; without it they are those that did stay, or what the profile says where the result has a carrier of the
    gate. `now` is ISO 8601. `decider` holds plugins, policies and profile; the default ones where it is None. `read` gives an object of a
    store by digest (`Store.read`): without the typed records of a carrier in `before`, nothing in it counts as ended. `recorded` is
    what the log of a runtime knows besides: how the conversation went on, which proves what was missed, and how much was compacted. `exact`
    demands that all that is protected stands in the result; None: where a gate made it. Of others only what somebody misses is a finding.

    Raises TranscriptError for unreadable input, PolicyError and PluginError before anything is read.
    """
    decider = decider or prepared()
    old, new = decider.read(before, format=format), decider.read(after, format=format)
    time = timestamp(now)
    if keep_last is None:
        found = compare(old.messages, new.messages)
        keep_last = decider.profile.keep_last if found.of(Standing.CARRIER) else found.kept_tail
    earlier = find_earlier(old.messages, read).records
    analysis = decider.analyse(old, keep_last=keep_last, now=time, read=read)
    return audit_analysis(decider, analysis, new, now=time, earlier=earlier, recorded=recorded, exact=exact)


def audit_analysis(
    decider: Decider,
    before: Analysis,
    after: Transcript,
    *,
    now: str,
    earlier: Sequence[CarrierRecord] | None = None,
    recorded: Compaction | None = None,
    exact: bool | None = None,
) -> AuditReport:
    """Audit a result against the analysis of what was before, made with the tail that had to stay. `now` is that of the analysis.

    `earlier` are the typed records of the carriers in `before`, where a store has them: without these nothing in them counts as ended.
    `recorded` and `exact` are as in `audit`.
    """
    if earlier is None:
        earlier = find_earlier(before.transcript.messages).records
    return _Audit(decider, before, after, now, earlier, recorded, exact).report()


class _Audit:
    """One audit, step by step. Linear in both transcripts."""

    def __init__(
        self,
        decider: Decider,
        before: Analysis,
        after: Transcript,
        now: str,
        earlier: Sequence[CarrierRecord],
        recorded: Compaction | None,
        exact: bool | None,
    ) -> None:
        self._decider, self._now, self._earlier = decider, now, earlier
        self._analysis, self._after = before, after
        self._compared = result = compare(before.transcript.messages, after.messages)
        self._exact = result.is_gated if exact is None else exact
        self._result: Result = result if self._exact else result.with_instructions_anew(is_log=recorded is not None)
        self._later = (*self._result.of(Standing.LATER), *(recorded.later if recorded else ()))
        self._is_log = is_log = recorded is not None and not self._exact
        lacks = is_log and bool(self._result.strangers)
        if lacks:
            self._result = self._result.with_summaries_only()
        self._is_told = not is_log or self._result.is_summarized
        self._waiting = unanswered(self._result.before) if is_log else frozenset()
        counted = recorded is None or before.decision.transcript.tokens >= WHOLE * recorded.tokens
        self._is_whole = counted and not lacks
        self._known = known_items(before)
        self._new_facts = self._facts(self._result.of(Standing.NEW, Standing.CARRIER))
        self._doubtful: dict[int, set[str]] = {}
        self._notes = Notebook(before.masker, self._new_facts.masker)

    def _facts(self, messages: Sequence[Message]) -> Facts:
        """Facts of messages as of a transcript of their own."""
        own = tuple(msgspec.structs.replace(message, index=index) for index, message in enumerate(messages))
        transcript = Transcript(format="", digest="", messages=own)
        return self._decider.facts(transcript, pair_calls(own), now=self._now)

    def report(self) -> AuditReport:
        """Run every check."""
        result, notes, masker = self._result, self._notes, self._analysis.masker
        carriers = list(find_carriers(result.of(Standing.CARRIER)))
        carried = carried_entries(result.before)
        due = still_due(self._analysis, self._earlier)
        lines = lines_of(carriers, LineReader(self._known, carried, held_words(self._earlier), due.rewritten))
        new = NewText(result.of(Standing.NEW), self._facts)
        self._check_structure()
        if not self._is_whole:
            told = "the log does not hold all that was compacted, so nobody can say what the summary made up"
            notes.add("audit.opaque", "new text", "log", "incomplete", found=told)
        check_carriers(result, carriers, notes)
        opaque = check_opaque(result, notes)
        if not self._is_told:
            told = "the log has no summary: what the model got in place of all that is gone can't be read"
            notes.add("audit.opaque", "new text", "log", "no summary", found=told)
            opaque = True
        search = Search(result, self._known, lines, new, masker)
        witnesses = [(known, search.of(known)) for known in self._known if known.protected]
        superseded = find_superseded(self._known)
        missing = [known for known, witness in witnesses if witness.fate is Fate.GONE]
        stands_before = index_messages(result.before, masker)
        records = LineChecks(
            missing,
            result.before,
            stands_before.holds,
            result.keeps,
            lambda text: mined(text, self._facts),
            superseded,
            notes,
        )
        records.check(lines)
        later = index_messages(self._later, masker)
        unseen = bool(self._waiting)
        values = ValueChecks(
            self._known, missing, stands_before, result.before, notes, exact=self._exact, later=later, unseen=unseen
        )
        values.check_secrets(new, (masker, self._new_facts.masker))
        if self._is_whole:
            values.check(new)
        doubted = Doubted(
            exact=self._exact,
            is_whole=self._is_whole,
            is_rule=lambda known: not self._is_doubtful(known),
            waiting=self._waiting,
        )
        kinds = self._analysis.join.kinds
        ClaimChecks(self._known, result.before, kinds, stands_before, superseded, notes, doubted).check(new)
        self._items(witnesses, records.reported | values.reported, new, opaque=opaque)
        check_carried(carried, lines, due, notes, opaque=opaque)
        return self._report(Counter(witness.fate for _, witness in witnesses))

    def _check_structure(self) -> None:
        join = self._analysis.join
        unread = frozenset(failure.message for failures in join.failures for failure in failures)
        again = Instructions(self._later) if not self._exact else None
        spoken = check_speakers(self._compared, self._notes, is_log=self._is_log)
        check_authority(self._result.of(Standing.NEW, Standing.CARRIER), self._notes)
        check_messages(self._result, join.segmentation.tail_start, unread, self._notes, again, spoken)
        check_pairs(self._result, self._notes)

    def _items(self, witnesses: Sequence[tuple[Known, Witness]], reported: set[str], new: NewText, *, opaque: bool) -> None:
        """A finding for each protected item that is gone or told wrongly; what may stand in something opaque is only unclear.

        Values come last, the longest first: one whose owner has a finding is told with it, and so is the end of a path.
        """
        later = [message for message in self._later if not gives_instructions(message)]
        judge = Judge(Consumers(self._known, self._result.before, later), self._is_doubtful, new)
        for known, witness in sorted(witnesses, key=_last_and_longest):
            check = CHECK_OF[known.item.family]
            self._notes.count(check)
            if witness.fate not in RULE_OF or known.item.id in reported:
                continue
            verdict = None if self._exact else judge.judge(known, witness.fate, reported)
            if opaque and not self._exact and witness.fate is Fate.GONE:
                verdict = Unproven.OPAQUE
            if isinstance(verdict, Unproven):
                self._notes.reclaim(check, known.item.kind if known.is_value else known.record, verdict)
                continue
            reported.add(known.item.id)
            self._item(check, known, witness, verdict, opaque=opaque)

    def _item(self, check: str, known: Known, witness: Witness, need: Need | None, *, opaque: bool) -> None:
        sentence = witness.sentence
        lost_value = witness.fate is Fate.GONE and known.item.family is Family.BINDING
        self._notes.add(
            "audit.value-severed" if lost_value else RULE_OF[witness.fate],
            check,
            known.item.id,
            known.item.kind if known.is_value else known.record,
            before=place_before(known, self._result.before),
            after=sentence.place if sentence else None,
            expected=as_record(known),
            found=sentence.text if sentence else "",
            outcome=Outcome.INCONCLUSIVE if self._is_unclear(known, witness.fate, opaque=opaque) else None,
            need=need,
        )

    def _is_unclear(self, known: Known, fate: Fate, *, opaque: bool) -> bool:
        """Whether nobody can say that it is lost: it may be in what can't be read, be told in general words, or be no rule at all."""
        return fate is Fate.MENTIONED or (opaque and fate is Fate.GONE) or self._is_doubtful(known)

    def _is_doubtful(self, known: Known) -> bool:
        """Whether a rule may be none: weak evidence protects it, and its loss is no certain loss.

        Of a foreign result that goes for what stands in a text that was pasted as well, but for bans with a capital NOT: a plan or a report is
        full of what looks like rules;
        and for an exception to something that nobody demands ("that works already, except for …").
        """
        if known.item.family is not Family.CONSTRAINT:
            return False
        if not self._exact and known.item.kind in ("must_not", "only_if") and EMPHATIC.search(known.item.text):
            return False
        if not self._exact and known.item.kind == "only_if" and known.item.attributes.get("strength") == "soft":
            return True
        if not self._exact and len(self._result.before[known.item.message].parts[known.item.part].text) > MAX_STATEMENT:
            return True
        if known.item.message not in self._doubtful:
            facts = self._facts([self._result.before[known.item.message]]).by_message[0]
            rules = [fact for fact in facts if fact.kind in ("constraint", "approval_gate")]
            sure = {fact.text for fact in rules if not fact.get("proposed")}
            self._doubtful[known.item.message] = {fact.text for fact in rules} - sure
        return known.item.text in self._doubtful[known.item.message]

    def _report(self, fates: Counter[Fate]) -> AuditReport:
        findings = self._notes.findings()
        checks = self._notes.checks()
        return AuditReport(
            schema=SCHEMA,
            outcome=worst(check.outcome for check in checks),
            before=_side(self._analysis.transcript),
            after=_side(self._after),
            kept_tail=self._result.kept_tail,
            exact=self._exact,
            protected=sum(fates.values()),
            witnesses=Witnesses(verbatim=fates[Fate.VERBATIM], carrier=fates[Fate.CARRIER], text=fates[Fate.TEXT]),
            checks=checks,
            findings=findings,
            reclaimed=self._notes.reclaimed(),
            rules=tuple(RULES[name] for name in sorted({finding.rule for finding in findings})),
        )


def _last_and_longest(found: tuple[Known, Witness]) -> tuple[bool, int]:
    known, _ = found
    return known.is_value, -len(known.item.text) if known.is_value else 0


def _side(transcript: Transcript) -> Side:
    return Side(format=transcript.format, digest=transcript.digest, messages=len(transcript.messages))
