"""What a function says of words or sentences, remembered because many come again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


class Remembered(dict[str, Value]):
    """What `find` says of texts, each found once. Takes half the memory of `lru_cache`.

    Where `most` are remembered all are forgotten, so that hostile text can't fill the memory.
    """

    def __init__(self, find: Callable[[str], Value], most: int) -> None:
        super().__init__()
        self._find = find
        self._most = most

    def __missing__(self, text: str) -> Value:
        if len(self) >= self._most:
            self.clear()
        self[text] = found = self._find(text)
        return found
