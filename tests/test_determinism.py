"""The same bytes for the same input, whatever the machine is set to (design sections 7 and 9, invariant 10)."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, decide

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
SHARED = ROOT.parent / "shared" / "transcripts"
WANTED = 12
MAX_BYTES = 300_000
NOW = "2026-06-01T12:00:00Z"

SCRIPT = """
import hashlib, importlib.metadata as metadata, sys

if sys.argv[1] == "reversed":
    entry_points = metadata.entry_points
    metadata.entry_points = lambda **names: tuple(reversed(tuple(entry_points(**names))))

import msgspec
from barrier_policy import BarrierPolicyError, Decider
from barrier_policy.plugins import load_plugins

plugins = load_plugins()
if sys.argv[1] == "reversed":
    changes = {name: tuple(reversed(getattr(plugins, name))) for name in ("readers", "extractors")}
    plugins = msgspec.structs.replace(plugins, kinds=dict(reversed(plugins.kinds.items())), **changes)
decider = Decider(plugins=plugins)
for path in sys.argv[2:]:
    try:
        said = decider.analyse(path, now="2026-06-01T12:00:00Z", target_tokens=4_000).decision.to_json()
    except BarrierPolicyError as error:
        said = str(error).encode("utf-8", "backslashreplace")
    print(hashlib.sha256(said).hexdigest())
"""

SURROUNDINGS = {
    "another hash seed": {"PYTHONHASHSEED": "4242"},
    "another time zone": {"TZ": "Pacific/Kiritimati"},
    "another locale": {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"},
    "a locale that knows ASCII only": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
PLAIN = {"PYTHONHASHSEED": "1", "TZ": "America/New_York", "LC_ALL": "POSIX", "PYTHONUTF8": "1"}


def digests(files: Iterable[Path], order: str = "as installed", **environment: str) -> list[str]:
    """What another process decides about the files, as one digest for each."""
    arguments = [sys.executable, "-c", SCRIPT, order, *map(str, files)]
    done = subprocess.run(
        arguments, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | PLAIN | environment
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """The shipped examples, and transcripts of as many formats as there are."""
    if not SHARED.is_dir():
        return EXAMPLES
    folders = sorted(folder for folder in SHARED.iterdir() if folder.is_dir())
    fitting = [sorted(f for f in folder.rglob("*") if f.is_file() and f.stat().st_size < MAX_BYTES) for folder in folders]
    return [*EXAMPLES, *[found[len(found) // 2] for found in fitting if found][:WANTED]]


@pytest.fixture(scope="module")
def plain(files: list[Path]) -> list[str]:
    found = digests(files)
    assert len(found) == len(files) >= len(EXAMPLES) > 0
    return found


@pytest.mark.parametrize("what", SURROUNDINGS)
def test_decisions_are_the_same_bytes_with(files: list[Path], plain: list[str], what: str) -> None:
    assert digests(files, **SURROUNDINGS[what]) == plain


def test_decisions_are_the_same_bytes_with_plugins_in_another_order(files: list[Path], plain: list[str]) -> None:
    assert digests(files, "reversed") == plain


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/transcripts")
def test_the_shared_transcripts_are_among_the_files(files: list[Path]) -> None:
    assert len([path for path in files if path.is_relative_to(SHARED)]) == WANTED


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_a_path_its_bytes_and_its_messages_are_decided_alike(example: Path) -> None:
    messages = json.loads(example.read_bytes())
    by_path, by_bytes, by_value = (
        decide(source, now=NOW, store=False) for source in (example, example.read_bytes(), messages)
    )
    assert by_path.to_json() == by_bytes.to_json()
    assert by_value.spans == by_path.spans


# The id, computed here from the JSON alone, as an auditor without this package would do it ---------------------------


def _line(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _id(decision: dict[str, Any]) -> str:
    head = decision | {"decision_id": "", "spans": [], "carrier": []}
    lines = [head, *decision["spans"], *decision["carrier"]]
    return "sha256:" + hashlib.sha256(b"".join(map(_line, lines))).hexdigest()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_id_is_the_digest_of_all_that_the_decision_says(example: Path) -> None:
    decision = json.loads(decide(example, now=NOW, store=False).to_json())
    assert decision["spans"] and decision["decision_id"] == _id(decision)


def test_no_time_is_in_the_bytes() -> None:
    decider = Decider()
    said = [
        decider.analyse(EXAMPLES[0], now=now).decision.to_json() for now in ("2026-06-01T12:00:00Z", "2026-06-01T12:00:01Z")
    ]
    assert said[0] == said[1]


@pytest.mark.parametrize("place", ["outcome", "spans", "carrier", "policy", "plugins", "tail"])
def test_another_decision_has_another_id(place: str, tmp_path: Path) -> None:
    decision = decide(ROOT / "examples" / "incident.json", now=NOW, store=tmp_path).to_dict()
    other = {"outcome": "refuse", "tail": {"start": 0}, "policy": {"name": "other"}}.get(place) or decision[place][1:]
    assert _id(decision | {place: other}) != decision["decision_id"] == _id(decision)
