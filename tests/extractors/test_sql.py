"""What SQL does."""

from __future__ import annotations

import logging

import pytest
from barrier_policy_plugins.sql import MAX_TEXT, judge_sql, looks_like_sql

from barrier_policy.facts.effect_class import EffectClass

READ, SAME, MORE, GONE = (
    EffectClass.READ_ONLY,
    EffectClass.IDEMPOTENT,
    EffectClass.NON_IDEMPOTENT,
    EffectClass.IRREVERSIBLE,
)

CLASSES = [
    ("select 1", READ),
    ("select count(*) from a where b = 'it''s' order by 1", READ),
    ("select * from a for update", READ),
    ("with x as (select 1) select * from x", READ),
    ("select 'a' from s.a union all select 'b' from s.b", READ),
    ("select `a` from `b`", READ),
    ("select top 5 * from a", READ),
    ("select replace(a, 'x', 'y'), jsonb_set(b, '{c}', '1') from d", READ),
    ("values (1), (2)", READ),
    ("show tables", READ),
    ("describe a", READ),
    ("explain select 1", READ),
    ("explain delete from a", READ),
    ("pragma table_info(a)", READ),
    ("set statement_timeout = 5", READ),
    ("\\d member", READ),
    ("\\dt+", READ),
    ("select 1; select 2", READ),
    ("create table if not exists a (b int)", SAME),
    ("create or replace view v as select 1", SAME),
    ("insert into a values (1) on conflict do nothing", SAME),
    ("grant select on a to b", SAME),
    ("vacuum full a", SAME),
    ("refresh materialized view v", SAME),
    ("copy a to '/tmp/x'", SAME),
    ("pragma journal_mode = wal", SAME),
    ("insert into a values (1)", MORE),
    ("update a set b = b + 1", MORE),
    ("merge into a using b on a.x = b.x when matched then update set y = 1", MORE),
    ("create index concurrently i on a (b)", MORE),
    ("alter table a add column b int", MORE),
    ("copy a from stdin", MORE),
    ("call fill(1)", MORE),
    ("do $$ begin perform 1; end $$", MORE),
    ("select * into b from a", MORE),
    ("select nextval('s')", MORE),
    ("select setval('s', 5)", MORE),
    ("select pg_terminate_backend(5)", MORE),
    ("select lo_import('/etc/x')", MORE),
    ("select dblink_exec('c', 'delete from a')", MORE),
    ("select fill_vat_zone(batch => 5000)", MORE),
    ("explain analyze update a set b = 1", MORE),
    ("explain (analyze, buffers) insert into a values (1)", MORE),
    ("with x as (insert into a values (1) returning *) select * from x", MORE),
    ("delete from a where b = 1", GONE),
    ("truncate a", GONE),
    ("drop table if exists a", GONE),
    ("alter table a drop column b", GONE),
    ("with x as (delete from a returning *) select * from x", GONE),
    ("select 1; drop table a", GONE),
    ("begin; delete from a; commit", GONE),
]


@pytest.mark.parametrize(("text", "expected"), CLASSES, ids=[text for text, _ in CLASSES])
def test_a_text_has_the_class_of_its_worst_statement(text: str, expected: EffectClass) -> None:
    assert judge_sql(text).effect_class is expected


@pytest.mark.parametrize(
    "text", ["", "-- note", "sum by (x) (rate(y[5m]))", "select a, from", "\\i job.sql", "\\! rm x", "frob a"]
)
def test_what_does_not_parse_counts_as_a_change_by_assumption(text: str) -> None:
    judgement = judge_sql(text)
    assert judgement.effect_class is MORE
    assert judgement.assumed


def test_a_transaction_that_is_rolled_back_is_a_rehearsal() -> None:
    assert judge_sql("begin; delete from a; rollback").effect_class is READ
    assert judge_sql("begin; delete from a; commit; rollback").effect_class is GONE


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("select * from sales.item i join stock s on s.id = i.id", ("sales.item", "stock")),
        ("insert into a (b) values (1)", ("a",)),
        ("create index concurrently i on t (b)", ("i", "t")),
        ("drop table if exists a.b", ("a.b",)),
        ("explain analyze delete from a", ("a",)),
        ("select * from read_parquet('x')", ()),
    ],
)
def test_targets_are_tables_as_written(text: str, targets: tuple[str, ...]) -> None:
    assert judge_sql(text).targets == targets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a from b", True),
        ("  with x as (select 1) select 1", True),
        ("delete from a", True),
        ("\\d a", True),
        ("update policy", False),
        ("delete old files", False),
        ("select a hotel in Rome", False),
        ("show me flights", False),
        ("with regards", False),
    ],
)
def test_prose_is_not_taken_for_sql(text: str, expected: bool) -> None:
    assert looks_like_sql(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "select " + "(" * 90 + "1" + ")" * 90,
        "select " + "not " * 4_000 + "1",
        "select 1;" * 3_000,
        "x" * (MAX_TEXT + 1),
    ],
    ids=["open", "nested", "recursive", "many", "long"],
)
def test_hostile_text_counts_as_a_change(text: str) -> None:
    assert judge_sql(text).effect_class is MORE


def test_the_parser_writes_nothing_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for text, _ in CLASSES:
            judge_sql(text + " ")
    assert not caplog.records
