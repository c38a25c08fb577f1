"""Checks of whole messages: kept where they must be, as they were, in order, calls with their results, nothing that can't be read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import ceil

from barrier_policy.audit.align import message_key
from barrier_policy.audit.model import Place, Unproven
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.result import OPAQUE, Result, Standing, gives_instructions, head_of
from barrier_policy.audit.text import WordIndex
from barrier_policy.facts.words import content_words
from barrier_policy.transcript.model import Message, MessageKind, PartType
from barrier_policy.transcript.pairing import PartRef, pair_calls

ALIKE = 0.6
"""A message that shares this many of its words with one that is gone, and the other way round, is that one, changed."""
BEGINNING = 8
"""Characters by which a message is found again that has too few words to be told by them."""


def place_of(message: Message, part: int = -1) -> Place:
    """Where a message or one of its parts stands."""
    pointer = message.parts[part].pointer if 0 <= part < len(message.parts) else ""
    return Place(message=message.index, pointer=message.pointer + pointer)


def check_messages(
    result: Result,
    tail_start: int,
    unread: frozenset[int],
    notes: Notebook,
    again: Instructions | None = None,
    spoken: frozenset[int] = frozenset(),
) -> frozenset[int]:
    """Messages that had to stay. `unread` are those that an extractor failed on, `spoken` those that stand in the result as another's.

    Of a foreign runtime's result `again` are the instructions that it gives anew, which are not lost; and of what nobody could read nobody
    can say that it is missed. None: the result is a gate's.
    """
    changed = dict(_changed(result))
    first_said = next((message.index for message in result.before if not gives_instructions(message)), 0)
    told: set[Hashable] = set()
    for message in result.before:
        required, lost = _required(message, tail_start, unread), list[str]()
        if not required:
            continue
        notes.count("messages")
        if result.keeps(message.index) or message.index in changed or message.index in spoken:
            continue
        if again is not None and required == "unreadable":
            notes.reclaim("messages", required, Unproven.UNREADABLE)
            continue
        if again is not None and required == "instructions":
            if (key := message_key(message)) in told or again.repeat(message):
                continue
            told.add(key)
            lost = again.lack(message) if message.index < first_said or not again else []
            if not lost:
                notes.reclaim("messages", required, Unproven.MOVED)
                continue
        rule, words = "audit.opaque" if required == "unreadable" else "audit.severed", "\n".join(lost) or shown(message)
        notes.add(rule, "messages", f"message:{message.index}", required, before=place_of(message), expected=words)
    for index, new in changed.items():
        old = result.before[index]
        if _quotes(shown(new), shown(old)) and not _required(old, tail_start, unread):
            continue  # which is a summary of it
        kind = str(old.origin)
        expected, found = _difference(shown(old), shown(new))
        notes.count("messages")
        notes.add(
            "audit.altered",
            "messages",
            f"message:{index}",
            kind,
            before=place_of(old),
            after=place_of(new),
            expected=expected,
            found=found,
        )
    _check_copies(result, notes)
    _check_order(result, notes, is_gates=again is None)
    return frozenset(changed)


class Instructions:
    """What a runtime tells the model itself, by the sections it consists of and by its lines."""

    def __init__(self, messages: Iterable[Message]) -> None:
        given = [message for message in messages if gives_instructions(message)]
        texts = [part.text for message in given for part in message.parts]
        self._keys = frozenset(map(message_key, given))
        self._heads = {head_of(text) for text in texts}
        self._lines = {line.strip() for text in texts for line in text.split("\n")}

    def __bool__(self) -> bool:
        return bool(self._keys)

    def repeat(self, message: Message) -> bool:
        """Whether they have a message as it was."""
        return message_key(message) in self._keys

    def lack(self, message: Message) -> list[str]:
        """The sections of a message that they don't have, be it in a newer form, nor all lines of, but for those that lead up to others."""
        return [part.text for part in message.parts if head_of(part.text) not in self._heads and not self._have(part.text)]

    def _have(self, text: str) -> bool:
        lines = [line.strip() for line in text.split("\n")]
        told = [line for line in lines if line and not line.endswith(":")]
        return bool(told) and self._lines.issuperset(told)


def _required(message: Message, tail_start: int, unread: frozenset[int]) -> str:
    """Why a message had to stay as it was, "" where it need not."""
    if message.index >= tail_start:
        return "tail"
    if message.index in unread or any(part.type is PartType.UNKNOWN for part in message.parts):
        return "unreadable"
    return "instructions" if gives_instructions(message) else ""


def shown(message: Message) -> str:
    """The words of a message, calls with their names."""
    return "\n".join(f"{part.name} {part.text}".strip() for part in message.parts)


def _changed(result: Result) -> Iterator[tuple[int, Message]]:
    """Messages of before that stand in the result with other words, by their index."""
    gone = [message for message in result.before if not result.keeps(message.index) and message.kind is MessageKind.MESSAGE]
    words = [content_words(shown(message)) for message in gone]
    index = WordIndex(words)
    calls = {(part.type, part.call_id): message for message in gone for part in message.parts if part.call_id[1:]}
    starts = {(message.origin, shown(message)[:BEGINNING]): message for message in gone}
    for new in result.of(Standing.NEW):
        if new.kind is not MessageKind.MESSAGE:
            continue
        told = content_words(shown(new))
        number, share = index.nearest(told)
        alike = number >= 0 and share >= ALIKE and len(words[number] & told) >= ALIKE * len(words[number])
        begun = starts.get((new.origin, shown(new)[:BEGINNING]))
        if not alike and begun is not None and _goes_on_alike(shown(begun), shown(new)):
            yield begun.index, new
            continue
        old = gone[number] if alike else next((calls[key] for key in _keys(new) if key in calls), None)
        if old is not None and old.origin is new.origin and (alike or _is_call(new)):
            yield old.index, new


