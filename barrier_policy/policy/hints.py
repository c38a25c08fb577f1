"""The bracketed half of a message: what the reader may have meant, or what is known."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """`(did you mean `x`?)` where one known name is close, else `(known: a, b, c)`."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    if close:
        return f"(did you mean `{close[0]}`?)"
    return f"(known: {', '.join(names)})" if names else "(none is known here)"


def listing(names: Iterable[str]) -> str:
    """The names sorted, with commas."""
    return ", ".join(sorted(names))


WRITTEN = {
    "=": "compare with `==`", "and": "write `&&`", "or": "write `||`", "not": "write `!`",
    "&": "write `&&`", "|": "write `||`", "is": "compare with `==`", "if": "write `condition ? one : other`",
    "“": "use straight quotes", "”": "use straight quotes", "‘": "use straight quotes", "’": "use straight quotes",
}  # fmt: skip
"""What other languages write, and what CEL has for it."""
_WORD_OR_SIGN = re.compile(r"\w+|&+|[|]+|=+|\S")
_WORDS = re.compile(r"\s*[^\W\d_]+(?:[ ,.:;!?’'-]+\w+)+[.!?]?\s*")
_LAST_WORD = re.compile(r"(\w+)\s*$")


def syntax_hint(text: str, offset: int) -> str:
    """How an expression that breaks off at an offset is written right, where that can be told."""
    at = _WORD_OR_SIGN.match(text, offset)
    before = _LAST_WORD.search(text[:offset][-80:])
    found = WRITTEN.get(at[0] if at else "") or WRITTEN.get(before[1] if before else "")
    words = "; a text needs quotes" if not found and _WORDS.fullmatch(text) else ""
    return f"({found})" if found else f"(this is no CEL expression{words})"
