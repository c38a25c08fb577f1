"""`barrier-policy policy docs`, `new` and `schema`: pages and files made from policies and types."""

from __future__ import annotations

from pathlib import Path

from barrier_policy.cli.console import clean, write_bytes, write_output
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import ScaffoldKind, SchemaKind
from barrier_policy.cli.policy_lint import full_schema
from barrier_policy.policy.cases import run_cases
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.json_schema import schema_text
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.reference import reference
from barrier_policy.policy.scaffold import new_overlay, new_policy, new_rule


def make_reference(folder: Path) -> str:
    """The reference of the policies of a folder. Raises PolicyError."""
    engine = load_engine()
    policies = load_policies([folder], full_schema(), engine)
    return reference(policies, run_cases(policies, engine, [folder]))


def write_reference(folder: Path | None, output: Path | None) -> int:
    """Print the reference, or write it to a file. Raises BarrierPolicyError where that can't be written."""
    page = make_reference(folder or shipped_policies()).encode("utf-8")
    write_output(page, output)
    return OK


def start(kind: ScaffoldKind, name: str, folder: Path) -> int:
    """Write the files of a new rule, policy or overlay, and say what to do next."""
    make = {ScaffoldKind.RULE: new_rule, ScaffoldKind.POLICY: new_policy, ScaffoldKind.OVERLAY: new_overlay}[kind]
    for path in make(name, folder, full_schema()):
        print(clean(f"wrote {path}"))
    if kind is ScaffoldKind.OVERLAY:
        print(clean(f"next: `overlays: [{folder / name}]` in barrier-policy.yaml, or `--policies {folder / name}`"))
    return OK


def print_schema(kind: SchemaKind) -> int:
    """Print a JSON Schema, with the records of all installed plugins."""
    write_bytes(schema_text(kind, full_schema()).encode("utf-8"))
    return OK
