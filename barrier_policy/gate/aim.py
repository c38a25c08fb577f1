"""Aiming at a target: a plan counts records and stubs, its result has frames and summaries as well, which only show once they are there.

So a plan whose result misses the target is made again for a lower one, at last with every repair that the gate can make.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from barrier_policy.decision.plan import make_plan
from barrier_policy.gate.compaction import Compaction, Missed
from barrier_policy.walk import Analysis

TRIES = 6
"""Plans that are tried before the one with every repair is."""


class Short(msgspec.Struct, frozen=True, kw_only=True):
    """No plan reaches the target: the analysis that names what blocks, and what the result would come to at the least, in tokens.

    `planned` is what the plan with every repair counts of it: all but frames and what summaries say.
    """

    analysis: Analysis
    tokens: int
    planned: int


def aim(
    first: Analysis, limit: int, again: Callable[[int], Analysis], attempt: Callable[[Analysis], Compaction | Missed]
) -> Compaction | Short:
    """Attempt plans until the result of one has at most `limit` tokens; `again` plans anew for another target."""
    least = _least(first)
    analysis, target, tries = first, limit, 0
    while isinstance(done := attempt(analysis), Missed):
        beyond = done.tokens - limit
        if target <= least:
            return Short(analysis=again(max(analysis.plan.tokens_after - beyond, 0)), tokens=done.tokens, planned=least)
        tries += 1
        step = beyond * tries  # longer each time: a span more that leaves costs a frame more
        target = max(analysis.plan.tokens_after - step, least) if tries < TRIES else least
        analysis = again(target)
    return done


def _least(analysis: Analysis) -> int:
    """What a plan with every repair comes to."""
    everything = make_plan(analysis.assessments, lambda _: (), tokens_total=analysis.join.tokens_total, target_tokens=None)
    return everything.tokens_after
