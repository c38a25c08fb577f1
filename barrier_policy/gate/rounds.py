"""Which transcripts a compacted one was made of, round by round: its carrier names its records, and the journal what they were made from.

What a later round let go by right was not yet over for the first transcript; so rounds are audited one by one, each against what it was
made of (design section 5, transaction).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from barrier_policy.carrier.block import parse_block
from barrier_policy.digest import DIGEST
from barrier_policy.errors import CarrierError
from barrier_policy.gate.journal import State, read_journal, transactions
from barrier_policy.plugins import PluginSet
from barrier_policy.provenance.store import Store, read_verified
from barrier_policy.transcript.identity import message_digest
from barrier_policy.transcript.model import Message, MessageKind, Transcript
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source

MAX_ROUNDS = 1_000


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction: what it was made of, what it made, and how many last messages had to stay, None where nobody noted that."""

    before: Transcript
    after: Transcript
    keep_last: int | None = None


class _Made(msgspec.Struct, frozen=True, kw_only=True):
    source: str
    keep_last: int | None


def find_rounds(store: Store | None, before: Transcript, after: Transcript, plugins: PluginSet) -> tuple[Round, ...]:
    """The compactions that lead from `before` to `after`; one from the one to the other where the store knows nothing between them.

    `before` counts as found where one of them begins with all its messages: it may have grown until it was compacted. Raises StoreError,
    also where a transcript between them is missing in the store or damaged: what was lost then can't be told from what was let go.
    """
    made = _made(store) if store is not None else {}
    wanted = [message_digest(message) for message in before.messages]
    found: list[Round] = []
    target = after
    while store is not None and len(found) < MAX_ROUNDS and (by := made.pop(_records(target.messages), None)):
        if by.source == before.digest:
            return (Round(before=before, after=target, keep_last=by.keep_last), *found)
        source = read_transcript(Source(read_verified(store, by.source)), plugins.readers, format=after.format)
        if [message_digest(message) for message in source.messages[: len(wanted)]] == wanted:
            first = before if len(source.messages) == len(wanted) else source
            return (Round(before=first, after=target, keep_last=by.keep_last), *found)
        found.insert(0, Round(before=source, after=target, keep_last=by.keep_last))
        target = source
    return (Round(before=before, after=after),)


def _made(store: Store) -> dict[str, _Made]:
    """By the digest of the records of a carrier, how it was made; each is followed once."""
    found = {}
    for name in transactions(store):
        entries = {entry.state: entry.detail for entry in read_journal(store, name)}
        if State.COMMITTED in entries and (records := entries.get(State.REBOUND, {}).get("records")):
            planned = entries[State.PLANNED]
            keep_last = planned.get("keep_last")
            found[str(records)] = _Made(
                source=str(planned.get("head", "")), keep_last=keep_last if isinstance(keep_last, int) else None
            )
    return found


def _records(messages: Sequence[Message]) -> str:
    """The digest of the records of the carrier in a transcript, "" where it has none that can be read."""
    for message in messages:
        if message.kind is MessageKind.CARRIER:
            try:
                found = DIGEST.search(parse_block(message.parts[0].text).records)
            except CarrierError:
                return ""
            return found.group() if found else ""
    return ""
