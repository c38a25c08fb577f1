"""The sections of `barrier-policy.yaml`, but for the two that have many settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.errors import Issue, PolicyError, ProfileError, reason_of
from barrier_policy.facts.effect_class import EffectClass
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.shape import kind
from barrier_policy.policy.yaml import MAX_CHARACTERS, Node, parse_yaml
from barrier_policy.profile import BundleTrust, EngineName, FidelityClause, Inconclusive, Profile, Workload
from barrier_policy.profile_file.log import read_log
from barrier_policy.profile_file.shape import ProfileShape
from barrier_policy.profile_file.summarizer import read_summarizer
from barrier_policy.provenance.names import address_kind
from barrier_policy.spans.segment import Strategy

SECTIONS = (
    "tail", "budget", "spans", "fidelity", "audit", "workload", "tools", "store", "overlays", "bundle", "engine", "summarizer", "log",
)  # fmt: skip
SECTION_OF = {
    "keep_last": "tail", "target_tokens": "budget", "strategy": "spans",
    "preserve": "fidelity", "audited": "fidelity", "evidence_demand": "workload",
}  # fmt: skip
"""Keys that people look for at the top, with the section that they stand in."""
NO_STORE = "none"


def load_profile(path: Path) -> Profile:
    """Read a profile file. Raises ProfileError with every problem, sorted by place."""
    try:
        root = parse_yaml(_read_text(path), str(path))
    except PolicyError as error:  # not YAML: the same issues, but not about a policy
        raise ProfileError(error.issues) from None
    reader = _ProfileReader(path.parent.absolute())
    changes = reader.profile(root)
    if reader.issues:
        raise ProfileError(reader.issues)
    return Profile(**changes)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(4 * MAX_CHARACTERS + 1).decode("utf-8-sig")
    except OSError as error:
        problem = f"can't be read ({reason_of(error)})"
    except UnicodeDecodeError as error:
        problem = f"the file is not UTF-8 text (byte {error.start}; save it as UTF-8)"
    raise ProfileError([Issue(file=str(path), message=problem)])


class _ProfileReader(ProfileShape):
    """Turns the nodes of a profile into the arguments of `Profile`; a wrong one leaves its default."""

    def profile(self, root: Node) -> dict[str, Any]:
        """The fields of the profile that the file sets."""
        if root.value is None:
            return {}
        sections = self.section(root, "profile", SECTIONS)
        if isinstance(root.value, dict):
            self.issues = [self._homed(issue, root.value) for issue in self.issues]
        readers = self._readers()
        read = {field: reader(sections[name]) for name, (field, reader) in readers.items() if name in sections}
        return self._counts(sections) | read

    def _readers(self) -> dict[str, tuple[str, Callable[[Node], Any]]]:
        """The field of the profile that a section gives, and who reads it."""
        return {
            "spans": ("strategy", self._strategy),
            "fidelity": ("fidelity", self._fidelity),
            "audit": ("inconclusive", self._inconclusive),
            "workload": ("workload", self._workload),
            "tools": ("tools", self._tools),
            "store": ("store", self._store),
            "overlays": ("overlays", self._overlays),
            "bundle": ("bundle", self._trust),
            "engine": ("engine", self._engine),
            "summarizer": ("summarizer", partial(read_summarizer, self)),
            "log": ("log", partial(read_log, self)),
        }

    def _homed(self, issue: Issue, found: dict[str, Node]) -> Issue:
        """The issue of an unknown key, with the section where it would be known."""
        for key, section in SECTION_OF.items():
            if key in found and issue.message.startswith(f"unknown key `{key}`"):
                return msgspec.structs.replace(issue, message=f"unknown key `{key}` (write `{section}: {{{key}: …}}`)")
        return issue

    def _counts(self, sections: dict[str, Node]) -> dict[str, int]:
        found = {}
        for name, key in (("tail", "keep_last"), ("budget", "target_tokens")):
            node = self.section(sections[name], f"section `{name}`", (key,)).get(key) if name in sections else None
            if node is not None:
                found[key] = self.count(node)
        return found

    def _strategy(self, node: Node) -> Strategy:
        spans = self.section(node, "section `spans`", ("strategy",))
        return self.choice(spans.get("strategy"), Strategy, Strategy.STEPS)

    def _inconclusive(self, node: Node) -> Inconclusive:
        audit = self.section(node, "section `audit`", ("inconclusive",))
        return self.choice(audit.get("inconclusive"), Inconclusive, Inconclusive.REFUSE)

    def _workload(self, node: Node) -> Workload:
        workload = self.section(node, "section `workload`", ("evidence_demand",))
        return Workload(evidence_demand=self.flag_or(workload.get("evidence_demand"), Workload().evidence_demand))

    def _engine(self, node: Node) -> str:
        return str(self.choice(node, EngineName, EngineName.AUTO))

    def _fidelity(self, node: Node) -> FidelityClause:
        fields = self.section(node, "section `fidelity`", ("preserve", "audited"))
        default = FidelityClause()
        preserve = default.preserve
        if "preserve" in fields:
            preserve = tuple(self.text(item) for item in self.items(fields["preserve"], "texts"))
        return FidelityClause(preserve=preserve, audited=self.flag_or(fields.get("audited"), default.audited))

    def _tools(self, node: Node) -> dict[str, str]:
        """Effect classes by tool name, in the order of the names."""
        if not isinstance(node.value, dict):
            self.issues.append(
                node.issue(f"the section `tools` is {kind(node)} (it must be a mapping from tool name to effect class)")
            )
            return {}
        classes = {name: self.choice(child, EffectClass, EffectClass.NON_IDEMPOTENT) for name, child in node.value.items()}
        return {name: str(classes[name]) for name in sorted(classes)}

    def _store(self, node: Node) -> str | None:
        text = self.text(node)
        if text == NO_STORE:
            return None
        return text if address_kind(text) else str(self.path(text))

    def _overlays(self, node: Node) -> tuple[Path, ...]:
        return tuple(self._overlay(item) for item in self.items(node, "folders"))

    def _overlay(self, node: Node) -> Path:
        text = self.text(node)
        path = self.path(text)
        if text and not path.is_dir() and not (is_bundle(path) and path.is_file()):
            self.issues.append(
                node.issue(f"`{text}` is no folder (overlays are folders or bundles of policies, relative to this file)")
            )
        return path

    def _trust(self, node: Node) -> BundleTrust:
        fields = self.section(node, "section `bundle`", ("keys", "required"))
        keys = self.items(fields.get("keys"), "files or folders")
        required = self.flag_or(fields.get("required"), default=False)
        if required and not keys:
            self.issues.append(node.issue("signed bundles are required, and no keys are allowed (give `keys`)"))
        return BundleTrust(keys=tuple(self.path(self.text(key)) for key in keys), required=required)
