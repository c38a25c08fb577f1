"""Edits of files: what a call writes into one, and what of it the receipt of the last one says (design section 9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from barrier_policy.ledger.conversation.turns import Call
from barrier_policy.ledger.effects.receipt import clip, is_content, leaves

OLD_AND_NEW = (
    ("oldstring", "newstring"),
    ("oldstr", "newstr"),
    ("oldtext", "newtext"),
    ("search", "replace"),
    ("old", "new"),
)
"""Names of the arguments by which tools replace a text of a file by another, in lower case and without separators."""
MAX_PAIRS = 40
"""Replacements of one call that are looked at."""
MAX_WRITTEN = 300
"""Characters of what earlier edits of a file wrote that the receipt of the last one shows."""
_SEPARATORS = re.compile(r"[\W_]+")


def is_edit(call: Call) -> bool:
    """Whether a call writes into one file: the last receipt speaks for the earlier ones."""
    return puts_content(call) or bool(_replacements(call))


def puts_content(call: Call) -> bool:
    """Whether a call puts so much into one file that it is content rather than a value."""
    return is_about_one_file(call) and any(map(is_content, leaves(call.part.arguments)))


def written_by(call: Call) -> str:
    """The short texts that a call puts in the place of others; "" where there are none, or long ones."""
    texts = [new.strip() for _, new in _replacements(call)]
    return "" if any(map(is_content, texts)) else "; ".join(texts)


def is_about_one_file(call: Call) -> bool:
    """Whether a call names one file, and nothing else but the texts that it replaces there."""
    targets: Sequence[str] = call.fact.get("targets", ()) if call.fact else ()
    replaced = {text for pair in _pairs(call.part.arguments) for text in pair} if len(targets) > 1 else set()
    files = [target for target in targets if target not in replaced]
    return len(files) == 1 and ("/" in files[0] or "." in files[0])


def history(times: int, written: Iterable[str]) -> str:
    """How often a file was edited, and what short edits before the last one wrote, the newest first."""
    shown = clip("; ".join(dict.fromkeys(filter(None, written))), MAX_WRITTEN)
    return f" (the last of {times} edits of this file{f'; earlier ones wrote: {shown}' if shown else ''})"


def _replacements(call: Call) -> list[tuple[str, str]]:
    pairs = list(_pairs(call.part.arguments))
    return pairs if pairs and is_about_one_file(call) else []


def _pairs(arguments: Any) -> Iterator[tuple[str, str]]:
    """The old and the new text of a call, or of each entry of a list that it is given."""
    if not isinstance(arguments, dict):
        return
    lists = (value for value in arguments.values() if isinstance(value, list))
    entries = (entry for value in lists for entry in islice(value, MAX_PAIRS) if isinstance(entry, dict))
    for given in (arguments, *islice(entries, MAX_PAIRS)):
        named = {_SEPARATORS.sub("", str(name)).lower(): value for name, value in given.items()}
        for old, new in OLD_AND_NEW:
            if isinstance(named.get(old), str) and isinstance(named.get(new), str):
                yield named[old], named[new]
                break
