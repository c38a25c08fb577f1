"""Reads YAML nodes by shape and collects what is wrong in the reader's words, instead of stopping at the first problem."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import TypeVar

from barrier_policy.errors import Issue
from barrier_policy.policy.hints import listing, suggestion
from barrier_policy.policy.yaml import Node

Choice = TypeVar("Choice", bound=StrEnum)


class ShapeReader:
    """Every method returns a value of its type, an empty one where the node is not right; `issues` has the reasons."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []

    def fields(self, node: Node, what: str, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Node]:
        """The known fields of a mapping. `what` names it in messages (`rule `x.y``, `policy`)."""
        if not isinstance(node.value, dict):
            self.issues.append(
                node.issue(f"the {what} is {kind(node)} (it must be a mapping with {listing(required or optional)})")
            )
            return {}
        known = [*required, *optional]
        for key, child in node.value.items():
            if key not in known:
                self.issues.append(child.key_issue(f"unknown key `{key}` {suggestion(key, known)}"))
        for key in required:
            if key not in node.value or node.value[key].value is None:
                self.issues.append(node.issue(f"the {what} has no `{key}` (needed: {listing(required)})"))
        return {key: child for key, child in node.value.items() if key in known and child.value is not None}

    def text(self, node: Node | None, pattern: str = "", how: str = "") -> str:
        """A text that is not empty; `how` says in words what the pattern asks for."""
        if node is None:
            return ""
        if not isinstance(node.value, str) or not node.value.strip():
            self.issues.append(node.issue(f"{kind(node)} where a text is needed"))
            return ""
        if pattern and not re.fullmatch(pattern, node.value):
            self.issues.append(node.issue(f"`{node.value}` is not {how}"))
        return node.value

    def flag(self, node: Node | None) -> bool:
        """True or false; false where there is none."""
        if node is not None and not isinstance(node.value, bool):
            self.issues.append(node.issue(f"{kind(node)} where `true` or `false` is needed"))
        return node is not None and node.value is True

    def choice(self, node: Node | None, choices: type[Choice], default: Choice) -> Choice:
        """One of a closed set of words; the default where there is none."""
        if node is None:
            return default
        if isinstance(node.value, str) and node.value in list(choices):
            return choices(node.value)
        found = f"`{node.value}`" if isinstance(node.value, str) else kind(node)
        self.issues.append(node.issue(f"{found} where one of {listing(choices)} is needed"))
        return default

    def items(self, node: Node | None, what: str) -> tuple[Node, ...]:
        """The items of a list; none where there is no list."""
        if node is None:
            return ()
        if not isinstance(node.value, tuple):
            self.issues.append(node.issue(f"{kind(node)} where a list of {what} is needed"))
            return ()
        return node.value

    def literal(self, node: Node | None, expected: str) -> None:
        """Exactly one text."""
        if node is not None and node.value != expected:
            found = f"`{node.value}`" if isinstance(node.value, str) else kind(node)
            self.issues.append(node.issue(f"{found} where `{expected}` is needed"))


def kind(node: Node) -> str:
    """What a value is, in a reader's words."""
    match node.value:
        case None:
            return "empty"
        case bool():
            return f"`{str(node.value).lower()}`"
        case int():
            return f"the number {node.value}"
        case str():
            return "a text" if node.value.strip() else "an empty text"
        case tuple():
            return "a list"
        case _:
            return "a mapping"
