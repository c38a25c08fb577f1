"""Whether a log is whole: every record intact, in its place, and none missing since an anchor was taken."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from barrier_policy.digest import DIGEST
from barrier_policy.errors import LogError
from barrier_policy.log.record import GENESIS, Head, intact_fields


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a log: where it stands, and its bytes. Not `whole` is a last line without its line feed.

    In a database, which is never rotated, `numbered`: the number of a row is that of its record.
    """

    file: str
    number: int
    data: bytes
    whole: bool = True
    numbered: bool = False

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.number}"


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """A head as it was noted down elsewhere; `count` None where only the digest was."""

    digest: str
    count: int | None = None


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """How far a log is whole: `head` is the last good record. `problem` says what is wrong with the first bad line, "" for nothing.

    `start` is the last record that was removed on purpose, count 0 where none was.
    """

    head: Head
    start: Head = Head()
    problem: str = ""


def parse_anchor(text: str) -> Anchor:
    """`COUNT:sha256:…` as `log anchor` prints it, or the digest alone. Raises LogError."""
    count, colon, digest = text.strip().partition(":")
    if colon and count.isascii() and count.isdigit() and len(count) <= 15 and DIGEST.fullmatch(digest):
        return Anchor(digest=digest, count=int(count))
    if DIGEST.fullmatch(text.strip()):
        return Anchor(digest=text.strip())
    raise LogError(f"`{text}` is no anchor (give what `log anchor` printed: COUNT:sha256:<64 hex digits>)")


class Chain:
    """A chain that is followed line by line, up to the first bad one. `head` is the last good record."""

    def __init__(self, start: Head | None = None) -> None:
        self.head = start or Head()
        self.problem = ""

    def take(self, line: Line) -> None:
        """Go one line further; where it is bad, `problem` says so with its place, and nothing behind it is looked at."""
        if self.problem:
            return
        try:
            self.head = _next(line, self.head)
        except LogError as error:
            self.problem = f"{line.place}: {error}"


def verify_chain(
    lines: Iterable[Line], anchor: Anchor | None = None, *, name: str = "log", start: Head | None = None
) -> Verification:
    """Follow the chain from its first line to the first bad one, or to the end. `name` is what the log is called.

    Without an anchor it can't be known whether the end was cut off, or the last records were replaced by others with a chain of their own.
    With one, everything up to the anchored record is known to be as it was then. `start` is the head that the first line follows, where
    older records were removed on purpose.
    """
    begin = start or Head()
    chain = Chain(begin)
    anchored = anchor is None or (anchor.digest == GENESIS and not anchor.count) or _is(anchor, begin)
    for line in lines:
        before = chain.head
        chain.take(line)
        if not chain.problem and _replaced(anchor, chain.head):
            problem = f"record {chain.head.count} is not the anchored one (it, or one before it, was replaced)"
            return Verification(head=before, start=begin, problem=f"{line.place}: {problem}")
        if chain.problem:
            return Verification(head=chain.head, start=begin, problem=chain.problem)
        anchored = anchored or _is(anchor, chain.head)
    if not anchored:
        return Verification(head=chain.head, start=begin, problem=f"{name}: {_unmet(anchor, chain.head, begin)}")
    return Verification(head=chain.head, start=begin)


def _next(line: Line, head: Head) -> Head:
    """The head after one more line. Raises LogError."""
    if not line.whole:
        raise LogError(
            "the line breaks off (a crash while it was written, or the end was cut off; the next append puts it aside)"
        )
    fields = intact_fields(line.data)
    if fields["sequence"] != head.count + 1:
        raise LogError(
            f"record {fields['sequence']} where {head.count + 1} is next (records are missing, added or in another order)"
        )
    if line.numbered and fields["sequence"] != line.number:
        raise LogError(f"row {line.number} holds record {fields['sequence']} (rows were numbered anew)")
    if fields["previous"] != head.digest:
        raise LogError(f"the record does not follow record {head.count} (one of the two was replaced)")
    return Head(count=fields["sequence"], digest=fields["digest"])


def _is(anchor: Anchor | None, head: Head) -> bool:
    return anchor is not None and anchor.digest == head.digest and anchor.count in (None, head.count)


def _replaced(anchor: Anchor | None, head: Head) -> bool:
    """Whether another record stands in the place of the anchored one."""
    return anchor is not None and anchor.count == head.count and anchor.digest != head.digest


def _unmet(anchor: Anchor | None, head: Head, begin: Head) -> str:
    if anchor is not None and anchor.count is not None and anchor.count <= begin.count:
        return f"the anchor is record {anchor.count}, and records 1 to {begin.count} were removed (give a later anchor)"
    wanted = f"record {anchor.count}" if anchor and anchor.count is not None else "a record with that digest"
    return f"it ends after record {head.count}, and the anchor is {wanted} (the end was cut off, or it is another log)"
