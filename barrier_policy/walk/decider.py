"""The walk of any number of transcripts, with plugins, policies and engine made ready once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import TypedDict, Unpack

import msgspec

from barrier_policy.carrier.write import Sources
from barrier_policy.decision.assess import Assessment, assess_spans, record_of, what_blocks
from barrier_policy.decision.model import (
    SCHEMA,
    Blocking,
    Budget,
    Decision,
    Fidelity,
    PluginVersion,
    PolicyInfo,
    Tail,
    Totals,
    TranscriptInfo,
    seal,
)
from barrier_policy.decision.plan import Plan, make_plan
from barrier_policy.facts.extract import Facts, extract
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo
from barrier_policy.join.join import Join
from barrier_policy.join.schema import build_schema
from barrier_policy.plugins import PluginSet, load_plugins
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.model import Layer, PolicySet
from barrier_policy.policy.stack import open_layers
from barrier_policy.profile import Profile
from barrier_policy.provenance.store import Originals
from barrier_policy.transcript.elements import without_words
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.pairing import Pairs
from barrier_policy.transcript.tokens import Counter, estimate_tokens
from barrier_policy.walk.assemble import decide_span, originals_of, probe_store, repaired, shelf_of, sources_of
from barrier_policy.walk.establish import Established, Read, establish
from barrier_policy.walk.inputs import TranscriptLike, check_count, read_any, timestamp


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What was established about a transcript on the way to its decision. `turns` counts the user's.

    `evaluator` has the exceptions in force that were in force for it.
    """

    transcript: Transcript
    masker: Masker
    turns: int
    join: Join
    sources: Sources
    assessments: tuple[Assessment, ...]
    plan: Plan
    policies: PolicySet
    evaluator: Evaluator
    decision: Decision


class _Judged(msgspec.Struct, frozen=True, kw_only=True):
    """All spans with their assessments, and what is to be done with each."""

    info: TranscriptInfo
    join: Join
    sources: Sources
    evaluator: Evaluator
    assessments: tuple[Assessment, ...]
    plan: Plan
    target: int | None


class Reading(TypedDict, total=False):
    """How a transcript is read and cut, as `Decider.establish` takes it.

    `keep_last` is the number of last messages that the runtime keeps anyway, `now` is ISO 8601, `format` the name of a reader, `ranges`
    message indices `[start, end)` of one span each. `memo` has facts that are known already; it changes no decision. `read` gives an
    object of a store by digest, for what carriers of earlier compactions have kept there; by default that of the store, where there is one.
    """

    keep_last: int | None
    now: str | datetime | None
    format: str
    ranges: Iterable[tuple[int, int]]
    memo: FactMemo | None
    read: Read | None


