"""From a decision to the new context: which runs of spans leave, and what stands where (design section 4, gate). Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from barrier_policy.decision.model import Decision
from barrier_policy.transcript.builder import SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Origin
from barrier_policy.transcript.writer import Inserted, Kept, Piece

SUMMARY_END = "</barrier-policy-summary>"
SHORT_DIGEST = 16
"""Hex digits of a digest that a summary shows; `store get` finds the object by them."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbouring spans that leave together: messages `[start, end)`, the numbers of their spans, their size in tokens."""

    start: int
    end: int
    spans: tuple[int, ...]
    tokens: int


def find_runs(decision: Decision, messages: Sequence[Message]) -> tuple[Run, ...]:
    """The runs of spans with an action other than retain. A run of nothing but earlier summaries stays: it is one already."""
    runs: list[Run] = []
    for number, span in enumerate(decision.spans):
        start, end = span.messages
        if span.action == "retain":
            continue
        if runs and runs[-1].end == start:
            last = runs.pop()
            runs.append(Run(start=last.start, end=end, spans=(*last.spans, number), tokens=last.tokens + span.tokens))
        else:
            runs.append(Run(start=start, end=end, spans=(number,), tokens=span.tokens))
    return tuple(run for run in runs if not _is_summary(messages[run.start : run.end]))


def _is_summary(messages: Sequence[Message]) -> bool:
    return all(message.kind is MessageKind.SUMMARY for message in messages)


def summary_text(summary: str, original: str, messages: int) -> str:
    """The message that stands for a run; `original` is the digest of what was archived of it, "" for nothing."""
    shown = original.removeprefix("sha256:")[:SHORT_DIGEST]
    place = f' original="sha256:{shown}"' if shown else ""
    return f'{SUMMARY_MARK} messages="{messages}"{place}>\n{summary.strip()}\n{SUMMARY_END}'


def arrange(
    messages: Sequence[Message], carrier: str, replaced: Collection[int], summaries: Mapping[Run, str]
) -> tuple[Piece, ...]:
    """The new context in order: instructions, the carrier, then what stays, with a summary in the place of each run.

    `replaced` are messages that the new carrier stands for: earlier carriers. No carrier message where there is nothing to carry.
    """
    gone = set(replaced)
    at: dict[int, str] = {}
    for run, text in summaries.items():
        gone.update(range(run.start, run.end))
        at[run.start] = text
    first = next((message.index for message in messages if not _instructs(message)), len(messages))
    pieces: list[Piece] = []
    for message in messages:
        if message.index == first and carrier:
            pieces.append(Inserted(kind=MessageKind.CARRIER, text=carrier))
        if message.index in at:
            pieces.append(Inserted(kind=MessageKind.SUMMARY, text=at[message.index]))
        if message.index not in gone:
            pieces.append(Kept(message=message.index))
    if first == len(messages) and carrier:
        pieces.append(Inserted(kind=MessageKind.CARRIER, text=carrier))
    return tuple(pieces)


def _instructs(message: Message) -> bool:
    """Whether a message is part of the instructions that a transcript begins with."""
    return message.origin.rank < Origin.USER.rank and message.kind is MessageKind.MESSAGE
