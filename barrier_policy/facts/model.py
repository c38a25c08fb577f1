"""Facts: typed statements by an extractor, each with its place (design section 3)."""

from __future__ import annotations

from typing import Any

import msgspec

FactValue = str | int | bool | tuple[str, ...]


class Fact(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One statement about one place of the transcript.

    `kind` is the name of a declared FactKind. `message` and `part` are indices, `start` and `end` offsets in characters
    of that part's text. `text` is the verbatim piece the fact rests on, never a secret. `attributes` hold what the kind
    declares (strings, integers, booleans, tuples of strings).
    """

    kind: str
    message: int
    part: int = 0
    start: int = 0
    end: int = 0
    text: str = ""
    attributes: dict[str, FactValue] = {}
    extractor: str = ""

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, or the default."""
        return self.attributes.get(name, default)

    def to_dict(self) -> dict[str, Any]:
        """A flat dict: the place, the kind, the text, and each attribute under its own name."""
        flat: dict[str, Any] = {
            "kind": self.kind,
            "message": self.message,
            "part": self.part,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "extractor": self.extractor,
        }
        for name, value in sorted(self.attributes.items()):
            flat[name] = list(value) if isinstance(value, tuple) else value
        return flat


class Attribute(msgspec.Struct, frozen=True, kw_only=True):
    """A declared attribute: `type` is one of string, int, bool, list(string)."""

    name: str
    type: str
    doc: str
    values: tuple[str, ...] = ()


class FactKind(msgspec.Struct, frozen=True, kw_only=True):
    """The documented schema of one kind of fact.

    `derived` says that the text of its facts is made from what stands at their place, and is not a copy of it.
    """

    name: str
    doc: str
    attributes: tuple[Attribute, ...] = ()
    derived: bool = False


class Failure(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """An extractor that could not say anything about a message; its facts there are unknown, which protects."""

    message: int
    extractor: str
    problem: str
