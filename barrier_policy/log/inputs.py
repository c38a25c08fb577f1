"""What a decision was derived from, kept in a store so that it can be derived again: transcript, policies, settings, versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from barrier_policy.decision.model import Decision, PluginVersion
from barrier_policy.digest import digest_bytes, digest_value, stable_json
from barrier_policy.errors import LogError
from barrier_policy.log.record import Asked, Inputs, PackageInput, TranscriptInput
from barrier_policy.policy.model import Layer, PolicyFile
from barrier_policy.profile import Profile
from barrier_policy.provenance.manifest import MANIFEST
from barrier_policy.provenance.store import Store
from barrier_policy.transcript.tokens import Counter, estimate_tokens
from barrier_policy.walk import Decider

SCHEMA = "barrier_policy/inputs/v1"
DECISIONS = "decisions.jsonl"
"""The document of a store that names the archived inputs of decisions."""

NOT_DECIDING = frozenset({"overlays", "bundle", "store", "log", "summarizer", "inconclusive"})
"""Settings that no decision depends on, or that stand elsewhere among the inputs: overlays are policies, the store what it held."""

ESTIMATE = "estimate"


class Original(msgspec.Struct, frozen=True, kw_only=True):
    """What the store said of the original of a span, `[start, end)` in message indices, when the decision was made."""

    messages: tuple[int, int]
    digest: str
    present: bool
    retrievable: bool
    uri: str


class ArchivedInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The object that names everything a decision was derived from.

    `transcript` and `policies` are digests of objects in the same store. `profile` are the settings that decide. `had_store` says whether
    there was a store, `originals` what it held. `counter` is `estimate`, or the name of a function that counts tokens.
    """

    schema: str = SCHEMA
    manifest: str = MANIFEST
    transcript: str
    format: str
    policies: str
    profile: dict[str, Any]
    asked: Asked
    had_store: bool
    originals: tuple[Original, ...]
    engine: str
    plugins: tuple[PluginVersion, ...]
    package: PackageInput
    counter: str


class _File(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    text: str


class _Layer(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    files: tuple[_File, ...]


@runtime_checkable
class Documents(Protocol):
    """A store that keeps named documents besides objects."""

    def append_document(self, name: str, line: bytes) -> None:
        """Add a line at the end of a document."""


def inputs_of(decider: Decider, decision: Decision, data: bytes, asked: Asked, *, archive: str = "") -> Inputs:
    """The digests of what a decision was derived from. `data` are the bytes of the transcript; `archive` is what `archive_inputs` returned.

    Raises LogError for the bytes of another transcript.
    """
    if digest_bytes(data) != decision.transcript.digest:
        raise LogError("the bytes are not those of the transcript that was decided about")
    about = decision.transcript
    return Inputs(
        archive=archive,
        asked=asked,
        transcript=TranscriptInput(
            digest=about.digest, length=len(data), format=about.format, messages=about.messages, turns=about.turns
        ),
        policies=digest_bytes(policy_bytes(decider.policies.layers)),
        profile=digest_value(deciding(decider.profile)),
        engine=decision.policy.engine,
        plugins=decision.plugins,
        package=this_package(),
    )


def archive_inputs(
    store: Store, decider: Decider, decision: Decision, data: bytes, asked: Asked, *, had_store: bool = True
) -> str:
    """Put everything that the decision was derived from into a store. Returns the digest of the object that names it all.

    `had_store` is whether the decision was made with this store, or only logged with it. Raises StoreError.
    """
    inputs = ArchivedInputs(
        transcript=store.put(data).digest,
        format=decision.transcript.format,
        policies=store.put(policy_bytes(decider.policies.layers)).digest,
        profile=deciding(decider.profile),
        asked=asked,
        had_store=had_store,
        originals=_originals(decision),
        engine=decision.policy.engine,
        plugins=decision.plugins,
        package=this_package(),
        counter=counter_name(decider.counter),
    )
    named = store.put(stable_json(inputs)).digest
    if isinstance(store, Documents):
        store.append_document(DECISIONS, stable_json({"decision": decision.decision_id, "inputs": named}))
    return named


def _originals(decision: Decision) -> tuple[Original, ...]:
    return tuple(
        Original(
            messages=span.messages,
            digest=span.digest,
            present=span.provenance.present,
            retrievable=span.provenance.retrievable,
            uri=span.provenance.uri,
        )
        for span in decision.spans
        if span.provenance.present or span.provenance.uri
    )


def deciding(profile: Profile) -> dict[str, Any]:
    """The settings of a profile that decisions depend on, as JSON reads them back."""
    found = msgspec.json.decode(msgspec.json.encode(profile, enc_hook=str))
    return {name: value for name, value in found.items() if name not in NOT_DECIDING}


def policy_bytes(layers: Sequence[Layer]) -> bytes:
    """All policy files as one object: their bytes as they were loaded, which were UTF-8 or they would not have been."""
    found = [
        _Layer(name=layer.name, files=tuple(_File(name=Path(f.place).name, text=f.data.decode()) for f in layer.files))
        for layer in layers
    ]
    return stable_json(found)


def read_policies(data: bytes) -> tuple[Layer, ...]:
    """The layers of `policy_bytes`. Raises LogError where the bytes are something else."""
    return tuple(
        Layer(
            name=layer.name,
            files=tuple(PolicyFile(place=f"{layer.name}/{file.name}", data=file.text.encode()) for file in layer.files),
        )
        for layer in _decode(data, tuple[_Layer, ...], "policies")
    )


def read_inputs(data: bytes) -> ArchivedInputs:
    """The inputs of `archive_inputs`. Raises LogError where the bytes are something else."""
    found: ArchivedInputs = _decode(data, ArchivedInputs, "inputs of a decision")
    if found.schema != SCHEMA:
        raise LogError(f"the inputs have schema `{found.schema}` (this version reads `{SCHEMA}`)")
    return found


def _decode(data: bytes, kind: Any, what: str) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise LogError(f"the archived object holds no {what}") from None


def counter_name(counter: Counter) -> str:
    """What a function that counts tokens is called in archived inputs."""
    if counter is estimate_tokens:
        return ESTIMATE
    return f"{getattr(counter, '__module__', '?')}.{getattr(counter, '__qualname__', type(counter).__qualname__)}"


@lru_cache(maxsize=1)
def this_package() -> PackageInput:
    """Version and digest of the code that decides: two builds of one version are told apart."""
    folders = [Path(place) for name in ("barrier_policy", "barrier_policy_plugins") for place in _places(name)]
    total = hashlib.sha256()
    for name, path in sorted(_modules(folders)):
        total.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return PackageInput(version=version("barrier-policy"), digest="sha256:" + total.hexdigest())


def _places(name: str) -> Iterable[str]:
    spec = find_spec(name)
    return (spec.submodule_search_locations if spec else None) or ()


def _modules(folders: Iterable[Path]) -> Iterable[tuple[str, Path]]:
    for number, folder in enumerate(folders):
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{number}/{path.relative_to(folder).as_posix()}", path
