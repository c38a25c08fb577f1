"""`--help` and `--version` answer without loading engines, parsers or plugins."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("celpy", "cel_expr_python", "lark", "sqlglot", "tree_sitter", "sentencex", "barrier_policy_plugins")
SCRIPT = """
import sys
from barrier_policy.cli import main
try:
    main()
except SystemExit:
    print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("decide", "--help"),
        ("explain", "--help"),
        ("store", "gc", "--help"),
        ("log", "--help"),
        ("replay", "--help"),
    ],
)
def test_help_and_version_load_nothing_heavy(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", SCRIPT.format(heavy=HEAVY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert done.stdout


def test_help_names_every_exit_code() -> None:
    done = subprocess.run([sys.executable, "-m", "barrier_policy.cli", "--help"], capture_output=True, text=True, check=True)
    words = " ".join(done.stdout.split())
    assert (
        "0 compaction may go on, 1 refused, 2 usage or unreadable input, 3 invalid policy, 4 what was checked is not good"
        in words
    )
