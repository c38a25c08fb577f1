"""What a service desk must be able to say later: what was done to which order, what was paid back, and what the customer agreed to.

A result speaks only where the call that it answers changes an order and did not fail; consent is the customer's own word, never the
agent's. What is not understood is no fact of this plugin: the shipped rules still hold the effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from barrier_policy import Attribute, Context, Fact, FactKind, Message, MessageKind, Origin, Part, PartType, hookimpl
from order_desk import consent, money, orders

ORDER = Attribute(name="order", type="string", doc="the order's or reservation's id, as the call names it")
ACTION = Attribute(name="action", type="string", doc="what is done to an order", values=orders.ACTIONS)


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """Changes, refunds and consent. Their texts are worded from what stands at their place, so that each can be read alone."""
    once = Attribute(name="once", type="bool", doc="the desk does this to an order only once")
    yield FactKind(name="orders.change", doc="An order was changed.", attributes=(ORDER, ACTION, once), derived=True)
    amount = Attribute(name="amount", type="string", doc="how much, as written")
    method = Attribute(name="method", type="string", doc="where it was paid to")
    yield FactKind(name="orders.refund", doc="Money was paid back.", attributes=(ORDER, amount, method), derived=True)
    about = Attribute(name="orders", type="list(string)", doc="the orders that the agent asked about")
    yield FactKind(name="orders.consent", doc="The customer agreed to a change.", attributes=(about,), derived=True)


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterator[Fact]:
    """Facts of one message."""
    if message.kind is not MessageKind.MESSAGE:
        return
    for number, part in enumerate(message.parts):
        if part.type is PartType.TOOL_RESULT and number in context.calls:
            yield from _result_facts(message.index, number, part, context.calls[number])
        elif part.type is PartType.TEXT and message.origin is Origin.USER and number == 0:
            yield from _consent_facts(message.index, part, context.previous)


def _result_facts(message: int, number: int, part: Part, call: Part) -> Iterator[Fact]:
    change = orders.read_change(call, part)
    if change is None:
        return
    yield Fact(
        kind="orders.change",
        message=message,
        part=number,
        end=len(part.text),
        text=f"{change.action} of {change.order}: done" + (", which is done only once" if change.once else ""),
        attributes={"order": change.order, "action": change.action, "once": change.once},
    )
    for refund in money.find_refunds(part.text):
        yield Fact(
            kind="orders.refund",
            message=message,
            part=number,
            start=refund.start,
            end=refund.end,
            text=f"{refund.amount} paid back to {refund.method} for {change.order}",
            attributes={"order": change.order, "amount": refund.amount, "method": refund.method},
        )


def _consent_facts(message: int, part: Part, previous: Message | None) -> Iterator[Fact]:
    asked = consent.asked_about(previous) if previous is not None and previous.origin is Origin.AGENT else ()
    answer = consent.find_yes(part.text) if asked else None
    if answer is not None:
        yield Fact(
            kind="orders.consent",
            message=message,
            start=answer.start(1),
            end=answer.end(1),
            text=f"the customer's yes about {', '.join(asked)}",
            attributes={"orders": asked},
        )
