"""Reading `barrier-policy.yaml`: strict, with every problem at once and its place in the file.

    tail: {keep_last: 6}              # the runtime keeps the last messages anyway
    budget: {target_tokens: 60000}    # the size that the whole context must reach
    spans: {strategy: steps}          # steps or turns
    fidelity: {preserve: [decisions, bindings, preconditions], audited: true}
    workload: {evidence_demand: true} # later work may ask for exact evidence
    tools: {deploy_service: irreversible}
    store: ./originals                # a folder, or none
    overlays: [./policies]            # folders and bundles, on top of the shipped policies
    bundle: {keys: [./keys], required: true}  # overlays are bundles, signed by one of these keys
    engine: auto                      # auto, fast or python

Paths are relative to the file. A key that is left out has the default of `Profile`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from barrier_policy.errors import Issue, PolicyError, ProfileError
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.hints import listing
from barrier_policy.policy.shape import ShapeReader, kind
from barrier_policy.policy.yaml import MAX_CHARACTERS, Node, parse_yaml
from barrier_policy.profile import BundleTrust, EffectClass, EngineName, FidelityClause, Profile, Workload
from barrier_policy.spans.segment import Strategy

SECTIONS = ("tail", "budget", "spans", "fidelity", "workload", "tools", "store", "overlays", "bundle", "engine")
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
        problem = f"can't be read ({(error.strerror or str(error)).lower()})"
    except UnicodeDecodeError as error:
        problem = f"the file is not UTF-8 text (byte {error.start}; save it as UTF-8)"
    raise ProfileError([Issue(file=str(path), message=problem)])


class _ProfileReader(ShapeReader):
    """Turns the nodes of a profile into the arguments of `Profile`; a wrong one leaves its default."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def profile(self, root: Node) -> dict[str, Any]:
        """The fields of the profile that the file sets."""
        if root.value is None:
            return {}
        sections = self._section(root, "profile", SECTIONS)
        found: dict[str, Any] = {}
        self._counts(sections, found)
        if "spans" in sections:
            spans = self._section(sections["spans"], "section `spans`", ("strategy",))
            found["strategy"] = self.choice(spans.get("strategy"), Strategy, Strategy.STEPS)
        if "fidelity" in sections:
            found["fidelity"] = self._fidelity(sections["fidelity"])
        if "workload" in sections:
            workload = self._section(sections["workload"], "section `workload`", ("evidence_demand",))
            found["workload"] = Workload(
                evidence_demand=self._flag(workload.get("evidence_demand"), Workload().evidence_demand)
            )
        if "tools" in sections:
            found["tools"] = self._tools(sections["tools"])
        if "store" in sections:
            found["store"] = self._store(sections["store"])
        if "overlays" in sections:
            found["overlays"] = tuple(self._overlay(node) for node in self.items(sections["overlays"], "folders"))
        if "bundle" in sections:
            found["bundle"] = self._trust(sections["bundle"])
        if "engine" in sections:
            found["engine"] = str(self.choice(sections["engine"], EngineName, EngineName.AUTO))
        return found

    def _section(self, node: Node, what: str, known: tuple[str, ...]) -> dict[str, Node]:
        if not isinstance(node.value, dict):
            self.issues.append(node.issue(f"the {what} is {kind(node)} (it must be a mapping with {listing(known)})"))
            return {}
        return self.fields(node, what, (), known)

    def _counts(self, sections: dict[str, Node], found: dict[str, Any]) -> None:
        for name, key in (("tail", "keep_last"), ("budget", "target_tokens")):
            if name in sections:
                node = self._section(sections[name], f"section `{name}`", (key,)).get(key)
                if node is not None:
                    found[key] = self._count(node)

    def _count(self, node: Node) -> int:
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 0:
            self.issues.append(node.issue(f"{kind(node)} where a number, 0 or more, is needed"))
            return 0
        return node.value

    def _flag(self, node: Node | None, default: bool) -> bool:
        return default if node is None else self.flag(node)

    def _fidelity(self, node: Node) -> FidelityClause:
        fields = self._section(node, "section `fidelity`", ("preserve", "audited"))
        default = FidelityClause()
        preserve = default.preserve
        if "preserve" in fields:
            preserve = tuple(self.text(item) for item in self.items(fields["preserve"], "texts"))
        return FidelityClause(preserve=preserve, audited=self._flag(fields.get("audited"), default.audited))

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
        return None if text == NO_STORE else str(self._path(text))

    def _overlay(self, node: Node) -> Path:
        text = self.text(node)
        path = self._path(text)
        if text and not path.is_dir() and not (is_bundle(path) and path.is_file()):
            self.issues.append(
                node.issue(f"`{text}` is no folder (overlays are folders or bundles of policies, relative to this file)")
            )
        return path

    def _trust(self, node: Node) -> BundleTrust:
        fields = self._section(node, "section `bundle`", ("keys", "required"))
        keys = self.items(fields.get("keys"), "files or folders")
        required = self._flag(fields.get("required"), default=False)
        if required and not keys:
            self.issues.append(node.issue("signed bundles are required, and no keys are allowed (give `keys`)"))
        return BundleTrust(keys=tuple(self._path(self.text(key)) for key in keys), required=required)

    def _path(self, text: str) -> Path:
        try:
            return self._folder / Path(text).expanduser()
        except RuntimeError:  # `~somebody` without a home
            return self._folder / text
