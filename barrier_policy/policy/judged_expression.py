"""One expression on one span record: what it says, remembered where that pays, and why it says nothing.

What conditions say is remembered by what they can see of a record, because that is the same for most spans.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

from barrier_policy.policy.cel.engine import FAILED, Engine, Failed, Value
from barrier_policy.policy.cel.scope import Path
from barrier_policy.policy.model import Expression
from barrier_policy.policy.record import Reading, RecordReader
from barrier_policy.policy.verdict import Clause, Outcome

MEMO_ENTRIES = 200
MEMO_KEY_BYTES = 4_000
T = TypeVar("T")
CAUSES = "(an index out of range, a division by zero or an overflow)"


class JudgedSpan(NamedTuple):
    """One record while it is judged. `digest` is that of the span's original."""

    reading: Reading
    engine: Engine
    digest: str = ""

    def bind(self, paths: Iterable[Path]) -> Any:
        """What programs of the engine take that read these paths: no more of the record, for what most would say is remembered."""
        return self.engine.bind(self.reading.span(paths))


class JudgedExpression:
    """One expression. It can remember what it said before, if all that it can see of a record is in `Reading.sights`."""

    def __init__(self, expression: Expression, engine: Engine) -> None:
        self.expression = expression
        self._run = engine.compile(expression.cel)
        self._memo: dict[tuple[Hashable, ...], Value | Failed] = {}

    def value(self, span: JudgedSpan) -> Value | Failed:
        """What the expression says; FAILED where something that it reads is not right."""
        reads = self.expression.reads
        return FAILED if span.reading.problem(reads) else self._run(span.bind(reads))

    def remembered(self, span: JudgedSpan) -> Value | Failed:
        """The same, evaluated once for all records that look alike to it."""
        sights = span.reading.sights
        key = tuple([sights[path] for path in self.expression.reads])
        found = self._memo.get(key)
        if found is None:
            found = self.value(span)
            remember(self._memo, key, found, span, self.expression.reads)
        return found

    def failure(self, span: JudgedSpan) -> str:
        """Why the value is FAILED, in words that do not depend on the engine."""
        problem = span.reading.problem(self.expression.reads)
        if problem:
            return problem
        clauses = (clause_on(clause, span) for clause in self.expression.clauses)
        failed = next((clause.text for clause in clauses if clause.outcome is Outcome.ERROR), self.expression.text)
        return f"`{' '.join(failed.split())}` could not be evaluated {CAUSES}"


class JudgedEvidence:
    """An expression for the items that a rule cites; `label` is the field that names an item.

    Which items of a list it cites is remembered, if all that it can see of them is in `Reading.sights`.
    """

    def __init__(self, expression: Expression, engine: Engine, reader: RecordReader, label: str) -> None:
        self.expression = expression
        self.label = label
        self._program = JudgedExpression(expression, engine)
        self._lists = expression.reads if reader.shows(expression.cel, expression.reads) else ()
        self._memo: dict[tuple[Hashable, ...], tuple[int, ...]] = {}

    def items(self, span: JudgedSpan) -> list[Any] | Failed:
        """The items as records; FAILED where something that it reads is not right."""
        if len(self._lists) != 1:
            return self._evaluated(span)
        path = self._lists[0]
        key = (span.reading.sights[path],)
        places = self._memo.get(key)
        if places is not None:
            listed = span.reading.value(path)
            return [listed[place] for place in places]
        items = self._evaluated(span)
        if isinstance(items, list):
            listed = span.reading.value(path)
            place_of = {item[self.label]: place for place, item in enumerate(listed)}
            if len(place_of) == len(listed):
                remember(self._memo, key, tuple(place_of[item[self.label]] for item in items), span, self._lists)
        return items

    def failure(self, span: JudgedSpan) -> str:
        """See `JudgedExpression`."""
        return self._program.failure(span)

    def _evaluated(self, span: JudgedSpan) -> list[Any] | Failed:
        items = self._program.value(span)
        return items if isinstance(items, list) else FAILED


def remember(
    memo: dict[tuple[Hashable, ...], T], key: tuple[Hashable, ...], value: T, span: JudgedSpan, paths: Iterable[Path]
) -> None:
    """Put a value into a memo. Long keys are not kept, they hardly ever come back."""
    if sum(len(span.reading.keys[path]) for path in paths) <= MEMO_KEY_BYTES:
        if len(memo) >= MEMO_ENTRIES:
            memo.clear()
        memo[key] = value


def clause_on(clause: Expression, span: JudgedSpan) -> Clause:
    """What a clause says about a span."""
    value: Value | Failed = FAILED
    if not span.reading.problem(clause.reads):
        value = span.engine.compile(clause.cel)(span.bind(clause.reads))
    return clause_of(clause, value)


def clause_of(clause: Expression, value: Value | Failed) -> Clause:
    """A clause whose value is known."""
    outcome = {True: Outcome.TRUE, False: Outcome.FALSE}[value] if isinstance(value, bool) else Outcome.ERROR
    return Clause(text=clause.text, outcome=outcome, line=clause.line, column=clause.column)
