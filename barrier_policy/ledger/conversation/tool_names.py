"""What the name of a tool is made of."""

from __future__ import annotations

import re
from functools import lru_cache

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=512)
def name_parts(name: str) -> frozenset[str]:
    """The words of a name, in lower case: `mailSend`, `mail_send` and `mail.send` all give `mail` and `send`."""
    return frozenset(part.lower() for part in _PARTS.findall(name))
