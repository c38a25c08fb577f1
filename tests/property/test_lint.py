"""The linter says something about every text, and never ends in an exception."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import build_schema
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.lint.model import Level
from barrier_policy.policy.lint.run import fix, lint, read_sources
from barrier_policy.policy.loader import load_policies, shipped_policies

SHIPPED = sorted(path.read_text(encoding="utf-8") for path in shipped_policies().glob("*.yaml"))
SCHEMA = build_schema()
PIECES = [
    "'",
    '"',
    "\n",
    ": ",
    "- ",
    "{",
    "[0]",
    " && ",
    "!",
    " == true",
    "span.",
    "e.",
    "\\",
    "é",
    "\u202e",
    "\r\n",
    "  ",
    "3",
    "null",
]


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A shipped file with a few characters taken away or put in."""
    text = draw(st.sampled_from(SHIPPED))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return text


@pytest.fixture(scope="module")
def engine() -> object:
    return load_engine()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=broken())
def test_whatever_the_loader_refuses_has_an_error_and_a_fix_never_breaks_a_file(text: str, engine: object) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.yaml"
        path.write_bytes(text.encode("utf-8"))
        sources = read_sources([path], SCHEMA, engine, today="2026-01-01")  # type: ignore[arg-type]
        findings = lint(sources)
        (file,) = sources.files
        refused = is_refused(path, engine) and file.kind not in ("PolicyTest", "Exception")
        assert not refused or any(finding.level is Level.ERROR for finding in findings)
        lines = [len(line) for line in file.text.split("\n")]
        assert all(0 <= finding.line <= len(lines) + 1 and finding.column >= 0 for finding in findings)
        path.write_bytes(fix(file, findings).encode("utf-8"))
        assert refused or file.kind != "Policy" or not is_refused(path, engine)


def is_refused(path: Path, engine: object) -> bool:
    try:
        load_policies([path], SCHEMA, engine)  # type: ignore[arg-type]
    except PolicyError:
        return True
    return False
