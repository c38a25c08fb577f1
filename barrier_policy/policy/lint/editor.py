"""What an editor shows inside an expression that is being written: what may follow, and what a word stands for.

An expression that is not finished has no tree, so the words before the cursor are read by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from barrier_policy.join.schema import ROOT, Field, RecordSchema, element

MAX_LENGTH = 2_000
"""Characters before the cursor that are looked at."""

MAX_LINES = 60
LOOPS = {
    "exists": "whether the condition holds of some item",
    "all": "whether it holds of every item",
    "exists_one": "whether it holds of exactly one item",
    "filter": "the items of which it holds",
    "map": "a value for each item",
}
METHODS = {
    "contains": "whether the text has another one in it",
    "endsWith": "whether it ends with another one",
    "matches": "whether an RE2 pattern is found in it",
    "startsWith": "whether it begins with another one",
}
FUNCTIONS = {
    "has": "whether a field is there; every field of the record is",
    "size": "how many characters or items",
    "string": "a number as text",
    "span": "the span, joined with the ledger and what is kept",
    "variables": "the variables of the policy",
}
_KEY = re.compile(r"\b(?:condition|explanation|evidence|expression|when):(?=\s|$)")
_STEP = r"[A-Za-z_]\w*(?:\[\w*\])?"
_CHAIN = re.compile(rf"(?<![\w.\]]){_STEP}(?:\.{_STEP})*$")
_ASKED = re.compile(rf"(?<![\w.\]])((?:{_STEP}\.)*)([A-Za-z_]\w*)?$")


_OF_US = re.compile(r"""^[\s{"']*apiVersion["']?\s*:\s*["']?barrier-policy/""", re.MULTILINE)
_OF_ANYONE = re.compile(r"""^[\s{"']*apiVersion["']?\s*:""", re.MULTILINE)
_KIND = re.compile(r"""^kind:\s*["']?(\w+)""", re.MULTILINE)
_KINDS = ("Exception", "Patch", "Policy", "PolicyTest")


def is_linted(text: str) -> bool:
    """Whether a YAML file is one that the linter has something to say of: its `apiVersion` is ours, or is left out beside a kind of ours."""
    kind = _KIND.search(text)
    if _OF_US.search(text):
        return kind is None or kind[1] != "Acknowledgements"
    return kind is not None and kind[1] in _KINDS and not _OF_ANYONE.search(text)


class Words:
    """The facts that an expression can name; `variables` are types by name."""

    def __init__(self, schema: RecordSchema, variables: Mapping[str, str]) -> None:
        self._schema = schema
        self._variables = variables

    def completions(self, before: str) -> tuple[Field, ...]:
        """What may stand at the end of an expression that is written as far as `before`."""
        asked = _ASKED.search(before[-MAX_LENGTH:])
        if asked is None:
            return ()
        if not asked[1]:
            loops = [Field(name, "", "an item") for name in sorted({match[2] for match in _loops(before[-MAX_LENGTH:])})]
            return (*loops, *(Field(name, "", doc) for name, doc in FUNCTIONS.items()))
        return tuple(self._below(asked[1].removesuffix("."), before[-MAX_LENGTH:]))

    def meaning(self, before: str) -> Field | None:
        """The field, variable or loop variable that the last word of `before` stands for."""
        text = before[-MAX_LENGTH:]
        found = _CHAIN.search(text)
        if found is None:
            return None
        holder, _, name = found[0].rpartition(".")
        name = name.partition("[")[0]
        if not holder:
            kind = self._type(name, text) or ""
            doc = FUNCTIONS.get(name) or (f"an item of type {kind}" if kind else "")
            return Field(name, kind, doc) if doc else None
        return next((field for field in self._below(holder, text) if field.name == name), None)

    def _below(self, holder: str, before: str) -> Iterator[Field]:
        if holder == "variables":
            yield from (Field(name, kind, "a variable of the policy") for name, kind in self._variables.items())
            return
        kind = self._type(holder, before)
        if kind is not None and kind in self._schema.types:
            yield from self._schema.types[kind].fields
        elif kind is not None and element(kind):
            yield from (Field(name, "", doc) for name, doc in LOOPS.items())
        elif kind == "string":
            yield from (Field(name, "", doc) for name, doc in METHODS.items())

    def _type(self, chain: str, before: str) -> str | None:
        """The type of `a.b[0].c`; None where it is not known."""
        first, *rest = chain.split(".")
        if first == "variables" and rest:
            kind = _indexed(self._variables.get(rest[0].partition("[")[0]), rest.pop(0))
        else:
            kind = ROOT if first == "span" else _indexed(self._item(first.partition("[")[0], before), first)
        for step in rest:
            fields = self._schema.types[kind].fields if kind is not None and kind in self._schema.types else ()
            kind = _indexed(next((field.type for field in fields if field.name == step.partition("[")[0]), None), step)
        return kind

    def _item(self, name: str, before: str) -> str | None:
        """The type of a loop variable: of the items of the last list that is gone through by that name."""
        found = [match for match in _loops(before) if match[2] == name]
        listed = _CHAIN.search(before[: found[-1].start()]) if found else None
        kind = self._type(listed[0], before[: found[-1].start()]) if listed else None
        return element(kind) if kind else None


def expression_before(lines: Sequence[str], line: int, character: int) -> str | None:
    """What is written of an expression before a place, counted from 0; None where the place is in no expression."""
    if line >= len(lines):
        return None
    text = lines[line][:character]
    indent: int | None = None
    for number in range(line, max(-1, line - MAX_LINES), -1):
        current = text if number == line else lines[number].rstrip("\r\n")
        keys = list(_KEY.finditer(current))
        if keys and (indent is None or len(current) - len(current.lstrip(" -")) < indent):
            inside = [current[keys[-1].end() :], *(entry.rstrip("\r\n") for entry in lines[number + 1 : line])]
            return "\n".join([*inside, *([text] if number < line else [])])
        if current.strip():
            own = len(current) - len(current.lstrip())
            indent = own if indent is None else min(indent, own)
            if re.match(r"\s*(- )?\w+:(\s|$)", current):
                return None
    return None


def _loops(before: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"\.({'|'.join(LOOPS)})\(\s*([A-Za-z_]\w*)\s*,", before)


def _indexed(kind: str | None, step: str) -> str | None:
    return element(kind) if kind and "[" in step else kind
