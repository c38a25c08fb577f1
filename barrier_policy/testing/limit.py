"""A limit on processor time, so that a pattern that backtracks fails a test and doesn't hang it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OverTimeError(BaseException):
    """The processor time was used up. No `except Exception` of what is tested catches it."""


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Raise OverTimeError in the block when it has used this much processor time, which a busy machine does not change.

    Without timer signals (Windows, or outside the main thread) nothing is limited.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise OverTimeError
