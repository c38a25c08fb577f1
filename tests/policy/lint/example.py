"""Examples of lint rules as files: what a rule's page shows is what its tests lint.

An example is a whole file (it begins with `apiVersion:`), the rules of one (it begins with `- `), or some keys of a rule, which take
the place of those of a sound one. A line `#  ^` points at the place of the finding in the line above it.
"""

from __future__ import annotations

import re

HEAD = "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: example, version: 1.0.0, owner: platform}\n"
RULE = {
    "id": "example.keep-something",
    "effect": "barrier",
    "severity": "high",
    "summary": "A span with an unsettled effect stays verbatim.",
    "why": "The auditor reads the call and its answer.",
    "references": '["audit handbook, section 7"]',
    "since": "1.0.0",
    "condition": '"span.effects.exists(e, e.unsettled)"',
    "evidence": '"span.effects.filter(e, e.unsettled)"',
    "explanation": "\"'an effect is unsettled'\"",
    "repair": "[confirm]",
}
_KEY = re.compile(r"([A-Za-z]+):(.*)")
_LIST = re.compile(r"span\.(effects|bindings|unknowns)")
_CARET = re.compile(r" *#( *)\^ *")


def policy_file(example: str) -> str:
    """The file that an example stands for, without its pointing lines."""
    lines = [line for line in example.splitlines() if not _CARET.fullmatch(line)]
    return _file(lines)


def pointed_at(example: str) -> tuple[int, int] | None:
    """Line and column in `policy_file(example)` of what the example points at; None where it points at nothing."""
    lines = example.splitlines()
    number = next((number for number, line in enumerate(lines) if _CARET.fullmatch(line)), None)
    if number is None:
        return None
    shown = lines[number - 1]
    column = 0 if lines[number].startswith("#^") else lines[number].index("^")
    written = policy_file(example).split("\n")
    line = max(place for place, text in enumerate(written) if _content(text) == _content(shown))
    return line + 1, written[line].index(_content(shown)) - shown.index(_content(shown)) + column + 1


def _content(line: str) -> str:
    """A line without its indent and its dash."""
    return line.lstrip().removeprefix("- ")


def cases_file(policy: str) -> str:
    """Cases that show each rule of a policy file true, false and in error, as far as the linter looks."""
    rules = re.findall(r"\bid: ([a-z.-]+)", policy)
    lines = [
        f'  - {{name: case_{number}_{outcome}, rule: {rule}, span: {{}}, expect: {{outcome: "{outcome}"}}}}'
        for number, rule in enumerate(rules)
        if rule != "example.keep-untested"
        for outcome in ("true", "false", "error")
    ]
    head = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: example\ncases:"
    return "\n".join([head + ("" if lines else " []"), *lines, ""])


def _file(lines: list[str]) -> str:
    if lines[0].startswith("apiVersion:"):
        return "\n".join([*lines, ""])
    if lines[0].startswith("- "):
        return HEAD + "rules:\n" + "".join(f"  {line}\n" for line in lines)
    rule, variables = dict(RULE), []
    for line in lines:
        match = _KEY.fullmatch(line)
        if match is None or match[1] == "variables":
            variables.append(line)
        else:
            rule.pop(match[1], None)
            rule[match[1]] = match[2].strip()
    lists = _LIST.search(rule["condition"])
    if not any(line.startswith("evidence:") for line in lines) and any(line.startswith("condition:") for line in lines):
        rule["evidence"] = f'"{lists[0]}"' if lists else ""
    keys = ["id", *(key for key in rule if key != "id")]
    written = [f"{key}: {rule[key]}".rstrip() for key in keys]
    body = [f"{'  - ' if number == 0 else '    '}{line}" for number, line in enumerate(written)]
    return HEAD + "".join(f"{line}\n" for line in [*variables, "rules:", *body])
