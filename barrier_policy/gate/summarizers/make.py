"""From the settings of a profile to the summarizer that they name."""

from __future__ import annotations

import os
import shutil

from barrier_policy.errors import SummaryError
from barrier_policy.gate.summarizers.command import Command
from barrier_policy.gate.summarizers.extractive import Extractive
from barrier_policy.gate.summarizers.function import load_function
from barrier_policy.gate.summary_request import Summarizer
from barrier_policy.summarizer_spec import SummarizerKind, SummarizerSpec, url_problem, variable_problem
from barrier_policy.transcript.tokens import Counter, estimate_tokens


def make_summarizer(spec: SummarizerSpec, *, count: Counter = estimate_tokens) -> Summarizer:
    """The summarizer of a profile, with its own time limit. What can be checked without running it is checked here.

    Raises SummaryError, and MissingExtraError where the endpoint's client is not installed.
    """
    match spec.kind:
        case SummarizerKind.EXTRACTIVE:
            return Extractive(count=count)
        case SummarizerKind.PYTHON:
            return load_function(spec.function, spec.timeout_seconds)
        case SummarizerKind.COMMAND:
            return _command(spec)
        case SummarizerKind.ENDPOINT:
            return _endpoint(spec)


def _command(spec: SummarizerSpec) -> Summarizer:
    if not spec.command:
        raise SummaryError("summarizer: no command is named (give `command` a program with its arguments)")
    if shutil.which(spec.command[0]) is None:
        raise SummaryError(
            f"summarizer: no program `{spec.command[0]}` was found (name an executable file, or one on the PATH)"
        )
    return Command(arguments=spec.command, timeout=spec.timeout_seconds)


def _endpoint(spec: SummarizerSpec) -> Summarizer:
    from barrier_policy.gate.summarizers.endpoint import Endpoint, load_client, read_key

    problems = (url_problem(spec.url, with_key=bool(spec.api_key_env)), variable_problem(spec.api_key_env))
    if problem := next(filter(None, problems), "" if spec.model else "no `model` is named"):
        raise SummaryError(f"summarizer: {problem}")
    load_client()
    read_key(spec.api_key_env, os.environ)
    return Endpoint(url=spec.url, model=spec.model, api_key_env=spec.api_key_env, timeout=spec.timeout_seconds)
