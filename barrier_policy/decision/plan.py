"""The plan: verdicts × budget → a set of actions, or a refusal with its blocking set (design sections 2 and 4).

INVARIANT: verdicts never depend on the budget. It only selects which of the possible repairs are carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from barrier_policy.decision.assess import Assessment
from barrier_policy.decision.model import Blocking

MASKED = "[secret "
"""How the value of a secret begins in a record."""
STUB_TOKENS = 16
"""What stands in for a run of summarized spans, at the least."""
SMALL = 1_000
"""Nobody compacts a context of fewer tokens: it is a case or an example, and asks what the rules say, not whether it pays."""


Blocks = Callable[[Assessment], Iterable[Blocking]]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`actions` by span, the outcome, the size of the context afterwards in tokens, and what blocks a refused one."""

    actions: tuple[str, ...]
    outcome: str
    tokens_after: int
    blocking: tuple[Blocking, ...] = ()


def make_plan(assessments: Sequence[Assessment], blocks: Blocks, *, tokens_total: int, target_tokens: int | None) -> Plan:
    """Choose actions.

    Without a target all possible repairs are made; with one, only as many as it takes, largest gain first. Where even all of them do
    not reach it, the compaction is refused. Where what stands in for the spans is no smaller than they are, there is nothing to reclaim,
    unless a secret should leave the context or the whole is small. `blocks` says what makes a span a barrier; only spans that are named on refusal are asked about.
    """
    actions = ["summarize" if found.verdict == "opportunity" else "retain" for found in assessments]
    context = _Context(len(assessments), tokens_total)
    for number, found in enumerate(assessments):
        if found.verdict == "opportunity":
            context.release(number, found.tokens)
    _repair(assessments, actions, context, target_tokens)
    if target_tokens is not None and context.tokens > target_tokens:
        blocking = _blocking(assessments, blocks, actions, context, target_tokens)
        return Plan(actions=("retain",) * len(actions), outcome="refuse", tokens_after=tokens_total, blocking=blocking)
    gone = [found for found, action in zip(assessments, actions, strict=True) if action != "retain"]
    worth_it = context.tokens < tokens_total or tokens_total < SMALL
    if not worth_it and not any(found.secret for found in gone):
        return Plan(actions=("retain",) * len(actions), outcome="nothing_to_reclaim", tokens_after=tokens_total)
    return Plan(actions=tuple(actions), outcome="compact" if gone else "nothing_to_reclaim", tokens_after=context.tokens)


def _repair(assessments: Sequence[Assessment], actions: list[str], context: _Context, target_tokens: int | None) -> None:
    """Choose repairs, as many as it takes: largest gain first, then those a little longer than their span that spare a stub."""

    def reached() -> bool:
        return target_tokens is not None and context.tokens <= target_tokens

    def choose(number: int) -> None:
        actions[number] = "repair"
        context.release(number, assessments[number].gain)

    repairable = [
        number for number, found in enumerate(assessments) if found.repairable and (found.gain >= 0 or found.secret)
    ]
    for number in sorted(repairable, key=lambda number: (-assessments[number].gain, number)):
        if reached():
            return
        choose(number)
    for number, found in enumerate(assessments):
        if reached():
            return
        if actions[number] == "retain" and _spares_stub(found, context.cost_of_restoring(number, found.gain)):
            choose(number)


def _spares_stub(found: Assessment, saved: int) -> bool:
    """Whether records a little longer than their span pay off, because its neighbours are gone and one stub less is needed.

    Records that leave out a secret say less than the span: they don't replace it for a few tokens.
    """
    return found.repairable and saved > 0 and not any(MASKED in item.text for item in found.rebind)


class _Context:
    """The size of the context in tokens while spans leave it and come back: each run of spans that is gone leaves one stub."""

    def __init__(self, spans: int, tokens: int) -> None:
        self.tokens = tokens
        self._gone = [False] * (spans + 1)
        """One more than there are spans, so that the last one has a neighbour, and by index -1 the first one too."""

    def release(self, number: int, gain: int) -> None:
        """Take a span out, which frees `gain` tokens."""
        self.tokens += self._stubs(number) - gain
        self._gone[number] = True

    def restore(self, number: int, gain: int) -> None:
        """Put a span back."""
        self.tokens += self.cost_of_restoring(number, gain)
        self._gone[number] = False

    def cost_of_restoring(self, number: int, gain: int) -> int:
        """By how much the context would grow."""
        return gain - self._stubs(number)

    def _stubs(self, number: int) -> int:
        """What stubs cost more while this span is gone: one if it is gone alone, one less if it joins two runs."""
        return STUB_TOKENS * (1 - self._gone[number - 1] - self._gone[number + 1])


def _blocking(
    assessments: Sequence[Assessment], blocks: Blocks, actions: Sequence[str], context: _Context, target: int
) -> tuple[Blocking, ...]:
    """A minimal set of retained spans whose release would reach the target; the tail too where even all would not."""
    retained = [number for number, action in enumerate(actions) if action == "retain"]
    chosen: set[int] = set()
    for number in sorted(retained, key=lambda number: (-assessments[number].tokens, number)):
        if context.tokens <= target:
            break
        chosen.add(number)
        context.release(number, assessments[number].tokens)
    while spare := _spare(assessments, chosen, context, target):
        chosen -= spare
    found = [entry for number in sorted(chosen) for entry in blocks(assessments[number])]
    if context.tokens > target:
        discharge = f"a target larger by {context.tokens - target} tokens, or a shorter tail"
        found.append(Blocking(item="tail", span="tail", discharged_by=discharge))
    return tuple(found)


def _spare(assessments: Sequence[Assessment], chosen: Collection[int], context: _Context, target: int) -> set[int]:
    """Spans that were put back, smallest first, because the target is reached without them."""
    spare = set()
    for number in sorted(chosen, key=lambda number: (assessments[number].tokens, number)):
        tokens = assessments[number].tokens
        if context.tokens + context.cost_of_restoring(number, tokens) <= target:
            context.restore(number, tokens)
            spare.add(number)
    return spare
