"""A comparison of policies as text and as Markdown. Pure but for printing to the console that is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from barrier_policy.cli.console import cell, clean, make_table, show
from barrier_policy.diff.model import Change, Count, Diff, RuleChange, SpanChange

SPANS_SHOWN = 24
"""Spans that are named; the JSON form has all of them."""
WORDS = {
    Change.LOOSENED: "loosened",
    Change.TIGHTENED: "tightened",
    Change.ERRING: "newly erring",
    Change.REASON: "same answer, another reason",
}


def print_diff(console: Console, diff: Diff) -> None:
    """Print a comparison for a terminal."""
    for line in _head(diff):
        show(console, cell(line))
    show(console)
    if diff.rules:
        show(console, _rules(diff.rules))
        show(console)
    shown = _shown(diff)
    if shown:
        show(console, _spans(shown))
        if len(shown) < len(diff.changes):
            show(console, cell(f"… and {len(diff.changes) - len(shown):,} more spans, see --format json"))
        show(console)
    for line in _outcome(diff):
        show(console, cell(line))


def _head(diff: Diff) -> list[str]:
    decisions = f"{diff.decisions:,} decision(s), " if diff.decisions else ""
    return [
        f"base {diff.base.name} {diff.base.digest[:19]}…, head {diff.head.name} {diff.head.digest[:19]}…",
        f"{diff.transcripts:,} transcript(s), {decisions}{diff.spans:,} spans, {diff.tokens:,} tokens before the tail",
    ]


def _shown(diff: Diff) -> Sequence[SpanChange]:
    """What matters most first: the loosened, then the tightened, in the order of the transcripts."""
    order = list(Change)
    return sorted(diff.changes, key=lambda change: order.index(change.change))[:SPANS_SHOWN]


def _rules(rules: Iterable[RuleChange]) -> Table:
    table = make_table(
        "rule", "edit", *map(str, Change), "tokens", "place", right=(*map(str, Change), "tokens"), wide="place"
    )
    for rule in rules:
        counts = _counts(rule)
        table.add_row(
            cell(rule.rule),
            cell(_edit(rule)),
            *(f"{count.spans:,}" if count.spans else "" for count in counts),
            f"{sum(count.tokens for count in counts):,}",
            cell(rule.place),
        )
    return table


def _edit(rule: RuleChange) -> str:
    return rule.edit + (f" ({', '.join(rule.exceptions)})" if rule.exceptions else "")


def _counts(rule: RuleChange) -> tuple[Count, ...]:
    return rule.loosened, rule.tightened, rule.erring, rule.reason


def _spans(changes: Iterable[SpanChange]) -> Table:
    table = make_table("change", "transcript", "span", "tokens", "base", "head", "rules", right=("tokens",), wide="rules")
    table.columns[1].no_wrap = False
    for change in changes:
        rules = ", ".join(change.rules) + (f"; erring: {', '.join(change.erring)}" if change.erring else "")
        table.add_row(
            str(change.change),
            cell(change.transcript),
            cell(change.span),
            f"{change.tokens:,}",
            change.base,
            change.head,
            cell(rules),
        )
    return table


def _outcome(diff: Diff) -> list[str]:
    totals = [f"{diff.totals[kind].spans:,} {WORDS[kind]} ({diff.totals[kind].tokens:,} tokens)" for kind in Change]
    lines = ["; ".join(totals)]
    if diff.rules and not diff.changes:
        lines.append("the rules differ, and nothing changes for these transcripts")
    lines += [
        f"acknowledged: {rule.rule} ({rule.acknowledged_by})"
        for rule in diff.rules
        if rule.loosened.spans and rule.acknowledged_by
    ]
    if diff.unacknowledged:
        lines.append(f"loosened without acknowledgement: {', '.join(diff.unacknowledged)}")
    return lines


def markdown(diff: Diff) -> str:
    """A comparison for a pull request."""
    verdict = "**loosens without acknowledgement**" if diff.unacknowledged else "nothing is loosened unacknowledged"
    lines = [f"### Policy change: {verdict}", "", *(f"{_text(line)}  " for line in _head(diff)), ""]
    lines += ["| change | spans | tokens |", "|---|---:|---:|"]
    lines += [f"| {WORDS[kind]} | {diff.totals[kind].spans:,} | {diff.totals[kind].tokens:,} |" for kind in Change]
    if diff.rules:
        lines += [
            "",
            "| rule | edit | loosened | tightened | erring | reason | acknowledged |",
            "|---|---|---:|---:|---:|---:|---|",
        ]
        for rule in diff.rules:
            counts = " | ".join(f"{count.spans:,}" for count in _counts(rule))
            lines.append(f"| {_code(rule.rule)} | {_text(_edit(rule))} | {counts} | {_text(rule.acknowledged_by)} |")
    shown = _shown(diff)
    if shown:
        lines += [
            "",
            "<details><summary>Spans</summary>",
            "",
            "| change | transcript | span | tokens | base | head | rules |",
        ]
        lines.append("|---|---|---|---:|---|---|---|")
        lines += [_row(change) for change in shown]
        if len(shown) < len(diff.changes):
            lines += ["", f"and {len(diff.changes) - len(shown):,} more, see `--format json`"]
        lines += ["", "</details>"]
    if diff.unacknowledged:
        lines += ["", f"Loosened without acknowledgement: {', '.join(map(_code, diff.unacknowledged))}"]
    return "\n".join(lines) + "\n"


def _row(change: SpanChange) -> str:
    rules = ", ".join(map(_code, change.rules))
    cells = (
        change.change,
        _code(change.transcript),
        _code(change.span),
        f"{change.tokens:,}",
        change.base,
        change.head,
        rules,
    )
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Text that Markdown takes for text: names of files and reasons come from elsewhere."""
    kept = clean(text)
    for sign in "\\`*_[]<>|":
        kept = kept.replace(sign, "\\" + sign)
    return kept.replace("\\<", "&lt;").replace("\\>", "&gt;")


def _code(text: str) -> str:
    return f"`{clean(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"
