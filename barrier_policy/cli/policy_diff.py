"""`barrier-policy policy diff`: what a change of policies would change, as a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from barrier_policy.cli.console import err, out, progress_bar, write_bytes, write_json
from barrier_policy.cli.diff_report import markdown, print_diff
from barrier_policy.cli.guard import FAILED, OK, UNREADABLE, report
from barrier_policy.cli.log_access import Told, named_log
from barrier_policy.cli.options import Report, Request, both_given, only_of_log
from barrier_policy.cli.session import chosen_profile, chosen_time, warn_expired
from barrier_policy.diff.acknowledge import acknowledged
from barrier_policy.diff.model import Diff
from barrier_policy.diff.run import Setup, compare_all, prepare
from barrier_policy.diff.subjects import Subject, subjects_of_files, subjects_of_log
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.policy.loader import read_layers, shipped_policies
from barrier_policy.policy.model import Layer
from barrier_policy.policy.stack import open_layers
from barrier_policy.profile import Profile

SHIPPED = "shipped"
_HOW = f"give `{SHIPPED}`, a folder, a bundle, or several as a+b"
LITTLE_WORK = 2_000_000
"""Bytes of transcripts."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked to be compared, and on what."""

    base: str
    head: str
    bare: bool
    log: Path | None
    transcripts: tuple[Path, ...]
    acknowledge: tuple[str, ...]
    acknowledgements: Path | None
    jobs: int | None


def diff_policies(request: Request, asked: Comparison, format: Report) -> int:
    """Compare two sets and print what differs. Returns 4 where something is loosened that nobody has acknowledged, or the log is not whole."""
    profile = chosen_profile(request)
    told = Told()
    subjects = _subjects(request, asked, told)
    times = [subject.now for subject in subjects]
    setup = Setup(
        profile=profile,
        base=_stack(asked.base, profile, asked.bare),
        head=_stack(asked.head, profile, asked.bare),
        store=None if request.store is None else str(request.store),
        no_store=request.no_store,
    )
    pair = prepare(setup)
    warn_expired(pair.head.policies, min(times))
    known = {rule.id for decider in (pair.base, pair.head) for _, rule in decider.policies.rules()}
    with _progress(len(subjects)) as done:
        found = compare_all(
            setup,
            subjects,
            now=max(times),
            jobs=asked.jobs or _processes(subjects),
            acknowledged=acknowledged(asked.acknowledge, asked.acknowledgements, known),
            done=done,
        )
    optional = {subject.name for subject in subjects if subject.optional}
    for transcript in found.skipped:
        problem = transcript.problem.partition(" (")[0] if transcript.name in optional else transcript.problem
        report(BarrierPolicyError(f"{transcript.name}: not compared: {problem}"))
    _print(found, format)
    if found.unacknowledged:
        return FAILED
    wanting = any(transcript.name not in optional for transcript in found.skipped)
    if wanting or not found.transcripts:
        return UNREADABLE
    return FAILED if told.anything else OK


def _processes(subjects: Sequence[Subject]) -> int:
    """One for each processor; one for little work, which is done before another one is ready."""
    return 1 if sum(subject.size for subject in subjects) < LITTLE_WORK else os.cpu_count() or 1


def _subjects(request: Request, asked: Comparison, told: Told) -> tuple[Subject, ...]:
    if asked.log is not None and asked.transcripts:
        raise both_given("--log", "--transcripts")
    if asked.log is not None:
        only_of_log(request, "reader", "keep_last", "now", "no_store")
        return subjects_of_log(named_log(msgspec.structs.replace(request, log=asked.log)), told)
    if not asked.transcripts:
        raise BarrierPolicyError("nothing to compare on (give transcripts, or a decision log with --log)")
    now = chosen_time(request.now)
    found = subjects_of_files(asked.transcripts, now=now, format=request.reader, keep_last=request.keep_last)
    if not found:
        raise BarrierPolicyError(f"--transcripts: `{asked.transcripts[0]}` has no files")
    return found


def _stack(name: str, profile: Profile, bare: bool) -> tuple[Layer, ...]:
    """The layers that an argument names: `shipped`, a folder or a bundle, or several joined by `+`."""
    names = [name] if name and Path(name).exists() else name.split("+")
    if not all(names):
        raise BarrierPolicyError(f"`{name}` has an empty part ({_HOW})")
    paths = [Path(part) for part in names if part != SHIPPED]
    for path in paths:
        if not path.exists():
            raise BarrierPolicyError(f"`{path}` is no folder ({_HOW})")
    trust = profile.bundle
    opened = open_layers(paths, keys=trust.keys, required=trust.required)
    return read_layers([*([] if bare and SHIPPED not in names else [shipped_policies()]), *opened])


def _print(found: Diff, format: Report) -> None:
    if format is Report.JSON:
        write_json(found)
    elif format is Report.MARKDOWN:
        write_bytes(markdown(found).encode("utf-8", "backslashreplace"))
    else:
        print_diff(out(), found)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Subject], None]]:
    """A bar on standard error while it runs; nothing where that is no terminal."""
    console = err()
    if not console.is_terminal or total < 2:
        yield lambda subject: None
        return
    with progress_bar(console) as bar:
        task = bar.add_task("comparing", total=total)
        bar.refresh()
        yield lambda subject: bar.update(task, advance=1, refresh=True)
