"""What a team sets once: tail, budget, fidelity clause, audit, workload, tool classes, store, overlays, summarizer, log (`barrier-policy.yaml`)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec

from barrier_policy.log_spec import LogSpec
from barrier_policy.spans.segment import Strategy
from barrier_policy.summarizer_spec import SummarizerSpec

PROFILE_NAME = "barrier-policy.yaml"
DEFAULT_KEEP_LAST = 6


class EngineName(StrEnum):
    """Which CEL engine evaluates the rules; `auto` takes the fast one where it is installed."""

    AUTO = "auto"
    FAST = "fast"
    PYTHON = "python"


class FidelityClause(msgspec.Struct, frozen=True, kw_only=True):
    """What a summary must preserve, and whether the result is audited against that."""

    preserve: tuple[str, ...] = ("decisions", "bindings", "preconditions")
    audited: bool = True


class Inconclusive(StrEnum):
    """What becomes of a compaction whose audit could not decide: taken, or refused, so that the original stays."""

    ACCEPT = "accept"
    REFUSE = "refuse"


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """What the work after a compaction may ask for."""

    evidence_demand: bool = True


class BundleTrust(msgspec.Struct, frozen=True, kw_only=True):
    """Whose bundles are loaded: `keys` are public keys or folders of them; where `required`, policies come from signed bundles only."""

    keys: tuple[Path, ...] = ()
    required: bool = False


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A team's settings.

    `keep_last` is in messages, `target_tokens` in tokens for the whole context (None: no target). `tools` are effect classes by tool
    name; they win over what extractors find. `overlays` are folders and bundles of policies. `store` is a folder or an address such as
    `s3://bucket/name`, "" for the default folder, None for no store. Paths of a profile that was read from a file are absolute. `engine` is
    auto, fast or python. `inconclusive` says what becomes of a compaction whose audit could not decide. `summarizer` writes what stands for the turns that leave. `log` is where decisions are logged, None for nowhere.
    """

    keep_last: int = DEFAULT_KEEP_LAST
    target_tokens: int | None = None
    strategy: Strategy = Strategy.STEPS
    fidelity: FidelityClause = FidelityClause()
    workload: Workload = Workload()
    tools: dict[str, str] = {}
    store: str | None = ""
    overlays: tuple[Path, ...] = ()
    bundle: BundleTrust = BundleTrust()
    engine: str = "auto"
    inconclusive: Inconclusive = Inconclusive.REFUSE
    summarizer: SummarizerSpec = SummarizerSpec()
    log: LogSpec | None = None
