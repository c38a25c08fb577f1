"""Carriers of earlier compactions in a transcript, and what still holds of them (design sections 5 and 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from barrier_policy.carrier.archive import records_of_block
from barrier_policy.carrier.block import parse_block
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.errors import CarrierError
from barrier_policy.ledger.model import Left
from barrier_policy.transcript.model import Message, MessageKind, PartType


class Untyped(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier message whose typed records are lost or damaged."""

    message: int
    problem: str


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """Carriers of compactions before this one: the messages that the new carrier replaces, and their records.

    `unreadable` are messages that look like carriers and are not as they were written; they stay as they are. `untyped` says of messages
    why the store that was asked gave no typed records: all that is known of these are their lines, and nothing that is said ends one.
    `left` are words that left then and came after something that stayed.
    """

    messages: tuple[int, ...] = ()
    records: tuple[CarrierRecord, ...] = ()
    left: tuple[Left, ...] = ()
    unreadable: tuple[int, ...] = ()
    untyped: tuple[Untyped, ...] = ()


def find_earlier(messages: Sequence[Message], read: Callable[[str], bytes | None] | None = None) -> Earlier:
    """The carriers in a transcript, read back from their text; `read` gives the typed records from a store, by digest."""
    replaced: list[int] = []
    records: list[CarrierRecord] = []
    left: list[Left] = []
    unreadable: list[int] = []
    untyped: list[Untyped] = []
    for message in messages:
        if message.kind is not MessageKind.CARRIER:
            continue
        try:
            blocks = [parse_block(part.text) for part in message.parts if part.type is PartType.TEXT]
            found = [records_of_block(block, read) for block in blocks]
        except CarrierError:
            unreadable.append(message.index)
            continue
        replaced.append(message.index)
        records += [record for typed in found for record in typed.records]
        left += [words for typed in found for words in typed.left]
        untyped += [Untyped(message=message.index, problem=typed.problem) for typed in found if typed.problem]
    return Earlier(
        messages=tuple(replaced),
        records=tuple(records),
        left=tuple(left),
        unreadable=tuple(unreadable),
        untyped=tuple(untyped),
    )
