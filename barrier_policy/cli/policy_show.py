"""`barrier-policy policy show`: the rules in force after all layers, each line with its origin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.table import Table

from barrier_policy.cli.console import cell, emit, make_table, out, show
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import Session, check_layers
from barrier_policy.policy.loader import shown_place
from barrier_policy.policy.model import Expression, Policy, PolicySet, Rule, Waiver

EXPRESSIONS = ("condition", "explanation", "evidence")
OTHERS = ("repair", "severity", "mode", "locked", "summary", "why", "references", "since")
"""Keys of a rule below its expressions, in the order in which they are shown."""


def show_policies(request: Request, *, resolved: bool, format: OutputFormat) -> int:
    """Print the merged set: a row a rule, or with `resolved` a row a key."""
    check_layers(request.policies, place="")
    session = Session(request)
    policies = session.decider.policies
    if format is not OutputFormat.TABLE:
        records = _records(policies, session.now)
        emit(records, format, lambda: _rules(policies), lines=(*records["rules"], *records["exceptions"]))
        return OK
    console = out()
    show(console, cell(f"policies {policies.name} {policies.digest}"))
    show(console)
    show(console, _keys(policies) if resolved else _rules(policies))
    for waiver in policies.exceptions:
        show(console)
        for line in _exception(waiver, session.now):
            show(console, cell(line))
    return OK


def _rules(policies: PolicySet) -> Table:
    table = make_table("rule", "effect", "mode", "severity", "locked", "owner", "origin", wide="origin")
    for policy, rule in policies.rules():
        table.add_row(
            cell(rule.id),
            str(rule.effect),
            str(rule.mode),
            str(rule.severity),
            "locked" if rule.locked else "",
            cell(policy.owner),
            cell(", ".join([_place(policy, rule), *(f"patched at {place}" for place in _patches(policy, rule))])),
        )
    return table


def _keys(policies: PolicySet) -> Table:
    """Every key with the place that it comes from; what a rule leaves out has the default, and no line."""
    table = make_table("what", "value", "origin", wide="value")
    table.columns[1].ratio, table.columns[2].no_wrap = 1, True
    for policy, rule in policies.rules():
        table.add_row(
            cell(rule.id), cell(f"{rule.effect}, policy {policy.name} {policy.version}"), cell(_place(policy, rule))
        )
        variables = [(f"variables.{name}", value, place) for name, value, place in _variables(policy, rule)]
        for key, value, place in (*_lines(rule, EXPRESSIONS), *variables, *_lines(rule, OTHERS)):
            table.add_row(cell(f"  {key}"), cell(value), cell(place))
    return table


def _lines(rule: Rule, keys: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    places = {origin.key: f"{shown_place(origin.file)}:{origin.line}" for origin in rule.origins}
    for key in keys:
        if key in places:
            yield key, _words(getattr(rule, key)), places[key]


def _variables(policy: Policy, rule: Rule) -> Iterator[tuple[str, str, str]]:
    for variable in policy.variables_of(rule):
        yield variable.name, _words(variable.text), f"{shown_place(policy.file)}:{variable.line}"


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return "; ".join(map(_words, value))
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join((value.text if isinstance(value, Expression) else str(value)).split())


def _exception(waiver: Waiver, now: str) -> Iterator[str]:
    """What an exception covers, who answers for it and where it stands."""
    until = f"does not bind until {waiver.expires}" if waiver.in_force(now) else f"binds again since {waiver.expires}"
    yield f"exception {waiver.name}: {waiver.rule} {until}"
    yield f"  {waiver.owner}: {waiver.reason}"
    if waiver.when:
        yield f"  when {_words(waiver.when)}"
    if waiver.spans:
        yield f"  spans {', '.join(waiver.spans)}"
    if waiver.transcripts:
        yield f"  transcripts {', '.join(waiver.transcripts)}"
    yield f"  {waiver.file}:{waiver.line}"


def _records(policies: PolicySet, now: str) -> dict[str, Any]:
    return {
        "name": policies.name,
        "digest": policies.digest,
        "rules": [
            {
                "rule": rule.id,
                "effect": rule.effect,
                "policy": policy.name,
                "version": policy.version,
                "owner": policy.owner,
                "mode": rule.mode,
                "locked": rule.locked,
                "origin": _place(policy, rule),
                "patches": _patches(policy, rule),
                "keys": _valued(_lines(rule, (*EXPRESSIONS, *OTHERS))),
                "variables": _valued(_variables(policy, rule)),
            }
            for policy, rule in policies.rules()
        ],
        "exceptions": [_exception_record(waiver, now) for waiver in policies.exceptions],
    }


def _valued(lines: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    return {name: {"value": value, "origin": place} for name, value, place in lines}


def _exception_record(waiver: Waiver, now: str) -> dict[str, Any]:
    return {
        "exception": waiver.name,
        "rule": waiver.rule,
        "owner": waiver.owner,
        "reason": waiver.reason,
        "expires": waiver.expires,
        "in_force": waiver.in_force(now),
        "when": waiver.when.text if waiver.when else "",
        "spans": waiver.spans,
        "transcripts": waiver.transcripts,
        "origin": f"{waiver.file}:{waiver.line}",
    }


def _place(policy: Policy, rule: Rule) -> str:
    return f"{shown_place(policy.file)}:{rule.line}"


def _patches(policy: Policy, rule: Rule) -> list[str]:
    """The places in other files that changed keys of a rule."""
    return sorted({origin.place for origin in rule.origins if origin.file != policy.file})
