"""What a patch makes of a rule, as a rule of the patch's own file: what it sets is read there, the rest is inherited.

An inherited value has the place of the patch's `rule`: what is wrong with it is the fault of the patch, or was so before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec

from barrier_policy.policy.lint.source import SourceFile, SourceReader, SourceRule, Sources, fields_of, text_of
from barrier_policy.policy.yaml import Node

PATCH = "Patch"
_NO_PLACE = ""
"""The source of a text that stands elsewhere: it has one place, whatever the offset."""


def with_patches(files: Sequence[SourceFile], reader: SourceReader) -> tuple[SourceFile, ...]:
    """The files, lowest layer first, each patch of a known rule with the rule that it makes."""
    standing: dict[str, tuple[SourceFile, SourceRule]] = {}
    found: dict[str, SourceFile] = {}
    for _, layer in groupby(files, key=lambda file: file.layer):
        of_layer = tuple(layer)
        standing |= {rule.id: (file, rule) for file in of_layer for rule in file.rules if rule.id}
        for file in of_layer:
            base = standing.get(text_of(file.fields.get("rule"))) if file.kind == PATCH else None
            if base is not None:
                found[file.name] = _patched(file, *base, reader)
        standing |= {
            rule.id: (found[file.name], rule) for file in of_layer if file.name in found for rule in found[file.name].rules
        }
    return tuple(found.get(file.name, file) for file in files)


def beneath(sources: Sources) -> Sources | None:
    """What the patches were made of, to be linted as it was without them; None where there are no patches."""
    bases = [rule.base for _, rule in sources.rules() if rule.base is not None]
    if not bases:
        return None
    rules: dict[str, list[SourceRule]] = {}
    for file, rule in bases:
        rules.setdefault(file.name, []).append(rule)
    files = [
        msgspec.structs.replace(file, linted=file.name in rules, rules=tuple(rules.get(file.name, file.rules)))
        for file in sources.files
    ]
    below = Sources(files, sources.schema, sources.engine, today=sources.today)
    below.behaviours = sources.behaviours
    return below


def is_inherited(line: int, column: int, file: SourceFile) -> bool:
    """Whether a place in a patch stands for all that it leaves as it was."""
    node = file.fields.get("rule")
    return node is not None and (line, column) == (node.line, node.column)


def _patched(file: SourceFile, below: SourceFile, base: SourceRule, reader: SourceReader) -> SourceFile:
    place = file.fields["rule"]
    own = {key: node for key, node in fields_of(file.fields.get("set")).items() if node.value is not None}
    scope = base.scope
    kept = [
        msgspec.structs.replace(found, node=_moved(found.node, place)) for found in base.expressions if found.key not in own
    ]
    new = [reader.expression(key, own[key], scope) for key in ("condition", "explanation") if key in own]
    inherited = {key: _moved(node, place) for key, node in base.fields.items() if key not in own}
    rule = SourceRule(
        id=base.id,
        node=place,
        fields=inherited | own,
        expressions=tuple(sorted((*new, *kept), key=lambda found: found.key)),
        scope=scope,
        base=(below, base),
    )
    return msgspec.structs.replace(file, rules=(rule,), variables=below.variables)


def _moved(node: Node, place: Node) -> Node:
    """A value with another place, and all that is in it."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _moved(child, place) for key, child in value.items()}
    elif isinstance(value, tuple):
        value = tuple(_moved(child, place) for child in value)
    return msgspec.structs.replace(
        node,
        value=value,
        file=place.file,
        line=place.line,
        column=place.column,
        key_line=place.line,
        key_column=place.column,
        path=place.path,
        source=_NO_PLACE,
    )
