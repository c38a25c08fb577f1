"""Findings for other programs: JSON, SARIF 2.1.0, GitHub annotations and JUnit. All are the same for the same findings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from barrier_policy.digest import digest_value
from barrier_policy.policy.lint.model import Finding, Level, LintRule
from barrier_policy.printable import clean

SARIF_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
GITHUB_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """One object a finding, in order; `fixable` says whether `--fix` would put it right."""
    return [
        {
            "file": finding.file,
            "line": finding.line,
            "column": finding.column,
            "rule": finding.rule,
            "level": str(finding.level),
            "message": finding.message,
            "path": finding.path,
            "fixable": bool(finding.edits),
        }
        for finding in findings
    ]


def to_sarif(findings: Sequence[Finding], rules: Sequence[LintRule], version: str) -> dict[str, Any]:
    """One run with all rules, found or not. `version` is that of this package."""
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver = {"name": "barrier-policy lint", "version": version, "rules": [_descriptor(rule) for rule in rules]}
    results = [{**_result(finding), "ruleIndex": index[finding.rule]} for finding in findings]
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _descriptor(rule: LintRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"barrier-policy policy lint --explain {rule.id}"},
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.level]},
    }


def _result(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(finding.file.replace("\\", "/"))}}
    if finding.line:
        location["region"] = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
    # Without line numbers, so that a finding is recognised after lines above it came and went.
    mark = digest_value([finding.file, finding.rule, finding.path, finding.message])
    return {
        "ruleId": finding.rule,
        "level": SARIF_LEVELS[finding.level],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"finding/v1": mark.removeprefix("sha256:")},
    }


def to_github(findings: Sequence[Finding]) -> str:
    """Workflow commands that show as annotations beside the lines of a pull request."""
    lines = []
    for finding in findings:
        places = [("file", finding.file), ("line", finding.line), ("col", finding.column), ("title", finding.rule)]
        properties = ",".join(f"{name}={_property(str(value))}" for name, value in places if value)
        lines.append(f"::{GITHUB_LEVELS[finding.level]} {properties}::{_data(finding.message)}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def to_junit(findings: Sequence[Finding], files: Sequence[str], failing: Sequence[Level]) -> bytes:
    """A suite a file and a case a finding, a failure where its level is in `failing`; a file without findings is one passing case."""
    root = ElementTree.Element("testsuites", name="policy lint")
    found = {name: list(group) for name, group in groupby(sorted(findings), key=lambda finding: finding.file)}
    for name in sorted({*files, *found}):
        cases = found.get(name, [])
        failures = sum(finding.level in failing for finding in cases)
        counts = {"name": clean(name), "tests": str(max(len(cases), 1)), "failures": str(failures), "errors": "0"}
        suite = ElementTree.SubElement(root, "testsuite", counts)
        if not cases:
            ElementTree.SubElement(suite, "testcase", classname=clean(name), name="no findings")
        for finding in cases:
            _junit_case(suite, finding, finding.level in failing)
    ElementTree.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root) + b"\n"


def _junit_case(suite: ElementTree.Element, finding: Finding, fails: bool) -> None:
    name = f"{finding.rule} at {finding.line}:{finding.column}"
    case = ElementTree.SubElement(suite, "testcase", classname=clean(finding.file), name=name)
    if fails:
        ElementTree.SubElement(case, "failure", type=finding.rule, message=clean(finding.message)).text = clean(str(finding))
    else:
        ElementTree.SubElement(case, "system-out").text = clean(str(finding))
