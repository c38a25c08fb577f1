"""Writing formats whose messages are elements of lists or lines of their own: what is kept is copied as it stands.

A record that gives no message (a blank marker, a row of the runtime) goes with the record before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.builder import is_result
from barrier_policy.transcript.elements import find_list
from barrier_policy.transcript.joining import join_records
from barrier_policy.transcript.model import Message, Transcript
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.splice import (
    Item,
    children,
    find_value,
    list_text,
    new_text,
    remove_member,
    replace_items,
    replace_list,
    replace_value,
    select_items,
)
from barrier_policy.transcript.values import decode_json
from barrier_policy.transcript.writer import Inserted, Piece, Writer, find_mismatch

Address = tuple[int, str]
"""Line and pointer of a record."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where the messages of a format stand, and how one of the gate's own looks.

    `lists` gives the pointers of a document's lists of messages, in reading order; none where its lines are the messages.
    `front` are pointers of messages that stand alone before the lists. `contents` are pointers, inside a record, of the blocks that may be messages
    of their own. `insert` makes the record of a
    message of the gate's own; it also gets the first record, whose shape it may have to share. `joins`: in a list, a message of the gate's own
    shares a record with its neighbours of the same role, because turns alternate.
    """

    lists: Callable[[Source], Sequence[str]]
    insert: Callable[[Inserted, Any], Any]
    front: tuple[str, ...] = ()
    contents: tuple[str, ...] = ("/content",)
    joins: bool = False


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """One record that stays: all of it, or only the blocks of `messages`."""

    address: Address
    messages: tuple[Message, ...]
    whole: bool


def copying_writer(name: str, read: Callable[[Source], Transcript], layout: Layout) -> Writer:
    """A writer for the format that `read` reads."""

    def write(source: Source, placed: Sequence[Message], pieces: Sequence[Piece]) -> bytes:
        order = _copies(placed, pieces)
        read_at = {address_of(message) for message in placed}
        if any(line for line, _ in read_at):
            return _write_lines(source, order, read_at, layout)
        return _write_document(source, order, read_at, layout).encode("utf-8")

    return checked_writer(name, read, write)


def checked_writer(
    name: str,
    read: Callable[[Source], Transcript],
    write: Callable[[Source, Sequence[Message], Sequence[Piece]], bytes],
) -> Writer:
    """A writer that hands on only what reads as it was meant to.

    `write` gets the messages with places that are unique: records glued on one line are told apart. A block of its own meaning at the front of
    a message, an id that two messages share: what no copying can keep apart is refused with a TranscriptError.
    """

    def write_checked(source: Source, transcript: Transcript, pieces: Sequence[Piece]) -> bytes:
        if transcript.digest != source.digest:
            source.fail("its bytes are not those that the transcript was read from (read it again before it is written)")
        apart = source.one_record_a_line()
        placed = transcript.messages if apart is source else read(apart).messages
        data = write(apart, placed, pieces)
        try:
            problem = find_mismatch(transcript, pieces, read(Source(data, path=source.path)))
        except TranscriptError as error:
            problem = error.issues[0].message
        if problem:
            source.fail(f"it can't be written so that it reads as it is meant ({problem})")
        return data

    return Writer(name=name, write=write_checked)


def lists_under(*keys: str) -> Callable[[Source], Sequence[str]]:
    """The one list that `find_elements` reads: the document itself, or what stands under the first of `keys`."""

    def lists(source: Source) -> Sequence[str]:
        pointer, found = find_list(source.document, *keys)
        return () if found is None else (pointer,)

    return lists


def user_message(inserted: Inserted, example: Any) -> dict[str, Any]:
    """A chat message of the user, in which form carriers and summaries stand in most formats."""
    return {"role": "user", "content": inserted.text}


def address_of(message: Message) -> Address:
    """Line and pointer of a message's record."""
    return message.line, message.pointer


