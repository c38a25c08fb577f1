"""Comparing two policy sets on many transcripts, in as many processes as asked for. The result does not depend on how many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import lru_cache
from multiprocessing import get_context

import msgspec

from barrier_policy.decision.assess import Assessment, record_of
from barrier_policy.diff.compare import Judged, compare_spans
from barrier_policy.diff.model import Diff, TranscriptChange
from barrier_policy.diff.rules import edits, summarize
from barrier_policy.diff.subjects import Subject
from barrier_policy.errors import BarrierPolicyError, IssuesError, reason_of
from barrier_policy.policy.model import Layer
from barrier_policy.policy.verdict import Verdict
from barrier_policy.profile import Profile
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.source import MAX_BYTES
from barrier_policy.walk import Analysis, Decider, open_store

AT_HAND = 2
"""Transcripts given to a process: the one that it is at, and the next."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What every process needs. `base` and `head` are layers as they were loaded, so that all processes see the same bytes."""

    profile: Profile
    base: tuple[Layer, ...]
    head: tuple[Layer, ...]
    store: str | None = None
    no_store: bool = False


def compare_all(
    base: Decider,
    head: Decider,
    setup: Setup,
    subjects: Sequence[Subject],
    *,
    now: str,
    jobs: int,
    acknowledged: Mapping[str, str],
    done: Callable[[Subject], None] = lambda subject: None,
) -> Diff:
    """Compare two sets on all subjects. `done` is called as each of them is through, in no certain order."""
    workers = min(jobs, len(subjects))
    pair = _Pair(base, head, setup)
    run = _in_processes(pair, setup, subjects, workers) if workers > 1 else ((item, pair.compare(item)) for item in subjects)
    found = []
    for subject, result in run:
        done(subject)
        found.append(result)
    return summarize(base.policies, head.policies, found, engine=base.engine_name, now=now, acknowledged=acknowledged)


def _in_processes(
    pair: _Pair, setup: Setup, subjects: Sequence[Subject], workers: int
) -> Iterator[tuple[Subject, TranscriptChange]]:
    """The others take the largest ones first, this process the smallest, until they meet.

    So this one, which is ready, works while the others start, and nobody is left alone with a large one in the end.
    """
    data = msgspec.msgpack.encode(setup, enc_hook=str)
    waiting = deque(sorted(subjects, key=lambda subject: (-subject.size, subject.name)))
    running: dict[Future[TranscriptChange], Subject] = {}
    with ProcessPoolExecutor(workers - 1, mp_context=get_context("spawn")) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < AT_HAND * (workers - 1):
                    large = waiting.popleft()
                    running[pool.submit(_work, data, large)] = large
                if waiting:
                    small = waiting.pop()
                    yield small, pair.compare(small)
                for future in wait(running, timeout=0 if waiting else None, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _work(setup: bytes, subject: Subject) -> TranscriptChange:
    return _pair(setup).compare(subject)


@lru_cache(maxsize=1)
def _pair(data: bytes) -> _Pair:
    """Both sets, made ready once in a process."""
    setup = msgspec.msgpack.decode(data, type=Setup, dec_hook=lambda kind, value: kind(value))
    base = Decider(setup.profile, policies=setup.base)
    return _Pair(base, Decider(setup.profile, plugins=base.plugins, policies=setup.head), setup)


class _Pair:
    """Two sets with the same plugins and settings."""

    def __init__(self, base: Decider, head: Decider, setup: Setup) -> None:
        self._base = base
        self._head = head
        self._store = open_store(False if setup.no_store else setup.store, setup.profile, base.plugins.stores)
        self._edited = frozenset(edits(base.policies, head.policies))

    def compare(self, subject: Subject) -> TranscriptChange:
        """Establish what holds of a transcript once, and judge it twice."""
        try:
            established = self._base.establish(
                self._base.read(_bytes(subject, self._store), format=subject.format),
                keep_last=subject.keep_last,
                now=subject.now,
                ranges=subject.ranges,
            )
            base = self._base.conclude(established, store=self._store)
            head = self._head.conclude(established, store=self._store)
        except BarrierPolicyError as error:
            return TranscriptChange(name=subject.name, problem=_first(error))
        return TranscriptChange(
            name=subject.name,
            spans=len(base.assessments),
            tokens=sum(found.tokens for found in base.assessments),
            changes=tuple(compare_spans(subject.name, _judged(base), _judged(head), self._edited)),
        )


def _judged(analysis: Analysis) -> Judged:
    def verdict(found: Assessment) -> Verdict:
        return analysis.evaluator.evaluate(record_of(analysis.join, found), found.digest)

    return Judged(assessments=analysis.assessments, verdict=verdict)


def _bytes(subject: Subject, store: Store | None) -> bytes:
    if subject.path:
        try:
            with open(subject.path, "rb") as file:
                return file.read(MAX_BYTES + 1)
        except OSError as error:
            raise BarrierPolicyError(f"can't be read ({reason_of(error)})") from None
    data = store.read(subject.digest) if store is not None else None
    if data is None:
        raise BarrierPolicyError(f"its transcript {subject.digest[:19]}… is not in the store (give the --store of the log)")
    return data


def _first(error: BarrierPolicyError) -> str:
    """What is wrong, without the name of the file, which is already said."""
    return error.issues[0].message if isinstance(error, IssuesError) and error.issues else str(error)