class Decider:
    """Plugins, policies and engine, made ready once and used for any number of transcripts.

    Raises PluginError or PolicyError, with every problem, before anything is decided.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        *,
        plugins: PluginSet | None = None,
        policies: Iterable[Path | Layer] | None = None,
        counter: Counter = estimate_tokens,
    ) -> None:
        self.profile = profile or Profile()
        self.plugins = plugins or load_plugins()
        self.counter = counter
        schema = build_schema(self.plugins.kinds.values())
        engine = load_engine(self.profile.engine)
        trust = self.profile.bundle
        layers: Iterable[Path | Layer] = (
            [shipped_policies(), *open_layers(self.profile.overlays, keys=trust.keys, required=trust.required)]
            if policies is None
            else policies
        )
        self.policies: PolicySet = load_policies(layers, schema, engine)
        self.engine_name = engine.name
        self.evaluator = Evaluator(self.policies, engine)

    def read(self, source: TranscriptLike, *, format: str = "") -> Transcript:
        """Read a path, bytes, messages or a Transcript. Raises TranscriptError."""
        return read_any(source, self.plugins, format=format)

    def facts(self, transcript: Transcript, pairs: Pairs, *, now: str, memo: FactMemo | None = None) -> Facts:
        """All facts of a transcript; with `memo`, only those are extracted that it does not know."""
        plugins = self.plugins
        return extract(
            transcript.messages, pairs, plugins.extractors, plugins.kinds, tools=transcript.tools, now=now, memo=memo
        )

    def decide(
        self,
        source: TranscriptLike,
        *,
        target_tokens: int | None = None,
        store: Originals | None = None,
        **reading: Unpack[Reading],
    ) -> Decision:
        """The decision alone: what led to it is let go on the way, which takes less memory than `analyse`."""
        # nested, so that no name here holds what the next step lets go
        return self._pronounce(
            self._judge(self.establish(source, **_with(store, reading)), target_tokens, store, keeps_words=False), store
        )

    def analyse(
        self,
        source: TranscriptLike,
        *,
        target_tokens: int | None = None,
        store: Originals | None = None,
        **reading: Unpack[Reading],
    ) -> Analysis:
        """Decide, and keep everything that led to the decision."""
        return self.conclude(self.establish(source, **_with(store, reading)), target_tokens=target_tokens, store=store)

    def conclude(
        self, established: Established, *, target_tokens: int | None = None, store: Originals | None = None
    ) -> Analysis:
        """Decide about what was established, by this or by another Decider with the same plugins and settings."""
        judged = self._judge(established, target_tokens, store)
        return Analysis(
            transcript=established.transcript,
            masker=established.masker,
            turns=established.turns,
            join=judged.join,
            sources=judged.sources,
            assessments=judged.assessments,
            plan=judged.plan,
            policies=self.policies,
            evaluator=judged.evaluator,
            decision=self._pronounce(judged, store),
        )

    def establish(
        self,
        source: TranscriptLike,
        *,
        keep_last: int | None = None,
        now: str | datetime | None = None,
        format: str = "",
        ranges: Iterable[tuple[int, int]] = (),
        memo: FactMemo | None = None,
        read: Read | None = None,
    ) -> Established:
        """From the transcript to what span records are made of. The facts, which are many, are not kept."""
        check_count("keep_last", keep_last)
        return establish(
            self.read(source, format=format),
            self.plugins,
            self.profile,
            keep_last=self.profile.keep_last if keep_last is None else keep_last,
            now=timestamp(now),
            ranges=ranges,
            memo=memo,
            read=read,
            counter=self.counter,
        )

    def _judge(
        self, established: Established, target_tokens: int | None, store: Originals | None, *, keeps_words: bool = True
    ) -> _Judged:
        """What the policies say of each span, and what follows for all of them together.

        Nothing of it takes the words of the transcript, so they are let go where `keeps_words` is false.
        """
        check_count("target_tokens", target_tokens)
        join, digest, now = established.join, established.transcript.digest, established.now
        info = TranscriptInfo(
            format=established.transcript.format,
            digest=digest,
            messages=len(join.messages),
            tokens=join.tokens_total,
            turns=established.turns,
        )
        del established
        originals = originals_of(join)
        sources = sources_of(join)
        if not keeps_words:
            join = msgspec.structs.replace(join, messages=without_words(join.messages))
        probe = probe_store(store, originals)
        evaluator = self.evaluator.at(now, transcript=digest)
        assessments = tuple(
            assess_spans(join, evaluator, probe, archives=store is not None, count=self.counter, digests=originals.digests)
        )
        target = self.profile.target_tokens if target_tokens is None else target_tokens
        plan = make_plan(
            assessments,
            partial(_blocks, join, evaluator, store is not None),
            tokens_total=join.tokens_total,
            target_tokens=target,
        )
        return _Judged(
            info=info, join=join, sources=sources, evaluator=evaluator, assessments=assessments, plan=plan, target=target
        )

    def _pronounce(self, judged: _Judged, store: Originals | None) -> Decision:
        """The decision. What it takes no more is let go: the ledger before records are written, each assessment once its span is."""
        info, plan, target = judged.info, judged.plan, judged.target
        tail, structured = Tail(start=judged.join.segmentation.tail_start), judged.join.structured
        sources, to_repair = judged.sources, tuple(repaired(judged.assessments, plan.actions))
        spans_to_decide = zip(_handing_over(judged.assessments), plan.actions, structured, strict=True)
        del judged
        shelf = shelf_of(sources, to_repair)
        del sources, to_repair
        carrier = shelf.records()
        del shelf
        spans = tuple(starmap(partial(decide_span, store), spans_to_decide))
        del spans_to_decide
        reclaimed = sum(span.tokens for span in spans if span.action != "retain")
        carried = sum(self.counter(record.text) for record in carrier)
        return seal(
            Decision(
                schema=SCHEMA,
                decision_id="",
                outcome=plan.outcome,
                transcript=info,
                policy=PolicyInfo(name=self.policies.name, digest=self.policies.digest, engine=self.engine_name),
                plugins=tuple(PluginVersion(name=plugin.name, version=plugin.version) for plugin in self.plugins.loaded),
                budget=Budget(target_tokens=target, tokens_after=plan.tokens_after),
                fidelity=Fidelity(preserve=self.profile.fidelity.preserve, audited=self.profile.fidelity.audited),
                tail=tail,
                spans=spans,
                carrier=carrier,
                blocking=plan.blocking,
                totals=Totals(
                    tokens_before=info.tokens,
                    tokens_reclaimed=reclaimed,
                    tokens_retained=info.tokens - reclaimed,
                    tokens_carrier=carried,
                ),
            )
        )


def _with(store: Originals | None, reading: Reading) -> Reading:
    """How a transcript is read that a store may know more of."""
    return reading if store is None or "read" in reading else {**reading, "read": store.read}


def _handing_over(assessments: tuple[Assessment, ...]) -> Iterator[Assessment]:
    """One after another; none is held once the next is asked for."""
    left = deque(assessments)
    del assessments
    while left:
        yield left.popleft()


def _blocks(join: Join, evaluator: Evaluator, archives: bool, found: Assessment) -> tuple[Blocking, ...]:
    """What keeps a span from going: of an assessment only its reasons are kept, so its verdict is reached again."""
    return what_blocks(found, evaluator.evaluate(record_of(join, found), found.digest), archives=archives)
