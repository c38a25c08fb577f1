from __future__ import annotations

import pytest

from barrier_policy.decision.assess import Assessment
from barrier_policy.diff.compare import Judged, compare_spans
from barrier_policy.diff.model import SpanChange
from barrier_policy.join.join import Coverage, Provenance
from barrier_policy.ledger.model import Family, Item
from barrier_policy.policy.model import Mode, RuleEffect, Severity
from barrier_policy.policy.verdict import Outcome, Reason, RuleError, RuleOutcome, Verdict, VerdictKind, combine
from barrier_policy.spans.model import Span

PERMIT, BARRIER = RuleEffect.PERMIT, RuleEffect.BARRIER


def verdict(rules: dict[str, RuleEffect], errors: tuple[str, ...] = ()) -> Verdict:
    """The verdict of rules that are all true, but those in error."""
    outcomes = tuple(
        RuleOutcome(
            policy="p",
            rule=rule,
            effect=effect,
            mode=Mode.ENFORCE,
            outcome=Outcome.ERROR if rule in errors else Outcome.TRUE,
        )
        for rule, effect in rules.items()
    )
    kind, default = combine(outcomes)
    decides = PERMIT if kind is VerdictKind.OPPORTUNITY else BARRIER
    return Verdict(
        verdict=kind,
        default_barrier=default,
        reasons=tuple(reason(rule, effect) for rule, effect in rules.items() if effect is decides and rule not in errors),
        warnings=(),
        errors=tuple(RuleError(policy="p", rule=rule, part="condition", message="m") for rule in errors),
        outcomes=outcomes,
    )


def reason(rule: str, effect: RuleEffect) -> Reason:
    return Reason(
        policy="p",
        version="1.0.0",
        rule=rule,
        effect=effect,
        severity=Severity.LOW,
        explanation="e",
        references=(),
        evidence=(),
        repair=(),
    )


def item(name: str) -> Item:
    return Item(id=name, family=Family.BINDING, kind="path", message=0, part=0, text=f"text of {name}")


Found = tuple[Assessment, Verdict]


def span(rules: dict[str, RuleEffect], *, rebind: str = "", held: str = "", errors: tuple[str, ...] = ()) -> Found:
    """A span: `rebind` are the items of its repair, `held` those whose values stay in another span."""
    result = verdict(rules, errors)
    found = Assessment(
        span=Span(start=0, end=1),
        tokens=7,
        coverage=Coverage(values=frozenset(f"text of {name}" for name in held)),
        provenance=Provenance(),
        verdict=result.verdict,
        default_barrier=result.default_barrier,
        reasons=result.reasons,
        errors=result.errors,
        rebind=tuple(map(item, rebind)),
        repairable=bool(rebind),
    )
    return found, result


def judged(found: Found) -> Judged:
    return Judged(assessments=found[:1], verdict=lambda _: found[1])


def compared(before: Found, after: Found, edited: frozenset[str] = frozenset()) -> SpanChange | None:
    return next(compare_spans("t", judged(before), judged(after), edited), None)


FREE, HELD = {"p": PERMIT}, {"p": PERMIT, "b": BARRIER}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (span(FREE), span(FREE), None),
        (span(HELD), span(FREE), ("loosened", "retain", "summarize", ["b"])),
        (span(FREE), span(HELD), ("tightened", "summarize", "retain", ["b"])),
        (span(HELD), span(HELD, rebind="x"), ("loosened", "retain", "repair", ["b"])),
        (span(HELD, rebind="x"), span(FREE), ("loosened", "repair", "summarize", ["b"])),
        (span(HELD, rebind="xy"), span(HELD, rebind="x"), ("loosened", "repair", "repair", ["b"])),
        (span(HELD, rebind="x"), span(HELD, rebind="xy"), ("tightened", "repair", "repair", ["b"])),
        (span({}), span(FREE), ("loosened", "retain", "summarize", ["p"])),
        (span(FREE), span({}), ("tightened", "summarize", "retain", ["p"])),
        (span(FREE), span({"q": PERMIT}), ("reason", "summarize", "summarize", ["p", "q"])),
        (span(HELD), span({"p": PERMIT, "c": BARRIER}), ("reason", "retain", "retain", ["b", "c"])),
        (span(HELD), span(HELD | {"c": BARRIER}, errors=("c",)), ("erring", "retain", "retain", ["c"])),
        (span(HELD, rebind="xy"), span(HELD, rebind="x", held="y"), None),
        (span(HELD, rebind="x"), span(FREE, held="x"), ("reason", "repair", "summarize", ["b", "p"])),
        (span(FREE, held="x"), span(HELD, rebind="x"), ("reason", "summarize", "repair", ["b", "p"])),
        (span(FREE), span(HELD, rebind="x"), ("tightened", "summarize", "repair", ["b"])),
    ],
)
def test_what_may_happen_to_a_span_says_what_changed(
    before: Assessment, after: Assessment, expected: tuple[str, str, str, list[str]] | None
) -> None:
    found = compared(before, after, frozenset({"b"}))
    assert (found and (found.change, found.base, found.head, list(found.rules))) == expected


def test_what_a_repair_no_longer_keeps_is_named() -> None:
    found = compared(span(HELD, rebind="xyz"), span(HELD, rebind="z", held="y"))
    assert found is not None and found.dropped == ("x",)


def test_a_tightened_span_can_be_newly_erring_too() -> None:
    found = compared(span(FREE), span(HELD, errors=("b",)))
    assert found is not None and (found.change, found.erring, found.rules) == ("tightened", ("b",), ("b",))
