"""Any command as summarizer: what it gets, what it may do, and what becomes of it when it misbehaves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.errors import SummaryError
from barrier_policy.gate.summarize import asummarize, summarize
from barrier_policy.gate.summarizers.command import MAX_OUTPUT, Command
from barrier_policy.gate.summarizers.make import make_summarizer
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.summarizer_spec import SummarizerKind, SummarizerSpec

Asked = Callable[..., SummaryRequest]
NAME = f"command {Path(sys.executable).name}"


def script(text: str, *arguments: str, timeout: float = 20) -> Command:
    return Command(arguments=(sys.executable, "-c", textwrap.dedent(text), *arguments), timeout=timeout)


def problem(command: Command, request: SummaryRequest) -> str:
    with pytest.raises(SummaryError) as caught:
        summarize(request, command)
    return str(caught.value)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def test_a_command_reads_the_request_as_json_and_prints_the_summary(asked: Asked) -> None:
    command = script(
        """
        import json, sys
        request = json.load(sys.stdin)
        print("They exchanged", len(request["messages"]), "messages: schön.")
        """
    )
    request = asked()
    for summary in (summarize(request, command), asyncio.run(asummarize(request, command))):
        assert summary.text == "They exchanged 2 messages: schön."
        assert summary.summarizer == NAME


def test_what_it_reads_is_the_request(asked: Asked, tmp_path: Path) -> None:
    request = asked(("user", "Look \ud800 here; it's “quoted”. " * 10))
    summarize(
        request,
        script("import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read()); print('Done.')", str(tmp_path / "x")),
    )
    assert json.loads((tmp_path / "x").read_bytes()) == request.to_dict()


def test_it_need_not_read_what_it_is_told(asked: Asked) -> None:
    request = asked(("user", "word " * 400_000), max_tokens=10)
    assert summarize(request, script("print('All well.')")).text == "All well."


def test_arguments_are_never_read_by_a_shell(asked: Asked, tmp_path: Path) -> None:
    command = script("import sys; print('Told:', sys.argv[1])", f"$(touch {tmp_path}/made); * > x")
    assert summarize(asked(), command).text == f"Told: $(touch {tmp_path}/made); * > x"
    assert list(tmp_path.iterdir()) == []


def test_a_failing_command_is_shown_with_the_end_of_what_it_said(asked: Asked) -> None:
    failing = "import sys; sys.stderr.write('early ' * 5000 + '\\n\\x1b[31mno model\\x07 is\\r\\nloaded\\n'); print('Text'); sys.exit(3)"
    found = problem(script(failing), asked())
    assert found.startswith(f"summarizer `{NAME}` failed with exit code 3: …")
    assert found.endswith(r"early \x1b[31mno model\x07 is loaded") and len(found) < 400


def test_a_command_that_fails_in_silence_says_so(asked: Asked) -> None:
    assert problem(script("raise SystemExit(1)"), asked()) == (
        f"summarizer `{NAME}` failed with exit code 1 and said nothing on standard error"
    )


def test_a_key_on_standard_error_is_masked(asked: Asked) -> None:
    found = problem(script("import sys; sys.exit('refused, Authorization: Bearer kq83hf7Gd0sPz6Rt4WmN1bXv')"), asked())
    assert "refused" in found and "kq83hf7Gd0sPz6Rt4WmN1bXv" not in found


def test_a_command_that_crashes_is_named_with_its_signal(asked: Asked) -> None:
    crashing = script(f"import os; os.kill(os.getpid(), {int(signal.SIGABRT)})")
    assert problem(crashing, asked()).startswith(f"summarizer `{NAME}` was ended by signal 6")


def test_a_command_that_prints_nothing_gave_no_summary(asked: Asked) -> None:
    assert problem(script("pass"), asked()) == "the summary is empty (the summarizer has to answer with text)"


def test_output_that_is_no_text_is_refused(asked: Asked) -> None:
    binary = script("import sys; sys.stdout.buffer.write(b'ab\\xff\\xfe')")
    assert problem(binary, asked()) == f"summarizer `{NAME}` printed what is not UTF-8 text (byte 2)"


def test_endless_output_is_cut_off(asked: Asked) -> None:
    start = time.monotonic()
    found = problem(script("while True: print('word ' * 1000)"), asked())
    assert found == f"summarizer `{NAME}` printed more than {MAX_OUTPUT:,} bytes (it has to print the summary only)"
    assert time.monotonic() - start < 60


def test_endless_errors_do_not_fill_the_memory(asked: Asked) -> None:
    noisy = "import sys\nfor _ in range(5000): sys.stderr.write('x' * 1000)\nprint('All well.')"
    assert summarize(asked(), script(noisy)).text == "All well."


SPAWNS = """
    import subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open(sys.argv[1], "w").write(str(child.pid))
    {then}
