"""A Python function as summarizer, sync or async, named `module:function`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import msgspec

from barrier_policy.errors import SummaryError
from barrier_policy.gate.summarize import call, said, within
from barrier_policy.gate.summary_request import Summarizer, SummaryRequest
from barrier_policy.summarizer_spec import DEFAULT_TIMEOUT, function_problem


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """A function with its name and its time limit in seconds."""

    name: str
    function: Summarizer
    timeout: float = DEFAULT_TIMEOUT

    async def __call__(self, request: SummaryRequest) -> str:
        """What the function returns."""
        answer: Any = await within(self.timeout, self.name, call(self.function, request))
        return answer  # type: ignore[no-any-return]  # whether it is a text is checked where the answer is


def load_function(name: str, timeout: float = DEFAULT_TIMEOUT) -> Function:
    """The function `module:name` of a module that Python can import. Raises SummaryError."""
    if problem := function_problem(name):
        raise SummaryError(f"summarizer: {problem}")
    module, _, path = name.partition(":")
    try:
        found: Any = import_module(module)
        for attribute in path.split("."):
            found = getattr(found, attribute)
    except (Exception, SystemExit) as error:  # importing runs code that can do anything
        problem = f"can't be loaded: {said(str(error))} (the module must be installed or on PYTHONPATH)"
    else:
        if callable(found):
            return Function(name=name, function=found, timeout=timeout)
        problem = f"is of type `{type(found).__name__}` (a function that takes a SummaryRequest is needed)"
    raise SummaryError(f"summarizer `{name}` {problem}")
