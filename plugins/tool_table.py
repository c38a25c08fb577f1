"""The table of known tools (`tool_classes.json`) and look-ups in it."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from barrier_policy_plugins.effect_classes import read_table
from barrier_policy_plugins.tool_names import bare_name, name_key

from barrier_policy.facts.effect_class import EffectClass


class ToolEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the table says of one tool; the file's `about` explains the fields."""

    names: str
    effect: EffectClass
    assumed: bool = False
    payload: str = ""
    arguments: str = ""
    by: str = ""
    values: dict[str, EffectClass] = {}
    needs: str = ""
    bare: bool = False
    plan: bool = False
    subagent: bool = False
    interactive: bool = False
    no_targets: bool = False

    def means(self, arguments: Any) -> bool:
        """Whether a call with these arguments is a call of this tool, and not of a namesake."""
        given = arguments if isinstance(arguments, dict) else {}
        if self.bare:
            return not given
        return not self.needs or not given.keys().isdisjoint(self.needs.split())

    def class_of(self, arguments: Any) -> EffectClass:
        """The class of a call with these arguments."""
        if not self.by or not isinstance(arguments, dict):
            return self.effect
        value = arguments.get(self.by, "")
        return self.values.get(value, self.effect) if isinstance(value, str) else self.effect

    def payload_of(self, arguments: Any) -> Any:
        """The first argument that holds the payload, None where none is there."""
        given = arguments if isinstance(arguments, dict) else {}
        return next((given[name] for name in self.arguments.split() if given.get(name) not in (None, "")), None)


class ToolTable(msgspec.Struct, frozen=True):
    """The file as it is."""

    about: str
    entries: tuple[ToolEntry, ...]


_TABLE: Final = msgspec.json.decode(read_table("tool_classes.json"), type=ToolTable)
_BY_KEY: Final = {name_key(name): entry for entry in _TABLE.entries for name in entry.names.split()}


def find_tool(name: str, arguments: Any) -> ToolEntry | None:
    """The entry of a tool by its name, with or without a runtime's prefix; None where the table has none."""
    for spelling in dict.fromkeys((name, bare_name(name))):
        entry = _BY_KEY.get(name_key(spelling))
        if entry is not None and entry.means(arguments):
            return entry
    return None
