"""Plugins: found, checked, loaded or refused by name (design section 4). The only importer of pluggy besides hookspecs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from typing import Any

import msgspec
import pluggy

from barrier_policy import hookspecs
from barrier_policy.errors import Issue, PluginError
from barrier_policy.facts.context import Context
from barrier_policy.facts.kinds import check_kind
from barrier_policy.facts.model import Fact, FactKind
from barrier_policy.provenance.store import StoreKind
from barrier_policy.transcript.model import Message
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.writer import Writer

GROUP = "barrier_policy"
OWN_DISTRIBUTION = "barrier-policy"

Extract = Callable[..., Iterable[Fact] | None]


class PluginInfo(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """What was found, and what it provides: `problem` says why a plugin was refused, "" where it was loaded."""

    name: str
    version: str
    source: str
    hooks: tuple[str, ...] = ()
    problem: str = ""
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    shipped: bool = False


class Extractor(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin's extraction hook under the plugin's name and version.

    `declares` are the kinds that it may return; shipped plugins may return each other's (None).
    """

    name: str
    version: str
    extract: Extract
    declares: frozenset[str] | None = None

    def __call__(self, message: Message, context: Context) -> Iterable[Fact]:
        """Facts of one message. Raises ValueError for a fact of a kind that another plugin declares."""
        found = list(self.extract(message=message, context=context) or ())
        if self.declares is not None:
            for fact in found:
                if fact.kind not in self.declares:
                    raise ValueError(f"fact of kind {fact.kind}, which this plugin does not declare")
        return found


