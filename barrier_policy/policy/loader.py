"""Loads policies: directories or files in, one `PolicySet` out, or every problem at once.

Directories are layers: a later one may add policies, rules and exceptions, and may replace or patch a rule of an earlier one
unless that rule is `locked` (design section 6).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from barrier_policy.digest import digest_value
from barrier_policy.errors import Issue, PolicyError, reason_of
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.document import DocumentReader
from barrier_policy.policy.merge import Merger
from barrier_policy.policy.model import Expression, Layer, Policy, PolicyFile, PolicySet, Rule, Waiver
from barrier_policy.policy.yaml import Node, parse_yaml

MAX_REMEMBERED = 64
"""Files."""
SHIPPED_PACKAGE = "barrier_policy_policies"
TEST_SUFFIX = "_test.yaml"
PLACES = frozenset({"file", "line", "column", "origins"})


def shipped_policies() -> Path:
    """The directory of the policies that come with this package. Raises PolicyError if it is not installed.

    It is a namespace package, which importlib.resources can't find in an editable install.
    """
    found = _shipped_places()
    if not found:
        message = "the shipped policies are not installed (reinstall barrier-policy)"
        raise PolicyError([Issue(file=SHIPPED_PACKAGE, message=message)])
    return found[0]


def load_policies(paths: Iterable[Path | Layer], schema: RecordSchema, engine: Engine) -> PolicySet:
    """The policies of directories (each `*.yaml` that is no `*_test.yaml`) and files, later ones on top of earlier ones.

    A Layer that was read before is taken as it is. Conditions are checked against the schema and compiled by the engine.
    Raises PolicyError with all problems of all files, sorted. No policies at all is a valid set: it permits nothing.
    """
    reader = DocumentReader(schema, engine)
    issues: list[Issue] = []
    layers = _layers(paths, issues)
    merger = Merger(reader)
    for layer in layers:
        merger.add_layer(_parse(file, issues) for file in layer.files)
    policies, exceptions = merger.policies(), merger.exceptions()
    issues += reader.issues
    if issues:
        raise PolicyError(issues)
    return PolicySet(
        name="+".join(layer.name for layer in layers) or "empty",
        digest=digest_value(_content(policies, exceptions)),
        schema=schema,
        policies=policies,
        exceptions=exceptions,
        layers=layers,
    )


def read_layers(paths: Iterable[Path | Layer]) -> tuple[Layer, ...]:
    """The layers of directories and files, and those that were read before as they are. Raises PolicyError with all that can't be read."""
    issues: list[Issue] = []
    layers = _layers(paths, issues)
    if issues:
        raise PolicyError(issues)
    return layers


def with_shipped(folders: Iterable[Path]) -> list[Path]:
    """Folders on top of the shipped policies, where these are not among them."""
    shipped, named = shipped_policies(), list(folders)
    return named if shipped.resolve() in [folder.resolve() for folder in named] else [shipped, *named]


def _layers(paths: Iterable[Path | Layer], issues: list[Issue]) -> tuple[Layer, ...]:
    return tuple(path if isinstance(path, Layer) else _read_layer(path, issues) for path in paths)


def _read_layer(path: Path, issues: list[Issue]) -> Layer:
    """The bytes of the policy files of a directory, or of the one file; what can't be read is an issue."""
    files = (_read(file, issues) for file in policy_files(path, issues))
    return Layer(name=_layer_name(path), files=tuple(file for file in files if file is not None))


def policy_files(path: Path, issues: list[Issue]) -> tuple[Path, ...]:
    """The policy files of a directory in the order of their names, or the one file."""
    if path.is_dir():
        return tuple(file for file in sorted(path.glob("*.yaml")) if not file.name.endswith(TEST_SUFFIX))
    if path.is_file():
        return (path,)
    issues.append(Issue(file=str(path), message="no such file or directory"))
    return ()


def read_document(path: Path, issues: list[Issue]) -> Node | None:
    """The YAML of a file, or None with what is wrong."""
    file = _read(path, issues)
    return _parse(file, issues) if file is not None else None


def _read(path: Path, issues: list[Issue]) -> PolicyFile | None:
    try:
        return PolicyFile(place=str(path), data=path.read_bytes())
    except OSError as error:
        issues.append(Issue(file=str(path), message=f"can't be read ({reason_of(error)})"))
    return None


def _parse(file: PolicyFile, issues: list[Issue]) -> Node | None:
    found = _parsed(file)
    if isinstance(found, Node):
        return found
    issues.extend(found)
    return None


@lru_cache(maxsize=MAX_REMEMBERED)
def _parsed(file: PolicyFile) -> Node | tuple[Issue, ...]:
    """The YAML of a file, or what is wrong with it, remembered: of two sets that are compared most files are the same."""
    try:
        return parse_yaml(file.data.decode("utf-8-sig"), file.place)
    except PolicyError as error:
        return error.issues
    except UnicodeDecodeError as error:
        return (Issue(file=file.place, message=f"not UTF-8 at byte {error.start}"),)


def shown_place(file: str) -> str:
    """A policy file as people are told of it: one of ours as `shipped/NAME`, wherever it is installed."""
    path = Path(file)
    return f"shipped/{path.name}" if _is_shipped(path.parent) else file


def _is_shipped(folder: Path) -> bool:
    return folder.resolve() in [place.resolve() for place in _shipped_places()]


def _shipped_places() -> list[Path]:
    spec = find_spec(SHIPPED_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    return [Path(place) for place in places or () if Path(place).is_dir()]


def _layer_name(path: Path) -> str:
    """`shipped` for ours, whose directory is called differently from install to install."""
    if _is_shipped(path):
        return "shipped"
    return path.resolve().name.removesuffix(".yaml")


def _content(policies: tuple[Policy, ...], exceptions: tuple[Waiver, ...]) -> Any:
    """What the digest covers: everything but places. Variables are covered where they count, written out in `cel`."""
    found = [
        {
            "name": policy.name,
            "version": policy.version,
            "owner": policy.owner,
            "rules": [content_of(rule) for rule in sorted(policy.rules, key=lambda rule: rule.id)],
        }
        for policy in policies
    ]
    return {"policies": found, "exceptions": [content_of(waiver) for waiver in exceptions]} if exceptions else found


def content_of(found: Rule | Waiver) -> dict[str, Any]:
    """A rule or an exception without places, its expressions as engines compile them."""
    content = {name: getattr(found, name) for name in found.__struct_fields__ if name not in PLACES}
    for name, value in content.items():
        if isinstance(value, Expression):
            content[name] = value.cel
        elif name == "evidence":
            content[name] = [expression.cel for expression in value]
    return content
