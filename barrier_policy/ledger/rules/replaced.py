"""Rules that a later rule replaces: the same words with another number behind the same comparison (design section 5, overridden).

"At most 3 replicas" and, later, "at most 5 replicas from now on" are one rule with a new threshold. Only a compared number may differ: a number
that names something ("door 3") makes another rule, and in doubt both hold.
"""

from __future__ import annotations

import re

_COMPARED = re.compile(
    r"\b(?P<how>at (?:the )?(?:most|least)|no (?:more|less|fewer) than|(?:more|less|fewer|longer) than|up to|over|under|above|below|exceed(?:s|ing)?|max(?:imum)?(?: of)?|min(?:imum)?(?: of)?"
    r"|(?:limit(?:ed)?|capped?) (?:at|to|of|is)|höchstens|mindestens|maximal|bis zu|(?:mehr|weniger|länger) als|au (?:plus|moins)|(?:plus|moins) de|jusqu'à|como máximo|al menos|(?:más|menos) de|hasta"
    r"|al massimo|almeno|(?:più|meno) di|fino a|no máximo|pelo menos|(?:mais|menos) de|até|maximaal|minstens|(?:meer|minder) dan)"
    r" (?P<number>[€$£]? ?\d[\d.,]*\d|[€$£]?\d)(?![\w-])",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+(?:[-'.]\w+)*")
_FILLERS = frozenset(
    "now instead rather from on then please ok okay actually again make it that a an the and so ab jetzt sofort stattdessen bitte désormais maintenant ahora ora adesso agora nu".split()  # noqa: SIM905
)
FEWEST = 3
"""Words that a rule must have besides the number: fewer don't say what is limited."""
MAX_RULE = 400


def threshold(rule: str) -> tuple[frozenset[str], str] | None:
    """What a rule with one compared number is about, and the number; None for a rule without one, or with several."""
    found = list(_COMPARED.finditer(rule)) if len(rule) <= MAX_RULE and _DIGIT.search(rule) else []
    if len(found) != 1:
        return None
    start, end = found[0].span("number")
    words = frozenset(word.casefold() for word in _WORD.findall(f"{rule[:start]} {rule[end:]}")) - _FILLERS
    return (words, found[0]["number"].replace(" ", "")) if len(words) >= FEWEST else None
