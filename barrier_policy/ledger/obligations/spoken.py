"""Which later turn comes back to something, by the words of the turns."""

from __future__ import annotations

from collections import Counter

MAX_HEARD = 50


class Spoken:
    """Words of later turns, taken in from the last turn to the first. Costs time in the words of a turn."""

    def __init__(self) -> None:
        self._turns: dict[str, list[int]] = {}

    def add(self, turn: int, words: frozenset[str]) -> None:
        """Take in the words of a turn."""
        for word in words:
            self._turns.setdefault(word, []).append(turn)

    def first(self, words: frozenset[str], names: frozenset[str], *, enough: int) -> int | None:
        """The first later turn that shares enough words; one of `names` must be among them, where there are any."""
        shared = Counter(later for word in words | names for later in self._turns.get(word, ())[-MAX_HEARD:])
        named = {later for word in names for later in self._turns.get(word, ())[-MAX_HEARD:]} if names else set(shared)
        return min((later for later, count in shared.items() if count >= enough and later in named), default=None)
