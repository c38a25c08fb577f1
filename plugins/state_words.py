"""Words by which results tell their state, language by language (`result_languages/<code>.json`).

To add a language, add a file. Each list holds words and phrases as `barrier_policy.facts.phrases` reads them. `weak` entries of `pending`
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

    pending: tuple[str, ...]
    partial: tuple[str, ...]
    unknown: tuple[str, ...]
    failed: tuple[str, ...]
    rejected: tuple[str, ...]
    done: tuple[str, ...]
    weak: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()

    def of(self, state: str) -> tuple[str, ...]:
        """The list of a state."""
        return getattr(self, state)  # type: ignore[no-any-return]


@cache
def read_languages() -> tuple[Language, ...]:
    """All languages, in the order of their codes."""
    folder = files("barrier_policy_plugins") / FOLDER
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(msgspec.json.decode(entry.read_bytes(), type=Language) for entry in found)
