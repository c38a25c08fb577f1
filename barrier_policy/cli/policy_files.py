"""`barrier-policy policy docs`, `new` and `schema`: pages and files made from policies and types."""

from __future__ import annotations

from pathlib import Path

from barrier_policy.cli.console import clean, write_bytes, write_output
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import Request, ScaffoldKind, SchemaKind
from barrier_policy.cli.policy_lint import full_schema
from barrier_policy.cli.session import check_layers, chosen_profile
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cases import run_cases
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.document import DocumentKind
from barrier_policy.policy.json_schema import schema_text
from barrier_policy.policy.lint.source import SourceReader, fields_of, lint_files, text_of
from barrier_policy.policy.loader import load_policies, read_layers, shipped_policies, shown_place, with_shipped
from barrier_policy.policy.reference import reference
from barrier_policy.policy.scaffold import new_overlay, new_policy, new_rule
from barrier_policy.policy.stack import open_layers
from barrier_policy.profile import BundleTrust


def make_reference(*folders: Path, alone: bool = False, trust: BundleTrust | None = None) -> str:
    """The reference of what folders and bundles add and change, on top of the shipped policies unless `alone`; of those for no folder.

    `trust` says by whom bundles must be signed, and whether folders may be given. Raises PolicyError or BundleError.
    """
    shipped, trust = shipped_policies(), trust or BundleTrust()
    own = folders or (shipped,)
    check_layers(own, place="")
    below = [] if alone else with_shipped(own)[: -len(own)]
    layers = read_layers(open_layers(own, keys=trust.keys, required=trust.required and bool(folders)))
    engine = load_engine()
    policies = load_policies([*below, *layers], full_schema(), engine)
    cases = run_cases(policies, engine, [path for path in own if path.is_dir()])
    return reference(policies, cases, frozenset(file.place for layer in layers for file in layer.files))


def write_reference(request: Request, folders: tuple[Path, ...], *, alone: bool, output: Path | None) -> int:
    """Print the reference, or write it to a file. Raises BarrierPolicyError where that can't be written."""
    page = make_reference(*folders, alone=alone, trust=chosen_profile(request).bundle).encode("utf-8")
    write_output(page, output)
    return OK


def start(kind: ScaffoldKind, name: str, folder: Path) -> int:
    """Write the files of a new rule, policy or overlay, and say what to do next."""
    make = {ScaffoldKind.RULE: new_rule, ScaffoldKind.POLICY: new_policy, ScaffoldKind.OVERLAY: new_overlay}[kind]
    schema = full_schema()
    for path in make(name, folder, schema, taken=_taken(folder / name if kind is ScaffoldKind.OVERLAY else folder, schema)):
        print(clean(f"wrote {path}"))
    if kind is ScaffoldKind.OVERLAY:
        print(clean(f"next: `overlays: [{folder / name}]` in barrier-policy.yaml, or `--policies {folder / name}`"))
    return OK


def _taken(folder: Path, schema: RecordSchema) -> dict[str, str]:
    """The names of the policies and rules that the shipped folder and another one have already, each with its place."""
    reader = SourceReader(schema)
    found: dict[str, str] = {}
    for path in (*lint_files(shipped_policies()), *(lint_files(folder) if folder.is_dir() else ())):
        file = reader.read(path, 0)
        names = [fields_of(file.fields.get("metadata")).get("name"), *(rule.fields.get("id") for rule in file.rules)]
        for node in names if file.kind == DocumentKind.POLICY else ():
            if node is not None:
                found.setdefault(text_of(node), f"{shown_place(node.file)}:{node.line}:{node.column}")
    return found


def print_schema(kind: SchemaKind) -> int:
    """Print a JSON Schema, with the records of all installed plugins."""
    write_bytes(schema_text(kind, full_schema()).encode("utf-8"))
    return OK
