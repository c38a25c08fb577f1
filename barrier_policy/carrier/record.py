"""The typed record of a carrier: what it holds, what the model sees of it, and what makes it complete (design section 5).

A record holds items. Those with `shown_by` have no line of their own: the line of the named item shows them. What was done several
times in the same words with the same answer is one line that says how often. The text of a record is a function of its kind and items,
so that neither can change without the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from barrier_policy.digest import digest_value
from barrier_policy.errors import CarrierError

Fields = dict[str, Any]
"""One item of a record."""

KINDS = (
    "constraint",
    "gate",
    "obligation",
    "plan_item",
    "job",
    "statement",
    "receipt",
    "environment",
    "binding",
    "evidence",
)
"""Kinds of records in the order in which they are shown."""

WORD_OF_STATE = {"confirmed": "done", "failed_clean": "failed"}
_TIMES = re.compile(r"(.+) ([2-9]|[1-9][0-9]{1,8}) times")
REQUIRED_FIELDS = {
    "obligation": ("id", "type", "text", "state", "debtor", "creditor"),
    "plan_item": ("id", "text", "state", "debtor", "creditor"),
    "job": ("id", "text", "state", "subject"),
    "receipt": ("id", "tool", "state", "text"),
    "constraint": ("id", "text", "polarity", "state", "origin"),
    "gate": ("id", "text", "polarity", "state", "origin"),
    "statement": ("id", "text"),
    "environment": ("id", "name", "text"),
    "binding": ("id", "type", "text"),
    "evidence": ("id", "text"),
}
"""What an item must say, by the kind of its record. An item that says less is not covered."""


def rank_of(kind: str) -> int:
    """The place of a kind among those that are shown; one that is none of them comes last. Of equal lines that of the first kind is shown."""
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Where the record's content stands: message index and RFC 6901 pointer in that message's source record.

    Indices are those of the transcript that it was written from and change with every compaction. `digest` is that of the message's
    text and does not, nor does `head`: the digest of the last message that there was when the record was last found to hold.
    """

    message: int
    pointer: str
    digest: str = ""
    head: str = ""


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a record is made of. Drafts are merged with what there is before they are written down as records (`write_down`)."""

    id: str
    kind: str
    subject: str
    items: list[Fields]
    source: Source
    version: int = 1


class CarrierRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One record. `fields` is stored, `text` is the dense line that the model sees, `digest` covers all but id and source."""

    id: str
    kind: str
    subject: str
    version: int
    fields: dict[str, Any]
    text: str
    digest: str
    source: Source

    @property
    def items(self) -> list[Fields]:
        """The items that it holds."""
        items: list[Fields] = self.fields["items"]
        return items


def digest_of(record: CarrierRecord) -> str:
    """What is digested of a record: all but its id and its source."""
    names = ("kind", "subject", "version", "fields", "text")
    return digest_value({name: getattr(record, name) for name in names})


def make_record(
    *, id: str, kind: str, subject: str, items: Sequence[Fields], source: Source, version: int = 1
) -> CarrierRecord:
    """A record of these items, with its text and digest."""
    record = CarrierRecord(
        id=id,
        kind=kind,
        subject=subject,
        version=version,
        fields={"items": list(items)},
        text=text_of(kind, items),
        digest="",
        source=source,
    )
    return msgspec.structs.replace(record, digest=digest_of(record))


def write_down(draft: Draft) -> CarrierRecord:
    """The record of a draft."""
    return make_record(**msgspec.structs.asdict(draft))


def text_of(kind: str, items: Iterable[Fields]) -> str:
    """What the model sees of items in a record of this kind."""
    items = list(items)
    shown = [item for item in items if "shown_by" not in item]
    if kind == "binding":
        return "\n".join(_value_lines(shown))
    times = _times(items) if kind == "receipt" else Counter()
    return "\n".join(line_of(kind, item, times=times[item["id"]]) for item in shown)


def line_of(kind: str, item: Mapping[str, Any], *, times: int = 1) -> str:
    """The line, or lines, of one item. What was done says whether it went through, and how often; all else speaks for itself."""
    text: str = item["text"]
    word = WORD_OF_STATE.get(item["state"], item["state"]) if kind == "receipt" else ""
    often = f" {times} times" if times > 1 else ""
    return with_mark(f"{word}{often}: {text}" if word else text, str(item.get("replaced", "")))


def with_mark(text: str, replaced: str) -> str:
    """Words of which some no longer hold, with what holds instead; `replaced` says it, "" where all of them hold."""
    return f"{text} [{replaced}]" if replaced else text


def read_receipt(line: str) -> tuple[str, int, str]:
    """The word of state, the number of times and the words of a receipt's line; no word of state where it begins with none."""
    word, colon, text = line.partition(": ")
    if not colon:
        return "", 1, line
    found = _TIMES.fullmatch(word)
    return (found[1], int(found[2]), text) if found else (word, 1, text)


def _times(items: Iterable[Fields]) -> Counter[str]:
    """By receipt that has a line, how many calls it speaks of: its own, and those of equal receipts that the line shows as well."""
    receipts = [item for item in items if kind_of(item, "receipt") == "receipt"]
    lines = {item["id"]: line_of("receipt", item) for item in receipts if "shown_by" not in item}
    times: Counter[str] = Counter()
    for item in receipts:
        holder = str(item.get("shown_by", item["id"]))
        if lines.get(holder) == line_of("receipt", item):
            times[holder] += len(item["calls"]) if "calls" in item else 1
    return times


def _value_lines(items: Iterable[Fields]) -> Iterator[str]:
    """Values of one place side by side. One with a blank in it has a line of its own, else nobody could tell where it ends."""
    line: list[str] = []
    place: Any = None
    for item in items:
        text = item["text"]
        alone = not text or any(character.isspace() for character in text)
        if line and (alone or place_of(item) != place):
            yield " ".join(line)
            line = []
        place = place_of(item)
        if alone:
            yield text
        else:
            line.append(text)
    if line:
        yield " ".join(line)


def place_of(value: Mapping[str, Any]) -> Any:
    """What values on one line have in common: the message that they were seen in, when that was first recorded."""
    return value.get("line", value.get("message"))


def kind_of(item: Mapping[str, Any], record: str) -> str:
    """The kind of record that an item belongs into; `record` is the kind of the one that it is in."""
    return str(item.get("kind", record))


def problems_of(record: CarrierRecord) -> Iterator[str]:
    """What is wrong with a record, one phrase for each problem."""
    if digest_of(record) != record.digest:
        yield "its digest does not fit its content"
    items = record.fields.get("items")
    if not isinstance(items, list) or not items or not all(map(_is_item, items)):
        yield "it holds no items"
        return
    for item in items:
        missing = [name for name in REQUIRED_FIELDS.get(kind_of(item, record.kind), ("id", "text")) if name not in item]
        if missing:
            yield f"`{item['id']}` has no {', '.join(missing)}"
    if record.kind == "receipt" and not all("state" in item for item in items):
        return
    if text_of(record.kind, items) != record.text:
        yield "its text is not what its items say"


def _is_item(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("id"), str) and isinstance(item.get("text"), str)


def check_record(record: CarrierRecord) -> None:
    """Raises CarrierError, naming the record and all that is wrong with it, unless it is whole and complete."""
    if found := "; ".join(problems_of(record)):
        raise CarrierError(f"carrier record `{record.id}`: {found} (it is not used; the original is in the store)")
