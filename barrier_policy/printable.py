"""Text of a transcript as people may be shown it: nothing in it that a terminal or a browser obeys, and no more than asked for."""

from __future__ import annotations

import re

_OBEYED = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, among them the start of every escape sequence
    "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # marks that reorder or hide text
    "\ufffe\uffff"  # no characters; XML can't hold them
    "\ud800-\udfff"  # lone surrogates, which no encoding can write
    "\U000e0000-\U000e007f"  # invisible tags
    "]"
)


def clean(text: str) -> str:
    """A text on one line without characters that a terminal or a browser obeys: they are shown as escapes such as `\\x1b`."""
    text = text.replace("\r\n", "\n").replace("\n", "⏎").replace("\t", " ")
    return _OBEYED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """`1 message`, `1,024 messages`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def clip(text: str, length: int) -> str:
    """A clean text of at most `length` characters; what was cut off shows as `…`."""
    text = clean(text[: 4 * length])  # bounded before it is looked at: parts can have megabytes
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def clip_start(text: str, length: int) -> str:
    """The end of a text, clean and on one line, in at most `length` characters; what was cut off before it shows as `…`."""
    text = clean(" ".join(text[-4 * length :].split()))
    return text if len(text) <= length else "…" + text[1 - length :].lstrip()
