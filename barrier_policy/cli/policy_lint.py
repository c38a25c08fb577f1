"""`barrier-policy policy lint`: findings printed, or files put right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from barrier_policy.cli.console import clean, out, show, write_bytes, write_json, write_output
from barrier_policy.cli.guard import FAILED, OK
from barrier_policy.cli.options import LintFormat, LintLevel
from barrier_policy.cli.session import chosen_time
from barrier_policy.join.schema import RecordSchema, build_schema
from barrier_policy.plugins import load_plugins
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.lint.model import Finding, Level
from barrier_policy.policy.lint.output import to_github, to_json, to_junit, to_sarif
from barrier_policy.policy.lint.pages import page
from barrier_policy.policy.lint.run import MAX_FIX_ROUNDS, RULES, find_rule, fix, lint, read_sources
from barrier_policy.policy.lint.source import Sources
from barrier_policy.policy.loader import shipped_policies

_ORDER = (Level.ERROR, Level.WARNING, Level.INFO)


class LintRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line."""

    paths: tuple[Path, ...] = ()
    fix: bool = False
    format: LintFormat = LintFormat.TEXT
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: LintLevel = LintLevel.INFO
    strict: bool = False
    alone: bool = False
    now: str = ""


def full_schema() -> RecordSchema:
    """The record with the fields of all installed plugins. Raises PluginError."""
    return build_schema(load_plugins().kinds.values())


def explain_rule(rule_id: str) -> int:
    """Print the page of a lint rule."""
    print(page(find_rule(rule_id)), end="")
    return OK


def lint_policies(request: LintRequest) -> int:
    """Lint, after putting right what can be where that is asked for. 4 where something that fails is left."""
    select, ignore = _ids(request.select), _ids(request.ignore)
    day = chosen_time(request.now)[:10]
    paths, below = _layers(request)
    schema, engine = full_schema(), load_engine()
    fixed = 0
    if request.fix:
        fixed = _fix(paths, schema, engine, below=below, today=day, select=select, ignore=ignore)
    sources = read_sources(paths, schema, engine, below=below, today=day)
    shown = _ORDER[: _ORDER.index(Level(request.level)) + 1]
    findings = [found for found in lint(sources, select=select, ignore=ignore) if found.level in shown]
    failing = (Level.ERROR, Level.WARNING) if request.strict else (Level.ERROR,)
    _print(findings, sources, request.format, failing, fixed)
    return FAILED if any(finding.level in failing for finding in findings) else OK


def _ids(given: Sequence[str]) -> frozenset[str]:
    """Ids of rules, several in one word or not. Raises BarrierPolicyError for an unknown one."""
    return frozenset(find_rule(name.strip()).id for text in given for name in text.split(",") if name.strip())


def _layers(request: LintRequest) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What is linted, and what lies below it: the shipped policies, unless they are linted themselves."""
    shipped = shipped_policies()
    if not request.paths:
        return (shipped,), ()
    resolved = [path.resolve() for path in request.paths]
    is_shipped = any(path == shipped.resolve() or shipped.resolve() in path.parents for path in resolved)
    return request.paths, () if request.alone or is_shipped else (shipped,)


def _fix(
    paths: Sequence[Path],
    schema: RecordSchema,
    engine: Engine,
    *,
    below: Sequence[Path],
    today: str,
    select: frozenset[str],
    ignore: frozenset[str],
) -> int:
    """Rounds of fixes until nothing changes; the number of files that were written."""
    written: set[Path] = set()
    for _ in range(MAX_FIX_ROUNDS):
        sources = read_sources(paths, schema, engine, below=below, today=today)
        findings = lint(sources, select=select, ignore=ignore)
        changed = {file.path: text for file in sources.linted() if (text := fix(file, findings)) != file.text}
        for path, text in changed.items():
            write_output(text.encode("utf-8"), path)
        written |= changed.keys()
        if not changed:
            break
    return len(written)


def _print(findings: Sequence[Finding], sources: Sources, format: LintFormat, failing: Sequence[Level], fixed: int) -> None:
    files = [file.name for file in sources.linted()]
    match format:
        case LintFormat.JSON:
            write_json(to_json(findings))
        case LintFormat.SARIF:
            write_json(to_sarif(findings, RULES, version("barrier-policy")))
        case LintFormat.JUNIT:
            write_bytes(to_junit(findings, files, failing))
        case LintFormat.GITHUB:
            write_bytes(to_github(findings).encode("utf-8", "backslashreplace"))
        case LintFormat.TEXT:
            _print_text(findings, len(files), fixed)


def _print_text(findings: Sequence[Finding], files: int, fixed: int) -> None:
    for finding in findings:
        show(out(), clean(str(finding)))
    counts = Counter(finding.level for finding in findings)
    parts = [f"{counts[level]} {level}{'' if counts[level] == 1 else 's'}" for level in _ORDER if counts[level]]
    fixable = sum(bool(finding.edits) for finding in findings)
    hints = [f"{fixable} can be put right with --fix"] if fixable else []
    hints += [f"{fixed} file{'' if fixed == 1 else 's'} put right"] if fixed else []
    summary = f"{files} file{'' if files == 1 else 's'}: {', '.join(parts) or 'no findings'}"
    show(out(), "; ".join([summary, *hints]))
