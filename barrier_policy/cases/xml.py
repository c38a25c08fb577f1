"""Reports for machines of continuous integration: JUnit for cases, Cobertura for coverage."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from barrier_policy.cases.row import Row, table_lines
from barrier_policy.cases.run import Report
from barrier_policy.policy.coverage import Coverage, RuleCoverage
from barrier_policy.printable import clean


def junit(report: Report) -> bytes:
    """A suite for each test file, a case for each case; survivors of mutation are a suite of failures.

    Elements and attributes are those that `junit-10.xsd` of Jenkins' xUnit plugin takes.
    """
    root = Element("testsuites", name="policy test", tests=str(len(report.rows)), failures=str(len(report.failed)))
    rows = sorted(report.rows, key=lambda row: (row.policy, row.file))
    for (policy, file), group in groupby(rows, key=lambda row: (row.policy, row.file)):
        found = list(group)
        suite = _suite(root, policy, tests=len(found), failures=sum(not row.passed for row in found))
        suite.set("file", clean(file))
        for row in found:
            _case(suite, row)
    if report.mutation is not None:
        survivors = report.mutation.unexplained
        suite = _suite(root, "mutants", tests=report.mutation.mutants, failures=len(survivors))
        for survivor in survivors:
            case = SubElement(suite, "testcase", classname=survivor.rule, name=clean(survivor.mutation))
            SubElement(case, "failure", message=clean(f"{survivor.file}:{survivor.line}: no case notices it"))
    return _document(root)


def _suite(root: Element, name: str, *, tests: int, failures: int) -> Element:
    return SubElement(root, "testsuite", name=name, tests=str(tests), failures=str(failures), errors="0")


def _case(suite: Element, row: Row) -> None:
    case = SubElement(suite, "testcase", classname=clean(row.rule or row.policy), name=clean(row.name))
    if not row.passed:
        failure = SubElement(case, "failure", message=clean(row.message))
        failure.text = "\n".join(map(clean, [f"{row.file}:{row.line}", *table_lines(row)]))


def cobertura(coverage: Coverage, roots: Sequence[PurePath] = ()) -> bytes:
    """A class for each policy file, a line for each line with a rule or clause; what is to be shown of it are its branches.

    Files are named from the first of `roots` that they lie in, so that the report says the same on every machine.
    """
    rate = f"{coverage.percent / 100:.4f}"
    counts = {"branches-covered": str(coverage.shown), "branches-valid": str(coverage.points), "complexity": "0"}
    lines = {"lines-covered": str(_lines(coverage, hit=True)), "lines-valid": str(_lines(coverage, hit=False))}
    root = Element("coverage", {"branch-rate": rate, "line-rate": rate, "timestamp": "0", "version": "1", **counts, **lines})
    sources = SubElement(root, "sources")
    SubElement(sources, "source").text = "."
    packages = SubElement(root, "packages")
    package = SubElement(
        packages, "package", {"name": "policies", "branch-rate": rate, "line-rate": rate, "complexity": "0"}
    )
    classes = SubElement(package, "classes")
    ordered = sorted(coverage.rules, key=lambda rule: (rule.file, rule.line))
    for file, group in groupby(ordered, key=lambda rule: rule.file):
        _class(classes, _from_root(PurePath(file), roots), list(group))
    return _document(root)


def _from_root(file: PurePath, roots: Sequence[PurePath]) -> PurePath:
    return next((file.relative_to(root) for root in roots if file.is_relative_to(root)), file)


def _class(classes: Element, file: PurePath, rules: list[RuleCoverage]) -> None:
    of_file = Coverage(rules=tuple(rules))
    rate = f"{of_file.percent / 100:.4f}"
    name = clean(file.stem)
    head = {"name": name, "filename": clean(file.as_posix()), "branch-rate": rate, "line-rate": rate, "complexity": "0"}
    found = SubElement(classes, "class", head)
    SubElement(found, "methods")
    lines = SubElement(found, "lines")
    for number, hits in _by_line(of_file).items():
        shown = sum(map(bool, hits))
        covered = f"{100 * shown // len(hits)}% ({shown}/{len(hits)})"
        attributes = {"number": str(number), "hits": str(sum(hits)), "branch": "true", "condition-coverage": covered}
        SubElement(lines, "line", attributes)


def _by_line(coverage: Coverage) -> dict[int, list[int]]:
    lines: dict[int, list[int]] = {}
    for rule in coverage.rules:
        for point in rule.points:
            lines.setdefault(point.line, []).append(point.hits)
    return dict(sorted(lines.items()))


def _lines(coverage: Coverage, *, hit: bool) -> int:
    found = {(rule.file, point.line) for rule in coverage.rules for point in rule.points if point.hits or not hit}
    return len(found)


def _document(root: Element) -> bytes:
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode("utf-8", "backslashreplace")
