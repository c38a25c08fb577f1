"""Calls that were taken for reads and acted after all, as their short answers say (design section 5, effects)."""

from __future__ import annotations

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.look_ups import DOUBTFUL, NOUNS
from barrier_policy.ledger.conversation.turns import Call
from barrier_policy.ledger.effects.receipt import MAX_WHOLE, leaves

MAX_BREAK = 3
"""Lines in which something tells that it broke off half-way; more are a listing of what others are at."""
MAX_DONE = 80
"""Characters of an answer that says no more than that something is done."""


def acts_after_all(call: Call) -> bool:
    """A read for want of a verb in its name, or one that asks somebody, whose short answer says that something is under way: it did act.

    What is under way in the answer of any other (`get_order`, `ci_status`) is what was looked at, unless that has got a new number. A share (`3/11`) may be part of an answer.
    """
    if call.fact is None or not call.fact.get("assumed") or not call.results:
        return False
    basis, last = call.fact.get("basis"), call.results[-1]
    if last.fact is None or len(last.part.text) > MAX_WHOLE:
        return False
    if (basis == "report" or (basis == "name" and not call.fact.get("interactive"))) and not _names_anew(call, last.fact):
        return False
    reports = str(last.fact.get("reports", ""))
    lines = last.part.text.strip().count("\n") + 1
    in_words = last.fact.get("basis") == "text" and lines <= (MAX_BREAK if reports == "partial" else 1)
    tells = reports in ("pending", "unknown") or (reports == "partial" and basis in DOUBTFUL)
    return tells and (last.fact.get("basis") == "key" or in_words)


def tells_deed(call: Call) -> bool:
    """A read for want of a verb in its name, whose one line of an answer says that something is done, or gives it a number that was not asked for.

    Where nouns are what made it a read (`report_file`), it has to say so in a few words.
    """
    basis = call.fact.get("basis") if call.fact is not None and call.fact.get("assumed") else ""
    if call.fact is None or basis not in DOUBTFUL or not call.results:
        return False
    last = call.results[-1]
    text = last.part.text.strip()
    if last.fact is None or len(text) > MAX_WHOLE or "\n" in text:
        return False
    done = last.fact.get("reports") == "done"
    if basis in NOUNS:
        return done and len(text) <= MAX_DONE and text[:1] not in ("{", "[")
    return done or _names_anew(call, last.fact)


def _names_anew(call: Call, answer: Fact) -> bool:
    """Whether an answer gives a job or an order a number that was not asked for."""
    said = set(leaves(call.part.arguments))
    return any(handle not in said for handle in answer.get("handles", ()))
