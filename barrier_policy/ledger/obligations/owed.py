"""What an obligation is made of (design section 5)."""

from __future__ import annotations

from functools import cache

from barrier_policy.ledger.model import Event, Family, Item

Found = tuple[Item, list[Event]]
"""An obligation, and what became of it."""


def new_obligation(
    kind: str,
    message: int,
    text: str,
    *,
    number: int = 0,
    part: int = 0,
    rebindable: bool,
    debtor: str,
    creditor: str,
    subject: str = "",
    turns: int = 0,
) -> Item:
    """An obligation: who owes it to whom, in which words, and whether a record can hold it; with `turns`, for so many turns of the user."""
    return Item(
        id=f"{kind}:{message}.{part}.{number}",
        family=Family.OBLIGATION,
        kind=kind,
        message=message,
        part=part,
        text=text,
        subject=subject,
        rebindable=rebindable,
        attributes=_parties(debtor, creditor, turns),
    )


@cache
def _parties(debtor: str, creditor: str, turns: int) -> dict[str, str]:
    """One dict for all obligations between the two; nobody writes to it."""
    return {"debtor": debtor, "creditor": creditor} | ({"reach": str(turns)} if turns else {})
