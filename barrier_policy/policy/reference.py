"""The reference of a policy set as Markdown: what a reviewer reads without YAML. Each rule's example is one of its cases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent

import msgspec

from barrier_policy.policy.case_file import Case
from barrier_policy.policy.cases import CaseResult
from barrier_policy.policy.model import Policy, PolicySet, Rule, Waiver
from barrier_policy.policy.verdict import Outcome


def reference(policies: PolicySet, results: Sequence[CaseResult], files: frozenset[str]) -> str:
    """One page: a table of the rules of some files, then each with its policy, then exceptions.

    A rule is of a file that it stands in or that changes it; it is shown as it then is. `results` are the cases, run.
    """
    examples = _examples(results)
    chosen = _chosen(policies, files)
    exceptions = [waiver for waiver in policies.exceptions if waiver.file in files]
    parts = [
        "# Rules",
        f"Made by `barrier-policy policy docs` from the policies `{policies.name}`; each example is one of their cases.",
        "\n".join(_table(chosen)),
    ]
    for policy in chosen:
        parts += [f"## {policy.name}", f"Version {policy.version}, owned by {_prose(policy.owner)}."]
        for rule in policy.rules:
            parts += _rule(policy, rule, examples.get(rule.id, ""))
    parts += ["## Exceptions", *(part for waiver in exceptions for part in _exception(waiver))] if exceptions else []
    return "\n\n".join(parts) + "\n"


def _chosen(policies: PolicySet, files: frozenset[str]) -> list[Policy]:
    """The policies with those of their rules that are of some files; none without."""
    found = []
    for policy in policies.policies:
        rules = tuple(
            rule for rule in policy.rules if not files.isdisjoint([policy.file, *(origin.file for origin in rule.origins)])
        )
        found += [msgspec.structs.replace(policy, rules=rules)] if rules else []
    return found


def _table(policies: Sequence[Policy]) -> Iterator[str]:
    yield "| rule | effect | severity | summary |"
    yield "|---|---|---|---|"
    for policy in policies:
        for rule in policy.rules:
            anchor = re.sub(r"[^a-z0-9-]", "", rule.id)
            summary = _prose(rule.summary).replace("|", "\\|")
            yield f"| [{rule.id}](#{anchor}) | {rule.effect} | {rule.severity} | {summary} |"


def _exception(waiver: Waiver) -> list[str]:
    about = [f"- spans {', '.join(waiver.spans)}"] if waiver.spans else []
    about += [f"- transcripts {', '.join(waiver.transcripts)}"] if waiver.transcripts else []
    parts = [f"### {waiver.name}", f"{waiver.rule} does not bind until {waiver.expires}, by {_prose(waiver.owner)}:"]
    parts += [_prose(waiver.reason)]
    parts += ["When:", _fence("cel", waiver.when.text)] if waiver.when else []
    return [*parts, *(["For:", "\n".join(about)] if about else [])]


def _rule(policy: Policy, rule: Rule, example: str) -> list[str]:
    facts = [str(rule.effect), f"severity {rule.severity}", *(["locked"] if rule.locked else [])]
    facts += [f"mode {rule.mode}"] if rule.mode != "enforce" else []
    facts += [f"since {rule.since}"] if rule.since else []
    parts = [f"### {rule.id}", _prose(rule.summary), _prose(rule.why), f"{', '.join(facts).capitalize()}."]
    parts += ["Condition:", _fence("cel", rule.condition.text), *_variables(policy, rule)]
    parts += ["Cites:", _fence("cel", "\n".join(found.text for found in rule.evidence))] if rule.evidence else []
    parts += ["Explanation:", _fence("cel", rule.explanation.text)] if rule.explanation else []
    parts += [f"Repair: {', '.join(rule.repair)}."] if rule.repair else []
    parts += ["Sources:", "\n".join(f"- {_prose(source)}" for source in rule.references)]
    return [*parts, *(["Example:", _fence("yaml", example)] if example else ["No case at hand shows it."])]


def _variables(policy: Policy, rule: Rule) -> list[str]:
    lines = [f"{variable.name} = {variable.text}" for variable in policy.variables_of(rule)]
    return ["Where:", _fence("cel", "\n".join(lines))] if lines else []


def _examples(results: Sequence[CaseResult]) -> Mapping[str, str]:
    """By rule, the first passing case on which it is true, as it is written."""
    starts: dict[str, list[int]] = {}
    for result in results:
        starts.setdefault(result.case.file, []).append(result.case.line)
    found: dict[str, str] = {}
    for result in results:
        case = result.case
        if result.passed and case.outcome is Outcome.TRUE and case.rule not in found:
            found[case.rule] = _as_written(case, min((line for line in starts[case.file] if line > case.line), default=0))
    return found


def _as_written(case: Case, end: int) -> str:
    lines = Path(case.file).read_text(encoding="utf-8-sig").splitlines()[case.line - 1 : end - 1 if end else None]
    lines[0] = " " * (case.column - 1) + lines[0][case.column - 1 :]
    return dedent("\n".join(lines)).strip()


def _fence(language: str, text: str) -> str:
    marks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def _prose(text: str) -> str:
    """Text of a policy as text of the page: no HTML, on one line."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
