"""Replay gives the same bytes for every decision on real transcripts, where they are there: on both engines, in another process, time zone,
locale and hash seed (design section 9, 19).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barrier_policy import Decider, Profile
from barrier_policy.errors import TranscriptError
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.logged import log_decision
from barrier_policy.log.record import Asked
from barrier_policy.provenance.file_store import FileStore

SHARED = Path(__file__).parents[2] / "shared" / "transcripts"
NOW = "2026-06-01T12:00:00Z"
TARGETS = (None, 4_000)
"""Every other decision has to reach a target."""
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "4242", "LC_ALL": "C"}
SCRIPT = """
import sys
from pathlib import Path
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.replay import replay
from barrier_policy.provenance.file_store import FileStore

store = FileStore(Path(sys.argv[2]))
for record in DecisionLog.open(Path(sys.argv[1])).records():
    done = replay(record, store)
    print(record.decision_id, done.same, [str(found) for found in done.differences])
"""


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/transcripts")
@pytest.mark.parametrize("engine", ["fast", "python"])
def test_every_decision_is_derived_again_byte_for_byte(engine: str, tmp_path: Path) -> None:
    if engine == "fast":
        pytest.importorskip("cel_expr_python", exc_type=ImportError)
    store, log = FileStore(tmp_path / "store"), DecisionLog.open(tmp_path / "log.jsonl")
    decider = Decider(Profile(engine=engine))
    decided = []
    for number, file in enumerate(sorted(found for found in SHARED.rglob("*") if found.is_file())):
        asked = Asked(now=NOW, keep_last=4, target_tokens=TARGETS[number % len(TARGETS)])
        data = file.read_bytes()
        try:
            analysis = decider.analyse(data, now=NOW, keep_last=4, target_tokens=asked.target_tokens, store=store)
        except TranscriptError:  # refused by name
            continue
        log_decision(log, analysis, decider, data, asked, store=store, timestamp=NOW)
        decided.append(analysis.decision.decision_id)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(log.spec.path), str(store.root)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | ELSEWHERE,
    )
    assert decided and done.stdout.splitlines() == [f"{decision} True []" for decision in decided]
