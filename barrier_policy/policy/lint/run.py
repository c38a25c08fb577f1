"""Runs the lint rules over folders and files, leaves out what a comment excuses, and applies fixes.

A comment `# lint-ignore: some-rule (why)` on a line, or alone on the line above it, excuses what that rule finds there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from barrier_policy.errors import BarrierPolicyError, Issue, PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.lint import conditions, exceptions, explanations, names, tests, text
from barrier_policy.policy.lint.edits import applied
from barrier_policy.policy.lint.model import Finding, Hit, Level, LintRule, lint_rule
from barrier_policy.policy.lint.patches import PATCH, beneath, is_inherited, with_patches
from barrier_policy.policy.lint.source import SourceFile, SourceReader, Sources, lint_files
from barrier_policy.policy.loader import TEST_SUFFIX, load_policies

MAX_FIX_ROUNDS = 5
_IGNORE = re.compile(r"#\s*lint-ignore:\s*([a-z][a-z, -]*[a-z])")


@lint_rule("invalid-policy", Level.ERROR)
def invalid_policy(sources: Sources) -> Iterator[Hit]:
    """The loader refuses a file for a reason that no other lint rule names.

    Why: With one invalid policy nothing is decided.
    Bad:
        lokced: true
        #^
    Good:
        locked: true
    """
    for file in sources.linted():
        yield from map(_hit, file.issues)
    linted = {file.name for file in sources.linted()}
    yield from (_hit(issue) for issue in sources.issues if issue.file in linted)


def _hit(issue: Issue) -> Hit:
    return Hit(file=issue.file, line=issue.line, column=issue.column, message=issue.message, path=issue.path)


RULES: tuple[LintRule, ...] = tuple(
    sorted(
        (
            invalid_policy,
            *names.RULES,
            *conditions.RULES,
            *explanations.RULES,
            *tests.RULES,
            *exceptions.RULES,
            *text.RULES,
        ),
        key=lambda rule: rule.id,
    )
)


def find_rule(rule_id: str) -> LintRule:
    """The lint rule with an id. Raises BarrierPolicyError for an unknown one."""
    known = {rule.id: rule for rule in RULES}
    if rule_id not in known:
        raise BarrierPolicyError(f"no lint rule `{rule_id}` {suggestion(rule_id, known)}")
    return known[rule_id]


def read_sources(
    paths: Sequence[Path], schema: RecordSchema, engine: Engine, *, below: Sequence[Path] = (), today: str = ""
) -> Sources:
    """All files of the layers `below` and of `paths`, which are linted: of a file that is named, the folder is read and it alone is linted.

    Raises BarrierPolicyError where there is no such path.
    """
    reader = SourceReader(schema)
    read: list[SourceFile] = []
    wanted = _wanted(paths)
    for layer, path in enumerate((*below, *wanted)):
        named = wanted.get(path, ()) if layer >= len(below) else ()
        read += [reader.read(file, layer, linted=file in named) for file in lint_files(path)]
    files = with_patches(read, reader)
    layers = [path for path in (*below, *wanted) if not path.name.endswith(TEST_SUFFIX)]
    return Sources(files, schema, engine, _load_issues(layers, schema, engine), today)


def _wanted(paths: Sequence[Path]) -> dict[Path, tuple[Path, ...]]:
    """Folders, each once, with the files of them that are linted. A file that its folder would not read is a layer of its own."""
    found: dict[Path, tuple[Path, ...]] = {}
    for path in paths:
        if not path.exists():
            raise BarrierPolicyError(f"{path}: no such file or directory")
        if is_bundle(path):
            raise BarrierPolicyError(f"{path}: a bundle is not linted (lint the folders that it was built from)")
        if not lint_files(path):
            raise BarrierPolicyError(f"{path}: the folder has no `*.yaml` (is it the right one?)")
        layer = path if path.is_dir() or path not in lint_files(path.parent) else path.parent
        found[layer] = (*found.get(layer, ()), *lint_files(path))
    return found


def _load_issues(layers: Sequence[Path], schema: RecordSchema, engine: Engine) -> tuple[Issue, ...]:
    try:
        load_policies(layers, schema, engine)
    except PolicyError as error:
        return error.issues
    return ()


def lint(sources: Sources, *, select: Collection[str] = (), ignore: Collection[str] = ()) -> tuple[Finding, ...]:
    """The findings of all rules, or of those in `select` without those in `ignore`, by place."""
    below = beneath(sources)
    findings = [
        Finding(
            file=hit.file,
            line=hit.line,
            column=hit.column,
            rule=rule.id,
            level=rule.level,
            message=_encodable(hit.message),
            path=_encodable(hit.path),
            edits=hit.edits,
        )
        for rule in RULES
        for hit in _hits(rule, sources, below)
    ]
    excused = set(_excused(sources))
    kept = [finding for finding in _without_echoes(findings) if (finding.file, finding.line, finding.rule) not in excused]
    chosen = [finding for finding in kept if (not select or finding.rule in select) and finding.rule not in ignore]
    return tuple(sorted(set(chosen)))


def _hits(rule: LintRule, sources: Sources, below: Sources | None) -> Iterator[Hit]:
    """What a rule finds, without what was as wrong before a patch."""
    if below is None:
        yield from rule.check(sources)
        return
    before = {hit.message for hit in rule.check(below)}
    patches = {file.name: file for file in sources.linted(PATCH)}
    for hit in rule.check(sources):
        patch = patches.get(hit.file)
        if patch is None or hit.message not in before or not is_inherited(hit.line, hit.column, patch):
            yield hit


def _encodable(text: str) -> str:
    """YAML can write half of a surrogate pair, which no encoding can."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _without_echoes(findings: Sequence[Finding]) -> Iterator[Finding]:
    """What the loader says is left out where another error says it better: in the same value, or in the same line."""
    named = [finding for finding in findings if finding.rule != invalid_policy.id and finding.level is Level.ERROR]
    places = {(finding.file, finding.line, finding.column) for finding in named}
    paths = {(finding.file, finding.path.partition("[")[0], finding.line) for finding in named}
    for finding in findings:
        key = (finding.file, finding.path.partition("[")[0], finding.line)
        echo = (finding.file, finding.line, finding.column) in places or key in paths
        if finding.rule != invalid_policy.id or not echo:
            yield finding


def _excused(sources: Sources) -> Iterator[tuple[str, int, str]]:
    for file in sources.linted():
        for number, (start, end) in enumerate(file.lines, start=1):
            match = _IGNORE.search(file.text, start, end)
            if match:
                alone = not file.text[start : match.start()].strip()
                yield from ((file.name, number + alone, rule.strip()) for rule in match[1].split(","))


def fix(file: SourceFile, findings: Sequence[Finding]) -> str:
    """The text of a file after the edits of its findings. Edits that overlap wait for the next round, and layout for the others."""
    own = [(finding.rule, edit) for finding in findings for edit in finding.edits if edit.file == file.name]
    changed = applied(file.text, [edit for rule, edit in own if rule != text.untidy_layout.id])
    return changed if changed != file.text else applied(file.text, [edit for _, edit in own])
