"""Where an exact value already stands among lines, as a whole and not as part of a longer one (`418` is not in `418230`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RUN = re.compile(r"\w+")
_JOINERS = "-./:@,"
"""Signs that make one value of what stands on both of their sides."""
_PARTS = "-+/\\"
"""Signs that belong to the value that they touch: `-5` is not 5, and `/srv` not `srv`."""
MAX_PLACES = 40
"""Places at which one value is looked for; more would make common words quadratic."""


class Lines:
    """Lines by the runs of word characters in them. Costs time in their size; a search, in that of what is searched."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        """`lines` are pairs of a name and its text."""
        self._texts: list[tuple[str, str]] = list(lines)
        self._whole = {text: name for name, text in reversed(self._texts)}
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, (_, text) in enumerate(self._texts):
            for run in _RUN.finditer(text):
                places = self._places.setdefault(run.group(), [])
                if len(places) < MAX_PLACES:
                    places.append((number, run.start()))

    def showing(self, value: str, *, besides: str = "") -> str:
        """The name of the first line that shows a value and is not named `besides`; "" where there is none."""
        if (name := self._whole.get(value, besides)) != besides:
            return name
        first = _RUN.search(value)
        if first is None:
            return ""
        for number, start in self._places.get(first.group(), ()):
            name, text = self._texts[number]
            begin = start - first.start()
            if name != besides and begin >= 0 and text.startswith(value, begin) and _stands_alone(text, begin, value):
                return name
        return ""


def _stands_alone(text: str, begin: int, value: str) -> bool:
    end = begin + len(value)
    before = text[max(0, begin - 2) : begin][::-1]
    after = text[end : end + 2]
    return not (_goes_on(value[:1], before[:1], before[1:]) or _goes_on(value[-1:], after[:1], after[1:]))


def _goes_on(edge: str, beside: str, beyond: str) -> bool:
    """Whether the value goes on over its edge: with a word character, or with a sign that joins it to one."""
    if _is_word(beside):
        return _is_word(edge) or edge in _JOINERS
    return bool(beside) and (beside in _PARTS or (beside in _JOINERS and _is_word(beyond)))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
