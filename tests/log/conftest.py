"""Records of a real decision, each different from the others, and logs of both kinds to put them in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from barrier_policy import Decider
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.inputs import inputs_of
from barrier_policy.log.logged import record_of
from barrier_policy.log.record import Asked, Record
from barrier_policy.log_spec import Fsync, LogSpec

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "conf-write.json"
NOW = "2026-06-01T12:00:00Z"

Open = Callable[..., DecisionLog]


@pytest.fixture(scope="session")
def decider() -> Decider:
    return Decider()


@pytest.fixture(scope="session")
def record(decider: Decider) -> Record:
    """A record that is in no log yet."""
    data = EXAMPLE.read_bytes()
    analysis = decider.analyse(data, now=NOW, keep_last=4)
    inputs = inputs_of(decider, analysis.decision, data, Asked(now=NOW, keep_last=4))
    return record_of(analysis, inputs, timestamp=NOW, labels={"team": "payments"}, timers_us={"decide": 1200})


@pytest.fixture
def numbered(record: Record) -> Callable[[int], Record]:
    """The record with a label of its own."""
    return lambda number: msgspec.structs.replace(record, labels={"number": str(number)})


@pytest.fixture(params=["jsonl", "db"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where a log of each kind would be."""
    return tmp_path / f"decisions.{request.param}"


@pytest.fixture
def open_log(path: Path) -> Open:
    return lambda **changes: DecisionLog.open(LogSpec(path=path, **({"fsync": Fsync.NEVER} | changes)))
