"""Typed exact values in a text (design section 5, bindings): what a later turn may need byte for byte.

`scan_values` reads free text and JSON alike. Tokens are cut once and judged once each; numbers, lists and quoted words
look at their neighbours. The cost is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from barrier_policy.facts.json_leaves import Leaf, is_json, json_leaves
from barrier_policy.facts.value_context import explicit_name, implicit_name, with_unit, word_before
from barrier_policy.facts.value_tokens import Piece, list_type, token_pieces
from barrier_policy.facts.value_words import FUNCTION_WORDS, type_of_name

MAX_LEAF = 120
"""A JSON string up to this length is a value as a whole, under the name of its key."""
LONG_LEAF = 4_000
"""A longer JSON string is read like a listing."""
MAX_LIST = 400
MAX_NESTING = 3

TOKEN = re.compile(r"[^\s\"'`<>(){}\[\]|;“”„«»‹›「」『』、。，；：（）→⇒…]+")
ITEM = r"[^\W_][\w./#:-]*+(?:,\d{3}(?!\d))*+"
LIST = re.compile(rf"(?<![\w./#:-]){ITEM}(?:,[ ]{ITEM}){{1,63}}+")
ARROWS = re.compile(rf"(?<![\w./#:-]){ITEM}[ ]?(?:(?:->|→|⇒)[ ]?{ITEM}[ ]?){{1,63}}+")
BOUND = re.compile(r"[<>~^]=?v?\d+(?:\.\w+)*(?![\w(])")
QUOTED = re.compile(
    r"`([^`\n]{2,120})`|\"([^\"\n]{2,120})\"|(?<!\w)'([^'\n]{2,120})'(?!\w)|[“„«「『]([^“”„«»「」『』\n]{2,120})[”“»」』]"
)
QUOTE_SIGNS = "`\"'“„«「『"
"""With one of these begins whatever QUOTED finds."""
COLUMN_CONTEXT = re.compile(
    r"(?i)\b(?:select|distinct|(?:group|order|sort|partition) by|columns?|fields?|spalten?|felder|colonnes?|champs|columnas?|campos|colunas?|"
    r"(?:into|on|table) [\w.]+ ?\()[\s:=(]*$"
)
NAMED_TYPES = frozenset({"quantity", "resource_id", "hash", "version_pin", "amount"})
"""Types that a plain word before them may name (`order 7301`); the others need a sign (`config: a/b.toml`)."""
PLAIN = frozenset({"symbol", "place"})
"""Types of pieces that mean little in a listing, where every line has one."""
KEY_TYPES = frozenset({"resource_id", "literal", "hash", "symbol", "quantity"})


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One exact value.

    `text` is the value itself (JSON escapes undone), `[start, end)` its place in the scanned text. `name` is the key,
    option or word that names it, "" where none does. `leaf` is the tail of the key path in a JSON payload.
    """

    type: str
    text: str
    start: int
    end: int
    name: str = ""
    leaf: str = ""


def scan_values(text: str, *, listing: bool = False) -> tuple[Value, ...]:
    """All typed exact values in a text, by place, a compound before its parts.

    A text that is one JSON object or array is read leaf by leaf, with the keys as names; any other text is free text.
    Of a `listing` (the content of a file, a long log) quoted words, lists, counted nouns and plain code names are left
    out: there they are everywhere and mean little.
    Types: idempotency_key, resource_id, path, url, version_pin, hash, sequence, column_set, amount, quantity, timestamp,
    literal, symbol. A short number counts only with a name or a unit.
    """
    kept: list[Value] = []
    for value in sorted(_scan(text, listing, 0), key=_place):
        if value.type != "literal" or not kept or (value.start, value.end) != (kept[-1].start, kept[-1].end):
            kept.append(value)
    return tuple(kept)


def _place(value: Value) -> tuple[int, int, bool]:
    """By place, the longer one first; a quotation after what the quoted thing is, so that it can be told from it."""
    return value.start, -value.end, value.type == "literal"


def _scan(text: str, listing: bool, depth: int) -> Iterator[Value]:
    if depth < MAX_NESTING and is_json(text):
        for leaf in json_leaves(text):
            yield from _leaf_values(leaf, listing, depth)
    else:
        yield from _text_values(text, listing)


# --- free text


def _text_values(text: str, listing: bool) -> Iterator[Value]:
    position = list_end = covered = 0
    for token in TOKEN.findall(text):
        if token.isalpha() and (token.islower() or token.istitle() or token.isupper()):
            continue
        # what is skipped is a plain word, and no other token can lie inside one: `find` lands on the right place
        start = text.find(token, position)
        position = start + len(token)
        if token[0] == "/" and text[start - 1 : start] == "<" and text[position : position + 1] == ">":
            continue  # `</name>` closes a tag
        for piece in token_pieces(token):
            if start >= covered and not (listing and piece.type in PLAIN):
                value = _value(text, start, piece, listing)
                if value is not None:
                    yield value
                    if value.type == "timestamp":  # the time after a date is no value of its own
                        covered = value.end
        if token[-1] == "," and not listing and start >= list_end:
            match = LIST.match(text, start)
            if match is not None:
                list_end = match.end()
                yield from _listed(match[0], text, start)
    if not listing:
        yield from _phrases(text)


