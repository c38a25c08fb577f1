"""Running a summarizer: in bounded time, with its answer checked, and never trusted (design section 4, gate).

What it returns is data from an untrusted place: it replaces turns that were free to go, and it never releases anything.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from concurrent import futures
from contextlib import suppress
from typing import Any, TypeVar, cast

from barrier_policy.errors import BarrierPolicyError, CompactionCancelledError, SummaryError
from barrier_policy.facts.secrets import redact
from barrier_policy.gate.summary_check import check_summary
from barrier_policy.gate.summary_request import Summarizer, Summary, SummaryRequest, summarizer_name
from barrier_policy.gate.threads import Cancellation, in_thread
from barrier_policy.printable import clip_start

GRACE = 2.0
"""Seconds after its time limit that a summarizer has to clean up, before it is left to itself."""

MAX_SAID = 300

Result = TypeVar("Result")
Check = Callable[[str, SummaryRequest], str]
"""Takes the answer and what was asked; returns the text to use. Raises SummaryError."""


def summarize(
    request: SummaryRequest,
    summarizer: Summarizer,
    *,
    timeout: float | None = None,
    check: Check = check_summary,
    cancellation: Cancellation | None = None,
) -> Summary:
    """Run a summarizer, sync or async, and check its answer. Works inside and outside of a running event loop.

    `timeout` in seconds is for callables that have no time limit of their own. A Python function that overruns it is left behind in its
    thread: Python can't stop one. So is one that runs when `cancellation` is asked for.

    Raises SummaryTooLongError where the source has to stay, CompactionCancelledError, and SummaryError for everything else.
    """
    patience = None if timeout is None else timeout + GRACE
    work = asummarize(request, summarizer, timeout=timeout, check=check)
    return _run(work, patience, summarizer_name(summarizer), cancellation or Cancellation())


async def asummarize(
    request: SummaryRequest, summarizer: Summarizer, *, timeout: float | None = None, check: Check = check_summary
) -> Summary:
    """The async twin of `summarize`: a sync summarizer runs in a thread, so that the event loop goes on."""
    name = summarizer_name(summarizer)
    answer = await within(timeout, name, call(summarizer, request))
    if not isinstance(answer, str):
        raise SummaryError(f"summarizer `{name}` returned a `{type(answer).__name__}` (it must return a text)")
    return Summary(text=check(answer, request), summarizer=name)


def said(text: str) -> str:
    """What a summarizer said of its failure, as an error may show it: its end rather than its start, without secrets."""
    return clip_start(redact(text), MAX_SAID)


async def within(timeout: float | None, name: str, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, with every failure of it as a SummaryError that names the summarizer."""
    limit = asyncio.timeout(timeout)
    try:
        async with limit:
            return await work
    except BarrierPolicyError:
        raise
    except Exception as error:
        if limit.expired():
            problem = f"gave no answer within {timeout:g} s (give it more time, or look why it hangs)"
        else:
            detail = said(str(error))
            problem = f"raised {type(error).__name__}" + (f": {detail}" if detail else "")
    raise SummaryError(
        f"summarizer `{name}` {problem}"
    )  # outside of the handler: what was raised may hold more than is shown


async def call(summarizer: Summarizer, request: SummaryRequest) -> Any:
    """What a summarizer returns; a sync one is called in a thread of its own, which does not keep the process alive."""
    if inspect.iscoroutinefunction(summarizer) or inspect.iscoroutinefunction(getattr(summarizer, "__call__", None)):  # noqa: B004
        return await cast(Awaitable[str], summarizer(request))
    answer = await asyncio.wrap_future(in_thread(lambda: _called(lambda: summarizer(request)), "summarizer"))
    return await answer if inspect.isawaitable(answer) else answer


def _called(work: Callable[[], Result]) -> Result:
    """What it returns. Of some exceptions a future or a thread makes something else."""
    try:
        return work()
    except (SystemExit, StopIteration, asyncio.CancelledError) as error:
        problem = f"the summarizer raised {type(error).__name__}"
    raise SummaryError(problem)


def _run(work: Coroutine[Any, Any, Result], patience: float | None, name: str, cancellation: Cancellation) -> Result:
    """Run async work from sync code, in an event loop and a thread of its own; an interrupt cancels it, so that it can clean up."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def supervised() -> Result:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await work

    future = in_thread(lambda: _called(lambda: asyncio.run(supervised())), "summarizer")
    try:
        cancellation.wait(future, patience)
        if future.done():
            return future.result()
        cancellation.check()
        raise SummaryError(f"summarizer `{name}` gave no answer in time, nor could it be stopped (look why it hangs)")
    except (KeyboardInterrupt, CompactionCancelledError):
        for loop, task in running:
            if task is not None:
                with suppress(RuntimeError):  # it has just ended
                    loop.call_soon_threadsafe(task.cancel)
        futures.wait([future], GRACE)
        raise
