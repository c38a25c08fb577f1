"""The result of a compaction by its structure: what was kept, what is carrier, what is new text, what came later."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from barrier_policy.audit.align import Alignment, align
from barrier_policy.carrier.block import parse_block
from barrier_policy.errors import CarrierError
from barrier_policy.transcript.builder import SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

TAG = re.compile(r"<([a-z_][\w-]*)>")
BEGINNING = 16
"""Characters by which a message that was cut or changed is found again."""
OPAQUE = (PartType.UNKNOWN, PartType.BLOB)
"""Parts that nobody can read."""


class Standing(StrEnum):
    """What a message of the result is, seen from before."""

    KEPT = "kept"
    CARRIER = "carrier"
    NEW = "new"
    NOTICE = "notice"
    LATER = "later"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Both transcripts, aligned. `standing` is by message of `after`; `kept_tail` counts the last messages of before that stand in it.

    `renewed` are messages of before that stand in it with newer parts of the runtime.
    """

    before: tuple[Message, ...]
    after: tuple[Message, ...]
    alignment: Alignment
    standing: tuple[Standing, ...]
    kept_tail: int
    renewed: frozenset[int] = frozenset()

    def of(self, *standings: Standing) -> list[Message]:
        """The messages of the result that are one of these."""
        return [message for message, standing in zip(self.after, self.standing, strict=True) if standing in standings]

    @property
    def is_gated(self) -> bool:
        """Whether a gate made it: it has a carrier, or a summary with the mark of one."""
        return any(message.kind is MessageKind.CARRIER or _is_marked(message) for message in self.after)

    @property
    def is_summarized(self) -> bool:
        """Whether nothing is gone, or something new stands for it: a summary, a carrier, or what can't be read."""
        stands_in = (
            message.kind is not MessageKind.MESSAGE or any(part.type in OPAQUE for part in message.parts)
            for message in self.of(Standing.NEW, Standing.CARRIER)
        )
        return -1 not in self.alignment.after_of or any(stands_in)

    def with_instructions_anew(self, *, is_log: bool) -> Result:
        """The same, where new instructions came later: a foreign runtime puts its own where it likes, in their newest form.

        So does what a user said in which only the runtime's own parts differ: the date of today, an image in another size. Without the log
        of a runtime (`is_log`) only instructions that stand in the place of others are such, for a summary can be put there too.
        """
        said = {_said(message) for message in self.before if message.kind is MessageKind.MESSAGE}
        given = {message.origin for message in self.before if not self.keeps(message.index)}
        standing = tuple(
            Standing.LATER
            if place is Standing.NEW
            and (_said(message) in said or (gives_instructions(message) and (is_log or message.origin in given)))
            else place
            for message, place in zip(self.after, self.standing, strict=True)
        )
        later = {_said(message) for message, place in zip(self.after, standing, strict=True) if place is Standing.LATER}
        renewed = (message for message in self.before if message.origin is Origin.USER and _said(message) in later)
        return msgspec.structs.replace(self, standing=standing, renewed=frozenset(message.index for message in renewed))

    @property
    def strangers(self) -> frozenset[int]:
        """New messages of users that are no summary, and no changed message of before: what was before lacks them."""
        begun = {_beginning(message) for message in self.before}
        new = (message for message in self.of(Standing.NEW) if message.kind is MessageKind.MESSAGE)
        return frozenset(m.index for m in new if m.origin is Origin.USER and _beginning(m) not in begun)

    def with_summaries_only(self) -> Result:
        """The same, where of new messages only summaries and changed messages are the compaction's: a log has others from before it began."""
        strangers = self.strangers
        standing = tuple(
            Standing.LATER if message.index in strangers else place
            for message, place in zip(self.after, self.standing, strict=True)
        )
        return msgspec.structs.replace(self, standing=standing)

    def keeps(self, message: int) -> bool:
        """Whether a message of before stands in the result as it was, or with the runtime's own parts renewed."""
        return self.alignment.after_of[message] >= 0 or message in self.renewed


def compare(before: Sequence[Message], after: Sequence[Message]) -> Result:
    """Align two transcripts. What stands behind the last message of before came later; a notice of the runtime says nothing of before."""
    after = [
        msgspec.structs.replace(message, index=index) for index, message in enumerate(after)
    ]  # it may be cut from another
    alignment = align(before, after)
    head = alignment.after_of[-1] if before else -1
    standing = tuple(
        _standing(message, kept=alignment.before_of[message.index] >= 0, later=0 <= head < message.index)
        for message in after
    )
    return Result(
        before=tuple(before),
        after=tuple(after),
        alignment=alignment,
        standing=standing,
        kept_tail=_kept_tail(alignment),
    )


def gives_instructions(message: Message) -> bool:
    """Whether it has more authority than a user: the instructions of a runtime or of who runs it."""
    return message.origin.rank < Origin.USER.rank and message.kind is MessageKind.MESSAGE


def head_of(text: str) -> str:
    """How a section begins: the tag around it or its first line."""
    text = text.strip()
    tag = TAG.match(text)
    return tag[0] if tag and text.endswith(f"</{tag[1]}>") else text.partition("\n")[0]


def _beginning(message: Message) -> tuple[Origin, str]:
    return message.origin, "\n".join(part.text for part in message.parts)[:BEGINNING]


def _said(message: Message) -> tuple[Origin, tuple[str, ...]]:
    """Who said it and what, with no more than the tag of a part in tags, and the type of what can't be read."""
    parts = (
        part.type if part.type in OPAQUE else head_of(part.text) if TAG.match(part.text.strip()) else part.text
        for part in message.parts
    )
    return message.origin, tuple(parts)


def _is_marked(message: Message) -> bool:
    return message.kind is MessageKind.SUMMARY and any(part.text.lstrip().startswith(SUMMARY_MARK) for part in message.parts)


def _standing(message: Message, *, kept: bool, later: bool) -> Standing:
    if message.kind is MessageKind.CARRIER and not (kept and _is_damaged(message)):
        return Standing.CARRIER
    if kept:
        return Standing.KEPT
    if message.kind is MessageKind.NOTICE:
        return Standing.NOTICE
    return Standing.LATER if later and message.kind is not MessageKind.SUMMARY else Standing.NEW


def _is_damaged(message: Message) -> bool:
    """Whether a carrier is not as it was written. One that was damaged before and stands as it stood is a message like others."""
    try:
        return not all(parse_block(part.text).intact for part in message.parts if part.type is PartType.TEXT)
    except CarrierError:
        return True


def _kept_tail(alignment: Alignment) -> int:
    """How many last messages of before follow each other in the result too."""
    count = 0
    last = -1
    for place in reversed(alignment.after_of):
        if place < 0 or place in alignment.moved or (last >= 0 and place >= last):
            break
        last = place
        count += 1
    return count
