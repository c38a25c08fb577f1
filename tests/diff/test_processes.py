"""How many transcripts are compared in several processes: ready when they start, ended without a word, and missed when they are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from barrier_policy.diff.run import _start_method

ROOT = Path(__file__).parents[2]
INCIDENT = ROOT / "examples" / "incident.json"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are copies only on Linux")
SCRIPT = """
import sys
from pathlib import Path
from barrier_policy import BarrierPolicyError
from barrier_policy.diff.run import Setup, compare_all, prepare
from barrier_policy.diff.subjects import subjects_of_files
from barrier_policy.policy.loader import read_layers, shipped_policies
from barrier_policy.profile import Profile
from barrier_policy.walk import Decider

layers = read_layers([shipped_policies()])
setup = Setup(profile=Profile(), base=layers, head=layers, no_store=True)
prepare(setup)

def refuse(self, *arguments, **options):
    raise BarrierPolicyError("a copy")

def again(self, *arguments, **options):
    raise BarrierPolicyError("made ready once more")

Decider.establish, Decider.__init__ = refuse, again
subjects = subjects_of_files(map(Path, sys.argv[1:]), now="2026-09-14T08:30:00Z")
found = compare_all(setup, subjects, now="2026-09-14T08:30:00Z", jobs=2, acknowledged={})
print(sorted({skipped.problem for skipped in found.skipped}), len(found.skipped))
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """So many transcripts that two processes work for some seconds."""
    for number in range(24):
        (tmp_path / f"{number}.json").write_bytes(INCIDENT.read_bytes())
    return tmp_path


def start(folder: Path, *more: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "barrier_policy.cli", "policy", "diff", "shipped", "shipped", "--jobs", "2", *more]
    # a shell's background job is deaf to interrupts, and so would be what it starts
    return subprocess.Popen(
        [*command, "--transcripts", str(folder)],
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def at_work(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Its processes, as soon as one of them has done some work."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        children = psutil.Process(process.pid).children()
        if children and sum(child.cpu_times().user for child in children) > 0.2:
            return children
        time.sleep(0.02)
    raise AssertionError(f"no process was at work: {process.communicate()}")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody writes any more
        return b""


@LINUX
def test_processes_start_with_plugins_and_policies_ready(tmp_path: Path) -> None:
    for name in ("one.json", "two.json", "three.json"):
        (tmp_path / name).write_bytes(INCIDENT.read_bytes())
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("['a copy'] 3\n", "")


@LINUX
def test_a_process_with_other_threads_is_not_copied() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert _start_method() == "spawn"
    finally:
        end.set()
        thread.join()


@LINUX
def test_an_interrupt_ends_all_processes_without_a_traceback(tmp_path: Path) -> None:
    """One of them has nothing to do, and the other one more than a second's work."""
    (tmp_path / "small.json").write_text('[{"role": "user", "content": "Good morning."}]')
    talk = [
        {"role": "user", "content": f"The light is soft on day {number}, {number * 7} lamps are on."}
        for number in range(9000)
    ]
    (tmp_path / "large.json").write_text(json.dumps(talk))
    process = start(tmp_path)
    children = at_work(process)
    assert len(children) == 2
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, (b"", b""))
    assert not [child for child in children if child.is_running()]


@LINUX
def test_a_process_that_is_killed_is_told_in_a_line(many: Path) -> None:
    process = start(many)
    at_work(process)[0].kill()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err == b"a process was killed, perhaps for want of memory (try `--jobs 1`)\n"


@LINUX
def test_the_bar_on_a_terminal_leaves_no_thread_beside_the_work(many: Path) -> None:
    """Else the processes could not be copies of this one."""
    terminal, ours = os.openpty()
    process = start(many, "--format", "json", stderr=ours)
    os.close(ours)
    copies = {tuple(child.cmdline()) for child in at_work(process)}
    assert copies == {tuple(psutil.Process(process.pid).cmdline())}
    shown = b"".join(iter(lambda: _read(terminal), b""))
    os.close(terminal)
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)["transcripts"] == 24
    assert b"comparing" in shown and b"24/24" in shown
