"""Work in threads that can be asked to end, from async code by cancelling whoever waits for it (design section 4, gate)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent import futures
from contextlib import suppress
from typing import Any, TypeVar

from barrier_policy.errors import CompactionCancelledError

Result = TypeVar("Result")


class Cancellation:
    """Asked for by any thread; work in another one looks whether it is, between its steps and while it waits."""

    def __init__(self) -> None:
        self._asked: futures.Future[None] = futures.Future()

    def ask(self) -> None:
        """Ask the work to end. Once more changes nothing."""
        with suppress(futures.InvalidStateError):
            self._asked.set_result(None)

    def check(self) -> None:
        """Raises CompactionCancelledError where it was asked for."""
        if self._asked.done():
            raise CompactionCancelledError("the compaction was cancelled (the original is as it was)")

    def wait(self, future: futures.Future[Any], seconds: float | None) -> None:
        """Return once a future is done, this is asked for, or the time is over."""
        futures.wait([future, self._asked], seconds, return_when=futures.FIRST_COMPLETED)


def in_thread(work: Callable[[], Result], name: str) -> futures.Future[Result]:
    """Run work in a thread of its own, in the caller's context. It does not keep the process alive."""
    future: futures.Future[Result] = futures.Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result = context.run(work)
        except BaseException as error:
            _settle(future, error=error)
        else:
            _settle(future, result)

    threading.Thread(target=run, name=f"barrier-policy-{name}", daemon=True).start()
    return future


def _settle(future: futures.Future[Any], result: Any = None, *, error: BaseException | None = None) -> None:
    if future.set_running_or_notify_cancel():  # whoever waited may have gone
        future.set_exception(error) if error is not None else future.set_result(result)


async def left_behind(work: Callable[[], Result]) -> Result:
    """Run work that changes nothing in a thread. A task that is cancelled ends at once: nobody waits for the thread, nor for its result."""
    return await asyncio.wrap_future(in_thread(work, "look"))


async def cancellable(work: Callable[[Cancellation], Result]) -> Result:
    """Run work in a thread. A task that is cancelled while it waits asks the work to end, and is cancelled once that has ended."""
    cancellation = Cancellation()
    running = asyncio.wrap_future(in_thread(lambda: work(cancellation), "compaction"))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancellation.ask()
        while not running.done():
            with suppress(asyncio.CancelledError):  # asked for already
                await asyncio.wait([running])
        with suppress(BaseException):
            running.result()  # of no use to anybody, and not to be reported as never looked at
        raise
