"""Plugins under test, by module or by the name of one; alone, or beside the shipped ones."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module, metadata
from types import ModuleType

from barrier_policy.plugins import GROUP, PluginSet, load_plugins

Plugin = str | ModuleType
"""A plugin's module, or its name: `acme_tickets` or `acme_tickets.extractor`."""


def load_only(*plugins: Plugin) -> PluginSet:
    """These plugins and no others. Raises PluginError, or ImportError for a module that isn't there."""
    return load_plugins(_named(plugins), entry_points=False)


def load_beside_installed(*plugins: Plugin) -> PluginSet:
    """The installed plugins, and these where they are not among them."""
    installed = {point.value for point in metadata.entry_points(group=GROUP)}
    return load_plugins((name, module) for name, module in _named(plugins) if name not in installed)


def _named(plugins: Sequence[Plugin]) -> list[tuple[str, ModuleType]]:
    modules = [import_module(plugin) if isinstance(plugin, str) else plugin for plugin in plugins]
    return [(module.__name__, module) for module in modules]
