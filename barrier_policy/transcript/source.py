"""Bytes as readers see them: decoded once, parsed once, with places (design section 4, first arrow)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from barrier_policy.digest import canonical_json, digest_bytes
from barrier_policy.errors import Issue, TranscriptError

MAX_DEPTH = 200
MAX_BYTES = 512 * 1024 * 1024


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One JSON value of a JSON Lines file with its 1-based line; two values glued on one line share it."""

    line: int
    value: Any


class Source:
    """The bytes of a transcript (or its messages in memory), parsed on first use and kept.

    `document` is the whole as one JSON value, None where it is none. `records` are the JSON values line by line, () where
    the text is no JSON Lines. Both raise nothing: a reader asks for what it understands. Nesting deeper than 200 levels,
    and input over 512 MiB, is refused.
    """

    def __init__(self, data: bytes, *, path: str = "<bytes>") -> None:
        self.path = path
        self.data = data
        if len(data) > MAX_BYTES:
            self.fail(f"the file has {len(data):,} bytes (at most {MAX_BYTES:,} are read)")

    @classmethod
    def from_value(cls, value: Any, *, path: str = "<messages>") -> Source:
        """A source from messages that are already Python objects; their bytes are the canonical JSON."""
        try:
            source = cls(canonical_json(value), path=path)
        except (TypeError, ValueError, RecursionError) as error:
            raise TranscriptError([Issue(file=path, message=f"the messages are no JSON data ({error})")]) from None
        source.__dict__["document"] = value
        return source

    def fail(self, message: str, line: int = 0) -> None:
        """Raise a TranscriptError that names this source."""
        raise TranscriptError([Issue(file=self.path, line=line, message=message)])

    @cached_property
    def digest(self) -> str:
        """`sha256:<hex>` of the bytes."""
        return digest_bytes(self.data)

    @cached_property
    def text(self) -> str:
        """The bytes as text: UTF-8 with or without a mark, or UTF-16 and UTF-32 with one."""
        raise NotImplementedError  # filled in by the readers' work

    @cached_property
    def document(self) -> Any:
        """The whole text as one JSON value, or None."""
        raise NotImplementedError

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The JSON values line by line, () if any line but the last is no JSON."""
        raise NotImplementedError
