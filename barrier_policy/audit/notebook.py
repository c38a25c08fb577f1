"""Findings and counts while an audit goes on; what leaves it is bounded and without secrets."""

from __future__ import annotations

from collections import Counter

from barrier_policy.audit.model import Check, Finding, Need, Outcome, Place, Reclaimed, Unproven, worst
from barrier_policy.audit.rules import RULES
from barrier_policy.facts.masking import Masker

CHECKS = (
    "messages",
    "pairs",
    "carrier",
    "records",
    "order",
    "obligations",
    "effects",
    "constraints",
    "bindings",
    "extensions",
    "carried",
    "new text",
)
MAX_SHOWN = 300
"""Characters of a piece of text in a finding."""


class Notebook:
    """Collects findings. Texts are masked by what is secret in either transcript."""

    def __init__(self, *maskers: Masker) -> None:
        self._maskers = maskers
        self._findings: dict[tuple[str, str, Place | None, str], Finding] = {}
        self._checked: Counter[str] = Counter()
        self._reclaimed: Counter[tuple[str, str, Unproven]] = Counter()

    def count(self, check: str, number: int = 1) -> None:
        """Things that a check looked at."""
        self._checked[check] += number

    def reclaim(self, check: str, kind: str, reason: Unproven) -> None:
        """Count something that is gone and that nobody is known to miss."""
        self._reclaimed[check, kind, reason] += 1

    def add(
        self,
        rule: str,
        check: str,
        item: str,
        kind: str,
        *,
        before: Place | None = None,
        after: Place | None = None,
        expected: str = "",
        found: str = "",
        outcome: Outcome | None = None,
        need: Need | None = None,
    ) -> None:
        """Note a finding, once. Its outcome is that of its rule unless given."""
        known = RULES[rule]
        finding = Finding(
            rule=rule,
            severity=known.severity,
            outcome=outcome or known.outcome,
            check=check,
            item=self._shown(item, before or after),
            kind=kind,
            before=before,
            after=after,
            expected=self._shown(expected, before),
            found=self._shown(found, after),
            need=need,
        )
        self._findings.setdefault((rule, item, after, finding.found), finding)

    def _shown(self, text: str, place: Place | None) -> str:
        for masker in self._maskers:
            if masker:
                text = masker.text(text, place.message if place else -1)
        return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"

    def findings(self) -> tuple[Finding, ...]:
        """In the order of the checks, then of their places."""
        nowhere = Place(message=-1)
        return tuple(
            sorted(
                self._findings.values(),
                key=lambda f: (CHECKS.index(f.check), f.before or nowhere, f.after or nowhere, f.rule, f.item, f.found),
            )
        )

    def reclaimed(self) -> tuple[Reclaimed, ...]:
        """What was only counted, in the order of the checks, the most first."""
        counts = sorted(self._reclaimed.items(), key=lambda entry: (CHECKS.index(entry[0][0]), -entry[1], entry[0]))
        return tuple(Reclaimed(check=c, kind=k, reason=r, count=n) for (c, k, r), n in counts)

    def checks(self) -> tuple[Check, ...]:
        """Every check, with what it came to."""
        unproven: Counter[str] = Counter()
        for (check, _, _), count in self._reclaimed.items():
            unproven[check] += count
        failed = Counter(f.check for f in self._findings.values() if f.outcome is Outcome.FAIL)
        unclear = Counter(f.check for f in self._findings.values() if f.outcome is Outcome.INCONCLUSIVE)
        doubtful = unclear + unproven
        return tuple(
            Check(
                name=name,
                outcome=worst(
                    outcome for outcome, found in ((Outcome.FAIL, failed), (Outcome.INCONCLUSIVE, doubtful)) if found[name]
                ),
                checked=self._checked[name],
                failed=failed[name],
                inconclusive=unclear[name],
                unproven=unproven[name],
            )
            for name in CHECKS
        )
