"""How an evaluation engine is chosen. Each is imported when it is asked for: both take a while, and the fast one may not be there."""

from __future__ import annotations

from barrier_policy.errors import BarrierPolicyError, MissingExtraError
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.hints import suggestion

ENGINES = ("auto", "fast", "python")


def load_engine(name: str = "auto") -> Engine:
    """The engine called `fast` or `python`; `auto` takes the fast one where it imports.

    Raises MissingExtraError where `fast` is asked for and not installed.
    """
    if name not in ENGINES:
        raise BarrierPolicyError(f"unknown engine `{name}` {suggestion(name, ENGINES)}")
    if name != "python":
        try:
            from barrier_policy.policy.cel.fast_engine import FastEngine

            return FastEngine()
        except ImportError as error:
            if name == "fast":
                message = f"the fast engine can't be imported: {error} (pip install 'barrier-policy[fast]')"
                raise MissingExtraError(message) from None
    from barrier_policy.policy.cel.python_engine import PythonEngine

    return PythonEngine()
