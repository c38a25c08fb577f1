"""The two functions for whoever has one transcript: `decide` and `extract_facts` (design section 8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from barrier_policy.decision.excerpts import with_excerpts
from barrier_policy.decision.model import Decision
from barrier_policy.facts.model import Fact
from barrier_policy.plugins import PluginSet, load_plugins
from barrier_policy.profile import Profile
from barrier_policy.transcript.pairing import pair_calls
from barrier_policy.walk.decider import Decider, Reading
from barrier_policy.walk.inputs import StoreLike, TranscriptLike, as_profile, open_store, timestamp


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
    excerpts: bool = False,
) -> Decision:
    """Decide what of a transcript may be summarized. Writes nothing.

    `source` is a path, bytes, a list of message dicts or a Transcript. `keep_last` is the number of last messages that the runtime
    keeps anyway. `target_tokens` is the size that the whole context must reach, carriers and stubs counted; without it, all repairs
    that the gate can make are planned. `now` is ISO 8601. `store` is where originals are: a folder, an address such
    as `s3://bucket/name` or a Store, False for none. `profile` is a Profile or the path of a profile file. `excerpts` adds to each piece of
    evidence the words that stand there, short and with secrets masked.

    Raises TranscriptError for unreadable input, PolicyError, PluginError or ProfileError before anything is decided. A refusal is a
    Decision with outcome `refuse`, no exception.
    """
    decider = prepared(as_profile(profile))
    opened = open_store(store, decider.profile, decider.plugins.stores)
    reading: Reading = {"keep_last": keep_last, "now": now, "format": format}
    if not excerpts:
        return decider.decide(source, target_tokens=target_tokens, store=opened, **reading)
    found = decider.analyse(source, target_tokens=target_tokens, store=opened, **reading)
    return with_excerpts(found.decision, found.join, found.masker)


def extract_facts(source: TranscriptLike, *, now: str | datetime | None = None, format: str = "") -> tuple[Fact, ...]:
    """All facts that the installed extractors find, in transcript order."""
    decider = prepared()
    transcript = decider.read(source, format=format)
    found = decider.facts(transcript, pair_calls(transcript.messages), now=timestamp(now))
    return tuple(fact for facts in found.by_message for fact in facts)
