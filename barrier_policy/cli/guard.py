"""Errors of a command: one line each on standard error, and the exit code (design section 8).

| code | meaning |
|---|---|
| 0 | compaction may go on, or there is nothing to reclaim |
| 1 | refused: a decision, not a crash |
| 2 | usage, or input that can't be read |
| 3 | invalid policy |
| 4 | what was checked is not good: failing policy tests, a failed audit, a damaged store |
| 70 | a fault of barrier_policy itself (`EX_SOFTWARE` of sysexits.h) |
| 130, 141 | interrupted; the reader of the output went away |
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from barrier_policy.cli import INTERRUPTED
from barrier_policy.errors import BarrierPolicyError, IssuesError, reason_of

OK, REFUSED, UNREADABLE, FAILED, INTERNAL, PIPE_CLOSED = 0, 1, 2, 4, 70, 141
DEBUG = "BARRIER_POLICY_DEBUG"

Arguments = ParamSpec("Arguments")


def guarded(command: Callable[Arguments, int]) -> Callable[Arguments, None]:
    """Make a function that returns an exit code a command that never shows a traceback."""

    @wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        raise typer.Exit(_exit_code(lambda: command(*args, **kwargs)))

    run.__annotations__ = dict(command.__annotations__) | {"return": None}
    return run


def _exit_code(work: Callable[[], int]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a table must not fail on an ASCII terminal
    try:
        code = work()
        sys.stdout.flush()
    except BarrierPolicyError as error:
        report(error)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains when it ends
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _refused_by_system(error)
    except Exception as error:
        return _internal(error)
    return code


def _refused_by_system(error: OSError) -> int:
    """A file that no command expects to be refused is named; where none is, it is standard output that can't be written."""
    if error.filename is not None:
        report(BarrierPolicyError(f"{error.filename}: {reason_of(error)}"))
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        report(BarrierPolicyError(f"standard output can't be written ({reason_of(error)})"))
    return UNREADABLE


def report(error: BarrierPolicyError) -> None:
    """Print an error, one line for each of its problems."""
    from barrier_policy.cli.console import clean

    lines = [str(issue) for issue in error.issues] if isinstance(error, IssuesError) else str(error).split("\n")
    for line in lines:
        print(clean(line), file=sys.stderr)


def _internal(error: Exception) -> int:
    """A fault of ours: one line that says how to see more."""
    if os.environ.get(DEBUG):
        traceback.print_exc()
    else:
        # INVARIANT: the error's own text may quote a transcript, so only its type is shown.
        print(
            f"barrier-policy: internal error: {type(error).__name__} (set {DEBUG}=1 for the traceback)",
            file=sys.stderr,
        )
    return INTERNAL
