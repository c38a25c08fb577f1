"""What SQL does: statement by statement, by sqlglot's tokens and trees.

A statement that says with its first words what it does (CREATE, GRANT, CALL …) is judged by them. One that can hide a change
(SELECT, WITH, VALUES …) is parsed as well, because a data-changing CTE, INTO, or a function with a side effect makes it one.
What does not parse is unknown, which counts as a change. psql's backslash commands are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from barrier_policy_plugins.effect_classes import MAX_TARGETS, Basis, Judgement, first_distinct, join, judge
from barrier_policy_plugins.sql import MAX_TEXT
from barrier_policy_plugins.sql_words import (
    ACTING_FUNCTION,
    BY_FIRST_WORD,
    META_READS,
    NAMED_AFTER,
    NOT_NAMES,
    PARSED,
    SIDE_EFFECT_FUNCTIONS,
)
from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from barrier_policy.facts.effect_class import EffectClass

MAX_STATEMENTS: Final = 50
MAX_NESTING: Final = 60

_DIALECTS: Final = ("postgres", "mysql", "tsql")
_READ, _SAME, _MORE, _GONE = (
    EffectClass.READ_ONLY,
    EffectClass.IDEMPOTENT,
    EffectClass.NON_IDEMPOTENT,
    EffectClass.IRREVERSIBLE,
)
_EXPLAINED: Final = (PARSED | BY_FIRST_WORD.keys()) - {"ANALYZE", "ANALYSE", "("}
_CHANGES: Final = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Into)
_META: Final = re.compile(r"\\(!|\?|[a-zA-Z_]+)")


def judge_statements(text: str) -> Judgement:
    """By the first dialect that understands all of it; else what the first one makes of it, with the rest unknown."""
    sql, meta = _split_meta(text)
    fallback: list[Judgement] = []
    for dialect in _DIALECTS if len(sql) <= MAX_TEXT else ():
        statements = _statements(sql, dialect)
        if statements is None:
            continue
        if _taken_back(statements):
            return judge(_READ, "rollback", assumed=True, basis=Basis.SQL)
        parts = [_judge_statement(tokens, dialect) for tokens in statements]
        if parts and None not in parts:
            return join([*(part for part in parts if part is not None), *meta], Basis.SQL)
        fallback = fallback or [part or _unknown() for part in parts]
    return join([*(fallback or ([] if meta and not sql.strip() else [_unknown()])), *meta], Basis.SQL)


def _unknown() -> Judgement:
    return judge(_MORE, "sql", assumed=True)


def _split_meta(text: str) -> tuple[str, list[Judgement]]:
    """The SQL lines of a text, and judgements of its backslash commands."""
    if "\\" not in text:
        return text, []
    sql, meta = [], []
    for line in text.splitlines():
        match = _META.match(line.lstrip())
        if match is None:
            sql.append(line)
        else:
            meta.append(_judge_meta(match[1]))
    return "\n".join(sql), meta


def _judge_meta(name: str) -> Judgement:
    if name in META_READS or (name.startswith("d") and len(name) <= 4):
        return judge(_READ, "\\" + name)
    return judge(_MORE, "\\" + name, assumed=True)


def _statements(sql: str, dialect: str) -> list[list[Token]] | None:
    """Token lists of the statements; None where the dialect can't read them, or there are too many or too deep ones."""
    try:
        tokens = _unfold(Dialect.get_or_raise(dialect).tokenize(sql), dialect)
    except (SqlglotError, RecursionError):
        return None
    statements = _split(tokens)
    return statements if len(statements) <= MAX_STATEMENTS and _nesting(tokens) <= MAX_NESTING else None


def _unfold(tokens: list[Token], dialect: str) -> list[Token]:
    """The tokenizer keeps the rest of an EXPLAIN, CALL, VACUUM … as one string behind the command word; take it apart."""
    unfolded: list[Token] = []
    for token in tokens:
        rest = token.token_type is TokenType.STRING and unfolded and unfolded[-1].token_type is TokenType.COMMAND
        unfolded.extend(Dialect.get_or_raise(dialect).tokenize(token.text) if rest else (token,))
    return unfolded


def _split(tokens: Sequence[Token]) -> list[list[Token]]:
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    return [statement for statement in statements if statement]


def _nesting(tokens: Sequence[Token]) -> int:
    depth = deepest = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        deepest = max(deepest, depth)
    return deepest


def _word(token: Token) -> str:
    return token.text[:40].upper()


def _taken_back(statements: Sequence[Sequence[Token]]) -> bool:
    """Whether a transaction is opened and rolled back and nothing is committed: a rehearsal."""
    words = [_word(tokens[0]) for tokens in statements]
    return len(words) > 1 and words[0] in ("BEGIN", "START") and words[-1] in ("ROLLBACK", "ABORT") and "COMMIT" not in words


