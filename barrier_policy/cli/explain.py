"""`barrier-policy explain`: everything that made the verdict of one span, down to the lines of the transcript."""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.cli.console import cell, clean, clip, counted, out, show
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import Request
from barrier_policy.cli.session import Session
from barrier_policy.decision.assess import Assessment, record_of, repair_records
from barrier_policy.decision.model import Evidence, SpanDecision
from barrier_policy.decision.remedies import EVALUATED, PERMITTED
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.policy.model import Mode, Rule
from barrier_policy.policy.verdict import Reason, Verdict, VerdictKind
from barrier_policy.report.rows import ItemTexts, by_weight, plan_note, repairs_of
from barrier_policy.report.states import STATE
from barrier_policy.transcript.model import Message, Origin
from barrier_policy.walk import Analysis, Decider

POINTER = 120
RECORD = 400
CONTENT = {
    "structured": "it has calls, results, exact values or denials",
    "narrative": "talk without exact values",
}
SPEAKER = {
    Origin.SYSTEM: "system",
    Origin.DEVELOPER: "developer",
    Origin.USER: "user",
    Origin.AGENT: "agent",
    Origin.TOOL: "tool result",
    Origin.RETRIEVED: "retrieved content",
}
ACTION = {
    "summarize": "a summary may take its place",
    "repair": "a summary may take its place once the gate has made the repairs below",
    "retain": "it stays word for word",
}


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
        raise BarrierPolicyError(f"{file}: no span or message `{name}` ({_near(analysis, name, messages)})")
    index = int(name)
    return next((n for n, found in enumerate(analysis.assessments) if found.span.start <= index < found.span.end), None)


def _near(analysis: Analysis, name: str, messages: int) -> str:
    """What could have been meant: the span in which a range of messages begins, or how spans are named."""
    first = name.partition("-")[0]
    index = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else -1
    for found in analysis.assessments:
        if found.span.start <= index < found.span.end:
            return f"message {index} stands in span {found.span.id}"
    names = ", ".join(found.span.id for found in analysis.assessments[:3])
    return f"there are {messages} messages; {f'spans are named {names} …' if names else 'all of them in the tail'}"


def _tail_words(analysis: Analysis, name: str) -> str:
    start = analysis.join.segmentation.tail_start
    return f"message {name} is in the tail, which the runtime keeps anyway (messages {start} to {len(analysis.transcript.messages) - 1})"


def explanation(analysis: Analysis, decider: Decider, number: int) -> Iterator[str]:
    """The lines of an explanation."""
    view = _View(analysis, decider, number)
    yield from view.head()
    yield from view.reasons()
    yield from view.exceptions()
    yield from view.remedies()
    yield from view.records()
    yield from view.other_rules()


class _View:
    """One span of an analysis, section by section."""

    def __init__(self, analysis: Analysis, decider: Decider, number: int) -> None:
        self.found: Assessment = analysis.assessments[number]
        self.sources = analysis.sources
        self.record = record_of(analysis.join, self.found)
        self.clauses = decider.evaluator.clauses(self.record)
        self.verdict: Verdict = analysis.evaluator.evaluate(self.record, self.found.digest)
        self.decision: SpanDecision = analysis.decision.spans[number]
        self.messages = analysis.transcript.messages
        self.states = analysis.join.ledger.states
        self.texts = ItemTexts(analysis)
        self.repairs = repairs_of(analysis.policies)
        self.decider = decider
        self.note = plan_note(self.found, self.decision.action, analysis.plan.outcome)

    def head(self) -> Iterator[str]:
        """What the span is and what was decided."""
        span, content = self.found.span, self.record["evidential_class"]
        size = f"{counted(span.end - span.start, 'message')}, {self.found.tokens:,} tokens"
        yield f"span {span.id}: {size}, {content} ({CONTENT[content]})"
        yield f"verdict {self.found.verdict}, action {self.decision.action}: {self.note or ACTION[self.decision.action]}"

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
                if entry.state_from is not None:
                    yield f"    {self._since(entry)}"
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
        yield f"  policy {policy.name} {policy.version}, line {rule.line}" + (
            ", locked: no team may loosen it" if rule.locked else ""
        )
        for reference in rule.references:
            yield f"  source: {reference}"
        yield from self._clauses(rule)

    def _clauses(self, rule: Rule) -> Iterator[str]:
        for clause in self.clauses[rule.id]:
            yield f"  {clause.outcome:<5}  {clean(clause.text)}"

    def _value(self, item: str) -> str:
        """The words of an item, where they are short: they may be hard to find in the excerpt."""
        words = self.texts.of(item)
        return f" `{words}`" if words and not words.endswith("…") else ""

    def _place(self, entry: Evidence) -> str:
        """Where an item stands in the file, and the words there, clipped and without secrets."""
        return self._words_at(entry.item, self.messages[entry.message], entry.pointer)

    def _since(self, entry: Evidence) -> str:
        """What brought an item into its present state, and where."""
        state = self.states[entry.item]
        message = self.messages[entry.state_from or 0]
        pointer = message.parts[0].pointer if message.parts else ""
        return f"{STATE.get(state, state)} as of {self._words_at('', message, pointer)}"

    def _words_at(self, item: str, message: Message, pointer: str) -> str:
        line = next((part.line for part in message.parts if part.pointer == pointer and part.line), message.line)
        place = f"message {message.index} ({SPEAKER[message.origin]})" + (f", line {line}" if line else "")
        whole = clip(message.pointer + pointer, POINTER)
        return f"{place}{', ' + whole if whole else ''}: {self.texts.excerpt(item, message, pointer)}"

    def other_rules(self) -> Iterator[str]:
        """Every rule that did not determine the verdict, clause by clause."""
        outcomes = {outcome.rule: outcome for outcome in self.verdict.outcomes}
        decided = {reason.rule for reason in self.verdict.reasons}
        yield ""
        yield "other rules (they did not decide)"
        for _, rule in self.decider.policies.rules():
            if rule.id not in decided:
                mode = "" if rule.mode is Mode.ENFORCE else f", {rule.mode}: counts for nothing"
                excepted = outcomes[rule.id].exception
                lifted = f", does not bind: exception {excepted}" if excepted else ""
                yield f"  {outcomes[rule.id].outcome:<5}  {rule.id} ({rule.effect}{mode}{lifted})"
                yield from (f"  {line}" for line in self._clauses(rule))

    def records(self) -> Iterator[str]:
        """The carrier records that a repair would write."""
        records = repair_records(self.sources, self.found)
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
        yield from (f"  {reason.rule}: {reason.lifted_by}" for reason in by_weight(self.decision.reasons, self.repairs))
        yield from dict.fromkeys(f"  {error.rule}: {EVALUATED}" for error in self.verdict.errors)
        if self.verdict.default_barrier:
            yield f"  {PERMITTED}"
