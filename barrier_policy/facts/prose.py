"""Which parts of a text are prose, and its sentences (design section 3: use and mention).

Code, tables, quoted mails, pasted logs and diffs are shown, not said: nothing in them is an instruction or a report of the
speaker. What is left is cut into sentences at line ends, list markers and sentence ends. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec
from sentencex import segment

EDGE: Final = 400
"""Of a text with more sentences than twice this, the first and the last so many are kept: instructions stand at the edges."""
MAX_TEXT: Final = 120_000
"""Of a longer text, only this many characters at its start and at its end are looked at."""
MAX_SENTENCE: Final = 2_000
"""A longer "sentence" is data without punctuation."""

STRETCH: Final = 5_000
"""At most so many characters are cut into sentences at once: in some scripts sentencex takes time in the square of the sentences."""

SIGN_SPACING: Final = 12
"""A line with a sign of code in every so many characters is code."""

WRAPPED: Final = 50
"""A line at least this long that ends in the middle of a sentence goes on in the next line."""

_LIST_ITEM: Final = re.compile(r"[ \t]*(?:(?:[-*+•‣◦–]|\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]+)?(\[[ xX~/>✓✔-]\][ \t]+)?")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LOG: Final = re.compile(
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\] ,.]|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d "
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b\]?:?[ \t]|Traceback \(most recent"
    r"|[ \t]*File \"[^\"]+\", line \d|[ \t]*at [\w$.<>]+\(|npm ERR!|[ \t]*[$%] \S|>>> "
)
_DIFF: Final = re.compile(r"diff --git |@@ -\d|--- a/|Index: ")
_IN_DIFF: Final = re.compile(r"[-+ @\\]|index |new file|deleted file|similarity |rename |diff --git |Binary |$")
_MAIL_BELOW: Final = re.compile(
    r"-{2,}[ \t]*(?:original|forwarded|ursprüngliche|message d'origine|mensaje original)\b", re.IGNORECASE
)
_SHOWN_TAG: Final = re.compile(
    r"<(/?)(?:document|file|code|logs?|output|stdout|stderr|examples?|quote|summary|transcript|pre|blockquote|diff|source)\b[^>\n]*>",
    re.IGNORECASE,
)
_CODE_SIGNS: Final = frozenset("{}<>=|\\$&^[]();")
_CODE: Final = re.compile(r"[{}<>=|\\$&^\[\]]|\w\(|;$|::")
_ENDS: Final = re.compile(r"[.!?…。！？؟।](?=[\s\"'”’»)\]]*\S)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STOPS: Final = re.compile(r"[。！？]|[.!?…؟।][\"'”’»)\]]*\s")
_QUOTED: Final = re.compile(
    r"(?<!\w)'[^'\n]{2,200}'(?!\w)|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]"
    r"|「[^」\n]{1,200}」|『[^』\n]{1,200}』|`[^`\n]{1,200}`|‘[^’\n]{1,200}’(?!\w)"
)
_QUOTE_SIGNS: Final = frozenset("'\"“«„「『`‘")


class Sentence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One sentence: `start` and `end` are offsets in characters of the whole text, `text` is verbatim what stands there.

    `box` is the sign in the check box of a list entry ("x", " ", …), "" where it has none.
    """

    start: int
    end: int
    text: str
    box: str = ""


class _Block(msgspec.Struct, gc=False):
    """A stretch of prose that is cut into sentences as a whole: a line, or lines that one sentence runs over."""

    start: int
    end: int
    box: str


