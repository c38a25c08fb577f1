"""The plan: verdicts × budget → a set of actions, or a refusal with its blocking set (design sections 2 and 4).

INVARIANT: verdicts never depend on the budget. It only selects which of the possible repairs are carried out.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from barrier_policy.decision.assess import Assessment
from barrier_policy.decision.model import Blocking

STUB_TOKENS = 16
"""What stands in for a run of summarized spans, at the least."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`actions` by span, the outcome, the size of the context afterwards in tokens, and what blocks a refused one."""

    actions: tuple[str, ...]
    outcome: str
    tokens_after: int
    blocking: tuple[Blocking, ...] = ()


def make_plan(assessments: Sequence[Assessment], *, tokens_total: int, target_tokens: int | None) -> Plan:
    """Choose actions.

    Without a target all possible repairs are made; with one, only as many as it takes, largest gain first. Where even all of them do
    not reach it, the compaction is refused.
    """
    actions = ["summarize" if found.verdict == "opportunity" else "retain" for found in assessments]
    repairable = [number for number, found in enumerate(assessments) if found.repairable and found.gain >= 0]
    repairable.sort(key=lambda number: (-assessments[number].gain, number))
    after = _size_after(assessments, actions, tokens_total)
    for number in repairable:
        if target_tokens is not None and after <= target_tokens:
            break
        actions[number] = "repair"
        after -= assessments[number].gain
    after = _size_after(assessments, actions, tokens_total)
    if target_tokens is not None and after > target_tokens:
        blocking = _blocking(assessments, actions, after - target_tokens)
        return Plan(actions=("retain",) * len(actions), outcome="refuse", tokens_after=tokens_total, blocking=blocking)
    outcome = "nothing_to_reclaim" if all(action == "retain" for action in actions) else "compact"
    return Plan(actions=tuple(actions), outcome=outcome, tokens_after=after)


def _size_after(assessments: Sequence[Assessment], actions: Sequence[str], tokens_total: int) -> int:
    """Tokens of the context after the plan: what is kept, the records, and a stub for each run that goes."""
    after = tokens_total
    in_run = False
    for found, action in zip(assessments, actions, strict=True):
        if action == "retain":
            in_run = False
            continue
        after -= found.gain if action == "repair" else found.tokens
        after += 0 if in_run else STUB_TOKENS
        in_run = True
    return after


def _blocking(assessments: Sequence[Assessment], actions: Sequence[str], missing: int) -> tuple[Blocking, ...]:
    """A minimal set of retained spans whose release would reach the target; the tail where even all would not."""
    retained = [number for number, action in enumerate(actions) if action == "retain"]
    retained.sort(key=lambda number: (-assessments[number].tokens, number))
    chosen: list[int] = []
    for number in retained:
        if missing <= sum(assessments[other].tokens for other in chosen):
            break
        chosen.append(number)
    freed = sum(assessments[number].tokens for number in chosen)
    for number in sorted(chosen, key=lambda number: (assessments[number].tokens, number)):
        if freed - assessments[number].tokens >= missing:
            chosen.remove(number)
            freed -= assessments[number].tokens
    found = [entry for number in sorted(chosen) for entry in assessments[number].blocking]
    if freed < missing:
        found.append(Blocking(item="tail", span="tail", discharged_by=f"a target larger by {missing - freed} tokens, or a shorter tail"))
    return tuple(found)
