"""The dense line that a receipt shows of a call and its answer (design section 9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from barrier_policy.ledger.conversation.turns import Call, Result

MAX_ARGUMENTS = 220
MAX_LEAF = 90
MAX_RECEIPT = 600
MAX_WHOLE = 320
"""An answer of this size is kept whole."""
MAX_NAMES = 20
ELIDED = "…"
PAIR = re.compile(r'^"[^"]*"\s*:\s*')
ECHO = 24
"""A name this long is not said again by the answer of a receipt."""


def leaves(value: Any) -> Iterator[str]:
    """The scalar leaves of JSON arguments, as strings, in order."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            stack.extend(reversed(list(current.values())))
        elif isinstance(current, list):
            stack.extend(reversed(current))
        elif isinstance(current, str):
            yield current
        elif current is not None and not isinstance(current, bool):
            yield str(current)


def receipt_text(call: Call) -> str:
    """The dense line that a receipt shows: what was called with what, and the short pieces of its answer."""
    pieces = _news((piece for result in call.results for piece in _pieces(result)), call.part.arguments)
    answer = _without_echo(clip("; ".join(pieces), MAX_RECEIPT), call.part.arguments)
    shown = f"{call.part.name} {compact_arguments(call.part.arguments, call.part.text)}".strip()
    return f"{shown} → {answer}" if answer else shown


def _news(pieces: Iterable[str], arguments: Any) -> list[str]:
    """Each piece once, without pairs of JSON whose value the call has just said."""
    said = {json.dumps(leaf, ensure_ascii=False) for leaf in islice(leaves(arguments), MAX_NAMES)}
    return [piece for piece in dict.fromkeys(pieces) if PAIR.sub("", piece, count=1) not in said]


def _without_echo(answer: str, arguments: Any) -> str:
    """An answer without the long names that the call has just said."""
    for leaf in islice(leaves(arguments), MAX_NAMES):
        if len(leaf) >= ECHO and leaf.startswith("/") and not any(character.isspace() for character in leaf):
            answer = re.sub(rf"(?<![\w./-]){re.escape(leaf)}(?![\w/-]|\.\w)", "…", answer)
    return answer


def _pieces(result: Result) -> Sequence[str]:
    """A short answer whole, of a longer one what its extractor found worth keeping."""
    whole = " ".join(result.part.text.split(" ")).strip()
    if len(whole) <= MAX_WHOLE:
        return (whole,) if whole else ()
    return result.fact.get("receipt", ()) if result.fact else ()


def compact_arguments(arguments: Any, text: str) -> str:
    """Arguments as compact JSON, a single text by its name; where they are long, without the content that they carry."""
    if arguments is None:
        return clip(text, MAX_ARGUMENTS)
    if isinstance(arguments, dict) and len(arguments) == 1:
        ((name, value),) = arguments.items()
        if isinstance(value, str) and value and len(value) <= MAX_ARGUMENTS and value == value.strip():
            return f"{name}={value}"
    whole = _json(arguments)
    if len(whole) <= MAX_ARGUMENTS:
        return whole
    return clip(_json(_short(arguments)), 2 * MAX_ARGUMENTS)


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        shown = {key: _short(item) for key, item in list(value.items())[:20]}
        return {key: item for key, item in shown.items() if item != ELIDED} or shown
    if isinstance(value, list):
        return [_short(item) for item in value[:20]]
    return ELIDED if isinstance(value, str) and is_content(value) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def clip(text: str, size: int) -> str:
    """A text, cut off at a size in characters."""
    return text if len(text) <= size else text[: size - 1].rstrip() + "…"


def is_content(leaf: str) -> bool:
    """Text that a call writes somewhere, as opposed to a name or a number."""
    return len(leaf) > MAX_LEAF or "\n" in leaf
