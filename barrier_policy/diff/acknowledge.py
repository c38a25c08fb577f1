"""Who takes responsibility for what a change of policies loosens: by rule, from the command line or from a file.

apiVersion: barrier-policy/v1
kind: Acknowledgements
acknowledgements:
  - {rule: finance.keep-payments, owner: finance-data, reason: receipts are in the ledger since May}
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from barrier_policy.errors import BarrierPolicyError, Issue, PolicyError
from barrier_policy.policy.document import API_VERSION
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.loader import read_document
from barrier_policy.policy.shape import ShapeReader

KIND = "Acknowledgements"
COMMAND_LINE = "--acknowledge"


def acknowledged(rules: Iterable[str], file: Path | None, known: Iterable[str]) -> dict[str, str]:
    """By rule, `owner: reason`, or that it was on the command line. Raises BarrierPolicyError for rules that neither set has."""
    names = sorted(known)
    found = dict.fromkeys(rules, COMMAND_LINE)
    for rule in found:
        if rule not in names:
            raise BarrierPolicyError(f"--acknowledge: unknown rule `{rule}` {suggestion(rule, names)}")
    return found | (_read(file, names) if file is not None else {})


def _read(path: Path, known: list[str]) -> dict[str, str]:
    if not path.is_file():
        raise BarrierPolicyError(f"--acknowledgements: `{path}` is no file (give a file of kind {KIND})")
    issues: list[Issue] = []
    shape = ShapeReader()
    document = read_document(path, issues)
    found: dict[str, str] = {}
    if document is not None:
        fields = shape.fields(document, "acknowledgements file", ("acknowledgements", "apiVersion", "kind"))
        shape.literal(fields.get("apiVersion"), API_VERSION)
        shape.literal(fields.get("kind"), KIND)
        for node in shape.items(fields.get("acknowledgements"), "acknowledgements"):
            entry = shape.fields(node, "acknowledgement", ("owner", "reason", "rule"))
            rule = shape.text(entry.get("rule"))
            if rule and rule not in known:
                shape.issues.append(entry["rule"].issue(f"unknown rule `{rule}` {suggestion(rule, known)}"))
            found[rule] = f"{shape.text(entry.get('owner'))}: {shape.text(entry.get('reason'))}"
    if issues or shape.issues:
        raise PolicyError([*issues, *shape.issues])
    return found
