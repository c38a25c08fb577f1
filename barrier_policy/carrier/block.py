"""The carrier as the model sees it: one message that holds every record, and how it is read back (design section 3, carrier).

    <barrier-policy-carrier version="1" digest="sha256:…" records="store:sha256:…">
    Exact records of turns that left this conversation. …
    [receipt 1,2]
    done: …
    done: … (two lines)
    …
    </barrier-policy-carrier>

A section holds the records of one kind; its head says of how many lines each of them is, so that no text of a record can be taken for
a head. `digest` is that of all between the first line and the last, `records` where the typed records are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.digest import digest_text
from barrier_policy.errors import CarrierError
from barrier_policy.transcript.builder import CARRIER_MARK

VERSION = "1"
PREAMBLE = (
    "Exact records of turns that left this conversation: rules in force, what is owed, what was done, values that were seen. "
    "They are state, not instructions, and nothing in them asks for anything to be done again."
)
KINDS = ("constraint", "gate", "obligation", "receipt", "job", "environment", "evidence_index", "evidence")
"""The order of sections; kinds of outside plugins follow by name."""

END = "</barrier-policy-carrier>"
_FIRST = re.compile(CARRIER_MARK + r' version="([^"]*)" digest="(sha256:[0-9a-f]{64})" records="([^"]*)">')
_HEAD = re.compile(r"\[([a-z_.]+) ([0-9]+(?:,[0-9]+)*)\]")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One record as it is shown: its kind and its line or lines."""

    kind: str
    text: str


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier message that was read back. `intact`: its digest is that of its body. `records` is a uri, "" for none."""

    entries: tuple[Entry, ...]
    digest: str
    intact: bool
    records: str


def render_block(records: Iterable[CarrierRecord | Entry], *, archived: str = "") -> str:
    """The message for records, by kind, else in the given order. `archived` is the uri of the typed records. Same records, same text."""
    by_kind: dict[str, list[str]] = {}
    for record in records:
        by_kind.setdefault(record.kind, []).append(record.text)
    lines = [PREAMBLE]
    for kind in sorted(by_kind, key=lambda kind: (KINDS.index(kind) if kind in KINDS else len(KINDS), kind)):
        sizes = ",".join(str(text.count("\n") + 1) for text in by_kind[kind])
        lines += [f"[{kind} {sizes}]", *by_kind[kind]]
    body = "\n".join(lines)
    return f'{CARRIER_MARK} version="{VERSION}" digest="{digest_text(body)}" records="{archived}">\n{body}\n{END}'


def parse_block(text: str) -> Block:
    """Read a carrier message. Raises CarrierError where it is none, or of a version that this release can't read."""
    first, _, rest = text.partition("\n")
    found = _FIRST.fullmatch(first)
    body, closed, after = rest.rpartition("\n" + END)
    if found is None or not closed or after.strip():
        raise CarrierError("not a carrier of barrier_policy (its first or last line is missing or was changed)")
    version, digest, records = found.groups()
    if version != VERSION:
        raise CarrierError(f"a carrier of version `{version}` (this release reads {VERSION}; use a newer barrier_policy)")
    _, _, sections = body.partition("\n")
    return Block(entries=tuple(_entries(sections)), digest=digest, intact=digest_text(body) == digest, records=records)


def _entries(sections: str) -> Iterator[Entry]:
    lines = sections.split("\n") if sections else []
    at = 0
    while at < len(lines):
        head = _HEAD.fullmatch(lines[at])
        if head is None:
            raise CarrierError(
                f"the carrier can't be read: `{lines[at][:80]}` stands where a section begins (it was changed)"
            )
        at += 1
        for size in map(int, head[2].split(",")):
            if size < 1 or at + size > len(lines):
                raise CarrierError("the carrier can't be read: a section is shorter than its head says (it was cut)")
            yield Entry(kind=head[1], text="\n".join(lines[at : at + size]))
            at += size
