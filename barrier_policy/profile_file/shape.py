"""Shapes that sections of a profile share: mappings of known keys, counts, flags, checked texts, paths relative to the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from barrier_policy.policy.hints import listing
from barrier_policy.policy.shape import ShapeReader, kind
from barrier_policy.policy.yaml import Node


class ProfileShape(ShapeReader):
    """Reads the nodes of a profile in `folder`, an absolute path. What is not right is in `issues`, and has its default."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def section(self, node: Node, what: str, known: tuple[str, ...]) -> dict[str, Node]:
        """The fields of a mapping that needs none of its keys."""
        if not isinstance(node.value, dict):
            self.issues.append(node.issue(f"the {what} is {kind(node)} (it must be a mapping with {listing(known)})"))
            return {}
        return self.fields(node, what, (), known)

    def count(self, node: Node) -> int:
        """A whole number, 0 or more."""
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 0:
            self.issues.append(node.issue(f"{kind(node)} where a number, 0 or more, is needed"))
            return 0
        return node.value

    def whole(self, node: Node | None, unit: str, most: int) -> int | None:
        """So many of a unit, 1 to `most`; None where nothing is said."""
        if node is None:
            return None
        if not isinstance(node.value, int) or isinstance(node.value, bool) or not 1 <= node.value <= most:
            self.issues.append(node.issue(f"{kind(node)} where whole {unit}, 1 to {most}, are needed"))
            return None
        return node.value

    def flag_or(self, node: Node | None, default: bool) -> bool:
        """True or false, the default where nothing is said."""
        return default if node is None else self.flag(node)

    def checked(self, node: Node | None, problem: Callable[[str], str]) -> str:
        """A text that `problem` finds nothing wrong with: it gives what is wrong, "" for nothing."""
        text = self.text(node)
        if node is not None and text and (found := problem(text)):
            self.issues.append(node.issue(found))
        return text

    def path(self, text: str) -> Path:
        """A path relative to the file; `~` is the user's home."""
        try:
            return self._folder / Path(text).expanduser()
        except RuntimeError:  # `~somebody` without a home
            return self._folder / text
