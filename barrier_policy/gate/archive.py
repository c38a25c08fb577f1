"""Originals are kept before anything is lost (design section 2, provenance; invariant 15)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from barrier_policy.decision.model import Decision
from barrier_policy.digest import stable_json
from barrier_policy.gate.assemble import Run
from barrier_policy.provenance.manifest import MANIFEST
from barrier_policy.provenance.store import Pointer, Store, original_bytes
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.source import Source


class Archive(msgspec.Struct, frozen=True, kw_only=True):
    """What was kept of a compaction, each read back: the whole source, the manifest that names all, and the original of each run by its start."""

    source: Pointer
    manifest: Pointer
    runs: dict[int, Pointer]


def archive_originals(
    store: Store, source: Source, decision: Decision, messages: Sequence[Message], runs: Sequence[Run]
) -> Archive:
    """Keep the source, each span that leaves, each run of several spans, and a manifest. Raises StoreError where anything does not read back."""
    whole = store.put(source.data)
    spans = {}
    originals = {}
    for run in runs:
        for number in run.spans:
            start, end = decision.spans[number].messages
            spans[decision.spans[number].id] = store.put(original_bytes(messages[start:end])).digest
        originals[run.start] = store.put(original_bytes(messages[run.start : run.end]))
    manifest = {
        "schema": MANIFEST,
        "decision": decision.decision_id,
        "source": whole.digest,
        "spans": spans,
        "runs": {f"{run.start}-{run.end - 1}": originals[run.start].digest for run in runs},
    }
    return Archive(source=whole, manifest=store.put(stable_json(manifest)), runs=originals)
