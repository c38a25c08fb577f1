"""What expressions see of a record: exactly the paths they read, validated against the schema, as clean plain data.

A record comes from the join and from plugins, so nothing is believed: a value of another type, a number beyond 64 bits or
a list that is too long makes the rules that read it err, in both engines alike (cel-cpp would say that `3 == "x"` is
false). Texts that an engine can't take, with NUL or lone surrogates, are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Annotated, Any, TypedDict

import msgspec

from barrier_policy.join.schema import ROOT, RecordSchema, element
from barrier_policy.policy.cel.scope import Path, article

MAX_ITEMS = 1_000
"""Of a list. `filter` and `map` are quadratic in cel-cpp: 12 ms for a thousand items, seconds for ten thousand."""

_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_SCALAR_TYPES: dict[str, Any] = {"string": str, "int": _Int64, "bool": bool}
_ESCAPED_NUL = b"\\u0000"
_ABSENT = b""
_NOTHING = b"[]"
_WORD = re.compile(r"\w+")


class RecordReader:
    """Reads the same paths of many records. `conditions` are texts in CEL: what they can see of a record is in `Reading.sights`."""

    def __init__(self, schema: RecordSchema, paths: Iterable[Path], conditions: Iterable[str] = ()) -> None:
        words = frozenset(word for text in conditions for word in _WORD.findall(text))
        types = {path: _type_at(schema, path) for path in sorted(set(paths))}
        self._paths = {path: _PathReader(schema, name, words) for path, name in types.items()}
        self._encode = msgspec.json.Encoder().encode

    def shows(self, expression: str, paths: Iterable[Path]) -> bool:
        """Whether all that an expression can see at the paths that it reads is in `Reading.sights`."""
        named = _WORD.findall(expression)
        return all(self._paths[path].unseen.isdisjoint(named) for path in paths)

    def read(self, record: Mapping[str, Any]) -> Reading:
        """The record as it is now; later changes to it do not show."""
        return Reading({path: self._key(record, path) for path in self._paths}, self._paths)

    def _key(self, record: Mapping[str, Any], path: Path) -> bytes:
        value: Any = record
        for name in path:
            if not isinstance(value, (dict, Mapping)) or name not in value:  # a dict is told at once
                return _ABSENT
            value = value[name]
        if not value and type(value) is list:  # as most lists are
            return _NOTHING
        key = self._json(value)
        return self._json(_printable(value)) if _ESCAPED_NUL in key else key

    def _json(self, value: Any) -> bytes:
        try:
            return self._encode(value)
        except UnicodeEncodeError:
            return self._json(_printable(value))
        except (TypeError, RecursionError):
            return _ABSENT


class _PathReader:
    """How a path is decoded, and what conditions with these words can see of what stands there."""

    def __init__(self, schema: RecordSchema, type_name: str, words: Collection[str]) -> None:
        self.type = type_name
        self.decode = msgspec.json.Decoder(_plain_type(schema, type_name)).decode
        record = schema.types.get(element(type_name) or "")
        seen = [field for field in record.fields if field.name in words] if record else []
        names = [field.name for field in seen]
        self.see = itemgetter(*names) if names and all(field.type in _SCALAR_TYPES for field in seen) else None
        self.unseen = (
            frozenset(field.name for field in record.fields if self.see and field not in seen) if record else frozenset()
        )


class Reading:
    """One record as its paths. `keys` holds the JSON of each: two records with equal keys are equal to every expression."""

    def __init__(self, keys: dict[Path, bytes], paths: Mapping[Path, _PathReader]) -> None:
        self.keys = keys
        self._paths = paths
        self._values: dict[Path, Any] = {}
        self._sights: dict[Path, Hashable] = {}

    @property
    def sights(self) -> dict[Path, Hashable]:
        """What conditions can see of each path: two records with equal sights are equal to every condition.

        INVARIANT: CEL as it is allowed here compares no records, so of the records in a list a condition sees nothing but how many there
        are, their order, and the fields that it names.
        """
        if not self._sights:
            keys = self.keys
            self._sights = {
                path: keys[path] if reader.see is None or keys[path] == _NOTHING else self._sight(path, reader.see)
                for path, reader in self._paths.items()
            }
        return self._sights

    def problem(self, paths: Iterable[Path]) -> str:
        """Why an expression that reads these paths can't be evaluated; empty if it can."""
        for path in paths:
            if self.value(path) is None:
                type_name = self._paths[path].type
                limit = f" of at most {MAX_ITEMS:,} items" if element(type_name) else ""
                return f"`span.{'.'.join(path)}` is not {article(type_name)}{limit}"
        return ""

    def span(self, paths: Iterable[Path]) -> dict[str, Any]:
        """Those of some paths that are valid, as one nested dict."""
        span: dict[str, Any] = {}
        for path in paths:
            value = self.value(path)
            if value is None:
                continue
            holder = span
            for name in path[:-1]:
                holder = holder.setdefault(name, {})
            holder[path[-1]] = value
        return span

    def _sight(self, path: Path, see: Callable[[Any], Hashable]) -> Hashable:
        value = self.value(path)
        return self.keys[path] if value is None else tuple(map(see, value))

    def value(self, path: Path) -> Any:
        """What stands at a path, None where that is not what the schema says."""
        if path not in self._values:
            try:
                self._values[path] = self._paths[path].decode(self.keys[path])
            except msgspec.MsgspecError:
                self._values[path] = None
        return self._values[path]


def _printable(value: Any) -> Any:
    """The value with every NUL and lone surrogate written as an escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
    if isinstance(value, Mapping):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value


def _type_at(schema: RecordSchema, path: Path) -> str:
    type_name = ROOT
    for name in path:
        type_name = next(field.type for field in schema.types[type_name].fields if field.name == name)
    return type_name


def _plain_type(schema: RecordSchema, type_name: str) -> Any:
    """The msgspec type that decodes values of a declared type to str, int, bool, list and dict, and nothing else."""
    if type_name in _SCALAR_TYPES:
        return _SCALAR_TYPES[type_name]
    item = element(type_name)
    if item is not None:
        return Annotated[list[_plain_type(schema, item)], msgspec.Meta(max_length=MAX_ITEMS)]  # type: ignore[misc]
    fields = {field.name: _plain_type(schema, field.type) for field in schema.types[type_name].fields}
    return TypedDict(type_name, fields)  # type: ignore[operator]
