"""`plugin new`: an installable package from the templates in plugin_template/, whose tests pass at once."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from barrier_policy.cli.console import clean
from barrier_policy.cli.guard import OK
from barrier_policy.errors import BarrierPolicyError, reason_of
from barrier_policy.facts.kinds import RESERVED, SPAN_FIELDS
from barrier_policy.plugins import load_plugins

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_NAME = 50
SUFFIX = ".tmpl"


def new_plugin(name: str, folder: Path | None) -> int:
    """Make the package and say what to do next. Raises BarrierPolicyError for a name that can't be used, and for a folder that holds something."""
    package = package_name(name)
    target = folder or Path(name)
    try:
        write_files(target, render(name, package))
    except OSError as error:
        raise BarrierPolicyError(f"{target}: can't be written ({reason_of(error)})") from None
    print(f"made {clean(str(target))} with extractor, policy, cases and tests; next:")
    print(f"  cd {clean(str(target))} && pip install -e '.[test]' && pytest")
    return OK


def package_name(name: str) -> str:
    """The module that a package's name stands for. Raises BarrierPolicyError where it can be none, or is taken."""
    package = name.replace("-", "_")
    if not NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise BarrierPolicyError(
            f"`{clean(name[:80])}` is no name for a plugin (lower case letters, digits and single hyphens, at most {MAX_NAME}, e.g. acme-tickets)"
        )
    if package in RESERVED or keyword.iskeyword(package):
        raise BarrierPolicyError(f"`{name}` is a word of CEL or Python (choose another name, e.g. {name}-facts)")
    if package in SPAN_FIELDS:
        raise BarrierPolicyError(f"`{name}` is a field of every span record (choose another name, e.g. acme-{name})")
    if name in {found.name for found in load_plugins(strict=False).infos}:
        raise BarrierPolicyError(f"`{name}` is a plugin that is installed (choose another name, e.g. acme-{name})")
    if package in sys.stdlib_module_names or package.startswith("barrier_policy") or package in ("pytest", "tests"):
        raise BarrierPolicyError(f"`{name}` is taken by another package (choose another name, e.g. acme-{name})")
    return package


def render(name: str, package: str) -> dict[str, str]:
    """The files of the package by their paths, with `/`, in the order of these."""
    values = {"name": name, "package": package}
    found = {}
    for path, text in sorted(_templates(files("barrier_policy.cli") / "plugin_template")):
        parts = (re.sub(r"\bpackage(?=\b|_)", package, part) for part in path.removesuffix(SUFFIX).split("/"))
        found["/".join(parts)] = Template(text).substitute(values)
    return found


def _templates(folder: Traversable, before: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry, f"{before}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield before + entry.name, entry.read_text(encoding="utf-8")


def write_files(target: Path, found: dict[str, str]) -> None:
    """Write files into a folder that is new or empty. Raises BarrierPolicyError for another one, and OSError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BarrierPolicyError(
            f"{clean(str(target))}: exists and is no empty folder; nothing was written (give another DIR)"
        )
    for path, text in found.items():
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
