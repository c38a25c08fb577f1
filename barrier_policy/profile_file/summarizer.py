"""The section `summarizer` of a profile: the settings of one kind."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from functools import partial

from barrier_policy.policy.hints import listing
from barrier_policy.policy.yaml import Node
from barrier_policy.profile_file.shape import ProfileShape
from barrier_policy.summarizer_spec import (
    DEFAULT_TIMEOUT,
    KEYS,
    MAX_TIMEOUT,
    OPTIONAL_KEYS,
    SummarizerKind,
    SummarizerSpec,
    function_problem,
    url_problem,
    variable_problem,
)

SUMMARIZER_KEYS = ("kind", "command", "function", "url", "model", "api_key_env", "timeout_seconds")


def read_summarizer(reader: ProfileShape, node: Node) -> SummarizerSpec:
    """The settings of one kind; those of another kind are mistakes."""
    fields = reader.section(node, "section `summarizer`", SUMMARIZER_KEYS)
    chosen = reader.choice(fields.get("kind"), SummarizerKind, SummarizerKind.EXTRACTIVE)
    needed, allowed = KEYS[chosen], (*KEYS[chosen], *OPTIONAL_KEYS.get(chosen, ()))
    for key in sorted(fields.keys() - {"kind", "timeout_seconds", *allowed}):
        reader.issues.append(fields[key].key_issue(f"`{key}` is not for kind `{chosen}` ({_keys_of(allowed)})"))
    for key in sorted(set(needed) - fields.keys()):
        reader.issues.append(node.issue(f"a summarizer of kind `{chosen}` needs `{key}`"))
    return SummarizerSpec(
        kind=chosen,
        command=_command(reader, fields.get("command")),
        function=reader.checked(fields.get("function"), function_problem),
        url=reader.checked(fields.get("url"), partial(url_problem, with_key="api_key_env" in fields)),
        model=reader.text(fields.get("model")),
        api_key_env=reader.checked(fields.get("api_key_env"), variable_problem),
        timeout_seconds=float(reader.whole(fields.get("timeout_seconds"), "seconds", MAX_TIMEOUT) or DEFAULT_TIMEOUT),
    )


def _command(reader: ProfileShape, node: Node | None) -> tuple[str, ...]:
    """A list of arguments, or a line that is split as a shell would; a program with a `/` is relative to the file."""
    if node is None:
        return ()
    arguments = (
        _split(reader, node) if isinstance(node.value, str) else [reader.text(item) for item in reader.items(node, "texts")]
    )
    if not arguments and isinstance(node.value, tuple):
        reader.issues.append(node.issue("an empty list where a program with its arguments is needed"))
    if arguments and "/" in arguments[0]:
        arguments[0] = str(reader.path(arguments[0]))
    return tuple(arguments)


def _split(reader: ProfileShape, node: Node) -> list[str]:
    try:
        return shlex.split(reader.text(node))
    except ValueError as error:
        reader.issues.append(
            node.issue(f"the command can't be split ({str(error).lower()}; a list of arguments needs no quotes)")
        )
        return []


def _keys_of(allowed: Collection[str]) -> str:
    return f"its settings: {listing(allowed)}" if allowed else "it has no settings of its own"
