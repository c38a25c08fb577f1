"""Plans and to-do lists: fact kind `plan_item` from the tools of common runtimes and from checklists in text.

A tool is known by what its name and arguments look like, not by a list of runtimes: a list of entries with a text and a
state, or one entry with an id (design section 5, obligations; sentences about plans are another plugin's).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from barrier_policy_plugins.tool_arguments import argument_key
from barrier_policy_plugins.tool_names import bare_name, name_tokens

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind, FactValue
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

MAX_ITEMS: Final = 500
MAX_TEXT: Final = 2_000

PLAN_WORDS: Final = frozenset(("todo", "todos", "task", "tasks", "subtask", "subtasks", "plan", "checklist", "tracker"))
LIST_WORDS: Final = PLAN_WORDS - {"plan"}
LIST_KEYS: Final = frozenset(
    ("todos", "todo", "todolist", "tasks", "tasklist", "plan", "items", "steps", "checklist", "entries", "subtasks")
)
TEXT_KEYS: Final = ("content", "text", "title", "subject", "step", "task", "name", "description", "activeform")
ID_KEYS: Final = ("id", "taskid", "todoid", "itemid", "key", "number")
STATE_KEYS: Final = ("status", "state", "done", "completed", "checked")
STATES: Final = {
    word: state
    for state, words in (
        ("open", "pending open todo notstarted new queued planned false blocked waiting"),
        ("in_progress", "inprogress active doing started current ongoing running wip"),
        ("done", "done completed complete finished closed resolved true checked success succeeded"),
        ("cancelled", "cancelled canceled skipped dropped deleted removed abandoned obsolete wontdo rejected"),
    )
    for word in words.split()
}
"""Words for states, spelt without signs. An unknown word leaves an entry open, which protects."""
CREATING: Final = frozenset(("add", "create", "new", "insert", "append"))
STATE_OF_VERB: Final = {
    "done": "done",
    "complete": "done",
    "finish": "done",
    "close": "done",
    "check": "done",
    "cancel": "cancelled",
    "delete": "cancelled",
    "remove": "cancelled",
    "drop": "cancelled",
    "start": "in_progress",
    "update": "",
    "set": "",
    "edit": "",
}
CREATED: Final = re.compile(
    r"(?i)\b(?:task|todo|item) #?([\w.-]+?)[:,]? (?:was |has been )?(?:created|added)|\b(?:created|added) (?:task|todo|item) #?([\w.-]*\w)"
)
CHECKLIST: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX~/>✓✔-])\][ \t]+(\S.*)")
STATE_OF_BOX: Final = {
    " ": "open",
    "x": "done",
    "X": "done",
    "✓": "done",
    "✔": "done",
    "-": "cancelled",
    "~": "in_progress",
    "/": "in_progress",
    ">": "in_progress",
}


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a plan as a call or a text states it; `whole` where the call states all entries that there are."""

    text: str
    state: str
    id: str = ""
    whole: bool = False


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`plan_item`, which other extractors may emit too."""
    return (
        FactKind(
            name="plan_item",
            doc="An entry of a plan or to-do list in its state at this message; `text` is the entry, empty where only its id is named.",
            attributes=(
                Attribute(name="state", type="string", doc="its state", values=("open", "in_progress", "done", "cancelled")),
                Attribute(name="id", type="string", doc="its id in the tool, empty where it has none"),
                Attribute(name="source", type="string", doc="what states it", values=("todo_tool", "checklist", "sentence")),
                Attribute(
                    name="whole", type="bool", doc="it stands in a list that replaces all earlier lists of the same source"
                ),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Entries of plans in a message."""
    if message.kind in (MessageKind.SUMMARY, MessageKind.CARRIER):
        return ()
    return _facts(message, context)


def _facts(message: Message, context: Context) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.TOOL_CALL:
            yield from _located(message.index, index, part.text, called_entries(part.name, part.arguments), "todo_tool")
        elif part.type is PartType.TOOL_RESULT and index in context.calls:
            yield from _located(message.index, index, part.text, _created_entries(context.calls[index], part), "todo_tool")
        elif part.type is PartType.TEXT and message.origin is not Origin.TOOL and "[" in part.text:
            yield from _located(message.index, index, part.text, checklist_entries(part.text), "checklist")