def _value(text: str, offset: int, piece: Piece, listing: bool) -> Value | None:
    """A piece in its surroundings: with its unit, under its name, or None where it is too weak without one."""
    kind, start, end = piece.type, offset + piece.start, offset + piece.end
    given = piece.name or explicit_name(text, start)
    complete = False
    if kind in ("quantity", "timestamp"):
        kind, start, end, complete = with_unit(text, kind, start, end, piece.weak and not listing)
    name = given or (implicit_name(text, start) if kind in NAMED_TYPES and not listing else "")
    if (piece.weak or kind == "literal") and not (complete or given):
        decimal = not listing and not text[start:end].isdigit()
        if kind != "quantity" or not (name or decimal):
            return None
    value = text[start:end]
    return Value(type=_type(kind, given, value), text=value, start=start, end=end, name=name)


def _type(kind: str, name: str, text: str) -> str:
    """The type, in view of the key: a number under `order_id` is an id."""
    if kind == "place":
        return "path"
    if name and kind in KEY_TYPES:
        named = type_of_name(name)
        if named and (named not in ("amount", "timestamp") or text[:1].isdigit()) and " " not in text:
            return named
    return kind


def _phrases(text: str) -> Iterator[Value]:
    """Words in quotation marks, bounds of versions, chains of arrows."""
    for match in QUOTED.finditer(text) if any(map(text.__contains__, QUOTE_SIGNS)) else ():
        group = match.lastindex or 0
        inner, start = match[group], match.start(group)
        if inner.strip() == inner and any(map(str.isalnum, inner)):
            yield Value(type="literal", text=inner, start=start, end=match.end(group), name=explicit_name(text, start))
    for match in BOUND.finditer(text):
        word = word_before(text, match.start() - (text[match.start() - 1 : match.start()] == " "))
        if word and match.start():
            start = text.rindex(word, 0, match.start())
            yield Value(type="version_pin", text=text[start : match.end()], start=start, end=match.end())
    if "->" in text or "→" in text or "⇒" in text:
        for match in ARROWS.finditer(text):
            body = match[0].rstrip()
            if len(body) <= MAX_LIST:
                yield Value(type="sequence", text=body, start=match.start(), end=match.start() + len(body))


def _listed(body: str, text: str, start: int) -> Iterator[Value]:
    """A list of identifiers or numbers, where the set or the order is the value."""
    found = _list(body, text, start) if len(body) <= MAX_LIST else None
    if found is not None:
        kind, kept = found
        name = explicit_name(text, start) or implicit_name(text, start)
        yield Value(type=kind, text=kept, start=start, end=start + len(kept), name=name)


def _list(body: str, text: str, start: int) -> tuple[str, str] | None:
    """The type of a list and the part of it that is one: words of the sentence after it are cut."""
    items = body.rstrip(".:").split(", ")
    coded = next((n for n, item in enumerate(items) if not any(map(str.isdigit, item))), len(items))
    if coded > 1 and coded < len(items) and not list_type(items):
        items = items[:coded]
    while len(items) > 1 and items[-1].lower() in FUNCTION_WORDS:
        items.pop()
    if len(items) < 2:
        return None
    kind = list_type(items)
    if not kind and all(map(str.isidentifier, items)) and COLUMN_CONTEXT.search(text, max(0, start - 60), start):
        kind = "column_set"
    return (kind, ", ".join(items)) if kind else None


# --- JSON


def _leaf_values(leaf: Leaf, listing: bool, depth: int) -> Iterator[Value]:
    """The values of one leaf, and the leaf itself where it is short."""
    if leaf.is_key:
        yield from (_of_leaf(leaf, piece.type) for piece in _whole(leaf.text) if not piece.weak)
        return
    if leaf.items:
        if leaf.end - leaf.start <= MAX_LIST and "{" not in leaf.text:
            coded = all(any(map(str.isdigit, item)) for item in leaf.items)
            yield _of_leaf(leaf, "sequence" if coded else "column_set")
        return
    if not leaf.is_string:
        yield _of_leaf(leaf, "quantity")
        return
    size, whole = len(leaf.text), False
    for value in _scan(leaf.text, listing or size > LONG_LEAF, depth + 1):
        is_whole = value.start == 0 and value.end == size
        whole = whole or is_whole
        name = value.name or (leaf.key if is_whole else "")
        yield Value(
            type=_type(value.type, name, value.text),
            text=value.text,
            start=leaf.place(value.start),
            end=leaf.place(value.end),
            name=name,
            leaf=value.leaf or leaf.path,
        )
    if not whole and size <= MAX_LEAF and "\n" not in leaf.text and not (listing and " " in leaf.text) and leaf.text.strip():
        yield _of_leaf(leaf, next((piece.type for piece in _whole(leaf.text)), "literal"))


def _whole(text: str) -> list[Piece]:
    """The piece that is the whole text, if there is one."""
    return [piece for piece in token_pieces(text) if piece.end - piece.start == len(text)]


def _of_leaf(leaf: Leaf, kind: str) -> Value:
    """A leaf as a whole, named by its key."""
    return Value(
        type=_type(kind, leaf.key, leaf.text), text=leaf.text, start=leaf.start, end=leaf.end, name=leaf.key, leaf=leaf.path
    )
