"""The walk of one transcript, from bytes to a decision (design section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.carrier.merge import merge_records
from barrier_policy.carrier.record import CarrierRecord
from barrier_policy.carrier.write import write_shared
from barrier_policy.decision.assess import Assessment, Probe, assess_spans, record_of, repair_records, what_blocks
from barrier_policy.decision.model import (
    SCHEMA,
    Blocking,
    Budget,
    Decision,
    Fidelity,
    PluginVersion,
    PolicyInfo,
    Repair,
    RuleError,
    SpanDecision,
    Tail,
    Totals,
    TranscriptInfo,
    seal,
)
from barrier_policy.decision.plan import Plan, make_plan
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import BarrierPolicyError, StoreError
from barrier_policy.facts.extract import Facts, extract
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo
from barrier_policy.facts.model import Fact
from barrier_policy.join.join import Join, Provenance, Settings, join_spans, span_index
from barrier_policy.join.schema import build_schema
from barrier_policy.ledger.bindings import find_bindings
from barrier_policy.ledger.build import build_ledger
from barrier_policy.ledger.conversation import converse, opens_turn
from barrier_policy.plugins import PluginSet, load_plugins
from barrier_policy.policy.cel.engine import load_engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.model import Layer, PolicySet
from barrier_policy.policy.stack import open_layers
from barrier_policy.profile import Profile
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import address_kind
from barrier_policy.provenance.store import Store, StoreKind, available, default_store, original_bytes
from barrier_policy.spans.segment import segment
from barrier_policy.transcript.model import Message, Transcript
from barrier_policy.transcript.pairing import Pairs, pair_calls
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.tokens import Counter, estimate_tokens, message_tokens

TranscriptLike = str | Path | bytes | Transcript | list[dict[str, Any]] | dict[str, Any]


class Established(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of a transcript whatever the policies: what span records are made of. `turns` counts the user's, `now` is ISO 8601."""

    transcript: Transcript
    join: Join
    masker: Masker
    turns: int
    now: str


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What was established about a transcript on the way to its decision. `turns` counts the user's.

    `evaluator` has the exceptions in force that were in force for it.
    """

    transcript: Transcript
    masker: Masker
    turns: int
    join: Join
    assessments: tuple[Assessment, ...]
    plan: Plan
    policies: PolicySet
    evaluator: Evaluator
    decision: Decision


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
        schema = build_schema(kind for kind in self.plugins.kinds.values() if "." in kind.name)
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

    def analyse(
        self,
        source: TranscriptLike,
        *,
        keep_last: int | None = None,
        target_tokens: int | None = None,
        now: str | datetime | None = None,
        store: Store | None = None,
        format: str = "",
        ranges: Iterable[tuple[int, int]] = (),
        memo: FactMemo | None = None,
    ) -> Analysis:
        """Decide, and keep everything that led to the decision. `memo` has facts that are known already; it changes no decision."""
        established = self.establish(source, keep_last=keep_last, now=now, format=format, ranges=ranges, memo=memo)
        return self.conclude(established, target_tokens=target_tokens, store=store)

    def conclude(
        self, established: Established, *, target_tokens: int | None = None, store: Store | None = None
    ) -> Analysis:
        """Decide about what was established, by this or by another Decider with the same plugins and settings."""
        _check_count("target_tokens", target_tokens)
        transcript, join = established.transcript, established.join
        spans = join.segmentation.spans
        digests = tuple(digest_bytes(original_bytes(join.messages[span.start : span.end])) for span in spans)
        probe = _probe(store, join, digests)
        evaluator = self.evaluator.at(established.now, transcript=transcript.digest)
        assessments = tuple(
            assess_spans(join, evaluator, probe, archives=store is not None, count=self.counter, digests=digests)
        )
        target = self.profile.target_tokens if target_tokens is None else target_tokens
        plan = make_plan(
            assessments, partial(_blocks, join, evaluator), tokens_total=join.tokens_total, target_tokens=target
        )
        info = TranscriptInfo(
            format=transcript.format,
            digest=transcript.digest,
            messages=len(join.messages),
            tokens=join.tokens_total,
            turns=established.turns,
        )
        decision = self._decision(info, join, assessments, plan, digests, target, store)
        return Analysis(
            transcript=transcript,
            masker=established.masker,
            turns=established.turns,
            join=join,
            assessments=assessments,
            plan=plan,
            policies=self.policies,
            evaluator=evaluator,
            decision=decision,
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
    ) -> Established:
        """From the transcript to what span records are made of. The facts, which are many, are not kept."""
        _check_count("keep_last", keep_last)
        transcript = self.read(source, format=format)
        last, time = self.profile.keep_last if keep_last is None else keep_last, timestamp(now)
        messages = transcript.messages
        pairs = pair_calls(messages)
        segmentation = segment(messages, pairs, keep_last=last, strategy=self.profile.strategy, ranges=ranges)
        facts = self.facts(transcript, pairs, now=time, memo=memo)
        bindings, binding_events = find_bindings(messages, facts, span_index(segmentation))
        facts = facts.without("value")  # most facts are values, and nothing else asks for these
        conversation = converse(messages, pairs, facts, present=segmentation.tail_start, tool_classes=self.profile.tools)
        ledger = build_ledger(conversation, bindings, binding_events)
        settings = Settings(
            preserve=self.profile.fidelity.preserve,
            audited=self.profile.fidelity.audited,
            evidence_demand=self.profile.workload.evidence_demand,
        )
        tokens = [message_tokens(message, self.counter) for message in messages]
        join = join_spans(messages, segmentation, ledger, facts, self.plugins.kinds, tokens, settings)
        turns = sum(turn.has_user for turn in conversation.turns)
        return Established(transcript=transcript, join=join, masker=facts.masker, turns=turns, now=time)

    def _decision(
        self,
        info: TranscriptInfo,
        join: Join,
        assessments: tuple[Assessment, ...],
        plan: Plan,
        digests: tuple[str, ...],
        target: int | None,
        store: Store | None,
    ) -> Decision:
        spans = tuple(
            _span_decision(join, assessment, action, digest, store)
            for assessment, action, digest in zip(assessments, plan.actions, digests, strict=True)
        )
        carrier = records_of(join, assessments, plan.actions)
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
                tail=Tail(start=join.segmentation.tail_start),
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


def _blocks(join: Join, evaluator: Evaluator, found: Assessment) -> tuple[Blocking, ...]:
    """What keeps a span from going: of an assessment only its reasons are kept, so its verdict is reached again."""
    return what_blocks(found.span, evaluator.evaluate(record_of(join, found), found.digest))


def _probe(store: Store | None, join: Join, digests: tuple[str, ...]) -> Probe:
    """How to find out whether the original of a span can be read back."""

    nothing = Provenance()

    def probe(number: int) -> Provenance:
        if store is None:
            return nothing
        span = join.segmentation.spans[number]
        digest = digests[number]
        if store.read(digest) is None:
            return nothing
        ready = available(store, digest, len(original_bytes(join.messages[span.start : span.end])))
        return Provenance(present=True, retrievable=ready, uri=store.uri(digest))

    return probe


def records_of(join: Join, assessments: Sequence[Assessment], actions: Sequence[str]) -> tuple[CarrierRecord, ...]:
    """The records that repairs write, given the action of each span: each thing's own, then the exact values that none of them shows."""
    repaired = [found for found, action in zip(assessments, actions, strict=True) if action == "repair"]
    at_hand = max((message.index for message in join.messages if opens_turn(message)), default=0)
    placed = [placement for found in repaired for placement in found.shared]
    shared = write_shared(placed, join.ledger, join.messages, at_hand)
    own = (record for found in repaired for record in repair_records(join, found))
    return merge_records((), chain(own, shared)).records


