"""Words that left in an earlier compaction while what they end or change stayed (design section 5: superseded values must not come back).

"Never deploy on Fridays" stays as long as a call behind it runs, and "that ban is lifted" leaves. When the ban leaves as well, it has to be
known what was said after it: so these words are kept with the records of the carrier, each with the last message before it that stayed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

import msgspec

from barrier_policy.ledger.model import Amendment, Correction, Ending, Ledger, Left, Restatement, Words
from barrier_policy.transcript.identity import message_digest
from barrier_policy.transcript.model import Message, MessageKind, Origin

Word = TypeVar("Word", Ending, Correction, Amendment, Restatement)

MAX_LEFT = 100
"""The newest so many of each kind are kept."""


def locate(left: Sequence[Left], messages: Sequence[Message]) -> Words:
    """Words that left, at their places in a transcript: behind the message that they came after. Linear in both.

    Where that message has left as well there is nothing before them that they could end.
    """
    if not left:
        return Words()
    places: dict[str, int] = {}
    for message in messages:
        places.setdefault(message_digest(message), message.index + 1)  # of equal ones the first: words in doubt end less
    found = sorted(
        ((places[entry.after], entry.words) for entry in left if entry.after in places), key=lambda entry: entry[0]
    )
    return Words(
        endings=tuple(_at(place, word) for place, words in found for word in words.endings),
        corrections=tuple(_at(place, word) for place, words in found for word in words.corrections),
        amendments=tuple(_at(place, word) for place, words in found for word in words.amendments),
        restatements=tuple(_at(place, word) for place, words in found for word in words.restatements),
    )


def not_said(left: Iterable[Word], said: Iterable[Word]) -> list[Word]:
    """The words that are not said once more: what was to leave stays after all where no summary for it was short or right enough."""
    there = {word.text for word in said}
    return [word for word in left if word.text not in there]


def in_order(left: Iterable[Word], said: Sequence[Word]) -> tuple[Word, ...]:
    """Words in order of messages; those that left stood before what stands at their place now."""
    words = not_said(left, said)
    words.extend(said)
    return tuple(sorted(words, key=lambda word: word.message))


def leaving(ledger: Ledger, messages: Sequence[Message], gone: Collection[int]) -> tuple[Left, ...]:
    """The words that have left once messages are `gone`, by the last message before them that stays; linear in all."""
    stays = [message.index for message in messages if message.index not in gone and _is_said(message)]
    endings = _by_place(ledger.endings, ledger.left.endings, gone, stays)
    corrections = _by_place(ledger.corrections, ledger.left.corrections, gone, stays)
    amendments = _by_place(ledger.amendments, ledger.left.amendments, gone, stays)
    restatements = _by_place(ledger.restatements, ledger.left.restatements, gone, stays)
    return tuple(
        Left(
            after=message_digest(messages[place]),
            words=Words(
                endings=tuple(endings.get(place, ())),
                corrections=tuple(corrections.get(place, ())),
                amendments=tuple(amendments.get(place, ())),
                restatements=tuple(restatements.get(place, ())),
            ),
        )
        for place in sorted({*endings, *corrections, *amendments, *restatements})
    )


def _by_place(
    words: Sequence[Word], left: Collection[Word], gone: Collection[int], stays: Sequence[int]
) -> dict[int, list[Word]]:
    """Words that have left before or leave now, by the last message before them that stays; none where nothing does."""
    found: dict[int, list[Word]] = {}
    for word in words[-MAX_LEFT:]:
        if (word.message in gone or word in left) and (number := bisect_left(stays, word.message)):
            found.setdefault(stays[number - 1], []).append(word)
    return found


def _at(place: int, word: Word) -> Word:
    return msgspec.structs.replace(word, message=place)


def _is_said(message: Message) -> bool:
    """Whether a message is part of the talk, and no instruction that stands before all of it."""
    return message.kind is MessageKind.MESSAGE and message.origin.rank >= Origin.USER.rank
