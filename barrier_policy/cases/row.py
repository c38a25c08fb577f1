"""What is reported of one case, on a record or on a transcript."""

from __future__ import annotations

import msgspec

from barrier_policy.policy.verdict import Clause


class RuleTable(msgspec.Struct, frozen=True, kw_only=True):
    """What each clause of a rule says about the record of a case."""

    rule: str
    clauses: tuple[Clause, ...]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `rule` is empty for a case on a transcript; `message` is empty where it passed; `tables` explain a failure."""

    file: str
    line: int
    policy: str
    rule: str
    name: str
    message: str = ""
    tables: tuple[RuleTable, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything is as expected."""
        return not self.message


def table_lines(row: Row) -> list[str]:
    """The clauses of the rules of a row, as `explain` shows them."""
    lines = []
    for table in row.tables:
        lines.append(table.rule)
        lines += [f"  {clause.outcome:<5}  {' '.join(clause.text.split())}" for clause in table.clauses]
    return lines
