"""Reader for aider's chat history, which is Markdown: texts only, because aider records no calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Place
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.parts import text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source

START = "# aider chat started at "
LINE_BREAK = "  "
"""aider ends its own lines with a Markdown line break, which tells them from quotes and headings of the model."""


def probe(source: Source) -> int:
    """90 for a text that begins as this history does."""
    return 90 if source.head().lstrip().startswith(START) else 0


def read(source: Source) -> Transcript:
    """One message for each run of lines of one speaker: `#### ` the user, `> ` aider itself (a notice), else the model."""
    builder = TranscriptBuilder(source, "aider")
    if START not in source.text:
        source.refuse(f"not an aider chat history (expected a line `{START}…`)")
    stamp = ""
    for speaker, first, said in _runs(source.text):
        if speaker == "start":
            stamp = said.removeprefix(START).strip()
            builder.skip("chat header")
        elif not said.strip():
            continue
        elif speaker == "aider":
            builder.add_notice(speaker, [text_part(said)], Place(line=first, timestamp=stamp))
        else:
            builder.add(speaker, [text_part(said)], Place(line=first, timestamp=stamp))
    return builder.build()


def _runs(text: str) -> Iterator[tuple[str, int, str]]:
    """Speaker, first line and text of each run of lines."""
    lines = [(number, *_speaker(line)) for number, line in enumerate(text.split("\n"), 1)]
    for speaker, run in groupby(lines, key=lambda line: line[1]):
        found = list(run)
        yield speaker, found[0][0], "\n".join(said for _, _, said in found).strip("\n")


def _speaker(line: str) -> tuple[str, str]:
    line = line.removesuffix("\r")
    if line.startswith(START):
        return "start", line
    if line.endswith(LINE_BREAK):
        if line.startswith("#### "):
            return "user", line[5:].rstrip()
        if line.startswith("> "):
            return "aider", line[2:].rstrip()
    return "assistant", line


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `aider`."""
    return [Reader(name="aider", title="aider chat history", probe=probe, read=read)]