def _judge_statement(tokens: list[Token], dialect: str) -> Judgement | None:
    """One statement; None where it can't be understood."""
    word = _word(tokens[0])
    if word == "EXPLAIN":
        return _judge_explained(tokens, dialect)
    if word in PARSED:
        return _judge_parsed(tokens, dialect)
    effect_class = BY_FIRST_WORD.get(word)
    if effect_class is None:
        return None
    words = [_word(token) for token in tokens]
    refined = _refine(word, words, effect_class)
    called = word in ("CALL", "EXEC", "EXECUTE", "DO")
    return judge(refined, _operation(word, words), targets=_names(tokens, words), assumed=called)


def _refine(word: str, words: list[str], effect_class: EffectClass) -> EffectClass:
    """What the words behind the first one change about the class."""
    head = words[1:8]
    if word == "CREATE" and ("REPLACE" in head or "EXISTS" in head or "IF" in head or "TEMP" in head or "TEMPORARY" in head):
        return _SAME
    if word == "INSERT" and ("CONFLICT" in words or "IGNORE" in head or "OVERWRITE" in head):
        return _SAME
    if word == "ALTER" and "DROP" in words:
        return _GONE
    if word == "COPY" and "FROM" not in words:
        return _SAME
    if (word == "SET" and head[:1] and head[0] in ("GLOBAL", "PERSIST")) or (word == "PRAGMA" and "=" in words):
        return _SAME
    return effect_class


def _operation(word: str, words: list[str]) -> str:
    if word not in ("CREATE", "DROP", "ALTER", "REFRESH"):
        return word.lower()
    kind = next((other for other in words[1:5] if other in NAMED_AFTER), "")
    return f"{word} {kind}".strip().lower()


def _names(tokens: Sequence[Token], words: Sequence[str]) -> tuple[str, ...]:
    """Names of tables and the like: what stands behind INTO, FROM, TABLE …, with the dots between its parts."""
    found = []
    marks = NAMED_AFTER if words[0] in ("CREATE", "DROP", "GRANT", "REVOKE", "COMMENT") else NAMED_AFTER - {"ON"}
    for index, word in enumerate(words):
        if word in marks:
            start = index + 1
            while start < len(words) and words[start] in NOT_NAMES:
                start += 1
            found.append(_dotted(tokens, start, plain=word in ("FROM", "JOIN")))
    return first_distinct(found, MAX_TARGETS)


def _dotted(tokens: Sequence[Token], start: int, *, plain: bool) -> str:
    """A name with its dots; "" where there is none, or, if it has to be `plain`, where a function is called."""
    if start >= len(tokens) or not (tokens[start].text[:1].isalpha() or tokens[start].text[:1] == "_"):
        return ""
    parts = [tokens[start].text]
    index = start + 1
    while index + 1 < len(tokens) and tokens[index].token_type is TokenType.DOT and len(parts) < 4:
        parts.append(tokens[index + 1].text)
        index += 2
    calls = index < len(tokens) and tokens[index].token_type is TokenType.L_PAREN
    return "" if plain and calls else ".".join(parts)


def _judge_explained(tokens: list[Token], dialect: str) -> Judgement | None:
    """EXPLAIN only plans, unless ANALYZE makes it run what it explains."""
    start = next((index for index, token in enumerate(tokens) if index and _word(token) in _EXPLAINED), len(tokens))
    runs = any(_word(token) in ("ANALYZE", "ANALYSE") for token in tokens[1:start])
    if not runs or start == len(tokens):
        return judge(_READ, "explain")
    return _judge_statement(tokens[start:], dialect)


def _judge_parsed(tokens: list[Token], dialect: str) -> Judgement | None:
    tree = _parse(tokens, dialect)
    if tree is None:
        return None
    words = [_word(token) for token in tokens]
    names = _names(tokens, words)
    calls = _called(tokens)
    acting = next((name for name in calls if name.lower() in SIDE_EFFECT_FUNCTIONS), None)
    if acting is not None:
        return judge(_MORE, acting, targets=names)
    change = next((node for node in tree.walk() if isinstance(node, _CHANGES)), None)
    if change is not None:
        effect_class = _GONE if isinstance(change, exp.Delete | exp.Drop) else _MORE
        return judge(
            effect_class, "select into" if isinstance(change, exp.Into) else type(change).__name__.lower(), targets=names
        )
    speaking = next((name for name in calls if ACTING_FUNCTION.match(name)), None)
    if speaking is not None:
        return judge(_MORE, speaking, targets=names, assumed=True)
    return judge(_READ, words[0].lower() if words[0].isalpha() else "select", targets=names)


def _called(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Names that stand before a parenthesis."""
    return tuple(
        token.text
        for token, following in pairwise(tokens)
        if following.token_type is TokenType.L_PAREN and token.text[:1].isalpha()
    )


def _parse(tokens: list[Token], dialect: str) -> exp.Expr | None:
    """The tree of one statement, None where it has none."""
    try:
        trees = Dialect.get_or_raise(dialect).parser().parse(tokens, "")
    except (SqlglotError, RecursionError, ValueError):
        return None
    if len(trees) != 1 or trees[0] is None or isinstance(trees[0], exp.Command | exp.Alias | exp.Column):
        return None
    return trees[0]
