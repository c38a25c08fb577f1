"""What all tests share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from xml.etree import ElementTree

import pytest

TEXT = (set[str](), {"message", "type"}, set[str]())
JUNIT = {
    "testsuites": (set[str](), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time", "timestamp", "hostname", "id", "package", "file", "log", "url", "group"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set[str](), set[str](), {"property"}),
    "property": ({"name", "value"}, set[str](), set[str]()),
    "testcase": ({"name"}, {"classname", "time", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "skipped": TEXT,
    "error": TEXT,
    "failure": TEXT,
    "system-out": (set[str](), set[str](), set[str]()),
    "system-err": (set[str](), set[str](), set[str]()),
}
"""By element, the attributes that it must and may have and what it may hold: what `junit-10.xsd` of Jenkins' xUnit plugin, the strictest
reader, takes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@contextmanager
def _counting() -> Iterator[list[int]]:
    calls = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        calls[0] += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


@pytest.fixture(scope="session")
def counting() -> Callable[[], AbstractContextManager[list[int]]]:
    """How many calls of functions there are, those of built-in ones and steps of generators too: seconds differ from run to run."""
    return _counting


@pytest.fixture(scope="session")
def junit_problems() -> Callable[[bytes], list[str]]:
    """What Jenkins would refuse in JUnit XML; also counts of a suite that are not those of its cases."""

    def check(element: ElementTree.Element) -> list[str]:
        given = set(element.keys())
        needed, allowed, children = JUNIT[element.tag]
        found = [f"{element.tag} lacks {name}" for name in needed - given]
        found += [f"{element.tag} has {name}" for name in given - needed - allowed]
        if element.tag == "testsuite":
            for count, tag in (("failures", "failure"), ("errors", "error")):
                held = sum(case.find(tag) is not None for case in element.findall("testcase"))
                found += [f"{held} {count}, not {element.get(count)}"] if str(held) != element.get(count) else []
        for child in element:
            found += check(child) if child.tag in children else [f"{element.tag} holds {child.tag}"]
        return found

    return lambda data: check(ElementTree.fromstring(data))
