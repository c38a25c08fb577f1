"""Deciding for the command line, with a record of each decision where there is a log."""

from __future__ import annotations

import time

import msgspec

from barrier_policy.cli.guard import report
from barrier_policy.cli.options import Request
from barrier_policy.cli.session import Session, chosen_profile, open_source
from barrier_policy.errors import LogError
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.logged import log_decision
from barrier_policy.log.record import Asked
from barrier_policy.log_spec import LogSpec
from barrier_policy.profile import Profile
from barrier_policy.walk import Analysis, timestamp


class Told:
    """Prints what is wrong with a log that is read, and remembers that something was."""

    def __init__(self) -> None:
        self.anything = False

    def __call__(self, problem: str) -> None:
        """Print a problem."""
        self.anything = True
        report(LogError(problem))


class LoggedSession:
    """A session whose decisions are logged, where there is a log. A decision that can't be logged is not given out."""

    def __init__(self, session: Session) -> None:
        self._session = session
        spec = log_spec(session.request, session.decider.profile)
        self._log = DecisionLog.open(spec) if spec else None

    def analyse(self, name: str) -> Analysis:
        """Read a file, decide, log. Raises BarrierPolicyError."""
        began = time.perf_counter_ns()
        source = open_source(name)
        transcript = self._session.read_source(source)
        read = time.perf_counter_ns()
        analysis = self._session.decide(transcript)
        decided = time.perf_counter_ns()
        if self._log is not None:
            log_decision(
                self._log,
                analysis,
                self._session.decider,
                source.data,
                self._asked(),
                store=self._session.store,
                timestamp=timestamp(None),
                timers_us={"read": (read - began) // 1000, "decide": (decided - read) // 1000},
            )
            self._log.close()
        return analysis

    def _asked(self) -> Asked:
        request = self._session.request
        return Asked(
            now=self._session.now,
            keep_last=request.keep_last,
            target_tokens=request.target_tokens,
            ranges=tuple(request.ranges),
        )


def log_spec(request: Request, profile: Profile) -> LogSpec | None:
    """The log to write or read: `--log`, with the other settings of the profile, or the profile's. None where there is neither.

    Raises LogError where there are settings, and nothing says for which log.
    """
    if request.log is None:
        if profile.log is not None and profile.log.path == LogSpec().path:
            raise LogError("the log has no path (give `--log PATH`, or `path` in section `log` of the profile)")
        return profile.log
    if profile.log is None:
        return LogSpec(path=request.log)
    kind = LogSpec().kind
    return msgspec.structs.replace(profile.log, path=request.log, kind=kind)


def named_log(request: Request) -> DecisionLog:
    """The log that a command reads. Raises LogError where none is named."""
    spec = log_spec(request, chosen_profile(request))
    if spec is None:
        raise LogError("no log is named (give its path, or `log: {path: …}` in the profile)")
    return DecisionLog.open(spec)