def _quotes(text: str, quoted: str) -> bool:
    """Whether a text holds another one whole, with nothing written onto its ends."""
    start = text.find(quoted)
    after = text[start + len(quoted) : start + len(quoted) + 1]
    return start >= 0 and not (after.isalnum() or text[max(0, start - 1) : start].isalnum())


def _goes_on_alike(old: str, new: str) -> bool:
    """Whether most of two texts is the same from their beginning on: a few words with one changed share too few of them."""
    least = ceil(ALIKE * max(len(old), len(new)))
    return len(old) >= least and old[:least] == new[:least]


def _keys(message: Message) -> Iterator[tuple[PartType, str]]:
    return ((part.type, part.call_id) for part in message.parts)


def _is_call(message: Message) -> bool:
    """A call with other arguments is another call; a result that was cut down is a summary of what it was."""
    return any(part.type is PartType.TOOL_CALL for part in message.parts)


def _difference(old: str, new: str) -> tuple[str, str]:
    """Both texts from a little before the first place where they differ."""
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = max(0, at - 40)
    return ("…" if start else "") + old[start:], ("…" if start else "") + new[start:]


def _check_copies(result: Result, notes: Notebook) -> None:
    """Messages that stand in the result more often than before, each told once."""
    kept = {message_key(message) for message in result.of(Standing.KEPT)}
    for message in result.of(Standing.NEW):
        if message.kind is MessageKind.MESSAGE and (key := message_key(message)) in kept:
            kept.remove(key)
            place = place_of(message)
            notes.add("audit.unsupported", "messages", f"copy:{message.index}", "copy", after=place, found=shown(message))


def _check_order(result: Result, notes: Notebook, *, is_gates: bool) -> None:
    """Messages in another order than before. Foreign runtimes put instructions behind what users said, which loses nothing."""
    notes.count("order", sum(standing is Standing.KEPT for standing in result.standing))
    for index in sorted(result.alignment.moved):
        if not is_gates:
            notes.reclaim("order", "message", Unproven.MOVED)
            continue
        old = result.before[result.alignment.before_of[index]]
        places = place_of(old), place_of(result.after[index])
        name = f"message:{old.index}"
        notes.add("audit.unordered", "order", name, "message", before=places[0], after=places[1], expected=shown(old))


def check_pairs(result: Result, notes: Notebook) -> None:
    """Calls and results that are alone in the result and were not before. A later call may still wait for its result."""
    before, after = pair_calls(result.before), pair_calls(result.after)
    for ref, part, message in _parts(result.after):
        if part not in (PartType.TOOL_CALL, PartType.TOOL_RESULT):
            continue
        notes.count("pairs")
        paired = bool(after.results_of.get(ref)) if part is PartType.TOOL_CALL else ref in after.call_of
        if paired:
            continue
        old = result.alignment.before_of[ref.message]
        origin = PartRef(old, ref.part)
        alone = old >= 0 and not (before.results_of.get(origin) if part is PartType.TOOL_CALL else origin in before.call_of)
        waits = part is PartType.TOOL_CALL and result.standing[ref.message] is Standing.LATER
        if not alone and not waits:
            kind = "call without a result" if part is PartType.TOOL_CALL else "result without a call"
            text = message.parts[ref.part].name or message.parts[ref.part].text
            notes.add(
                "audit.pair-broken",
                "pairs",
                f"part:{ref.message}.{ref.part}",
                kind,
                before=place_of(result.before[old], ref.part) if old >= 0 else None,
                after=place_of(message, ref.part),
                expected=text,
            )


def _parts(messages: Sequence[Message]) -> Iterator[tuple[PartRef, PartType, Message]]:
    return (
        (PartRef(message.index, number), part.type, message)
        for message in messages
        for number, part in enumerate(message.parts)
    )


def unanswered(messages: Sequence[Message]) -> frozenset[tuple[int, int]]:
    """The last calls that have no result, by message and part: the log of a runtime lacks it where a compaction came between."""
    results = pair_calls(messages).results_of
    found: set[tuple[int, int]] = set()
    for message in reversed(messages):
        types = {part.type for part in message.parts}
        if PartType.TOOL_CALL in types:
            calls = (number for number, part in enumerate(message.parts) if part.type is PartType.TOOL_CALL)
            found |= {(message.index, n) for n in calls if not results.get(PartRef(message.index, n))}
        elif PartType.TOOL_RESULT not in types:
            break
    return frozenset(found)


def check_opaque(result: Result, notes: Notebook) -> bool:
    """Whether anything in the result that is new can't be read."""
    found = False
    for message in result.of(Standing.NEW, Standing.CARRIER):
        for number, part in enumerate(message.parts):
            if part.type in OPAQUE or not part.text.strip():
                found = True
                where = place_of(message, number)
                notes.add(
                    "audit.opaque",
                    "new text",
                    f"part:{message.index}.{number}",
                    part.media_type or str(part.type),
                    after=where,
                )
    return found
