"""Findings in the formats of other programs."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest

from barrier_policy.policy.lint.model import Finding, Level
from barrier_policy.policy.lint.output import to_github, to_json, to_junit, to_sarif
from barrier_policy.policy.lint.run import RULES

ODD = Finding(
    file="a,b:c/x.yaml",
    line=3,
    column=7,
    rule="unknown-fact",
    level=Level.ERROR,
    message="50% of\nit\x00 \ud83d",
    path="$.rules[0]",
)
PLACELESS = Finding(file="y.yaml", line=0, column=0, rule="invalid-policy", level=Level.WARNING, message="can't be read")
FINDINGS = [ODD, PLACELESS, msgspec.structs.replace(PLACELESS, level=Level.INFO, rule="missing-since")]

LEVELS = ["none", "note", "warning", "error"]
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": MESSAGE,
                                                "fullDescription": MESSAGE,
                                                "help": MESSAGE,
                                                "defaultConfiguration": {"properties": {"level": {"enum": LEVELS}}},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"enum": LEVELS},
                                "message": MESSAGE,
                                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "properties": {
                                                    "artifactLocation": {"properties": {"uri": {"type": "string"}}},
                                                    "region": {
                                                        "properties": {
                                                            "startLine": {"type": "integer", "minimum": 1},
                                                            "startColumn": {"type": "integer", "minimum": 1},
                                                        }
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The parts of the SARIF 2.1.0 schema that this output uses."""


def test_sarif_has_the_shape_of_2_1_0_and_every_result_names_its_rule() -> None:
    made = msgspec.json.decode(msgspec.json.encode(to_sarif(FINDINGS[1:], RULES, "1.0.0")))
    jsonschema.validate(made, SARIF)
    (run,) = made["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["invalid-policy", "missing-since"]
    assert [result["level"] for result in run["results"]] == ["warning", "note"]
    assert len({rule["id"] for rule in rules}) == len(RULES)


def test_a_sarif_address_is_a_uri_and_its_fingerprint_does_not_depend_on_lines() -> None:
    finding = msgspec.structs.replace(ODD, message="x", file="a b/ü.yaml")
    moved = msgspec.structs.replace(finding, line=9)
    first, second = to_sarif([finding, moved], RULES, "1.0.0")["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/%C3%BC.yaml"},
        "region": {"startLine": 3, "startColumn": 7},
    }
    assert first["partialFingerprints"] == second["partialFingerprints"]


def test_github_annotations_escape_what_would_end_them() -> None:
    assert to_github(FINDINGS) == (
        "::error file=a%2Cb%3Ac/x.yaml,line=3,col=7,title=unknown-fact::50%25 of%0Ait\x00 \ud83d\n"
        "::warning file=y.yaml,title=invalid-policy::can't be read\n"
        "::notice file=y.yaml,title=missing-since::can't be read\n"
    )


@pytest.mark.parametrize(("failing", "failures"), [((Level.ERROR,), 1), ((Level.ERROR, Level.WARNING), 2)])
def test_junit_is_xml_whatever_is_in_a_finding(failing: tuple[Level, ...], failures: int) -> None:
    root = ElementTree.fromstring(to_junit(FINDINGS, ["clean.yaml", "y.yaml"], failing))
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("a,b:c/x.yaml", "1"),
        ("clean.yaml", "1"),
        ("y.yaml", "2"),
    ]
    assert len(root.findall(".//failure")) == failures == sum(int(suite.get("failures", 0)) for suite in root)


def test_strict_readers_take_the_junit_file(junit_problems: Callable[[bytes], list[str]]) -> None:
    assert junit_problems(to_junit(FINDINGS, ["clean.yaml", "y.yaml"], (Level.ERROR,))) == []


def test_json_says_what_can_be_put_right() -> None:
    assert to_json([PLACELESS]) == [
        {
            "file": "y.yaml",
            "line": 0,
            "column": 0,
            "rule": "invalid-policy",
            "level": "warning",
            "message": "can't be read",
            "path": "",
            "fixable": False,
        }
    ]
