"""Folders on top of each other: what a later one adds, replaces, patches and excepts (design section 6).

A `locked` rule is neither replaced nor patched nor excepted. Every refusal is an issue that names both places.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from barrier_policy.errors import Issue
from barrier_policy.policy.document import DocumentKind, DocumentReader, Patch, document_kind
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.model import Policy, Rule, RuleEffect, Waiver
from barrier_policy.policy.yaml import Node


class _Standing(msgspec.Struct, kw_only=True):
    """A rule as it stands so far: the layer that last changed it, and the patch that did, where it was one."""

    layer: int
    policy: Policy
    rule: Rule
    patch: Node | None = None


class Merger:
    """Takes the files of one layer after the other; issues go to the reader's."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader
        self._issues = reader.issues
        self._policies: dict[str, Policy] = {}
        self._rules: dict[str, _Standing] = {}
        self._waivers: list[tuple[Waiver, Node]] = []
        self._layers = 0
        self._complete = True

    def add_layer(self, documents: Iterable[Node | None]) -> None:
        """Put the files of a layer on top: its policies, then its patches. Exceptions wait for `exceptions`.

        None stands for a file that can't be read: from then on it is not known which rules there are, and none is called unknown.
        """
        patches = []
        for document in documents:
            if document is None:
                self._complete = False
                continue
            match document_kind(document):
                case DocumentKind.POLICY:
                    self._add_policy(self._reader.policy(document))
                case DocumentKind.PATCH:
                    patches.append(self._reader.patch(document))
                case DocumentKind.EXCEPTION:
                    self._waivers.append((self._reader.exception(document), document))
        for patch in patches:
            self._apply(patch)
        self._layers += 1

    def policies(self) -> tuple[Policy, ...]:
        """All policies by name, each with those of its rules that stand."""
        rules: dict[str, list[Rule]] = {name: [] for name in self._policies}
        for standing in self._rules.values():
            rules[standing.policy.name].append(standing.rule)
        return tuple(
            msgspec.structs.replace(self._policies[name], rules=tuple(rules[name])) for name in sorted(self._policies)
        )

    def exceptions(self) -> tuple[Waiver, ...]:
        """All exceptions by name, checked against the rules that stand in the end."""
        names: dict[str, Waiver] = {}
        for waiver, document in self._waivers:
            if waiver.name in names:
                earlier = names[waiver.name]
                place = f"{earlier.file}:{earlier.line}:{earlier.column}"
                self._issues.append(_at(waiver, f"exception `{waiver.name}` is already defined at {place}"))
            names.setdefault(waiver.name, waiver)
            self._check(waiver, document)
        return tuple(names[name] for name in sorted(names))

    def _add_policy(self, policy: Policy) -> None:
        if policy.name in self._policies:
            place = _place(self._policies[policy.name])
            self._issues.append(_at(policy, f"policy `{policy.name}` is already defined at {place}"))
        self._policies.setdefault(policy.name, policy)
        for rule in policy.rules:
            earlier = self._rules.get(rule.id)
            if earlier is None or self._may_replace(policy, rule, earlier):
                # Put at the end again, so that a policy keeps its rules in the order of its file.
                self._rules.pop(rule.id, None)
                self._rules[rule.id] = _Standing(layer=self._layers, policy=policy, rule=rule)

    def _may_replace(self, policy: Policy, rule: Rule, earlier: _Standing) -> bool:
        at = Issue(file=policy.file, line=rule.line, column=rule.column, message="")
        problem = ""
        if earlier.layer == self._layers:
            problem = f"rule id `{rule.id}` is already used at {_place(earlier.policy, earlier.rule)}"
        elif earlier.rule.locked:
            problem = f"rule `{rule.id}` is locked at {_lock(earlier)} (add a rule with another id)"
        if problem:
            self._issues.append(msgspec.structs.replace(at, message=problem))
        return not problem

    def _apply(self, patch: Patch) -> None:
        standing = self._rules.get(patch.rule)
        problem = self._refusal(patch, standing)
        if problem:
            self._issues.append(patch.node.issue(problem))
        elif standing is not None:
            standing.rule = self._reader.patched(patch, standing.policy, standing.rule)
            standing.layer, standing.patch = self._layers, patch.node

    def _refusal(self, patch: Patch, standing: _Standing | None) -> str:
        """Why a patch can't be applied; empty if it can, and where its own file has no rule, which is already reported."""
        if standing is None:
            told = patch.rule and self._complete
            return f"no folder below has a rule `{patch.rule}` {suggestion(patch.rule, self._rules)}" if told else ""
        if standing.layer == self._layers:
            if standing.patch is not None:
                return (
                    f"rule `{patch.rule}` is already patched at {_where(standing.patch)} (put both changes into one patch)"
                )
            place = _place(standing.policy, standing.rule)
            return f"rule `{patch.rule}` stands in the same folder, at {place} (change it there)"
        if standing.rule.locked:
            return f"rule `{patch.rule}` is locked at {_lock(standing)} (add a rule with another id)"
        return ""

    def _check(self, waiver: Waiver, document: Node) -> None:
        fields = document.value if isinstance(document.value, dict) else {}
        node, standing = fields.get("rule"), self._rules.get(waiver.rule)
        if node is None or not waiver.rule:
            return
        if standing is None and not self._complete:
            return
        if standing is None:
            self._issues.append(node.issue(f"unknown rule `{waiver.rule}` {suggestion(waiver.rule, self._rules)}"))
        elif standing.rule.locked:
            how = "a locked rule has no exceptions"
            self._issues.append(node.issue(f"rule `{waiver.rule}` is locked at {_lock(standing)} ({how})"))
        elif standing.rule.effect is RuleEffect.PERMIT:
            how = "exceptions are for barriers; to permit less, patch it"
            self._issues.append(node.issue(f"rule `{waiver.rule}` is a permit ({how})"))


def _place(policy: Policy, rule: Rule | None = None) -> str:
    found = rule or policy
    return f"{policy.file}:{found.line}:{found.column}"


def _lock(standing: _Standing) -> str:
    """Where a rule was locked: by a patch, else where it stands."""
    patched = [origin for origin in standing.rule.origins if origin.key == "locked" and origin.file != standing.policy.file]
    return f"{patched[0].place}:{patched[0].column}" if patched else _place(standing.policy, standing.rule)


def _where(node: Node) -> str:
    return f"{node.file}:{node.line}:{node.column}"


def _at(place: Policy | Waiver, message: str) -> Issue:
    return Issue(file=place.file, line=place.line, column=place.column, message=message)