def _span_decision(join: Join, found: Assessment, action: str, digest: str, store: Store | None) -> SpanDecision:
    repairs = []
    if found.repairable and found.rebind:
        repairs.append(Repair(kind="rebind", items=tuple(item.id for item in found.rebind)))
    if found.repairable and found.archive:
        repairs.append(Repair(kind="archive", items=(found.span.id,)))
    return SpanDecision(
        id=found.span.id,
        messages=(found.span.start, found.span.end),
        tokens=found.tokens,
        digest=digest,
        evidential_class="structured" if join.structured[found.number] else "narrative",
        verdict=found.verdict,
        action=action,
        reasons=found.reasons,
        warnings=found.warnings,
        errors=tuple(RuleError(rule=error.rule, message=error.message) for error in found.errors),
        exceptions=found.exceptions,
        repairs=tuple(repairs),
        provenance=_provenance(found, digest, store),
    )


def _provenance(found: Assessment, digest: str, store: Store | None) -> Provenance:
    """What is known of the original; where it is to be archived, also where it will be."""
    if found.provenance.uri or not found.archive or store is None:
        return found.provenance
    return msgspec.structs.replace(found.provenance, uri=store.uri(digest))


def _check_count(name: str, value: int | None) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise BarrierPolicyError(f"`{name}` is `{value}` (give a whole number, 0 or more, or None)")


def timestamp(now: str | datetime | None) -> str:
    """The time of a decision as ISO 8601 with a zone; the present time where none is given."""
    if now is None:
        now = datetime.now(UTC)
    if isinstance(now, str):
        try:
            now = datetime.fromisoformat(now.replace("Z", "+00:00"))
        except ValueError:
            raise BarrierPolicyError(f"`{now}` is no time (give ISO 8601, e.g. 2026-06-01T12:00:00Z)") from None
    if not isinstance(now, datetime):
        raise BarrierPolicyError(f"`{now}` is no time (give ISO 8601, e.g. 2026-06-01T12:00:00Z)")
    if now.tzinfo is None:
        now = now.replace(tzinfo=UTC)
    return now.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_any(source: TranscriptLike, plugins: PluginSet, *, format: str = "") -> Transcript:
    """Read a path, bytes, a list of message dicts or an object; a Transcript is returned as it is."""
    if isinstance(source, Transcript):
        return source
    return read_transcript(source_of(source), plugins.readers, format=format)