def _copies(placed: Sequence[Message], pieces: Iterable[Piece]) -> list[Copy | Inserted]:
    """Pieces by record: neighbours of one record are copied together."""
    total: dict[Address, int] = {}
    for message in placed:
        total[address_of(message)] = total.get(address_of(message), 0) + 1
    order: list[Copy | Inserted] = []
    for piece in pieces:
        if isinstance(piece, Inserted):
            order.append(piece)
            continue
        message = placed[piece.message]
        address = address_of(message)
        last = order[-1] if order else None
        together = (*last.messages, message) if isinstance(last, Copy) and last.address == address else (message,)
        if len(together) > 1:
            order.pop()
        order.append(Copy(address=address, messages=together, whole=len(together) == total[address]))
    return order


def cut_record(source: Source, text: str, kept: Sequence[Message], contents: Iterable[str]) -> str:
    """The text of a record with only the blocks of some of its messages. Raises TranscriptError where it is in one piece."""
    for content in contents:
        indices = {block_of(part.pointer, content) for message in kept for part in message.parts}
        if indices and -1 not in indices:
            return select_items(text, content, indices)
    place = f"message {kept[0].index}"
    source.fail(f"{place} shares its record with another message, and one can't stay without the other", kept[0].line)


def block_of(pointer: str, content: str) -> int:
    """The index of the block that a part comes from, -1 where it is none of this content."""
    index = pointer[len(content) + 1 :].partition("/")[0]
    return int(index) if pointer.startswith(content + "/") and index.isdecimal() else -1


Chosen = tuple[tuple[int, ...], str | None]
"""What is written: the records of the source that it takes the place of, and its text, None for that of the record."""


def _weave(order: Sequence[Chosen], count: int, read: set[int]) -> list[Item]:
    """Items in order, each followed by the unread records behind it; those before the first read one come first."""
    followers: dict[int, list[Item]] = {-1: []}
    last = -1
    for index in range(count):
        if index in read:
            last = index
        else:
            followers.setdefault(last, []).append(Item(index=index))
    items = followers.pop(-1)
    for indices, text in order:
        items.append(Item(index=indices[0], text=text))
        items += [item for index in indices for item in followers.pop(index, ())]
    return items


def _write_lines(source: Source, order: Sequence[Copy | Inserted], read_at: set[Address], layout: Layout) -> bytes:
    texts = source.record_texts
    number = {record.line: index for index, record in enumerate(source.records)}
    if any(line not in number or pointer for line, pointer in read_at):
        source.fail("some of its messages stand inside the records of others, which can be read but not written")
    chosen = []
    for entry in order:
        index = -1 if isinstance(entry, Inserted) else number[entry.address[0]]
        chosen.append(((index,), _text(source, entry, texts, index, layout)))
    items = _weave(chosen, len(texts), {number[line] for line, _ in read_at})
    return join_lines(source, [texts[item.index] if item.text is None else item.text for item in items])


def join_lines(source: Source, lines: Iterable[str]) -> bytes:
    """Lines with the line ends of the source, or the elements of a list where the source is one."""
    if isinstance(source.document, list):
        return ("[" + ",\n".join(lines) + "]").encode()
    first = source.data.find(b"\n")
    ending = "\r\n" if first > 0 and source.data[first - 1 : first] == b"\r" else "\n"
    return "".join(line + ending for line in lines).encode("utf-8")


def _write_document(source: Source, order: Sequence[Copy | Inserted], read_at: set[Address], layout: Layout) -> str:
    text = source.text
    lists = {pointer: found for pointer in layout.lists(source) if (found := list_text(text, pointer)) is not None}
    alone = {pointer for _, pointer in read_at if pointer.rpartition("/")[0] not in lists}
    by_list, kept = _sorted_out(source, order, lists, layout)
    for pointer, found in lists.items():
        read = {int(at.rpartition("/")[2]) for _, at in read_at if at.rpartition("/")[0] == pointer and at not in alone}
        text = replace_list(text, pointer, _changed_list(source, found, by_list[pointer], read, layout))
    return _without_left(source, text, alone, kept, layout)


Order = list[Copy | Inserted]


