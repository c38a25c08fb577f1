"""`policy diff` on real transcripts, where they are there: one process and two, and what it says against two decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy.diff.compare import level
from barrier_policy.diff.run import Setup, compare_all
from barrier_policy.diff.subjects import subjects_of_files
from barrier_policy.policy.loader import read_layers, shipped_policies
from barrier_policy.profile import Profile
from barrier_policy.walk import Decider

ROOT = Path(__file__).parents[1]
TEAM = ROOT / "examples" / "policies" / "team"
FOLDER = next((p for p in (ROOT.parent / "shared" / "transcripts" / "tau_bench",) if p.is_dir()), None)
DAY = "2026-09-14T08:30:00Z"


@pytest.mark.skipif(FOLDER is None, reason="no ../shared/transcripts here")
def test_one_process_and_two_say_the_same_and_what_two_decisions_say() -> None:
    assert FOLDER is not None
    shipped, team = read_layers([shipped_policies()]), read_layers([shipped_policies(), TEAM])
    setup = Setup(profile=Profile(), base=shipped, head=team, no_store=True)
    base, head = (Decider(Profile(), policies=layers) for layers in (shipped, team))
    subjects = subjects_of_files(sorted(FOLDER.iterdir())[:6], now=DAY)
    one, two = (compare_all(setup, subjects, now=DAY, jobs=jobs, acknowledged={}) for jobs in (1, 2))
    assert one == two and one.transcripts > 0
    for subject in subjects:
        before, after = (found.analyse(Path(subject.path), now=DAY) for found in (base, head))
        differs = {
            (old.span.id, level(old), level(new))
            for old, new in zip(before.assessments, after.assessments, strict=True)
            if level(old) != level(new)
        }
        told = {(c.span, c.base, c.head) for c in one.changes if c.transcript == subject.name and c.base != c.head}
        assert told == differs
