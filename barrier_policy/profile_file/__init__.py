"""Reading `barrier-policy.yaml`: strict, with every problem at once and its place in the file.

    tail: {keep_last: 6}              # the runtime keeps the last messages anyway
    budget: {target_tokens: 60000}    # the size that the whole context must reach
    spans: {strategy: steps}          # steps or turns
    fidelity: {preserve: [decisions, bindings, preconditions], audited: true}
    audit: {inconclusive: refuse}     # or accept: a compaction whose audit could not decide
    workload: {evidence_demand: true} # later work may ask for exact evidence
    tools: {deploy_service: irreversible}
    store: ./originals                # a folder, an address such as s3://bucket/name, or none
    overlays: [./policies]            # folders and bundles, on top of the shipped policies
    bundle: {keys: [./keys], required: true}  # overlays are bundles, signed by one of these keys
    engine: auto                      # auto, fast or python
    summarizer: {kind: command, command: [summarize, --short]}
    log: {path: ./decisions.jsonl}    # kind, fsync, rotate_mb, keep_files, keep_days, anchors, include_text, labels too

Paths are relative to the file. A key that is left out has the default of `Profile`.
"""

from __future__ import annotations

from barrier_policy.profile_file.read import SECTIONS, load_profile

__all__ = ["SECTIONS", "load_profile"]
