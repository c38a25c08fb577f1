"""Lint rules about the characters of a file: what a reviewer can't see, or takes for something else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from barrier_policy.policy.lint.edits import keeping_values
from barrier_policy.policy.lint.model import Edit, Hit, Level, lint_rule
from barrier_policy.policy.lint.source import SourceFile, Sources

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LOOKALIKES = {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH", "MATHEMATICAL"}
_BLANKS = "the line ends with blanks or a carriage return"
_UNTIDY = re.compile(r"[ \t]+(?=\r?\n|\Z)|\r(?=\n)")


def _hit(file: SourceFile, offset: int, message: str, edits: tuple[Edit, ...] = ()) -> Hit:
    line, column = file.place(offset)
    return Hit(file=file.name, line=line, column=column, message=message, edits=edits)


@lint_rule("bidi-character", Level.ERROR)
def bidi_character(sources: Sources) -> Iterator[Hit]:
    """A file has a character that is invisible or turns the direction of the text.

    Why: What a reviewer sees is then not what the engine evaluates (CVE-2021-42574). In a text that needs one, write `"\\u202e"`.
    Bad:
        summary: A payment\u202e stays verbatim.
        #                 ^
    Good:
        summary: A payment stays verbatim.
    """
    for file in sources.linted():
        for match in _INVISIBLE.finditer(file.text):
            name = unicodedata.name(match[0], "unnamed").lower()
            yield _hit(file, match.start(), f"invisible character U+{ord(match[0]):04X}, {name}")


@lint_rule("confusable-character", Level.WARNING)
def confusable_character(sources: Sources) -> Iterator[Hit]:
    """A word mixes Latin letters with letters of another script that look like them.

    Why: A Cyrillic letter in a tool's name makes the comparison false for ever, and nobody can see it (Unicode TS 39, mixed scripts).
    Bad:
        condition: "span.effects.exists(e, e.tool == 'p\u0430y')"
        #                                             ^
    Good:
        condition: "span.effects.exists(e, e.tool == 'pay')"
    """
    for file in sources.linted():
        for match in _WORD.finditer(file.text):
            scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in match[0]}
            strange = scripts & _LOOKALIKES
            if strange and (scripts & {"LATIN"} or strange & {"FULLWIDTH", "MATHEMATICAL"}):
                found = ", ".join(sorted(script.lower() for script in strange))
                yield _hit(file, match.start(), f"`{match[0]}` mixes Latin letters with {found} ones")


@lint_rule("untidy-layout", Level.INFO)
def untidy_layout(sources: Sources) -> Iterator[Hit]:
    """A line ends with blanks or a carriage return, or the last line has no end.

    Why: Differences that nobody can see hide among those that matter.
    Bad:
        apiVersion: barrier-policy/v1\x20
        #                            ^
        kind: Policy
        metadata: {name: example, version: 1.0.0, owner: platform}
        rules: []
    Good:
        apiVersion: barrier-policy/v1
        kind: Policy
        metadata: {name: example, version: 1.0.0, owner: platform}
        rules: []
    Fix: The blanks are taken away and the line is ended, where the values of the file stay the same.
    """
    for file in sources.linted():
        found = [
            (Edit(file=file.name, start=match.start(), end=match.end()), _BLANKS) for match in _UNTIDY.finditer(file.text)
        ]
        if file.text and not file.text.endswith("\n"):
            end = len(file.text)
            found.append((Edit(file=file.name, start=end, end=end, text="\n"), "the last line has no end"))
        safe = keeping_values(file, [edit for edit, _ in found])
        for edit, message in found:
            kept = "" if edit in safe else " (it may be a part of a text: `--fix` leaves it)"
            yield _hit(file, edit.start, message + kept, (edit,) if edit in safe else ())


RULES = (bidi_character, confusable_character, untidy_layout)
