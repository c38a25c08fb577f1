"""Any command as summarizer: the request as JSON on standard input, the summary as text on standard output.

It is never run through a shell. It leads a process group of its own, and all of the group is killed where it is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from subprocess import PIPE
from typing import cast

import msgspec

from barrier_policy.digest import stable_json
from barrier_policy.errors import SummaryError, reason_of
from barrier_policy.gate.summarize import said, within
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.summarizer_spec import DEFAULT_TIMEOUT

MAX_OUTPUT = 1 << 20
"""Bytes of standard output."""
KEPT_ERRORS = 4_096
"""Bytes at the end of standard error."""
STDOUT, STDERR = 1, 2


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
        transport, talk = await self._start()
        try:
            stdin = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))
            stdin.write(stable_json(request.to_dict()))  # what it does not read is dropped when it ends
            stdin.close()
            await talk.done.wait()
        finally:
            await _end(transport, talk)
        return self._text(talk, transport.get_returncode() or 0)

    def _text(self, talk: _Talk, code: int) -> str:
        if len(talk.output) > MAX_OUTPUT:
            raise self._error(f"printed more than {MAX_OUTPUT:,} bytes (it has to print the summary only)")
        if code:
            words = said(talk.errors.decode("utf-8", "replace"))
            how = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
            raise self._error(how + (f": {words}" if words else " and said nothing on standard error"))
        try:
            return talk.output.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = error.start
        raise self._error(f"printed what is not UTF-8 text (byte {place})")

    async def _start(self) -> tuple[asyncio.SubprocessTransport, _Talk]:
        start = asyncio.get_running_loop().subprocess_exec
        starting = asyncio.ensure_future(
            start(_Talk, *self.arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True)
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:  # an interrupt in the middle of the start would leave the command's children behind
            await _end(*await starting)
            raise
        except OSError as error:
            problem = reason_of(error)
        except ValueError:
            problem = "an argument holds a NUL"
        raise self._error(f"can't be started: {problem} (name an executable file, or one on the PATH)")

    def _error(self, problem: str) -> SummaryError:
        return SummaryError(f"summarizer `{self.name}` {problem}")


class _Talk(asyncio.SubprocessProtocol):
    """What a command says, in bounded memory. `done` once it has ended and closed its output, or has said too much."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.errors = b""
        self.exited, self.done, self.closed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._open = {STDOUT, STDERR}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR:
            self.errors = (self.errors + data)[-KEPT_ERRORS:]
        elif len(self.output) <= MAX_OUTPUT:
            self.output += data
        if len(self.output) > MAX_OUTPUT:
            self.done.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        self._finish()

    def process_exited(self) -> None:
        self.exited.set()
        self._finish()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()

    def _finish(self) -> None:
        if not self._open and self.exited.is_set():
            self.done.set()


async def _end(transport: asyncio.SubprocessTransport, talk: _Talk) -> None:
    """Kill the whole group of a command that has not ended by itself, and close what is open."""
    if not talk.done.is_set() or not talk.exited.is_set():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(transport.get_pid(), signal.SIGKILL)
    await talk.exited.wait()
    transport.close()
    await talk.closed.wait()
