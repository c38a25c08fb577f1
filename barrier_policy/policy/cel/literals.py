"""Literals of the subset: decimal integers of 64 bits, strings with six escapes, RE2 patterns."""

from __future__ import annotations

import re

import re2  # type: ignore[import-untyped]

from barrier_policy.policy.cel.syntax import Problem

_ESCAPE = re.compile(r"\\(?s:.)")
_ALLOWED_ESCAPES = {"\\\\", "\\'", '\\"', "\\n", "\\r", "\\t"}
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def read_integer(text: str) -> tuple[int, list[Problem]]:
    """The value of an integer as written, with what is wrong with it."""
    if "x" in text or abs(int(text)) >= 2**63:
        return 0, [Problem(0, f"`{text}` is no decimal whole number of 64 bits")]
    return int(text), []


def read_string(text: str) -> tuple[str, list[Problem]]:
    """The value of a string as written, quotes and all, with what is wrong with it."""
    if text[0] in "rR":
        return "", [Problem(0, "raw strings are not allowed (double each `\\`)")]
    problems = [
        Problem(escape.start(), rf"unknown escape `{escape[0]}` (known: \\ \' \" \n \r \t)")
        for escape in _ESCAPE.finditer(text)
        if escape[0] not in _ALLOWED_ESCAPES
    ]
    return _ESCAPE.sub(lambda escape: _UNESCAPED.get(escape[0][1], escape[0][1]), text[1:-1]), problems


def is_pattern(text: str) -> bool:
    """Whether a text is a pattern for `matches`. Both engines use RE2; cel-cpp would log a broken one to stderr."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options=options)
    except re2.error:
        return False
    return True
