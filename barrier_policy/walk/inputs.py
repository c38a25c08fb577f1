"""What a caller hands over, made ready: a transcript, a time, a store, a profile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from barrier_policy.errors import BarrierPolicyError, StoreError
from barrier_policy.facts.secrets import redact
from barrier_policy.plugins import PluginSet
from barrier_policy.policy.hints import suggestion
from barrier_policy.profile import Profile
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import address_kind
from barrier_policy.provenance.store import Store, StoreKind, default_store
from barrier_policy.transcript.model import Transcript
from barrier_policy.transcript.reader import read_transcript
from barrier_policy.transcript.source import Source

TranscriptLike = str | Path | bytes | Transcript | list[dict[str, Any]] | dict[str, Any]
StoreLike = str | Path | Store | bool | None
MAX_PATH = 1_024
"""A text longer than this, in characters, is taken for no path."""
MAX_TIME = 40
YEARS = range(1900, 9999)
"""Of times: none is so near to the ends of the calendar that it can't be moved by a zone, or back by a century."""
SHOWN = 8
"""Characters of it that an error shows."""


def read_any(source: TranscriptLike, plugins: PluginSet, *, format: str = "") -> Transcript:
    """Read a path, bytes, a list of message dicts or an object; a Transcript is returned as it is."""
    if isinstance(source, Transcript):
        return source
    return read_transcript(source_of(source), plugins.readers, format=format)


def source_of(source: str | Path | bytes | list[dict[str, Any]] | dict[str, Any]) -> Source:
    """A path, bytes, a list of message dicts or an object as a Source. Raises BarrierPolicyError for a file that can't be read."""
    if isinstance(source, (str, Path)):
        return Source.open(as_path(source), shown=redact(str(source)))
    if isinstance(source, (bytes, bytearray)):
        return Source(bytes(source))
    return Source.from_value(source)


def as_path(path: str | Path) -> Path:
    """A path. What is none may be a whole transcript with all its secrets: of that, the BarrierPolicyError shows the beginning."""
    if isinstance(path, str) and _is_text(path) and not os.path.isfile(path):
        raise BarrierPolicyError(
            f"`{path.strip()[:SHOWN]}…`: a text of {len(path)} characters is no path (give bytes, a list of messages, or a path)"
        )
    return Path(path)


def _is_text(path: str) -> bool:
    return len(path) > MAX_PATH or "\n" in path or "\0" in path or path.lstrip()[:1] in ("{", "[")


def timestamp(now: str | datetime | None) -> str:
    """The time of a decision as ISO 8601 with a zone; the present time where none is given. Raises BarrierPolicyError."""
    moment: object = datetime.now(UTC) if now is None else now
    if isinstance(moment, str):
        with suppress(ValueError):
            moment = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if not isinstance(moment, datetime) or moment.year not in YEARS:
        raise BarrierPolicyError(f"`{str(now)[:MAX_TIME]}` is no time (give ISO 8601, e.g. 2026-06-01T12:00:00Z)")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def check_count(name: str, value: int | None) -> None:
    """Raises BarrierPolicyError unless a value is a whole number of 0 or more, or None."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise BarrierPolicyError(f"`{name}` is `{value}` (give a whole number, 0 or more, or None)")


def open_store(store: StoreLike, profile: Profile, kinds: Iterable[StoreKind]) -> Store | None:
    """The store to use: a folder, an address or a Store as given, False for none, None or True for what the profile says.

    An address `kind:…` or `scheme://…` is opened by the plugins' store of that kind. Raises StoreError, also for an empty
    name (a variable that is not set would otherwise name the working directory), or MissingExtraError.
    """
    if store is False or (store is None and profile.store is None):
        return None
    if isinstance(store, str) and not store.strip():
        raise StoreError(
            "an empty name says no store (give a folder or an address, False or --no-store for none, or leave it out)"
        )
    if store is None or store is True:
        store = profile.store or default_store()
    if isinstance(store, str) and (kind := address_kind(store)):
        return _open_address(store, kind, {known.name: known for known in kinds})
    if not isinstance(store, (str, Path)) and not callable(getattr(store, "read_document", None)):
        raise StoreError(f"a `{type(store).__name__}` is no store (give a folder, an address, a Store, or False for none)")
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


def as_profile(profile: Profile | str | Path | None) -> Profile:
    """A profile as given, from a file, or the default."""
    if profile is None or isinstance(profile, Profile):
        return profile or Profile()
    from barrier_policy.profile_file import load_profile

    return load_profile(as_path(profile))
