"""What a row of the table says first, and what it never says."""

from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any, cast

import pytest

from barrier_policy.facts.masking import Masker
from barrier_policy.facts.model import Fact
from barrier_policy.ledger.model import Family, Item
from barrier_policy.policy.model import Repair, RuleEffect, Severity
from barrier_policy.policy.verdict import Evidence, Reason
from barrier_policy.report.rows import ItemTexts, by_weight
from barrier_policy.transcript.model import Message, Origin, Part, PartType


def reason(rule: str, severity: Severity, *repair: Repair, cites: bool = False) -> Reason:
    return Reason(
        policy="sample",
        version="1.0.0",
        rule=rule,
        effect=RuleEffect.BARRIER,
        severity=severity,
        explanation="",
        references=(),
        evidence=(Evidence(item="effect:1.0", kind="Effect", message=1),) if cites else (),
        repair=repair,
    )


ORDER = (
    reason("zones.instructions", Severity.CRITICAL),
    reason("effects.unsettled", Severity.HIGH, Repair.CONFIRM),
    reason("obligations.either", Severity.LOW, Repair.REBIND, Repair.DISCHARGE),
    reason("constraints.gate", Severity.CRITICAL, Repair.REBIND),
    reason("bindings.named", Severity.HIGH, Repair.REBIND, cites=True),
    reason("bindings.cited-too", Severity.HIGH, Repair.ARCHIVE),
)
REPAIRS = {found.rule: found.repair for found in ORDER}


def test_the_deciding_reason_is_what_the_gate_can_not_lift_then_the_gravest() -> None:
    for shuffled in permutations(ORDER):
        assert by_weight(shuffled, REPAIRS) == list(ORDER)


def texts(*items: Item, secret: str = "") -> ItemTexts:
    part = Part(type=PartType.TEXT, text=f"the key is {secret}")
    message = Message(index=0, role="user", origin=Origin.USER, parts=(part,))
    facts = [Fact(kind="secret", message=0, start=11, end=11 + len(secret))] if secret else []
    analysis = SimpleNamespace(
        masker=Masker([message], [facts]),
        join=SimpleNamespace(ledger=SimpleNamespace(items=items), extensions=()),
    )
    return ItemTexts(cast(Any, analysis))


def value(name: str, kind: str, text: str) -> Item:
    return Item(id=name, family=Family.BINDING, kind=kind, message=0, text=text)


def test_a_secret_in_the_words_of_an_item_is_masked() -> None:
    shown = texts(value("binding:0.0.0", "literal", "use hunter2-9931 now"), secret="hunter2-9931").of("binding:0.0.0")
    assert "hunter2" not in shown and shown.startswith("use [secret")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("a",), "`k-1`"),
        (("path", "a", "columns"), "`k-1`, `[x, y]`, `/srv`"),
        (("path", "path", "path"), "`/srv` +2"),
        (("path", "a", "columns", "note"), "`k-1`, `[x, y]`, `/srv` +1"),
        (("unknown",), ""),
        ((), ""),
    ],
)
def test_the_most_telling_values_are_named_first(names: tuple[str, ...], shown: str) -> None:
    items = (
        value("path", "path", "/srv"),
        value("a", "idempotency_key", "k-1"),
        value("columns", "column_set", "[x, y]"),
        value("note", "note", "said"),
    )
    assert texts(*items).some(names) == shown