def _located(message: int, part: int, text: str, entries: Iterable[Entry], source: str) -> Iterator[Fact]:
    """Facts with the places of their entries; the search goes on where the last entry ended."""
    position = 0
    for number, entry in enumerate(entries):
        if number >= MAX_ITEMS:
            return
        start = text.find(entry.text, position) if entry.text else -1
        if start >= 0:
            position = start + len(entry.text)
        attributes: dict[str, FactValue] = {"state": entry.state, "id": entry.id, "source": source, "whole": entry.whole}
        yield Fact(
            kind="plan_item",
            message=message,
            part=part,
            start=max(start, 0),
            end=position if start >= 0 else 0,
            text=entry.text[:MAX_TEXT],
            attributes=attributes,
        )


# --- tools


def called_entries(name: str, arguments: Any) -> Iterator[Entry]:
    """Entries that a call states or changes; nothing where the tool keeps no plan."""
    words = _words(name)
    if not isinstance(arguments, Mapping) or not words & PLAN_WORDS:
        return
    found = next(
        (value for key, value in arguments.items() if argument_key(str(key)) in LIST_KEYS and isinstance(value, list)), None
    )
    if found is not None:
        whole = arguments.get("merge") is not True and not words & CREATING
        yield from _listed(found, whole, plain=bool(words & LIST_WORDS))
    elif words & LIST_WORDS:
        yield from _single(words, arguments)


def _words(name: str) -> frozenset[str]:
    """The words of a tool's name; `todowrite` speaks of a to-do list too."""
    words = name_tokens(bare_name(name))
    return frozenset((*words, *(stem for stem in ("todo", "checklist") if any(word.startswith(stem) for word in words))))


def _listed(items: list[Any], whole: bool, *, plain: bool) -> Iterator[Entry]:
    """Entries with a state; plain strings only where the tool is a list by its name."""
    for item in items[:MAX_ITEMS]:
        if isinstance(item, str) and plain and item.strip():
            yield Entry(text=item, state="open", whole=whole)
        elif isinstance(item, Mapping):
            fields = {argument_key(str(key)): value for key, value in item.items()}
            text = _first_text(fields, TEXT_KEYS)
            if text and (plain or any(key in fields for key in STATE_KEYS)):
                yield Entry(text=text, state=_state(fields), id=_first_text(fields, ID_KEYS), whole=whole)


def _single(words: frozenset[str], arguments: Mapping[str, Any]) -> Iterator[Entry]:
    """One entry that a call adds or changes. One without an id is only known once the result has named it."""
    fields = {argument_key(str(key)): value for key, value in arguments.items()}
    identity, text = _first_text(fields, ID_KEYS), _first_text(fields, TEXT_KEYS)
    if words & CREATING:
        if identity and text:
            yield Entry(text=text, state=_state(fields), id=identity)
        return
    verb = next((word for word in STATE_OF_VERB if word in words), None)
    if verb is None or not (identity or text):
        return
    stated = any(key in fields for key in STATE_KEYS)
    if stated or STATE_OF_VERB[verb]:
        yield Entry(text=text, state=_state(fields) if stated else STATE_OF_VERB[verb], id=identity)


def _created_entries(call: Part, result: Part) -> Iterator[Entry]:
    """The entry that a call without an id has added, with the id that the result gives it."""
    words = _words(call.name)
    if not (words & LIST_WORDS and words & CREATING and isinstance(call.arguments, Mapping)) or result.is_error:
        return
    fields = {argument_key(str(key)): value for key, value in call.arguments.items()}
    text = _first_text(fields, TEXT_KEYS)
    if text and not _first_text(fields, ID_KEYS):
        yield Entry(text=text, state=_state(fields), id=_created_id(result.text))


def _created_id(text: str) -> str:
    match = CREATED.search(text[:500])
    if match:
        return match[1] or match[2]
    try:
        value = msgspec.json.decode(text[:4_000]) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError):
        return ""
    return (
        _first_text({argument_key(str(key)): item for key, item in value.items()}, ID_KEYS)
        if isinstance(value, dict)
        else ""
    )


def _first_text(fields: Mapping[str, Any], keys: Iterable[str]) -> str:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def _state(fields: Mapping[str, Any]) -> str:
    for key in STATE_KEYS:
        if key in fields:
            return STATES.get(argument_key(str(fields[key])), "open")
    return "open"


# --- text


def checklist_entries(text: str) -> Iterator[Entry]:
    """Entries of Markdown checklists, code blocks left out."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and "[" in line and (match := CHECKLIST.match(line)):
            yield Entry(text=match[2].rstrip(), state=STATE_OF_BOX[match[1]])
