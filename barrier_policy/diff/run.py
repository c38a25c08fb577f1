"""Comparing two policy sets on many transcripts, in as many processes as asked for. The result does not depend on how many."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context

import msgspec

from barrier_policy.decision.assess import Assessment, record_of
from barrier_policy.diff.compare import Judged, compare_spans
from barrier_policy.diff.model import Diff, TranscriptChange
from barrier_policy.diff.rules import edits, summarize
from barrier_policy.diff.subjects import Subject
from barrier_policy.errors import BarrierPolicyError, IssuesError
from barrier_policy.policy.model import Layer
from barrier_policy.policy.verdict import Verdict
from barrier_policy.profile import Profile
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.source import Source
from barrier_policy.walk import Analysis, Decider, open_store


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What every process needs. `base` and `head` are layers as they were loaded, so that all processes see the same bytes."""

    profile: Profile
    base: tuple[Layer, ...]
    head: tuple[Layer, ...]
    store: str | None = None
    no_store: bool = False


def compare_all(
    setup: Setup,
    subjects: Sequence[Subject],
    *,
    now: str,
    jobs: int,
    acknowledged: Mapping[str, str],
    done: Callable[[Subject], None] = lambda subject: None,
) -> Diff:
    """Compare two sets on all subjects. `done` is called as each of them is through, in no certain order.

    Raises BarrierPolicyError, also where a process was killed.
    """
    pair, workers = prepare(setup), min(jobs, len(subjects))
    run = _in_processes(setup, subjects, workers) if workers > 1 else ((item, pair.compare(item)) for item in subjects)
    found = []
    for subject, result in run:
        done(subject)
        found.append(result)
    base, head = pair.base, pair.head
    return summarize(base.policies, head.policies, found, engine=base.engine_name, now=now, acknowledged=acknowledged)


def _in_processes(setup: Setup, subjects: Sequence[Subject], workers: int) -> Iterator[tuple[Subject, TranscriptChange]]:
    """Each process takes the largest that is left, so that none is alone with a large one in the end."""
    data = _encoded(setup)
    with ProcessPoolExecutor(workers, mp_context=get_context(_start_method()), initializer=_begin) as pool:
        try:
            largest_first = sorted(subjects, key=lambda subject: (-subject.size, subject.name))
            running = {pool.submit(_work, data, subject): subject for subject in largest_first}
            for future in as_completed(running):
                yield running[future], future.result()
        except BrokenProcessPool:
            raise BarrierPolicyError("a process was killed, perhaps for want of memory (try `--jobs 1`)") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _start_method() -> str:
    """Copies of this process have plugins and policies ready; where other threads run in it a copy could wait for one of them for ever."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _begin() -> None:
    """Let an interrupt end this process without a word: the one that started it tells."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _work(setup: bytes, subject: Subject) -> TranscriptChange:
    return _pair(setup).compare(subject)


def prepare(setup: Setup) -> Pair:
    """Both sets, made ready once in a process and in all copies of it. Raises PluginError, PolicyError or StoreError."""
    return _pair(_encoded(setup))


def _encoded(setup: Setup) -> bytes:
    return msgspec.msgpack.encode(setup, enc_hook=str)


@lru_cache(maxsize=1)
def _pair(data: bytes) -> Pair:
    return Pair(msgspec.msgpack.decode(data, type=Setup, dec_hook=lambda kind, value: kind(value)))


class Pair:
    """Two sets with the same plugins and settings."""

    def __init__(self, setup: Setup) -> None:
        self.base = Decider(setup.profile, policies=setup.base)
        self.head = Decider(setup.profile, plugins=self.base.plugins, policies=setup.head)
        self._store = open_store(False if setup.no_store else setup.store, setup.profile, self.base.plugins.stores)
        self._edited = frozenset(edits(self.base.policies, self.head.policies))

    def compare(self, subject: Subject) -> TranscriptChange:
        """Establish what holds of a transcript once, and judge it twice."""
        try:
            established = self.base.establish(
                self.base.read(_bytes(subject, self._store), format=subject.format),
                keep_last=subject.keep_last,
                now=subject.now,
                ranges=subject.ranges,
                read=self._store.read if self._store else None,
            )
            base = self.base.conclude(established, store=self._store)
            head = self.head.conclude(established, store=self._store)
        except BarrierPolicyError as error:
            return TranscriptChange(name=subject.name, source=subject.source, problem=_first(error))
        return TranscriptChange(
            name=subject.name,
            source=subject.source,
            sizes={found.span.id: found.tokens for found in base.assessments},
            changes=tuple(compare_spans(subject.name, _judged(base), _judged(head), self._edited)),
        )


def _judged(analysis: Analysis) -> Judged:
    def verdict(found: Assessment) -> Verdict:
        return analysis.evaluator.evaluate(record_of(analysis.join, found), found.digest)

    return Judged(assessments=analysis.assessments, verdict=verdict)


def _bytes(subject: Subject, store: Store | None) -> bytes:
    if subject.path:
        return Source.open(subject.path).data
    data = store.read(subject.digest) if store is not None else None
    if data is None:
        raise BarrierPolicyError(f"its transcript {subject.digest[:19]}… is not in the store (give the --store of the log)")
    return data


def _first(error: BarrierPolicyError) -> str:
    """What is wrong, without the name of the file, which is already said."""
    return error.issues[0].message if isinstance(error, IssuesError) and error.issues else str(error)
