"""Reading `barrier-policy.yaml`: strict, with every problem at once and its place in the file.

    tail: {keep_last: 6}              # the runtime keeps the last messages anyway
    budget: {target_tokens: 60000}    # the size that the whole context must reach
    spans: {strategy: steps}          # steps or turns
    fidelity: {preserve: [decisions, bindings, preconditions], audited: true}
    audit: {inconclusive: refuse}     # or accept: a compaction whose audit could not decide
    workload: {evidence_demand: true} # later work may ask for exact evidence
    tools: {deploy_service: irreversible}
    store: ./originals                # a folder, an address such as s3://bucket/name, or none
    overlays: [./policies]            # folders and bundles, on top of the shipped policies
    bundle: {keys: [./keys], required: true}  # overlays are bundles, signed by one of these keys
    engine: auto                      # auto, fast or python
    summarizer: {kind: command, command: [summarize, --short]}
    log: {path: ./decisions.jsonl}    # kind, fsync, rotate_mb, keep_files, keep_days, anchors, include_text, labels too

Paths are relative to the file. A key that is left out has the default of `Profile`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.errors import Issue, PolicyError, ProfileError
from barrier_policy.log_spec import (
    LABEL,
    MAX_KEEP_DAYS,
    MAX_KEEP_FILES,
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    MAX_ROTATE_MB,
    Fsync,
    LogKind,
    LogSpec,
)
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.hints import listing
from barrier_policy.policy.shape import ShapeReader, kind
from barrier_policy.policy.yaml import MAX_CHARACTERS, Node, parse_yaml
from barrier_policy.profile import BundleTrust, EffectClass, EngineName, FidelityClause, Inconclusive, Profile, Workload
from barrier_policy.provenance.names import address_kind
from barrier_policy.spans.segment import Strategy
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

SECTIONS = (
    "tail", "budget", "spans", "fidelity", "audit", "workload", "tools", "store", "overlays", "bundle", "engine", "summarizer", "log",
)  # fmt: skip
SECTION_OF = {
    "keep_last": "tail", "target_tokens": "budget", "strategy": "spans",
    "preserve": "fidelity", "audited": "fidelity", "evidence_demand": "workload",
}  # fmt: skip
"""Keys that people look for at the top, with the section that they stand in."""
SUMMARIZER_KEYS = ("kind", "command", "function", "url", "model", "api_key_env", "timeout_seconds")
LOG_KEYS = ("kind", "fsync", "rotate_mb", "keep_files", "keep_days", "anchors", "include_text", "labels")
FILES_ONLY = ("rotate_mb", "keep_files", "keep_days", "anchors")
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
        if isinstance(root.value, dict):
            self.issues = [self._homed(issue, root.value) for issue in self.issues]
        found: dict[str, Any] = {}
        self._counts(sections, found)
        if "spans" in sections:
            spans = self._section(sections["spans"], "section `spans`", ("strategy",))
            found["strategy"] = self.choice(spans.get("strategy"), Strategy, Strategy.STEPS)
        if "fidelity" in sections:
            found["fidelity"] = self._fidelity(sections["fidelity"])
        if "audit" in sections:
            audit = self._section(sections["audit"], "section `audit`", ("inconclusive",))
            found["inconclusive"] = self.choice(audit.get("inconclusive"), Inconclusive, Inconclusive.REFUSE)
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
        if "summarizer" in sections:
            found["summarizer"] = self._summarizer(sections["summarizer"])
        if "log" in sections:
            found["log"] = self._log(sections["log"])
        return found

    def _homed(self, issue: Issue, found: dict[str, Node]) -> Issue:
        """The issue of an unknown key, with the section where it would be known."""
        for key, section in SECTION_OF.items():
            if key in found and issue.message.startswith(f"unknown key `{key}`"):
                return msgspec.structs.replace(issue, message=f"unknown key `{key}` (write `{section}: {{{key}: …}}`)")
        return issue

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
        if text == NO_STORE:
            return None
        return text if address_kind(text) else str(self._path(text))

    def _overlay(self, node: Node) -> Path:
        text = self.text(node)
        path = self._path(text)
        if text and not path.is_dir() and not (is_bundle(path) and path.is_file()):
            self.issues.append(
                node.issue(f"`{text}` is no folder (overlays are folders or bundles of policies, relative to this file)")
            )
        return path

    def _summarizer(self, node: Node) -> SummarizerSpec:
        """The settings of one kind; those of another kind are mistakes."""
        fields = self._section(node, "section `summarizer`", SUMMARIZER_KEYS)
        chosen = self.choice(fields.get("kind"), SummarizerKind, SummarizerKind.EXTRACTIVE)
        needed, allowed = KEYS[chosen], (*KEYS[chosen], *OPTIONAL_KEYS.get(chosen, ()))
        for key in sorted(fields.keys() - {"kind", "timeout_seconds", *allowed}):
            self.issues.append(fields[key].key_issue(f"`{key}` is not for kind `{chosen}` ({_keys_of(allowed)})"))
        for key in sorted(set(needed) - fields.keys()):
            self.issues.append(node.issue(f"a summarizer of kind `{chosen}` needs `{key}`"))
        return SummarizerSpec(
            kind=chosen,
            command=self._command(fields.get("command")),
            function=self._checked(fields.get("function"), function_problem),
            url=self._checked(fields.get("url"), partial(url_problem, with_key="api_key_env" in fields)),
            model=self.text(fields.get("model")),
            api_key_env=self._checked(fields.get("api_key_env"), variable_problem),
            timeout_seconds=self._seconds(fields.get("timeout_seconds")),
        )

    def _command(self, node: Node | None) -> tuple[str, ...]:
        """A list of arguments, or a line that is split as a shell would; a program with a `/` is relative to the file."""
        if node is None:
            return ()
        arguments = (
            self._split(node) if isinstance(node.value, str) else [self.text(item) for item in self.items(node, "texts")]
        )
        if not arguments and isinstance(node.value, tuple):
            self.issues.append(node.issue("an empty list where a program with its arguments is needed"))
        if arguments and "/" in arguments[0]:
            arguments[0] = str(self._path(arguments[0]))
        return tuple(arguments)

    def _split(self, node: Node) -> list[str]:
        try:
            return shlex.split(self.text(node))
        except ValueError as error:
            self.issues.append(
                node.issue(f"the command can't be split ({str(error).lower()}; a list of arguments needs no quotes)")
            )
            return []

    def _checked(self, node: Node | None, problem: Callable[[str], str]) -> str:
        text = self.text(node)
        if node is not None and text and (found := problem(text)):
            self.issues.append(node.issue(found))
        return text

    def _seconds(self, node: Node | None) -> float:
        if node is None:
            return DEFAULT_TIMEOUT
        if not isinstance(node.value, int) or isinstance(node.value, bool) or not 1 <= node.value <= MAX_TIMEOUT:
            self.issues.append(node.issue(f"{kind(node)} where whole seconds, 1 to {MAX_TIMEOUT}, are needed"))
            return DEFAULT_TIMEOUT
        return float(node.value)

    def _log(self, node: Node) -> LogSpec | None:
        if not isinstance(node.value, dict):
            self.issues.append(
                node.issue(f"the section `log` is {kind(node)} (it must be a mapping with {listing(['path'])})")
            )
            return None
        fields = self.fields(node, "section `log`", ("path",), LOG_KEYS)
        default = LogSpec(path=Path())
        chosen = self.choice(fields.get("kind"), LogKind, default.kind)
        for key in FILES_ONLY:
            if key in fields and chosen is LogKind.SQLITE:
                self.issues.append(fields[key].key_issue(f"`{key}` is for kind `jsonl`, a database is one file"))
        return LogSpec(
            path=self._path(self.text(fields.get("path"))),
            kind=chosen,
            fsync=self.choice(fields.get("fsync"), Fsync, default.fsync),
            rotate_mb=self._whole(fields.get("rotate_mb"), "megabytes", MAX_ROTATE_MB),
            keep_files=self._whole(fields.get("keep_files"), "files", MAX_KEEP_FILES),
            keep_days=self._whole(fields.get("keep_days"), "days", MAX_KEEP_DAYS),
            anchors=self._path(self.text(fields["anchors"])) if "anchors" in fields else None,
            include_text=self._flag(fields.get("include_text"), default.include_text),
            labels=self._labels(fields.get("labels")),
        )

    def _whole(self, node: Node | None, unit: str, most: int) -> int | None:
        if node is None:
            return None
        if not isinstance(node.value, int) or isinstance(node.value, bool) or not 1 <= node.value <= most:
            self.issues.append(node.issue(f"{kind(node)} where whole {unit}, 1 to {most}, are needed"))
            return None
        return node.value

    def _labels(self, node: Node | None) -> dict[str, str]:
        """Labels in the order of their names."""
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.issues.append(node.issue(f"the labels are {kind(node)} (they must be a mapping from name to text)"))
            return {}
        for name, child in node.value.items():
            if not re.fullmatch(LABEL, name):
                self.issues.append(child.key_issue(f"`{name}` is no label (lower-case letters, digits, `_`, `.` and `-`)"))
            elif isinstance(child.value, str) and len(child.value) > MAX_LABEL_LENGTH:
                self.issues.append(child.issue(f"a label has at most {MAX_LABEL_LENGTH} characters"))
        if len(node.value) > MAX_LABELS:
            self.issues.append(node.issue(f"{len(node.value)} labels (at most {MAX_LABELS})"))
        return {name: self.text(node.value[name]) for name in sorted(node.value)}

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


def _keys_of(allowed: Collection[str]) -> str:
    return f"its settings: {listing(allowed)}" if allowed else "it has no settings of its own"
