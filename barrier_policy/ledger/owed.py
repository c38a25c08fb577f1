"""What an obligation is made of: the item, and the words of the messages that it comes from."""

from __future__ import annotations

from functools import cache

from barrier_policy.ledger.conversation import Conversation, Turn, end_of, words_of
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
) -> Item:
    """An obligation: who owes it to whom, in which words, and whether a record can hold it."""
    return Item(
        id=f"{kind}:{message}.{part}.{number}",
        family=Family.OBLIGATION,
        kind=kind,
        message=message,
        part=part,
        text=text,
        subject=subject,
        rebindable=rebindable,
        attributes=_parties(debtor, creditor),
    )


@cache
def _parties(debtor: str, creditor: str) -> dict[str, str]:
    """One dict for all obligations between the two; nobody writes to it."""
    return {"debtor": debtor, "creditor": creditor}


def user_text(conversation: Conversation, turn: Turn) -> str:
    """The words of the user's message."""
    return words_of(conversation.messages[turn.start])


def closing_words(conversation: Conversation, turn: Turn) -> str:
    """The end of the last text of the agent in a turn."""
    return end_of(conversation.messages[turn.final]) if turn.final >= 0 else ""
