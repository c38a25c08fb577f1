"""A report as JUnit XML: a test case for every span, so that a CI system shows a decision as it shows tests.

A span that keeps the target out of reach is a failure, one with a rule that can't be evaluated an error, one that stays is skipped.
A file without failures is therefore one that may be compacted, as exit code 0 says.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from barrier_policy.report.model import BlockingView, Report, SpanView


def render_junit(report: Report) -> bytes:
    """The test suite as UTF-8 XML. No times: a decision takes none that would be the same twice."""
    blocking: dict[str, list[BlockingView]] = {}
    for entry in report.blocking:
        blocking.setdefault(entry.span, []).append(entry)
    cases = [_case(report.head.file, span, blocking.get(span.id, [])) for span in report.spans]
    if "tail" in blocking:
        cases.append(_tail(report.head.file, blocking["tail"]))
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
    }
    skipped = sum(case.find("skipped") is not None for case in cases)
    attributes = {name: str(count) for name, count in counts.items()}
    suites = ElementTree.Element("testsuites", {"name": "barrier-policy", **attributes})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": report.head.file, **attributes, "skipped": str(skipped)})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(report):
        ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _properties(report: Report) -> Iterator[tuple[str, str]]:
    head = report.head
    yield "outcome", head.outcome
    yield "decision_id", head.decision_id
    yield "transcript", head.digest
    yield "policy", head.policy_digest
    yield "tokens_before", str(head.tokens)
    yield "tokens_after", str(head.tokens_after)


def _case(file: str, span: SpanView, blocking: list[BlockingView]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"classname": file, "name": f"span {span.id}"})
    headline = f"{span.headline[0]}: {span.headline[1]}" if span.headline[0] else span.headline[1]
    if blocking:
        _outcome(case, "failure", headline, "\n".join(map(_blocked, blocking)))
    elif span.errors:
        _outcome(case, "error", "a rule could not be evaluated", "\n".join(_errors(span)))
    elif span.action == "retain":
        _outcome(case, "skipped", f"stays verbatim: {span.note or headline}")
    ElementTree.SubElement(case, "system-out").text = "\n".join(_details(span))
    return case


def _tail(file: str, blocking: list[BlockingView]) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"classname": file, "name": "tail"})
    _outcome(case, "failure", "the target can't be reached", "\n".join(map(_blocked, blocking)))
    return case


def _outcome(case: ElementTree.Element, kind: str, message: str, text: str = "") -> None:
    attributes = {"message": message} if kind == "skipped" else {"message": message, "type": "barrier"}
    ElementTree.SubElement(case, kind, attributes).text = text or None


def _blocked(entry: BlockingView) -> str:
    items = ", ".join(f"{item.id} {item.words}".strip() for item in entry.items)
    return f"{items}: {entry.discharged_by}"


def _errors(span: SpanView) -> Iterator[str]:
    for error in span.errors:
        yield f"{error.rule}: the {error.part} could not be evaluated: {error.message}"


def _details(span: SpanView) -> Iterator[str]:
    yield f"{span.verdict}, {span.action}, {span.tokens} tokens"
    for reason in span.reasons:
        yield f"{reason.rule} ({reason.effect}, {reason.severity}): {reason.explanation}"
        for entry in reason.evidence:
            line = f", line {entry.place.line}" if entry.place.line else ""
            yield f"  {entry.item.id} {entry.item.words} (message {entry.place.message}{line})"
