"""Which calls change an order, and whether they did."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from barrier_policy import Part

ACTIONS = ("cancel", "return", "exchange", "modify", "book", "compensate")
VERBS = {
    "cancel": "cancel",
    "return": "return",
    "exchange": "exchange",
    "modify": "modify",
    "update": "modify",
    "change": "modify",
    "book": "book",
    "send_certificate": "compensate",
    "issue_credit": "compensate",
}
THINGS = re.compile(r"order|reservation|booking|certificate|credit")
ID_KEYS = ("order_id", "reservation_id", "booking_id", "user_id", "customer_id")
ONCE = frozenset({"cancel", "return", "exchange", "compensate"})
ONCE_CALLS = re.compile(r"modify_\w*items")
"""Items of an order are exchanged for others in one go: a second call is refused, or charged again."""
FAILED = re.compile(r"\s*(?:error|failed|failure|denied|cannot|can't|not found)\b", re.IGNORECASE)
FAILED_STATES = frozenset({"error", "failed", "failure", "denied", "rejected", "pending_approval"})
ID = re.compile(r"[\w#.:/-]{1,60}")


class Change(NamedTuple):
    """What was done to which order; `once` says that the desk does it to an order only once."""

    order: str
    action: str
    once: bool


def read_change(call: Part, result: Part) -> Change | None:
    """The change that a call made, None where it makes none, failed, or names no order."""
    action = next((action for verb, action in VERBS.items() if call.name.startswith(verb)), "")
    if not action or not THINGS.search(call.name) or result.is_error or not _succeeded(result.text):
        return None
    order = _named(call.arguments) or _named(_object(result.text))
    if not order:
        return None
    return Change(order, action, action in ONCE or ONCE_CALLS.match(call.name) is not None)


def _succeeded(text: str) -> bool:
    found = _object(text)
    if found:
        return "error" not in found and str(found.get("status", "")).lower() not in FAILED_STATES
    return bool(text.strip()) and text.lstrip()[:1] not in "{[" and not FAILED.match(text)


def _object(text: str) -> Mapping[str, object]:
    if text.lstrip()[:1] != "{":
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _named(fields: object) -> str:
    """The first id that fields name."""
    if isinstance(fields, Mapping):
        for key in ID_KEYS:
            value = fields.get(key)
            if isinstance(value, str) and ID.fullmatch(value):
                return value
    return ""
