"""Reading the carrier of the result: which item each line holds, and which lines hold none. Uses the text alone, never typed records.

A line counts only as exactly what a record of the item says: word of state, words. Values of one message share a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from barrier_policy.audit.items import Known, text_lines
from barrier_policy.audit.model import Place
from barrier_policy.carrier.block import Block, Entry, parse_block
from barrier_policy.carrier.record import read_receipt
from barrier_policy.errors import CarrierError
from barrier_policy.transcript.model import Message, MessageKind, PartType

VALUES = "binding"
END_OF_WORD = re.compile(r"[ \n]")
MAX_CANDIDATES = 50
"""Items with equal first lines that are compared; more would make the cost of a line quadratic."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier of the result: its place, and its block, None where it can't be read (`problem` says why)."""

    place: Place
    block: Block | None
    problem: str = ""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a carrier entry: the items that it holds, or none.

    `wrong` says in what it differs from the record of those items: "" (nothing), `state`, `kind`, `mark` where it tells as current what
    was replaced, or `line` for a value that stands on the line of another message. `entry` counts the entries of the result's carriers. `carried`: the carrier of before had it, and holds
    no item; `stood` is where in that carrier the same stood, -1 for nowhere. `times` is how often a receipt says that it was done, `before`
    how often the carrier of before had said so.
    """

    place: Place
    kind: str
    entry: int
    text: str
    items: tuple[Known, ...] = ()
    wrong: str = ""
    carried: bool = False
    stood: int = -1
    times: int = 1
    before: int = 0

    @property
    def receipt(self) -> str:
        """What was done, with its state: the same for lines that differ only in how often."""
        return self.items[0].prefix + self.items[0].item.text


def find_carriers(messages: Sequence[Message]) -> Iterator[Shown]:
    """The carriers among messages of kind carrier, part by part."""
    for message in messages:
        for part in message.parts:
            if part.type is PartType.TEXT:
                place = Place(message=message.index, pointer=message.pointer + part.pointer)
                try:
                    yield Shown(place=place, block=parse_block(part.text))
                except CarrierError as error:
                    yield Shown(place=place, block=None, problem=str(error))


class LineReader:
    """Finds the items of carrier lines. `carried` are the entries of the carrier that before already had, `held` the words of its records,
    `rewritten` its lines, by kind, as they stand once what has changed since is told.

    A value that another line showed gets a line of its own once that has ended.
    """

    def __init__(
        self,
        known: Sequence[Known],
        carried: Sequence[Entry],
        held: Iterable[str] = (),
        rewritten: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._held = frozenset(held)
        self._by_line: dict[str, list[tuple[tuple[str, ...], Known]]] = {}
        """By first line, the lines of items: with what was replaced in them and without."""
        self._values: dict[str, list[Known]] = {}
        self._lengths: dict[str, set[int]] = {}
        for item in known:
            for lines in dict.fromkeys((tuple(text_lines(item)), tuple(item.item.text.split("\n")))):
                self._by_line.setdefault(lines[0], []).append((lines, item))
            if item.record == VALUES:
                self._values.setdefault(item.item.text, []).append(item)
                self._lengths.setdefault(_first_word(item.item.text, 0), set()).add(len(item.item.text))
        self._done = receipts_of(carried)
        self._carried = {(entry.kind, line) for entry in carried for line in entry.text.split("\n")}
        self._carried.update(rewritten)
        self._stood: dict[tuple[str, str], int] = {}
        for number, entry in enumerate(carried):
            self._stood.setdefault((entry.kind, _said(entry.kind, entry.text)), number)
        self._carried_words: dict[str, set[int]] = {}
        seen = (line for entry in carried if entry.kind == VALUES for line in entry.text.split("\n"))
        for number, line in enumerate(seen):
            for word in line.split(" "):
                self._carried_words.setdefault(word, set()).add(number)

    def read(self, entry: Entry, number: int, place: Place) -> Iterator[Line]:
        """The pieces of one entry, in order, nothing left out."""
        lines = entry.text.split("\n")
        if entry.kind == VALUES:
            for text, line in self._seen(lines):
                yield msgspec.structs.replace(line, place=place, entry=number, text=text)
            return
        at = 0
        while at < len(lines):
            size, line = self._piece(entry.kind, lines, at)
            stood = self._stood.get((entry.kind, _said(entry.kind, line.text)), -1)
            yield msgspec.structs.replace(self._counted(line), place=place, entry=number, stood=stood)
            at += size

    def _counted(self, line: Line) -> Line:
        if line.kind != "receipt" or not line.items or line.wrong:
            return line
        return msgspec.structs.replace(line, times=read_receipt(line.text)[1], before=self._done[line.receipt])

    def _piece(self, kind: str, lines: list[str], at: int) -> tuple[int, Line]:
        """How many lines the next piece has, and the piece."""
        best: tuple[tuple[bool, int, bool], str, str] | None = None
        items: list[Known] = []
        for prefix, rest in _readings(lines[at]):
            for words, known in self._by_line.get(rest, ())[:MAX_CANDIDATES]:
                if list(words[1:]) != lines[at + 1 : at + len(words)]:
                    continue
                wrong = _difference(known, kind, prefix) or ("" if words == tuple(text_lines(known)) else "mark")
                rank = (wrong == "", len(words), known.current)
                if best is None or rank > best[0]:
                    best, items = (rank, wrong, "\n".join(lines[at : at + len(words)])), []
                if rank == best[0]:
                    items.append(known)
        if best is None or (best[1] and (kind, lines[at]) in self._carried):
            carried = (kind, lines[at]) in self._carried
            return 1, _line(kind, lines[at], carried=carried)
        (_, size, _), wrong, text = best
        return size, _line(kind, text, items=items, wrong=wrong)

    def _seen(self, lines: list[str]) -> Iterator[tuple[str, Line]]:
        """The values of a record. One that has a line feed in it reaches over lines."""
        text = "\n".join(lines)
        at = 0
        whole = {line for kind, line in self._carried if kind == VALUES} | self._held
        home: set[int] | None = None
        while at < len(text):
            end_of_line = text.find("\n", at)
            rest = text[at:] if end_of_line < 0 else text[at:end_of_line]
            if home is None and rest in whole and not self._value_at(text, at):
                yield rest, _line(VALUES, rest, carried=True)
                at += len(rest) + 1
                continue
            known = self._value_at(text, at)
            end = at + len(known[0].item.text) if known else _end_of_word(text, at)
            piece = text[at:end]
            homes = {item.item.message for item in known}
            wrong = "line" if home and homes and not home & homes and piece not in self._carried_words else ""
            carried = not known and (piece in self._carried_words or piece in self._held)
            yield piece, _line(VALUES, piece, items=known, wrong=wrong, carried=carried)
            home = (home or homes) & homes or home or homes
            if text[end : end + 1] == "\n":
                home = None
            at = end + 1

    def _value_at(self, text: str, at: int) -> list[Known]:
        """The longest known value that stands here as a whole. Values have a bounded length, and so has the search."""
        for length in sorted(self._lengths.get(_first_word(text, at), ()), reverse=True):
            found = self._values.get(text[at : at + length])
            if found and text[at + length : at + length + 1] in ("", " ", "\n"):
                return found
        return []


def _line(kind: str, text: str, *, items: Sequence[Known] = (), wrong: str = "", carried: bool = False) -> Line:
    nowhere = Place(message=0)
    return Line(place=nowhere, kind=kind, entry=0, text=text, items=tuple(items), wrong=wrong, carried=carried)


def _said(kind: str, text: str) -> str:
    """What an entry says; of a receipt without how often."""
    if kind != "receipt":
        return text
    word, _, rest = read_receipt(text)
    return f"{word}: {rest}"


def _readings(line: str) -> Iterator[tuple[str, str]]:
    """A line as prefix and words: as it stands, and without a word of state and how often."""
    yield "", line
    word, _, rest = read_receipt(line)
    if 0 < len(word) < 20:
        yield f"{word}: ", rest


def _difference(known: Known, kind: str, prefix: str) -> str:
    """In what a piece differs from the record of the item."""
    if known.record != kind:
        return "kind"
    if prefix == known.prefix:
        return ""
    return "state" if known.prefix else "kind"


def _first_word(text: str, at: int) -> str:
    return text[at : _end_of_word(text, at)]


def _end_of_word(text: str, at: int) -> int:
    """Where the word at a place ends; one character on at the least."""
    end = END_OF_WORD.search(text, at + 1)
    return end.start() if end else len(text)


def lines_of(carriers: Sequence[Shown], reader: LineReader) -> list[Line]:
    """All pieces of all carriers that can be read."""
    found: list[Line] = []
    number = 0
    for shown in carriers:
        for entry in shown.block.entries if shown.block else ():
            found.extend(reader.read(entry, number, shown.place))
            number += 1
    return found


def receipts_of(entries: Iterable[Entry]) -> Counter[str]:
    """By receipt, how often the entries of a carrier say that it was done."""
    found: Counter[str] = Counter()
    for entry in entries:
        if entry.kind == "receipt":
            word, times, text = read_receipt(entry.text)
            found[f"{word}: {text}"] += times
    return found


def carried_entries(messages: Sequence[Message]) -> tuple[Entry, ...]:
    """What the carriers of before hold; one that can't be read holds nothing."""
    carriers = [message for message in messages if message.kind is MessageKind.CARRIER]
    return tuple(entry for found in find_carriers(carriers) if found.block for entry in found.block.entries)
