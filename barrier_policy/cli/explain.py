"""`barrier-policy explain`: everything that made the verdict of one span, down to the lines of the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from barrier_policy.cli.console import cell, clean, clip, out, show
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import Request
from barrier_policy.cli.session import Session
from barrier_policy.decision.assess import Assessment, record_of, repair_records, what_blocks
from barrier_policy.decision.model import Blocking, Evidence, SpanDecision
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.policy.model import Mode, Rule
from barrier_policy.policy.verdict import Reason, Verdict, VerdictKind
from barrier_policy.report.rows import GATE_REPAIRS, ItemTexts, by_weight, repairs_of
from barrier_policy.walk import Analysis, Decider

POINTER = 120
RECORD = 400


def explain_span(request: Request, file: str, span: str) -> int:
    """Print the explanation of the span that is named, or that holds the message with that index."""
    session = Session(request)
    analysis = session.analyse(file)
    console = out()
    number = find_span(analysis, span, file)
    lines = [_tail_words(analysis, span)] if number is None else explanation(analysis, session.decider, number)
    for line in lines:
        show(console, cell(line))
    return OK


def find_span(analysis: Analysis, name: str, file: str) -> int | None:
    """The number of a span, None for a message of the tail. Raises BarrierPolicyError where there is none."""
    messages = len(analysis.transcript.messages)
    for number, found in enumerate(analysis.assessments):
        if name == found.span.id:
            return number
    if not name.isascii() or not name.isdigit() or int(name[:12]) >= messages:
        names = ", ".join(found.span.id for found in analysis.assessments[:3])
        hint = f"spans are named {names} …" if names else "all of them in the tail"
        raise BarrierPolicyError(f"{file}: no span or message `{name}` (there are {messages} messages; {hint})")
    index = int(name)
    return next((n for n, found in enumerate(analysis.assessments) if found.span.start <= index < found.span.end), None)


def _tail_words(analysis: Analysis, name: str) -> str:
    start = analysis.join.segmentation.tail_start
    return f"message {name} is in the tail, which the runtime keeps anyway (messages {start} to {len(analysis.transcript.messages) - 1})"


def explanation(analysis: Analysis, decider: Decider, number: int) -> Iterator[str]:
    """The lines of an explanation."""
    view = _View(analysis, decider, number)
    yield from view.head()
    yield from view.reasons()
    yield from view.exceptions()
    yield from view.other_rules()
    yield from view.records()
    yield from view.remedies()


class _View:
    """One span of an analysis, section by section."""

    def __init__(self, analysis: Analysis, decider: Decider, number: int) -> None:
        self.found: Assessment = analysis.assessments[number]
        self.join = analysis.join
        self.record = record_of(analysis.join, self.found)
        self.verdict: Verdict = analysis.evaluator.evaluate(self.record, self.found.digest)
        self.decision: SpanDecision = analysis.decision.spans[number]
        self.messages = analysis.transcript.messages
        self.texts = ItemTexts(analysis)
        self.repairs = repairs_of(analysis.policies)
        self.decider = decider

    def head(self) -> Iterator[str]:
        """What the span is and what was decided."""
        span, record = self.found.span, self.record
        yield f"span {span.id}: {span.end - span.start} message(s), {self.found.tokens:,} tokens, {record['evidential_class']}"
        yield f"verdict {self.found.verdict}, action {self.decision.action}"

    def reasons(self) -> Iterator[str]:
        """The rules that determined the verdict, the deciding one first."""
        cited = {reason.rule: reason.evidence for reason in self.decision.reasons}
        for reason in by_weight(self.verdict.reasons, self.repairs):
            yield ""
            yield f"{reason.rule} ({reason.effect}, {reason.severity}): {clean(reason.explanation)}"
            yield from self._rule(reason)
            for entry in cited[reason.rule]:
                yield f"  rests on {clean(entry.item)}{self._value(entry.item)}"
                yield f"    {self._place(entry)}"
        for error in self.verdict.errors:
            yield ""
            yield f"{error.rule}: the {error.part} could not be evaluated: {clean(error.message)}"
        if self.verdict.default_barrier:
            yield ""
            yield "no rule permits to summarize this span, so it stays"

    def exceptions(self) -> Iterator[str]:
        """The exceptions without which the span could not go."""
        for found in self.found.exceptions:
            yield ""
            yield f"exception {found.name}: {found.rule} does not bind until {found.expires}"
            yield f"  {found.owner}: {clean(found.reason)}"

    def _rule(self, reason: Reason) -> Iterator[str]:
        policy, rule = next((policy, rule) for policy, rule in self.decider.policies.rules() if rule.id == reason.rule)
        yield f"  {rule.summary}"
        yield f"  policy {policy.name} {policy.version}, line {rule.line}" + (", locked" if rule.locked else "")
        for reference in rule.references:
            yield f"  source: {reference}"
        yield from self._clauses(rule)

    def _clauses(self, rule: Rule) -> Iterator[str]:
        for clause in self.decider.evaluator.evaluate_clauses(rule, self.record):
            yield f"  {clause.outcome:<5}  {clean(clause.text)}"

    def _value(self, item: str) -> str:
        """The words of an item, where they are short: they may be hard to find in the excerpt."""
        words = self.texts.of(item)
        return f" `{words}`" if words and not words.endswith("…") else ""

    def _place(self, entry: Evidence) -> str:
        """Where an item stands in the file, and the words there, clipped and without secrets."""
        message = self.messages[entry.message]
        line = next((part.line for part in message.parts if part.pointer == entry.pointer and part.line), message.line)
        place = f"message {entry.message}" + (f", line {line}" if line else "")
        pointer = clip(message.pointer + entry.pointer, POINTER)
        excerpt = self.texts.excerpt(entry.item, message, entry.pointer)
        return f"{place}{', ' + pointer if pointer else ''}: {excerpt}"

    def other_rules(self) -> Iterator[str]:
        """Every rule that did not determine the verdict, clause by clause."""
        outcomes = {outcome.rule: outcome for outcome in self.verdict.outcomes}
        decided = {reason.rule for reason in self.verdict.reasons}
        yield ""
        yield "other rules"
        for _, rule in self.decider.policies.rules():
            if rule.id not in decided:
                mode = "" if rule.mode is Mode.ENFORCE else f", {rule.mode}: counts for nothing"
                excepted = outcomes[rule.id].exception
                lifted = f", does not bind: exception {excepted}" if excepted else ""
                yield f"  {outcomes[rule.id].outcome:<5}  {rule.id} ({rule.effect}{mode}{lifted})"
                yield from (f"  {line}" for line in self._clauses(rule))

    def records(self) -> Iterator[str]:
        """The carrier records that a repair would write."""
        records = repair_records(self.join, self.found)
        if records:
            yield ""
            yield "carrier records of the repair"
        for record in records:
            yield f"  {clean(record.id)}: {clip(record.text, RECORD)}"

    def remedies(self) -> Iterator[str]:
        """What would lift the barrier."""
        if self.found.verdict == VerdictKind.OPPORTUNITY:
            return
        yield ""
        yield "what would lift the barrier"
        blocking = what_blocks(self.found.span, self.verdict)
        remedies = {
            line: None
            for reason in by_weight(self.verdict.reasons, self.repairs)
            for line in self._remedies(reason, blocking)
        }
        yield from remedies
        if not remedies:
            yield "  a rule that permits it, or a rule that can be evaluated"

    def _remedies(self, reason: Reason, blocking: Iterable[Blocking]) -> Iterator[str]:
        cited = {entry.item for entry in reason.evidence}
        if not reason.repair:
            yield f"  {reason.rule}: nothing, such a span always stays"
        elif GATE_REPAIRS.issuperset(reason.repair):
            yield f"  {reason.rule}: {', '.join(reason.repair)}, which the gate does itself"
        else:
            words = dict.fromkeys(entry.discharged_by for entry in blocking if entry.item in cited)
            for word in words or dict.fromkeys(reason.repair):
                yield f"  {reason.rule}: {word}"
