"""The example pack on real service conversations: each of its rules decides something there, and nothing goes that stayed before."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy.testing import span_actions, span_rules

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "examples" / "order-desk" / "src"
SHARED = ROOT.parent / "shared" / "transcripts"
RULES = {"order-desk.keep-consent", "order-desk.keep-refund", "order-desk.keep-spent-action"}


def test_every_rule_decides_something_in_real_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(SHARED.glob("tau*/*.json"))[::4]
    if not files:
        pytest.skip(f"no transcripts at {SHARED}")
    monkeypatch.syspath_prepend(str(SOURCES))
    with_pack = {"policies": SOURCES / "order_desk" / "policies", "plugins": ["order_desk.extractor"], "keep_last": 6}
    seen: set[str] = set()
    for file in files:
        before = span_actions(file, keep_last=6)
        after = span_actions(file, **with_pack)  # type: ignore[arg-type]
        assert not [span for span, action in before.items() if action == "retain" and after[span] != "retain"]
        seen |= {rule for rules in span_rules(file, **with_pack).values() for rule in rules}  # type: ignore[arg-type]
    assert seen >= RULES
