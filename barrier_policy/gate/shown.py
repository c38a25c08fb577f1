"""Text from outside as an error message may show it."""

from __future__ import annotations

from barrier_policy.facts.secrets import redact

MAX_SHOWN = 300


def shown(text: str) -> str:
    """A text on one line, its end rather than its start, without secrets and without characters that a terminal obeys."""
    line = " ".join("".join(character if character.isprintable() else " " for character in redact(text)).split())
    return line if len(line) <= MAX_SHOWN else "…" + line[1 - MAX_SHOWN :]
