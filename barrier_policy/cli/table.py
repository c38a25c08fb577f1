"""The decision as a table: where it came from, span by span, what blocks, and the sums."""

from __future__ import annotations

import collections

from rich.console import Console
from rich.table import Table
from rich.text import Text

from barrier_policy.cli.console import cell, clean, counted, make_table, show
from barrier_policy.gate.expected import expected
from barrier_policy.report.rows import LONG, ItemTexts, Row, action_totals, blocked, decision_rows
from barrier_policy.transcript.tokens import Counter
from barrier_policy.walk import Analysis

STYLES = {"summarize": "green", "repair": "yellow", "retain": "red", "compact": "green", "refuse": "bold red"}


def print_decision(console: Console, name: str, analysis: Analysis, count: Counter, *, fold: bool) -> None:
    """Print one decision; `count` counts tokens."""
    rows = decision_rows(analysis, fold=fold)
    for line in _head(name, analysis):
        show(console, cell(line))
    show(console)
    if rows:
        show(console, _spans(rows))
        show(console)
    if analysis.decision.outcome == "refuse":
        show(console, _blocking(analysis, fold=fold))
        show(console)
    show(console, _totals(analysis))
    for line in _warnings(analysis):
        show(console, cell(line))
    show(console, _outcome(analysis, count))


def _head(name: str, analysis: Analysis) -> list[str]:
    decision = analysis.decision
    about = decision.transcript
    lines = [
        f"{clean(name)}: {about.format}, {counted(about.messages, 'message')}, {counted(about.turns, 'turn')}, {about.tokens:,} tokens",
        f"policies {decision.policy.name} {decision.policy.digest[:19]}…, engine {decision.policy.engine}",
    ]
    if analysis.transcript.skipped:
        skipped = ", ".join(f"{entry.count:,} {entry.what}" for entry in analysis.transcript.skipped)
        lines.append(f"left out by the reader: {skipped}")
    return lines


def _spans(rows: list[Row]) -> Table:
    table = make_table("span", "messages", "tokens", "action", "rule", "what", right=("messages", "tokens"), wide="what")
    for row in rows:
        action = Text(row.action, style=STYLES[row.action])
        cells: tuple[str | Text, ...] = (_place(row), f"{row.messages:,}", f"{row.tokens:,}", action)
        for rule, what in row.lines:
            table.add_row(*cells, cell(rule), cell(what, one_line=row.brief))
            cells = ("", "", "", "")
    return table


def _place(row: Row) -> str:
    place = row.first if row.first == row.last else f"{row.first}-{row.last}"
    return place if row.spans == 1 else f"{place} ({row.spans} spans)"


def _blocking(analysis: Analysis, *, fold: bool) -> Table:
    """What keeps the target out of reach, and what would discharge it."""
    texts = ItemTexts(analysis)
    table = make_table("blocking", "items", "what would discharge it", right=("items",), wide="what would discharge it")
    found = blocked(analysis)
    shown = found[:LONG] if fold else found
    for entry in shown:
        named = texts.some(entry.items)
        table.add_row(
            entry.span, f"{len(entry.items):,}", cell(f"{entry.discharged_by}: {named}" if named else entry.discharged_by)
        )
    if len(found) > len(shown):
        table.add_row("…", f"{sum(len(entry.items) for entry in found[len(shown) :]):,}", "further items, see --all")
    return table


def _totals(analysis: Analysis) -> Table:
    table = make_table("action", "spans", "messages", "tokens", right=("spans", "messages", "tokens"))
    *actions, tail = action_totals(analysis)
    for total in actions:
        action = Text(total.action, style=STYLES[total.action])
        table.add_row(action, f"{total.spans:,}", f"{total.messages:,}", f"{total.tokens:,}")
    table.add_row("tail (kept anyway)", "", f"{tail.messages:,}", f"{tail.tokens:,}")
    return table


def _warnings(analysis: Analysis) -> list[str]:
    """What would be otherwise if rules in mode warn were enforced: in a folded table their lines may be left out."""
    found = collections.Counter(reason.rule for span in analysis.decision.spans for reason in span.warnings)
    return [f"in mode warn, counts for nothing: {rule} is true of {counted(found[rule], 'span')}" for rule in sorted(found)]


def _outcome(analysis: Analysis, count: Counter) -> Text:
    decision = analysis.decision
    before, after = decision.totals.tokens_before, decision.budget.tokens_after
    text = Text()
    text.append(decision.outcome, style=STYLES.get(decision.outcome, "bold"))
    if decision.outcome == "compact":
        text.append(f": {before:,} tokens become {after:,}, of these {decision.totals.tokens_carrier:,} in carrier records")
        text.append(_expected(analysis, count))
    elif decision.outcome == "refuse":
        text.append(f": {before:,} tokens can't become {decision.budget.target_tokens:,}; nothing may be summarized")
    else:
        text.append(f": {before:,} tokens stay as they are")
    return text


def _expected(analysis: Analysis, count: Counter) -> str:
    """What the result of a compaction comes to, which has frames and summaries besides what the decision counts."""
    decision, found = analysis.decision, expected(analysis.decision, analysis.transcript.messages, count)
    target, before = decision.budget.target_tokens, decision.totals.tokens_before
    summaries = "1 summary" if found.summaries == 1 else f"{found.summaries} summaries"
    text = f"; with the carrier's frame and {summaries} {found.tokens:,} or more"
    if found.tokens >= before:
        return f"{text}, which gains nothing"
    return f"{text}, over the target of {target:,}" if target is not None and found.tokens > target else text
