"""Whether a text is SQL, and what it does. What reads statements (`sql_statements`) is loaded with the first one: its parser is large."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from barrier_policy_plugins.effect_classes import Judgement

MAX_TEXT: Final = 20_000
CACHED_TEXT: Final = 4_096
_STRONG: Final = re.compile(
    r"\s*(?:\(\s*)*(?:select\b.+\bfrom\b|select\s+[\w.]+\s*\(|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s*(?:materialized\s*)?\(|insert\s+(?:into|overwrite|ignore)\b|"
    r"update\s+[\w.\"`]+\s+(?:as\s+)?(?:\w+\s+)?set\b|delete\s+from\b|merge\s+into\b|(?:create|drop|alter)\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|external\s+|"
    r"materialized\s+)*(?:table|view|index|database|schema|user|role|sequence|function|procedure|trigger|type|extension|column|policy)\b|"
    r"truncate\s+(?:table\s+)?\w+|explain\s+|show\s+(?:tables|databases|schemas|create|columns|indexes)\b|describe\s+\w+\s*;?\s*$|pragma\s+\w+|"
    r"vacuum\b|grant\s+.+\bto\b|copy\s+.+\b(?:to|from)\b|begin\s*;|\\[a-z!?])",
    re.IGNORECASE | re.DOTALL,
)


def looks_like_sql(text: str) -> bool:
    """Whether a text has the shape of SQL, so that a search for `update policy` is not taken for a statement."""
    return _STRONG.match(text[:MAX_TEXT]) is not None


def judge_sql(text: str) -> Judgement:
    """Judge one or more statements. Linear; texts of up to 4 KiB are remembered, a bounded number of them."""
    return _judge_cached(text) if len(text) <= CACHED_TEXT else _judge_text(text)


@lru_cache(maxsize=512)
def _judge_cached(text: str) -> Judgement:
    return _judge_text(text)


def _judge_text(text: str) -> Judgement:
    from barrier_policy_plugins.sql_statements import judge_statements

    return judge_statements(text)