class PluginSet(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that take part in a decision, ordered by name whatever the order of installation."""

    infos: tuple[PluginInfo, ...]
    readers: tuple[Reader, ...]
    kinds: dict[str, FactKind]
    extractors: tuple[Extractor, ...]
    writers: tuple[Writer, ...] = ()
    stores: tuple[StoreKind, ...] = ()

    @property
    def loaded(self) -> tuple[PluginInfo, ...]:
        """Plugins without a problem."""
        return tuple(info for info in self.infos if not info.problem)


def load_plugins(extra: Iterable[tuple[str, object]] = (), *, entry_points: bool = True, strict: bool = True) -> PluginSet:
    """Load all entry points of group `barrier_policy` and the named objects in `extra`.

    Raises PluginError with every problem where `strict`; else refused plugins are listed in `infos` and left out.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    infos = []
    # shipped plugins first, so that nobody else can take the name of a kind or format of theirs
    for shipped, name, version, source, load in sorted(
        _found(extra, entry_points), key=lambda found: (not found[0], *found[1:4])
    ):
        info = _register(manager, name, version, source, load)
        infos.append(msgspec.structs.replace(info, shipped=shipped))
    plugins = _collect(manager, infos)
    problems = [
        Issue(file=info.source, message=f"plugin `{info.name}` {info.version}: {info.problem}")
        for info in plugins.infos
        if info.problem
    ]
    if strict and problems:
        raise PluginError(problems)
    return plugins


Found = tuple[bool, str, str, str, Callable[[], object]]


def _found(extra: Iterable[tuple[str, object]], entry_points: bool) -> Iterable[Found]:
    """Whether it is shipped, name, version, source and how to load it, of each plugin."""
    for name, plugin in extra:
        yield False, name, str(getattr(plugin, "__version__", "0")), f"<{name}>", lambda plugin=plugin: plugin  # type: ignore[misc]
    if entry_points:
        for point in metadata.entry_points(group=GROUP):
            version = point.dist.version if point.dist else "0"
            shipped = point.dist is not None and point.dist.name == OWN_DISTRIBUTION
            yield shipped, point.name, version, point.value, point.load


def _register(manager: pluggy.PluginManager, name: str, version: str, source: str, load: Callable[[], object]) -> PluginInfo:
    """Import and register one plugin; whatever it raises becomes its problem."""
    problem = ""
    hooks: tuple[str, ...] = ()
    try:
        plugin = load()
        manager.register(plugin, name=name)
        hooks = tuple(sorted(caller.name for caller in manager.get_hookcallers(plugin) or ()))
        _check_known_hooks(manager, plugin)
        if not hooks:
            raise ValueError("it implements no hook (known: " + ", ".join(_known_hooks(manager)) + ")")
    except Exception as error:  # a plugin may raise anything; it is refused by name
        problem = _reason(error)
        if manager.has_plugin(name):
            manager.unregister(name=name)
    return PluginInfo(name=name, version=version, source=source, hooks=hooks, problem=problem)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _known_hooks(manager: pluggy.PluginManager) -> list[str]:
    return sorted(name for name in vars(manager.hook) if name.startswith("barrier_"))


def _check_known_hooks(manager: pluggy.PluginManager, plugin: object) -> None:
    """A misspelt hook name is an error (pluggy's own check speaks of all plugins at once; ours names this one)."""
    known = _known_hooks(manager)
    for name in sorted(dir(plugin)):
        if manager.parse_hookimpl_opts(plugin, name) is not None and not hasattr(hookspecs, name):
            raise ValueError(f"unknown hook `{name}` (known: {', '.join(n for n in known if hasattr(hookspecs, n))})")


def _collect(manager: pluggy.PluginManager, infos: list[PluginInfo]) -> PluginSet:
    """Ask each plugin for what it provides and for its extractor; a clash refuses the later one by name."""
    taken: dict[str, dict[str, Any]] = {hook: {} for hook in PROVIDED}
    extractors = []
    final = []
    for info in infos:
        hooks = {} if info.problem else _hooks_of(manager, info.name)
        try:
            own = {hook: _take(hooks.get(hook), taken[hook], what, own=info.shipped) for hook, what in PROVIDED.items()}
        except Exception as error:  # see _register
            final.append(msgspec.structs.replace(info, problem=_reason(error)))
            continue
        for hook, found in own.items():
            taken[hook] |= found
        if "barrier_extract_facts" in hooks:
            declares = None if info.shipped else frozenset(own["barrier_fact_kinds"])
            extract = hooks["barrier_extract_facts"]
            extractors.append(Extractor(name=info.name, version=info.version, extract=extract, declares=declares))
        provided = {hook.removeprefix("barrier_").removeprefix("fact_"): tuple(sorted(own[hook])) for hook in PROVIDED}
        final.append(msgspec.structs.replace(info, **provided))
    in_order = {hook: [found[name] for name in sorted(found)] for hook, found in taken.items()}
    return PluginSet(
        infos=tuple(sorted(final, key=lambda info: (info.name, info.version, info.source))),
        readers=tuple(in_order["barrier_readers"]),
        kinds={kind.name: kind for kind in in_order["barrier_fact_kinds"]},
        extractors=tuple(extractors),
        writers=tuple(in_order["barrier_writers"]),
        stores=tuple(in_order["barrier_stores"]),
    )


PROVIDED = {
    "barrier_readers": "reader",
    "barrier_writers": "writer",
    "barrier_fact_kinds": "fact kind",
    "barrier_stores": "store",
}
"""Hooks that give things with names of their own, and what these are called."""


def _hooks_of(manager: pluggy.PluginManager, plugin: str) -> dict[str, Any]:
    """The plugin's own functions by hook name, adapted to be called with any subset of the hook's arguments."""
    found = {}
    for name in _known_hooks(manager):
        hook = getattr(manager.hook, name)
        for implementation in hook.get_hookimpls():
            if implementation.plugin_name == plugin:
                found[name] = _bind(implementation.function, implementation.argnames, hook.spec.argnames)
    return found


def _bind(function: Callable[..., Any], names: tuple[str, ...], given: tuple[str, ...]) -> Callable[..., Any]:
    if set(names) == set(given):
        return function
    return lambda **values: function(**{name: values[name] for name in names})


def _take(hook: Callable[..., Any] | None, known: Mapping[str, Any], what: str, *, own: bool = True) -> dict[str, Any]:
    """What a hook returns, by name. Raises ValueError for a name that is taken or not well formed."""
    found: dict[str, Any] = {}
    for item in hook() if hook else ():
        if item.name in known or item.name in found:
            raise ValueError(f"{what} `{item.name}` is already provided (rename it)")
        if isinstance(item, FactKind):
            check_kind(item, (*known, *found), own=own)
        found[item.name] = item
    return found
