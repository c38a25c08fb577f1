"""The hooks that a plugin can implement, each with its exact signature.

A plugin is a module (or object) in entry-point group `barrier_policy`. Hooks are called one plugin at a time; a plugin
that raises is named in the decision and its facts count as unknown, which protects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from barrier_policy.facts.context import Context
    from barrier_policy.facts.model import Fact, FactKind
    from barrier_policy.provenance.store import StoreKind
    from barrier_policy.transcript.model import Message
    from barrier_policy.transcript.reader import Reader
    from barrier_policy.transcript.writer import Writer

PROJECT = "barrier_policy"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def barrier_readers() -> Iterable[Reader]:  # type: ignore[empty-body]
    """Transcript formats that this plugin reads. Called once, when plugins are loaded."""


@hookspec
def barrier_writers() -> Iterable[Writer]:  # type: ignore[empty-body]
    """Transcript formats that this plugin can write, by the names of their readers. Called once, when plugins are loaded."""


@hookspec
def barrier_stores() -> Iterable[StoreKind]:  # type: ignore[empty-body]
    """Places where originals can be kept, by the scheme of their address. Called once, when plugins are loaded."""


@hookspec
def barrier_fact_kinds() -> Iterable[FactKind]:  # type: ignore[empty-body]
    """Kinds of facts that this plugin finds, with their attributes and types. Called once, when plugins are loaded.

    A kind of an outside plugin is named `namespace.kind`; policies then see its facts as `span.namespace.kind`, a list of
    records with the declared attributes. No two plugins may claim one name.
    """


@hookspec
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact] | None:
    """Facts of one message, in any order. Pure: no disk, clock, network or state kept between calls.

    `context` answers what a message alone can't: the call that a result answers, the tools that the transcript declares,
    the prose sentences of a part.
    """
