"""What people say about what they are at, language by language (`languages/<code>.json`): they put off, wait, go on, ask, turn to
something else, want a report, limit a consent, name a later time, undertake what they were asked, promise to come back, say what they
will do, thank, decline, take a wish back, take note, want to hear of the end of something, say
that something has not come about yet.

To add a language, add a file. Each list holds words and phrases, separated by commas, spelled as `barrier_policy.facts.phrases` spells them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from barrier_policy.facts.phrases import Hit, Phrases, words_of

MAX_WORDS = 120
"""Words of a message that are looked at."""


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language's lists; words that ask stand near the beginning of a message, verbs of other sentences at its very beginning
    or behind what leads in, or anywhere in it where the language puts them late."""

    puts_off: str
    agent_waits: str
    others_wait: str
    still_at_it: str
    besides: str
    asks_report: str
    limits: str
    asks: str = ""
    asks_first: str = ""
    leads_in: str = ""
    asks_anywhere: str = ""
    asks_where: str = ""
    goes_on: str = ""
    for_later: str = ""
    undertakes: str = ""
    promises: str = ""
    will: str = ""
    thanks: str = ""
    declines: str = ""
    withdraws: str = ""
    takes_note: str = ""
    wants_word: str = ""
    not_yet: str = ""


@cache
def entries_of(name: str) -> frozenset[str]:
    """All entries of a list."""
    return frozenset(entry for language in _languages() for entry in getattr(language, name).split(", ") if entry)


@cache
def _lists(name: str) -> Phrases[str]:
    return Phrases(
        (entries.split(", "), name) for entries in (getattr(language, name) for language in _languages()) if entries
    )


@cache
def _languages() -> tuple[Language, ...]:
    folder = files("barrier_policy.ledger.dialogue") / "languages"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(msgspec.json.decode(entry.read_bytes(), type=Language) for entry in entries)


def has_words(name: str, text: str, *, first: int = MAX_WORDS) -> bool:
    """Whether an entry of a list stands in a text, within its first words."""
    return _lists(name).hold(text, _words(text, first))


def find_words(name: str, text: str, *, first: int = MAX_WORDS) -> Hit[str] | None:
    """The first entry of a list in a text, within its first words."""
    return next(iter(all_words(name, text, first=first)), None)


def all_words(name: str, text: str, *, first: int = MAX_WORDS) -> list[Hit[str]]:
    """The entries of a list in the first words of a text, in order."""
    return _lists(name).find(text, _words(text, first))


@lru_cache(maxsize=8)
def _words(text: str, limit: int) -> list[str]:
    """The first words of a text; the last few answers are remembered, for several lists are looked up in the same text."""
    return words_of(text, limit)