def source_of(source: str | Path | bytes | list[dict[str, Any]] | dict[str, Any]) -> Source:
    """A path, bytes, a list of message dicts or an object as a Source. Raises BarrierPolicyError for a file that can't be read."""
    if isinstance(source, (str, Path)):
        try:
            return Source(Path(source).read_bytes(), path=str(source))
        except OSError as error:
            raise BarrierPolicyError(f"{source}: can't be read ({error.strerror})") from None
    if isinstance(source, (bytes, bytearray)):
        return Source(bytes(source))
    return Source.from_value(source)


StoreLike = str | Path | Store | bool | None


def open_store(store: StoreLike, profile: Profile, kinds: Iterable[StoreKind]) -> Store | None:
    """The store to use: a folder, an address or a Store as given, False for none, None for what the profile says.

    An address `kind:…` or `scheme://…` is opened by the plugins' store of that kind. Raises StoreError or MissingExtraError.
    """
    if store is False or (store is None and profile.store is None):
        return None
    if store is None or store is True:
        store = profile.store or default_store()
    if isinstance(store, str) and (kind := address_kind(store)):
        return _open_address(store, kind, {known.name: known for known in kinds})
    return FileStore(Path(store).expanduser()) if isinstance(store, (str, Path)) else store


def _open_address(address: str, kind: str, known: Mapping[str, StoreKind]) -> Store:
    if kind not in known:
        raise StoreError(f"no plugin opens a store of kind `{kind}` {suggestion(kind, known)}")
    try:
        return known[kind].open(address)
    except BarrierPolicyError:
        raise
    except Exception as error:  # a plugin may raise anything, and its text may quote credentials
        raise StoreError(f"the store of kind `{kind}` can't be opened ({type(error).__name__})") from None


@lru_cache(maxsize=8)
def _decider(profile_key: bytes, plugin_loader: Callable[[], PluginSet]) -> Decider:
    profile = msgspec.msgpack.decode(profile_key, type=Profile, dec_hook=lambda kind, value: kind(value))
    return Decider(profile, plugins=plugin_loader())


def prepared(profile: Profile | None = None) -> Decider:
    """A Decider for a profile, made once per process and profile."""
    return _decider(msgspec.msgpack.encode(profile or Profile(), enc_hook=str), load_plugins)


def decide(
    source: TranscriptLike,
    *,
    keep_last: int | None = None,
    target_tokens: int | None = None,
    now: str | datetime | None = None,
    store: StoreLike = None,
    profile: Profile | str | Path | None = None,
    format: str = "",
) -> Decision:
    """Decide what of a transcript may be summarized. Writes nothing.

    `source` is a path, bytes, a list of message dicts or a Transcript. `keep_last` is the number of last messages that the runtime
    keeps anyway. `target_tokens` is the size that the whole context must reach, carriers and stubs counted; without it, all repairs
    that the gate can make are planned. `now` is ISO 8601. `store` is where originals are: a folder, an address such
    as `s3://bucket/name` or a Store, False for none. `profile` is a Profile or the path of a profile file.

    Raises TranscriptError for unreadable input, PolicyError, PluginError or ProfileError before anything is decided. A refusal is a
    Decision with outcome `refuse`, no exception.
    """
    decider = prepared(as_profile(profile))
    opened = open_store(store, decider.profile, decider.plugins.stores)
    return decider.analyse(
        source, keep_last=keep_last, target_tokens=target_tokens, now=now, store=opened, format=format
    ).decision


def as_profile(profile: Profile | str | Path | None) -> Profile:
    """A profile as given, from a file, or the default."""
    if profile is None or isinstance(profile, Profile):
        return profile or Profile()
    from barrier_policy.profile_file import load_profile

    return load_profile(Path(profile))


def extract_facts(source: TranscriptLike, *, now: str | datetime | None = None, format: str = "") -> tuple[Fact, ...]:
    """All facts that the installed extractors find, in transcript order."""
    decider = prepared()
    transcript = decider.read(source, format=format)
    found = decider.facts(transcript, pair_calls(transcript.messages), now=timestamp(now))
    return tuple(fact for facts in found.by_message for fact in facts)


def tokens_of(messages: Iterable[Message], counter: Counter = estimate_tokens) -> Mapping[int, int]:
    """Sizes of messages in tokens by index."""
    return {message.index: message_tokens(message, counter) for message in messages}
