"""The pages of the lint rules, from their docstrings: `docs/lint/ID.md`, and the table in `docs/lint.md`."""

from __future__ import annotations

import re

from barrier_policy.policy.lint.model import LintRule
from barrier_policy.policy.lint.run import RULES

_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def page(rule: LintRule) -> str:
    """One rule as Markdown. What nobody could see is shown as an escape."""
    parts = [
        f"# {rule.id}",
        f"Level: {rule.level}." + (" `--fix` puts it right." if rule.fix else ""),
        rule.summary,
        rule.why,
        "Reported:",
        _block(rule.bad),
        "Not reported:",
        _block(rule.good),
        *([f"Fix: {rule.fix}"] if rule.fix else []),
    ]
    return "\n\n".join(parts) + "\n"


def _block(example: str) -> str:
    shown = _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", example)
    return f"```yaml\n{shown}\n```"


def table() -> str:
    """All rules, each with a link to its page."""
    rows = [
        f"| [{rule.id}](lint/{rule.id}.md) | {rule.level} | {'yes' if rule.fix else ''} | {rule.summary} |" for rule in RULES
    ]
    return "\n".join(["| rule | level | fix | reports |", "|---|---|---|---|", *rows]) + "\n"
