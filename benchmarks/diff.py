"""How much faster `policy diff` is in several processes, on a folder of transcripts.

    python benchmarks/diff.py FOLDER [JOBS] [REPEATS]

Runs the command with one process and with JOBS, in turn, REPEATS times, and prints ratios: elapsed time of the best runs (JOBS is the ideal),
processors kept busy (processor time by elapsed time; less than JOBS where others use the machine, or a process waits), and the processor
time of the one by that of the other (1 is free of overhead). What the command says on standard error is said once. Reports, standard error
and exit codes of all runs must be the same, and the exit code 0: the policy that is added tightens.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

POLICY = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: benchmark, version: 1.0.0, owner: benchmark}
rules:
  - id: benchmark.keep-small
    effect: barrier
    severity: low
    summary: Small spans stay.
    why: Something has to differ.
    references: ["benchmarks/diff.py"]
    condition: span.tokens < 12
"""
NOW = "2026-06-01T00:00:00Z"


class Run(msgspec.Struct, frozen=True):
    """One run: seconds on the clock, seconds of processors, and what it printed."""

    elapsed: float
    busy: float
    report: bytes
    told: bytes


def measure(folder: str, head: str, jobs: int) -> Run:
    """Run the command once."""
    command = [
        "policy",
        "diff",
        "shipped",
        head,
        "--transcripts",
        folder,
        "--now",
        NOW,
        "--jobs",
        str(jobs),
        "--format",
        "json",
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "barrier_policy.cli", *command], capture_output=True, check=False)
    elapsed = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        sys.stderr.buffer.write(done.stderr)
        raise SystemExit(f"`barrier-policy {' '.join(command)}` ended with exit code {done.returncode}")
    return Run(elapsed, busy, done.stdout, done.stderr)


def main() -> None:
    """Measure and print."""
    folder = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    alone, together = [], []
    with tempfile.TemporaryDirectory() as head:
        (Path(head) / "benchmark.yaml").write_text(POLICY, encoding="utf-8")
        for _ in range(repeats):
            alone.append(measure(folder, head, 1))
            together.append(measure(folder, head, jobs))
    if len({(run.report, run.told) for run in (*alone, *together)}) > 1:
        raise SystemExit("the reports differ")
    sys.stderr.buffer.write(alone[0].told)
    sys.stderr.flush()
    found = msgspec.json.decode(alone[0].report)
    one, many = min(alone, key=lambda run: run.elapsed), min(together, key=lambda run: run.elapsed)
    print(f"{found['transcripts']:,} transcripts, {found['spans']:,} spans, best of {repeats}")
    print(f"1 process: {one.elapsed:.1f} s, {one.busy / one.elapsed:.2f} processors busy")
    print(f"{jobs} processes: {many.elapsed:.1f} s, {many.busy / many.elapsed:.2f} processors busy")
    print(f"{one.elapsed / many.elapsed:.2f} times as fast, with {many.busy / one.busy:.2f} times the processor time")


if __name__ == "__main__":
    main()
