"""Starts policies: files that load, lint clean and whose cases pass, to be changed from there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from barrier_policy.errors import BarrierPolicyError, reason_of
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.document import WORD
from barrier_policy.policy.json_schema import schema_text

NOTHING: Mapping[str, str] = MappingProxyType({})
SCHEMA_FOLDER = ".barrier-policy"

POLICY = """\
# yaml-language-server: $schema={schemas}/policy.schema.json
apiVersion: barrier-policy/v1
kind: Policy
metadata:
  name: {name}
  version: 0.1.0
  owner: your-team
variables:
  - name: payments
    expression: "span.effects.filter(e, e.tool.startsWith('pay_') && !e.held)"
rules:
  - id: {rule}
    effect: barrier            # barrier: must not go; permit: may go, where no barrier holds
    severity: medium           # low, medium, high, critical
    mode: enforce              # shadow: evaluated, counts for nothing; warn: reported beside the verdict
    summary: A payment that nothing else holds stays verbatim.
    why: |
      Say for a reviewer, a year from now, what goes wrong without the rule.
    references:
      - "the document, incident or contract that asks for it"
    since: 0.1.0
    condition: size(variables.payments) > 0
    evidence: variables.payments
    explanation: "variables.payments[0].tool + ' of message ' + string(variables.payments[0].message) + ' is held nowhere else'"
    repair: [rebind]
"""

CASES = """\
# yaml-language-server: $schema={schemas}/test.schema.json
apiVersion: barrier-policy/v1
kind: PolicyTest
policy: {name}
cases:
  - name: a_payment_that_nothing_holds_stays
    rule: {rule}
    span:
      effects:
        - {{id: "effect:5.0", tool: pay_invoice, state: confirmed, message: 5}}
    expect: {{outcome: "true", verdict: barrier, evidence: ["effect:5.0"]}}
  - name: a_payment_with_a_receipt_is_free
    rule: {rule}
    span:
      effects:
        - {{id: "effect:5.0", tool: pay_invoice, state: confirmed, message: 5, held: true}}
    expect: {{outcome: "false"}}
  - name: another_effect_is_free
    rule: {rule}
    span:
      effects:
        - {{id: "effect:5.0", tool: send_mail, state: confirmed, message: 5}}
    expect: {{outcome: "false"}}
  - name: an_unreadable_payment_binds
    rule: {rule}
    malformed: true
    span:
      effects:
        - {{id: "effect:5.0", tool: pay_invoice, state: confirmed, message: 5, held: "?"}}
    expect: {{outcome: "error", verdict: barrier}}
"""


def new_policy(name: str, folder: Path, record: RecordSchema, *, taken: Mapping[str, str] = NOTHING) -> tuple[Path, ...]:
    """Writes NAME.yaml with one rule and NAME_test.yaml with its cases; gives what was written. Overwrites nothing.

    `taken` are the names of policies and rules that can't be used, each with its place.
    """
    _check(name, WORD, "a name in lower-case kebab, as `refunds`")
    return _write(folder, name, f"{name}.keep-payments", record, taken)


def new_rule(rule: str, folder: Path, record: RecordSchema, *, taken: Mapping[str, str] = NOTHING) -> tuple[Path, ...]:
    """Like `new_policy`, for a rule `area.verb-phrase` in a file of its own, `area-verb-phrase.yaml`."""
    _check(rule, rf"{WORD}\.{WORD}", "a rule id `area.verb-phrase` in lower-case kebab, as `refunds.keep-approvals`")
    return _write(folder, rule.replace(".", "-"), rule, record, taken)


def new_overlay(name: str, folder: Path, record: RecordSchema, *, taken: Mapping[str, str] = NOTHING) -> tuple[Path, ...]:
    """Like `new_policy`, in a folder NAME of its own, for `overlays` of the profile or `--policies`."""
    _check(name, WORD, "a name in lower-case kebab, as `team`")
    return _write(folder / name, name, f"{name}.keep-payments", record, taken)


def _check(name: str, pattern: str, what: str) -> None:
    if not re.fullmatch(pattern, name):
        raise BarrierPolicyError(f"`{name}` is not {what}")


def _write(folder: Path, name: str, rule: str, record: RecordSchema, taken: Mapping[str, str]) -> tuple[Path, ...]:
    """Raises BarrierPolicyError, before anything is written, where a file is already there, or a name is taken."""
    for what, wanted in (("rule id", rule), ("policy", name)):
        if wanted in taken:
            raise BarrierPolicyError(
                f"{what} `{wanted}` is already used at {taken[wanted]} (choose another; nothing was written)"
            )
    if folder.exists() and not folder.is_dir():
        raise BarrierPolicyError(f"`{folder}` is no folder (give the folder to write to)")
    texts = {
        folder / f"{name}.yaml": POLICY.format(name=name, rule=rule, schemas=SCHEMA_FOLDER),
        folder / f"{name}_test.yaml": CASES.format(name=name, rule=rule, schemas=SCHEMA_FOLDER),
    }
    for path in texts:
        if path.exists() or path.is_symlink():
            raise BarrierPolicyError(f"{path}: already there (choose another name; nothing was written)")
    schemas = {folder / SCHEMA_FOLDER / f"{kind}.schema.json": schema_text(kind, record) for kind in ("policy", "test")}
    texts |= {path: text for path, text in schemas.items() if not path.exists()}
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise BarrierPolicyError(f"{path}: can't be written ({reason_of(error)})") from None
    return tuple(texts)
