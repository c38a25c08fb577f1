"""Words by which results tell their state, language by language (`result_languages/<code>.json`).

To add a language, add a file. Each list holds words and phrases, separated by commas, spelled as `barrier_policy.facts.phrases`
spells them. `weak` entries of `pending`
give way to done: a booking that is received and confirmed is confirmed.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

FOLDER: Final = "result_languages"


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language's lists, by state."""

    pending: str
    partial: str
    unknown: str
    failed: str
    rejected: str
    done: str
    weak: str = ""
    negations: str = ""

    def of(self, name: str) -> list[str]:
        """The entries of a list."""
        return [entry for entry in getattr(self, name).split(", ") if entry]


@cache
def read_languages() -> tuple[Language, ...]:
    """All languages, in the order of their codes."""
    folder = files("barrier_policy_plugins") / FOLDER
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(msgspec.json.decode(entry.read_bytes(), type=Language) for entry in found)
