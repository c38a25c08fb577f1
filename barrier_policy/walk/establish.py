"""From the transcript to what span records are made of: spans, facts, ledger, join (design section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from barrier_policy.carrier.earlier import find_earlier
from barrier_policy.facts.extract import extract
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo
from barrier_policy.join.join import Join, Settings, join_spans, span_index
from barrier_policy.ledger.build import build_ledger
from barrier_policy.ledger.conversation.turns import converse
from barrier_policy.ledger.values.bindings import find_bindings
from barrier_policy.plugins import PluginSet
from barrier_policy.profile import Profile
from barrier_policy.spans.segment import segment
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.transcript.tokens import Counter, message_tokens

Read = Callable[[str], bytes | None]
"""Gives an object of a store by digest, None where there is none."""


class Established(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of a transcript whatever the policies: what span records are made of. `turns` counts the user's, `now` is ISO 8601."""

    transcript: Transcript
    join: Join
    masker: Masker
    turns: int
    now: str


def establish(
    transcript: Transcript,
    plugins: PluginSet,
    profile: Profile,
    *,
    keep_last: int,
    now: str,
    ranges: Iterable[tuple[int, int]] = (),
    memo: FactMemo | None = None,
    read: Read | None = None,
    counter: Counter,
) -> Established:
    """What holds of a transcript. The facts, which are many, are not kept; `memo` has those that are known already. `now` is ISO 8601.

    `read` gives an object of a store by digest: what carriers of earlier compactions have kept there.
    """
    messages = transcript.messages
    pairs = pair_calls(messages)
    segmentation = segment(messages, pairs, keep_last=keep_last, strategy=profile.strategy, ranges=ranges)
    facts = extract(messages, pairs, plugins.extractors, plugins.kinds, tools=transcript.tools, now=now, memo=memo)
    bindings, binding_events = find_bindings(messages, facts, pairs, span_index(segmentation))
    facts = facts.without("value")  # most facts are values, and nothing else asks for these
    conversation = converse(messages, pairs, facts, present=segmentation.tail_start, tool_classes=profile.tools)
    ledger = build_ledger(conversation, bindings, binding_events, find_earlier(messages, read).left)
    settings = Settings(
        preserve=profile.fidelity.preserve,
        audited=profile.fidelity.audited,
        evidence_demand=profile.workload.evidence_demand,
    )
    tokens = [message_tokens(message, counter) for message in messages]
    join = join_spans(messages, segmentation, ledger, facts, plugins.kinds, tokens, settings)
    turns = sum(turn.has_user for turn in conversation.turns)
    return Established(transcript=transcript, join=join, masker=facts.masker, turns=turns, now=now)
