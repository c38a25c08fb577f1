"""Any command as summarizer: the request as JSON on standard input, the summary as text on standard output.

It is never run through a shell. It leads a process group of its own, and all of the group is killed where it is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process

import msgspec

from barrier_policy.digest import stable_json
from barrier_policy.errors import SummaryError
from barrier_policy.gate.shown import shown
from barrier_policy.gate.summarize import within
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.summarizer_spec import DEFAULT_TIMEOUT

MAX_OUTPUT = 1 << 20
"""Bytes of standard output."""
KEPT_ERRORS = 4_096
"""Bytes at the end of standard error."""
CHUNK = 1 << 16


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A program with its arguments. `timeout` is in seconds, for one summary. Raises SummaryError when called and of no use."""

    arguments: tuple[str, ...]
    timeout: float = DEFAULT_TIMEOUT

    @property
    def name(self) -> str:
        """`command` and the program; arguments are not shown."""
        return f"command {os.path.basename(self.arguments[0])}"

    async def __call__(self, request: SummaryRequest) -> str:
        """The text that the command prints."""
        return await within(self.timeout, self.name, self._answer(request))

    async def _answer(self, request: SummaryRequest) -> str:
        process = await self._start()
        try:
            output, errors = await _talk(process, stable_json(request.to_dict()))
            code = await process.wait()
        except BaseException:
            await _kill(process)
            raise
        if len(output) > MAX_OUTPUT:
            raise self._error(f"printed more than {MAX_OUTPUT:,} bytes (it has to print the summary only)")
        if code:
            said = shown(errors.decode("utf-8", "replace"))
            how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
            raise self._error(how + (f": {said}" if said else " and said nothing on standard error"))
        try:
            return output.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = error.start
        raise self._error(f"printed what is not UTF-8 text (byte {place})")

    async def _start(self) -> Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            problem = (error.strerror or type(error).__name__).lower()
        except ValueError:  # a NUL in an argument
            problem = "an argument holds a NUL"
        raise self._error(f"can't be started: {problem} (name an executable file, or one on the PATH)")

    def _error(self, problem: str) -> SummaryError:
        return SummaryError(f"summarizer `{self.name}` {problem}")


async def _talk(process: Process, request: bytes) -> tuple[bytes, bytes]:
    """Standard output, no longer than one byte over its limit, and the end of standard error."""
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_tell(process.stdin, request))
        errors = tasks.create_task(_last(process.stderr, KEPT_ERRORS))
        output = tasks.create_task(_first(process, process.stdout, MAX_OUTPUT))
    return output.result(), errors.result()


async def _tell(stream: asyncio.StreamWriter, request: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not read what it is told
        stream.write(request)
        await stream.drain()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.close()
        await stream.wait_closed()


async def _first(process: Process, stream: asyncio.StreamReader, limit: int) -> bytes:
    found = bytearray()
    while chunk := await stream.read(CHUNK):
        found += chunk
        if len(found) > limit:
            await _kill(process)
            break
    return bytes(found[: limit + 1])


async def _last(stream: asyncio.StreamReader, limit: int) -> bytes:
    found = b""
    while chunk := await stream.read(CHUNK):
        found = (found + chunk)[-limit:]
    return found


async def _kill(process: Process) -> None:
    """End the whole group. Its pipes are closed with it, so that nothing waits for them."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
