"""A logged decision derived again from its archived inputs: the same bytes, or which input is missing or differs (design section 9, 19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import msgspec

from barrier_policy.decision.model import Decision
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import BarrierPolicyError, IssuesError, LogError, MissingExtraError
from barrier_policy.log.inputs import ESTIMATE, ArchivedInputs, deciding, read_inputs, read_policies, this_package
from barrier_policy.log.record import Record
from barrier_policy.log.unlike import derived_record, unlike
from barrier_policy.plugins import PluginSet, load_plugins
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.model import Layer
from barrier_policy.profile import EngineName, Profile
from barrier_policy.provenance.store import Store, original_bytes
from barrier_policy.transcript.model import Transcript
from barrier_policy.walk import Analysis, Decider

MOST_NAMED = 5
"""Spans, or fields of the record, that are named where they differ."""


class Input(StrEnum):
    """What can be missing or differ; `decision` and `record` are what comes out of the inputs."""

    ARCHIVE = "archived inputs"
    TRANSCRIPT = "transcript"
    POLICIES = "policy bundle"
    PROFILE = "profile"
    ENGINE = "engine"
    PLUGINS = "plugins"
    PACKAGE = "package"
    COUNTER = "token counter"
    RECORD = "record"
    DECISION = "decision"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One input that is not as it was, or one way in which the decision is not."""

    input: Input
    problem: str

    def __str__(self) -> str:
        return f"{self.input}: {self.problem}"


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What came out. `same` says that the bytes are those that were logged, and that the record says of them what is so.

    `data` are the bytes of the decision, empty where it could not be derived. `differences` are empty where it is the same from the same;
    inputs can differ and the bytes be the same all the same.
    """

    same: bool
    data: bytes = b""
    differences: tuple[Difference, ...] = ()


class _Missing(Exception):
    """Inputs without which nothing can be derived."""

    def __init__(self, differences: Iterable[Difference]) -> None:
        self.differences = tuple(differences)
        super().__init__()


def replay(record: Record, store: Store | None, *, plugins: PluginSet | None = None) -> Replay:
    """Derive a logged decision again. Reads the record and the store, nothing else: not the clock, not the profile or policies of today.

    `plugins` are those to use instead of the installed ones. Raises PluginError where these can't be loaded.
    """
    found: list[Difference] = []
    try:
        derived = _derive(record, store, plugins or load_plugins(), found)
    except _Missing as missing:
        return Replay(same=False, differences=(*found, *missing.differences))
    other = _differences(record, derived)
    return Replay(same=not other, data=derived.analysis.decision.to_json(), differences=(*found, *other))


def analyse_again(record: Record, store: Store | None, *, plugins: PluginSet | None = None) -> tuple[Decider, Analysis]:
    """What led to a logged decision, from its archived inputs, with what decided. Raises LogError where an input is missing, or the decision is another one."""
    try:
        derived = _derive(record, store, plugins or load_plugins(), [])
    except _Missing as missing:
        raise LogError(f"record {record.sequence}: {missing.differences[0]}") from None
    if _differences(record, derived):
        raise LogError(f"record {record.sequence}: the decision can't be derived again (see how it differs: `replay`)")
    return derived.decider, derived.analysis


class _Derived(msgspec.Struct, frozen=True, kw_only=True):
    """What decided, what it found, and what the record of it has to say."""

    decider: Decider
    analysis: Analysis
    record: Record


def _derive(record: Record, store: Store | None, plugins: PluginSet, found: list[Difference]) -> _Derived:
    """The decision again; inputs that differ are added to `found`. Raises _Missing."""
    inputs = _inputs(record, store)
    data, layers = _objects(inputs, store)
    found += _versions(inputs, plugins)
    profile = _profile(inputs, found)
    engine = _engine(inputs)
    try:
        decider = Decider(msgspec.structs.replace(profile, engine=engine), plugins=plugins, policies=layers)
    except BarrierPolicyError as error:
        raise _missing(Input.POLICIES, f"can't be loaded here: {_first(error)}") from None
    try:
        transcript = decider.read(data, format=inputs.format)
    except BarrierPolicyError as error:
        raise _missing(Input.TRANSCRIPT, f"can't be read here: {_first(error)}") from None
    asked = inputs.asked
    analysis = decider.analyse(
        transcript,
        keep_last=asked.keep_last,
        target_tokens=asked.target_tokens,
        now=asked.now,
        store=_RecordedStore(inputs, transcript) if inputs.had_store else None,
        ranges=asked.ranges,
        read=store.read if store and inputs.had_store else None,
    )
    return _Derived(decider=decider, analysis=analysis, record=derived_record(record, analysis, inputs, len(data)))


def _inputs(record: Record, store: Store | None) -> ArchivedInputs:
    """The archived inputs, which have to be those of the record. Raises _Missing."""
    digest = record.inputs.archive
    if not digest:
        raise _missing(
            Input.ARCHIVE, "none: the decision was logged without a store (decide with a store, and log it again)"
        )
    data = _object(store, digest, Input.ARCHIVE)
    try:
        inputs = read_inputs(data)
    except LogError as error:
        raise _missing(Input.ARCHIVE, str(error)) from None
    pairs = (
        (Input.TRANSCRIPT, record.inputs.transcript.digest, inputs.transcript),
        (Input.POLICIES, record.inputs.policies, inputs.policies),
        (Input.ENGINE, record.inputs.engine, inputs.engine),
    )
    other = [
        Difference(input=name, problem=f"the record says {logged}, the archived inputs {archived}")
        for name, logged, archived in pairs
        if logged != archived
    ]
    if other:
        raise _Missing(other)
    return inputs


def _objects(inputs: ArchivedInputs, store: Store | None) -> tuple[bytes, tuple[Layer, ...]]:
    """Transcript and policies. Raises _Missing with all that are not there."""
    found: dict[Input, bytes] = {}
    missing: list[Difference] = []
    for name, digest in ((Input.TRANSCRIPT, inputs.transcript), (Input.POLICIES, inputs.policies)):
        try:
            found[name] = _object(store, digest, name)
        except _Missing as error:
            missing += error.differences
    if inputs.counter != ESTIMATE:
        missing.append(
            Difference(input=Input.COUNTER, problem=f"`{inputs.counter}` counted then, and can't be had by its name")
        )
    if missing:
        raise _Missing(missing)
    try:
        return found[Input.TRANSCRIPT], read_policies(found[Input.POLICIES])
    except LogError as error:
        raise _missing(Input.POLICIES, str(error)) from None


def _object(store: Store | None, digest: str, name: Input) -> bytes:
    """An object that reads back under its digest. Raises _Missing."""
    data = store.read(digest) if store is not None else None
    if data is None:
        raise _missing(name, f"{digest} is not in the store (look in the store that it was logged with)")
    if digest_bytes(data) != digest:
        raise _missing(name, f"{digest} is damaged in the store (restore it from a copy)")
    return data


def _versions(inputs: ArchivedInputs, plugins: PluginSet) -> Iterator[Difference]:
    """What of the code differs."""
    here = this_package()
    if here.version != inputs.package.version:
        yield Difference(input=Input.PACKAGE, problem=f"version {inputs.package.version} then, {here.version} here")
    elif here.digest != inputs.package.digest:
        problem = f"another build of version {here.version} ({inputs.package.digest} then, {here.digest} here)"
        yield Difference(input=Input.PACKAGE, problem=problem)
    then = {plugin.name: plugin.version for plugin in inputs.plugins}
    now = {plugin.name: plugin.version for plugin in plugins.loaded}
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            problem = f"`{name}` {then.get(name, 'was not there')} then, {now.get(name, 'not installed')} here"
            yield Difference(input=Input.PLUGINS, problem=problem)


def _profile(inputs: ArchivedInputs, found: list[Difference]) -> Profile:
    """The settings that decided. Raises _Missing where this version does not understand them."""
    try:
        profile = msgspec.convert(inputs.profile, Profile)
    except msgspec.ValidationError as error:
        raise _missing(Input.PROFILE, f"can't be read here ({str(error).lower()})") from None
    here = deciding(profile)
    changed = sorted(name for name in here.keys() | inputs.profile.keys() if here.get(name) != inputs.profile.get(name))
    if changed:
        found.append(Difference(input=Input.PROFILE, problem=f"settings that only one version knows: {', '.join(changed)}"))
    return profile


def _engine(inputs: ArchivedInputs) -> str:
    """The installed engine with the name and version that decided. Raises _Missing."""
    here = []
    for choice in (EngineName.FAST, EngineName.PYTHON):
        try:
            name = load_engine(choice).name
        except MissingExtraError:
            continue
        if name == inputs.engine:
            return choice
        here.append(name)
    raise _missing(Input.ENGINE, f"`{inputs.engine}` then, {' and '.join(f'`{name}`' for name in here)} here")


class _RecordedStore:
    """A store that says of originals what the real one said then, whatever it holds now."""

    def __init__(self, inputs: ArchivedInputs, transcript: Transcript) -> None:
        self._known = {original.digest: original for original in inputs.originals}
        self._transcript = transcript

    def uri(self, digest: str) -> str:
        found = self._known.get(digest)
        return found.uri if found else ""

    def read(self, digest: str) -> bytes | None:
        found = self._known.get(digest)
        if found is None or not found.present:
            return None
        start, end = found.messages
        return original_bytes(self._transcript.messages[start:end]) if found.retrievable else b""


def _differences(record: Record, derived: _Derived) -> list[Difference]:
    """In what a record says something else than what was derived: span by span where it is another decision, else field by field."""
    fields = list(unlike(record, derived.record))
    decided = record.result.decision == derived.record.result.decision
    if not decided and (other := _other_decision(record, derived.analysis.decision)):
        return other
    named = [Difference(input=Input.RECORD, problem=field) for field in fields[:MOST_NAMED]]
    if len(fields) > MOST_NAMED:
        named.append(Difference(input=Input.RECORD, problem=f"{len(fields) - MOST_NAMED} further fields"))
    return named


def _other_decision(record: Record, decision: Decision) -> list[Difference]:
    """In what a derived decision is another one than the record says."""
    logged = record.result
    found = []
    if decision.outcome != logged.outcome:
        found.append(_unlike(f"outcome {logged.outcome} then, {decision.outcome} here"))
    then = {span.id: (span.verdict, span.action, tuple(rule.rule for rule in span.rules)) for span in logged.spans}
    here = {span.id: (span.verdict, span.action, tuple(reason.rule for reason in span.reasons)) for span in decision.spans}
    other = [name for name in (*then, *(name for name in here if name not in then)) if then.get(name) != here.get(name)]
    found += [
        _unlike(f"span {name}: {_words(then.get(name))} then, {_words(here.get(name))} here") for name in other[:MOST_NAMED]
    ]
    if len(other) > MOST_NAMED:
        found.append(_unlike(f"{len(other) - MOST_NAMED} further spans"))
    return found


def _words(span: Any) -> str:
    return "no such span" if span is None else f"{span[0]}, {span[1]} ({', '.join(span[2]) or 'no rule'})"


def _unlike(problem: str) -> Difference:
    return Difference(input=Input.DECISION, problem=problem)


def _missing(name: Input, problem: str) -> _Missing:
    return _Missing([Difference(input=name, problem=problem)])


def _first(error: BarrierPolicyError) -> str:
    """The first problem of an error."""
    return str(error.issues[0]) if isinstance(error, IssuesError) and error.issues else str(error)
