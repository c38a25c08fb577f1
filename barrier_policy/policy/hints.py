"""The bracketed half of a message: what the reader may have meant, or what is known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """`(did you mean `x`?)` where one known name is close, else `(known: a, b, c)`."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    if close:
        return f"(did you mean `{close[0]}`?)"
    return f"(known: {', '.join(names)})" if names else "(none is known here)"


def listing(names: Iterable[str]) -> str:
    """The names sorted, with commas."""
    return ", ".join(sorted(names))