@lru_cache(maxsize=8)
def prose_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of the prose in a text, in order. Of a very long text only those near its start and its end.

    The last few answers are remembered: several extractors ask about the same part.
    """
    if len(text) <= 2 * MAX_TEXT:
        found = list(_sentences(text, 0, len(text)))
    else:
        found = [*_sentences(text, 0, MAX_TEXT), *_sentences(text, len(text) - MAX_TEXT, len(text))]
    if len(found) > 2 * EDGE:
        found = found[:EDGE] + found[-EDGE:]
    return tuple(found)


def without_quotes(sentence: str) -> str:
    """The sentence with an empty pair of marks in place of each quotation, so that quoted words are not read as said."""
    if _QUOTE_SIGNS.isdisjoint(sentence):
        return sentence
    return _QUOTED.sub('""', sentence)


def _sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    for block in _blocks(text, start, end):
        yield from _cut(text, block)


def _cut(text: str, block: _Block) -> Iterator[Sentence]:
    """The sentences of a block."""
    piece = text[block.start : block.end]
    if len(piece) > MAX_SENTENCE or _ENDS.search(piece):
        position = block.start
        for stretch in _stretches(piece):
            whole = stretch if stretch.isascii() else _SURROGATE.sub("\ufffd", stretch)  # which it can't take; places stay
            for part in segment("en", whole):
                yield from _trimmed(text, position, position + len(part), block.box)
                position += len(part)
    else:
        yield from _trimmed(text, block.start, block.end, block.box)


def _stretches(piece: str) -> Iterator[str]:
    """The piece in parts of bounded size that end where a sentence does, or after so much that nothing of it can be one.

    The segmenter's search for quotation marks is not linear.
    """
    start = 0
    while len(piece) - start > STRETCH:
        ends = [match.end() for match in _STOPS.finditer(piece, start, start + STRETCH)]
        stop = ends[-1] if ends else start + STRETCH
        yield piece[start:stop]
        start = stop
    yield piece[start:]


def _trimmed(text: str, start: int, end: int, box: str) -> Iterator[Sentence]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped and len(stripped) <= MAX_SENTENCE:
        start += len(piece) - len(piece.lstrip())
        yield Sentence(start=start, end=start + len(stripped), text=stripped, box=box)


def _blocks(text: str, start: int, end: int) -> Iterator[_Block]:
    """Prose lines without their list markers; a line that ends in mid-sentence takes in the next one."""
    pending: _Block | None = None
    for first, last, in_list in _prose_lines(text, start, end):
        match = _LIST_ITEM.match(text, first, last)
        begin, box = (match.end(), match.group(1) or "") if match else (first, "")
        if pending is not None and begin == first and not in_list and _goes_on(text, pending, first):
            pending.end = last
            continue
        if pending is not None:
            yield pending
        pending = _Block(begin, last, box[1:2])
    if pending is not None:
        yield pending


def _goes_on(text: str, block: _Block, first: int) -> bool:
    """Whether the line at `first` continues the sentence that the block ends with."""
    return (
        first == block.end + 1
        and block.end - block.start >= WRAPPED
        and text[block.end - 1] not in ".!?:;。！？؟।"
        and text[first].islower()
        and block.end - block.start < MAX_SENTENCE
    )


def _prose_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each line of prose, and whether it is indented below a list entry."""
    shown = _Shown()
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        if stop > position and shown.says(text, position, stop):
            yield position, stop, shown.in_list and text[position] in " \t"
        elif stop == position:
            shown.blank()
        position = stop + 1


class _Shown:
    """What the lines so far have opened: a fence, a diff, a tag, a quoted mail, a list."""

    def __init__(self) -> None:
        self.fence = ""
        self.tag = 0
        self.diff = False
        self.below = False
        self.in_list = False

    def blank(self) -> None:
        """An empty line."""
        self.diff = False

    def says(self, text: str, start: int, end: int) -> bool:
        """Whether the line is prose of the speaker."""
        line = text[start:end]
        bare = line.strip()
        if not bare:
            self.blank()
            return False
        return not self.below and not self._opens_or_closes(line, bare) and not self._is_shown(line, bare)

    def _opens_or_closes(self, line: str, bare: str) -> bool:
        """Fences, tags, diffs and quoted mails: their marks, and all that is inside."""
        if bare[0] in "`~":
            fence = _FENCE.match(line)
            if fence and not self.fence:
                self.fence = fence.group(1)
                return True
            if fence and fence.group(1).startswith(self.fence):
                self.fence = ""
                return True
        if self.fence:
            return True
        if bare[0] == "<" or self.tag:
            tags = _SHOWN_TAG.findall(bare)
            inside = bool(self.tag or (tags and bare[0] == "<"))
            self.tag = max(0, self.tag + sum(-1 if closing else 1 for closing in tags))
            if inside:
                return True
        if bare[0] in "-@dI" and _DIFF.match(bare):
            self.diff = True
        if self.diff:
            self.diff = _IN_DIFF.match(line) is not None
            return self.diff
        if bare[0] == "-" and _MAIL_BELOW.match(bare):
            self.below = True
            return True
        return False

    def _is_shown(self, line: str, bare: str) -> bool:
        """One line of a quotation, a table, indented code, a log or other data."""
        if bare[0] == ">" or (bare[0] == "|" and bare.count("|") > 1):
            return True
        item = _LIST_ITEM.match(line)
        listed = item is not None and bool(item.group(0).strip())
        if line[0] in " \t" and not listed and not self.in_list and (line[0] == "\t" or line.startswith("    ")):
            return True
        if listed or line[0] not in " \t":
            self.in_list = listed
        return _LOG.match(line) is not None or _is_data(line[item.end() :] if item is not None and listed else bare)


def _is_data(bare: str) -> bool:
    """A line of code or data: many signs for its length, or hardly a letter."""
    if not bare:
        return True
    if bare[0] in "{[" and bare[-1] in "}]," and len(bare) > 2:
        return True
    if not _CODE_SIGNS.isdisjoint(bare):
        signs = len(_CODE.findall(bare))
        if signs > 2 and signs * SIGN_SPACING > len(bare):
            return True
    return not any(map(str.isalpha, bare))
