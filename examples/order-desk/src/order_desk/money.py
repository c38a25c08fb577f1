"""Money that was paid back, as the records of shops and airlines list it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

FLAT = re.compile(r"\{[^{}]{1,500}\}")
"""An object without others inside."""
METHOD_KEYS = ("payment_method_id", "payment_id", "method")
METHOD = re.compile(r"[\w.:/ -]{1,60}")


class Refund(NamedTuple):
    """An amount as written and where it was paid to, with the place of the entry."""

    amount: str
    method: str
    start: int
    end: int


def find_refunds(text: str) -> Iterator[Refund]:
    """Entries of a payment history that pay back: a negative amount, or an entry of type `refund`."""
    for match in FLAT.finditer(text):
        if '"amount"' not in match.group():
            continue
        try:
            entry = json.loads(match.group(), parse_float=_Written, parse_int=_Written)
        except ValueError:
            continue
        amount = entry.get("amount")
        method = next((entry[key] for key in METHOD_KEYS if isinstance(entry.get(key), str)), "")
        if not isinstance(amount, _Written) or not METHOD.fullmatch(method):
            continue
        if amount.startswith("-") or entry.get("transaction_type") == "refund":
            yield Refund(amount.removeprefix("-"), method, match.start(), match.end())


class _Written(str):
    """A number as it is written."""