"""


def spawned(path: Path) -> int:
    deadline = time.monotonic() + 10
    while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return int(path.read_text())


@pytest.mark.parametrize("then", ["time.sleep(60)", "sys.exit(0)"])
def test_what_hangs_is_killed_with_all_its_children(asked: Asked, tmp_path: Path, then: str) -> None:
    command = script(SPAWNS.format(then=then), str(tmp_path / "child"), timeout=1)
    start = time.monotonic()
    assert problem(command, asked()) == (
        f"summarizer `{NAME}` gave no answer within 1 s (give it more time, or look why it hangs)"
    )
    assert time.monotonic() - start < 30
    assert gone(spawned(tmp_path / "child"))


def test_a_command_that_ignores_signals_is_killed(asked: Asked) -> None:
    stubborn = "import signal, time\nfor s in (2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)"
    assert "gave no answer within 0.5 s" in problem(script(stubborn, timeout=0.5), asked())


def test_a_cancelled_task_takes_its_command_along(asked: Asked, tmp_path: Path) -> None:
    command = script(SPAWNS.format(then="time.sleep(60)"), str(tmp_path / "child"))

    async def main() -> int:
        task = asyncio.create_task(asummarize(asked(), command))
        child = await asyncio.to_thread(spawned, tmp_path / "child")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return child

    assert gone(asyncio.run(main()))


def test_an_interrupt_takes_the_command_along(asked: Asked, tmp_path: Path) -> None:
    place = tmp_path / "child"
    program = textwrap.dedent(
        f"""
        import signal
        from barrier_policy.gate.summarize import summarize
        from barrier_policy.gate.summarizers.command import Command
        from barrier_policy.gate.summary_request import SummaryRequest
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born deaf to it
        command = Command(arguments={script(SPAWNS.format(then="time.sleep(60)"), str(place)).arguments!r})
        summarize(SummaryRequest(messages=(), tokens=9, max_tokens=9), command)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    child = spawned(place)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    assert gone(child)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("/no/such/program",), "no such file or directory"),
        (("/",), "permission denied"),
        ((sys.executable, "a\x00b"), "an argument holds a NUL"),
    ],
)
def test_a_command_that_can_not_be_started_is_named(asked: Asked, arguments: tuple[str, ...], why: str) -> None:
    found = problem(Command(arguments=arguments), asked())
    assert found == (
        f"summarizer `command {os.path.basename(arguments[0])}` can't be started: {why} "
        "(name an executable file, or one on the PATH)"
    )


def test_many_at_once_do_not_mix(asked: Asked) -> None:
    command = script("import json, sys; print('Told of', json.load(sys.stdin)['max_tokens'])")
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: texts.append(summarize(asked(max_tokens=n), command).text))
        for n in range(100, 104)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == [f"Told of {n}" for n in range(100, 104)]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ((), "summarizer: no command is named (give `command` a program with its arguments)"),
        (
            ("no-such-summarizer-program", "--short"),
            "summarizer: no program `no-such-summarizer-program` was found (name an executable file, or one on the PATH)",
        ),
    ],
)
def test_a_missing_program_is_found_before_anything_is_run(command: tuple[str, ...], why: str) -> None:
    with pytest.raises(SummaryError) as caught:
        make_summarizer(SummarizerSpec(kind=SummarizerKind.COMMAND, command=command))
    assert str(caught.value) == why


def test_settings_become_a_command_with_its_time_limit() -> None:
    spec = SummarizerSpec(kind=SummarizerKind.COMMAND, command=(sys.executable, "-V"), timeout_seconds=7)
    assert make_summarizer(spec) == Command(arguments=(sys.executable, "-V"), timeout=7)
