"""What a compaction adds to what a decision counts: the frames of the carrier and of the summaries (design section 4).

A decision counts records and a stub for each run of spans that leaves; its figures are the same whatever summarizes. What summaries say
beyond a stub only shows once they are there.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from barrier_policy.carrier.block import render_block
from barrier_policy.decision.model import Decision
from barrier_policy.decision.plan import STUB_TOKENS
from barrier_policy.digest import digest_text
from barrier_policy.gate.assemble import find_runs, summary_text
from barrier_policy.gate.transaction import WRAPPING
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.tokens import MESSAGE_OVERHEAD, Counter

NAME = digest_text("")
"""A name of the length that names of originals have."""


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The size of the result at the least, in tokens, and how many summaries it has."""

    tokens: int
    summaries: int


def expected(decision: Decision, messages: Sequence[Message], count: Counter) -> Expected:
    """What a compaction by this decision comes to with frames counted, before its summaries say anything."""
    every = find_runs(decision, messages)
    runs = [run for run in every if run.tokens > WRAPPING]
    frames = sum(count(summary_text("", NAME, run.end - run.start)) + MESSAGE_OVERHEAD - STUB_TOKENS for run in runs)
    frames += sum(run.tokens - STUB_TOKENS for run in every if run.tokens <= WRAPPING)  # these stay
    if decision.carrier:
        carrier = render_block(decision.carrier, archived=f"store:{NAME}")
        frames += count(carrier) + MESSAGE_OVERHEAD - decision.totals.tokens_carrier
    return Expected(tokens=decision.budget.tokens_after + frames, summaries=len(runs))