def _sorted_out(
    source: Source, order: Sequence[Copy | Inserted], lists: Mapping[str, str], layout: Layout
) -> tuple[dict[str, Order], dict[str, Copy]]:
    """Which entries stand in which list, and those that stand alone.

    A new message goes behind what it follows, into the first list where nothing precedes it.
    """
    by_list: dict[str, Order] = {pointer: [] for pointer in lists}
    alone: dict[str, Copy] = {}
    current = next(iter(lists), None)
    closed = begun = False
    for entry in order:
        parent = None if isinstance(entry, Inserted) else entry.address[1].rpartition("/")[0]
        if isinstance(entry, Copy) and parent not in by_list:
            at_front = entry.address[1] in layout.front
            if at_front and begun:
                source.fail(f"nothing can be inserted before `{entry.address[1]}`, which comes first in this format")
            alone[entry.address[1]] = entry
            closed = closed or not at_front
            continue
        if current is None or (closed and isinstance(entry, Inserted)):
            source.fail("there is no list of messages in it where one could be inserted")
        current = current if parent is None else parent
        begun = True
        by_list[current].append(entry)
    return by_list, alone


def _changed_list(source: Source, found: str, order: Order, read: set[int], layout: Layout) -> str:
    """The text of a list with what is kept of it and what is new."""
    elements = children(found, 0)
    texts = [found[element.start : element.end] for element in elements]
    base = found[1 : elements[0].head].rpartition("\n")[2] if elements else ""
    chosen: list[Chosen] = []
    for entry in order:
        index = -1 if isinstance(entry, Inserted) else int(entry.address[1].rpartition("/")[2])
        chosen.append(((index,), _text(source, entry, texts, index, layout, base)))
    if layout.joins:
        chosen = _join_turns(order, chosen, texts, base)
    return replace_items(found, "", _weave(chosen, len(elements), read))


def _join_turns(order: Order, chosen: Sequence[Chosen], texts: Sequence[str], base: str) -> list[Chosen]:
    """What is written, with what is new in one record with its neighbours."""
    found: list[Chosen] = []
    like = texts[0] if texts else ""
    for number, (indices, text) in enumerate(chosen):
        if found and _may_join(order[number - 1], order[number]):
            before, last = found[-1]
            ours, theirs = (texts[at[0]] if known is None else known for at, known in ((before, last), (indices, text)))
            if (joined := join_records(ours, theirs, like=like, base=base)) is not None:
                found[-1] = (tuple(index for index in (*before, *indices) if index >= 0) or (-1,), joined)
                continue
        found.append((indices, text))
    return found


def _may_join(first: Copy | Inserted, second: Copy | Inserted) -> bool:
    """Whether one of two neighbours is new, and they read the same in one record: results would stand first there."""
    if isinstance(second, Copy):
        parts = [part for message in second.messages for part in message.parts]
        return isinstance(first, Inserted) and all(m.parts for m in second.messages) and not any(map(is_result, parts))
    return isinstance(first, Inserted) or all(message.parts for message in first.messages)


def _text(
    source: Source, entry: Copy | Inserted, texts: Sequence[str], index: int, layout: Layout, base: str = ""
) -> str | None:
    """The text of what is new or cut, None for what is copied whole."""
    if isinstance(entry, Inserted):
        example = decode_json(texts[0]) if texts else None
        return new_text(layout.insert(entry, example), like=texts[0] if texts else "", base=base)
    return None if entry.whole else cut_record(source, texts[index], entry.messages, layout.contents)


def _without_left(source: Source, text: str, alone: set[str], kept: Mapping[str, Copy], layout: Layout) -> str:
    """The document without the messages that left although they stand in no list; one in parts is cut."""
    for pointer in sorted(alone):
        entry = kept.get(pointer)
        place = find_value(text, pointer)
        if entry is None or place is None:
            text = remove_member(text, "/" + pointer.split("/")[1])
        elif not entry.whole:
            cut = cut_record(source, text[place.start : place.end], entry.messages, layout.contents)
            text = replace_value(text, pointer, cut)
    return text
