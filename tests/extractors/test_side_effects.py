"""Fact kind `tool_call`: the class of a call's side effect, and what it acts on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from barrier_policy_plugins import side_effects

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType, ToolDeclaration

READ, SAME, KEYED, MORE, GONE = "read_only", "idempotent", "keyed", "non_idempotent", "irreversible"


def call(name: str, arguments: Any = None, **annotations: Any) -> Fact:
    """The fact of one call; `annotations` are those that the transcript declares for the tool."""
    part = Part(type=PartType.TOOL_CALL, name=name, text=json.dumps(arguments or {}), arguments=arguments or {})
    tools = {name: ToolDeclaration(name=name, annotations=annotations)} if annotations else {}
    message = Message(index=3, role="assistant", origin=Origin.AGENT, parts=(part,))
    (fact,) = side_effects.barrier_extract_facts(message=message, context=Context(calls={}, tools=tools, now=""))
    return fact


def shown(fact: Fact, *names: str) -> tuple[Any, ...]:
    return tuple(fact.get(name) for name in names)


@pytest.mark.parametrize(
    ("annotations", "expected", "assumed"),
    [
        ({"readOnlyHint": True}, READ, False),
        ({"readOnlyHint": True, "destructiveHint": True}, READ, False),
        ({"idempotentHint": True}, SAME, False),
        ({"destructiveHint": False}, MORE, False),
        ({"destructiveHint": True}, GONE, False),
        ({"readOnlyHint": False}, GONE, True),
        ({"openWorldHint": True}, GONE, True),
    ],
)
def test_annotations_decide_with_the_protocol_s_defaults(annotations: dict[str, bool], expected: str, assumed: bool) -> None:
    fact = call("frobnicate", {"id": 1}, **annotations)
    assert shown(fact, "effect_class", "basis", "assumed") == (expected, "annotation", assumed)


def test_annotations_without_a_hint_say_nothing() -> None:
    assert call("get_order", {"id": 1}, title="Get an order").get("basis") == "name"


def test_what_a_command_shows_is_surer_than_a_general_hint() -> None:
    assert shown(call("Bash", {"command": "ls"}, destructiveHint=True), "effect_class", "basis") == (READ, "shell")
    assert call("Bash", {"command": "rm a"}, readOnlyHint=True).get("effect_class") == READ


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Read", {"file_path": "a"}, READ),
        ("mcp__filesystem__read_text_file", {"path": "a"}, READ),
        ("functions.apply_patch", {"input": "*** Update File: a.py"}, MORE),
        ("default_api:write_file", {"file_path": "a", "content": "b"}, SAME),
        ("Write", {"file_path": "a", "content": "b"}, SAME),
        ("Edit", {"file_path": "a", "old_string": "b", "new_string": "c"}, MORE),
        ("str_replace_editor", {"command": "view", "path": "a"}, READ),
        ("str_replace_editor", {"command": "create", "path": "a"}, SAME),
        ("str_replace_editor", {"command": "str_replace", "path": "a"}, MORE),
        ("write_stdin", {"session_id": 1, "chars": ""}, READ),
        ("write_stdin", {"session_id": 1, "chars": "y\n"}, MORE),
        ("calculate", {"expression": "1+1"}, READ),
        ("book_reservation", {"user_id": "u"}, MORE),
        ("cancel_reservation", {"reservation_id": "r"}, GONE),
        ("toggle_airplane_mode", {}, MORE),
        ("check_sim_status", {}, READ),
        ("submit", {}, READ),
    ],
)
def test_known_tools_are_looked_up_behind_every_prefix(name: str, arguments: Any, expected: str) -> None:
    assert shown(call(name, arguments), "effect_class", "basis", "assumed") == (expected, "table", False)


def test_a_namesake_of_a_known_tool_is_not_taken_for_it() -> None:
    assert call("goto", {"place": "shelf 5"}).get("effect_class") == MORE
    assert call("submit", {"form": "f-1"}).get("effect_class") == MORE
    assert call("open", {"door": "d1"}).get("effect_class") == SAME


@pytest.mark.parametrize(
    ("name", "arguments", "expected", "basis"),
    [
        ("Bash", {"command": "git push"}, MORE, "shell"),
        ("shell", {"command": ["bash", "-lc", "git status"]}, READ, "shell"),
        ("ssh_exec", {"host": "h", "cmd": "df -h"}, READ, "shell"),
        ("kubectl", {"args": "-n prod get pods"}, READ, "shell"),
        ("kubectl", {"args": "delete pod a"}, GONE, "shell"),
        ("redis", {"cmd": "INFO memory"}, READ, "shell"),
        ("acmectl", {"args": "roll rel-1"}, MORE, "shell"),
        ("ansible", {"hosts": "a", "module": "shell", "args": "df -h"}, READ, "shell"),
        ("run_python", {"code": "print(1)"}, READ, "shell"),
        ("run_python", {"code": "open('a', 'w').write('b')"}, MORE, "shell"),
        ("sql_query", {"sql": "select 1"}, READ, "sql"),
        ("sql_query", {"sql": "delete from a"}, GONE, "sql"),
        ("warehouse", {"q": "select sum(a) from b"}, READ, "sql"),
        ("warehouse", {"q": "insert into a values (1)"}, MORE, "sql"),
        ("GET:/admin/players", {"name": "x"}, READ, "http"),
        ("POST_/v1/incidents", {"title": "x"}, MORE, "http"),
        ("http", {"method": "DELETE", "url": "https://example.test/a"}, GONE, "http"),
        ("http", {"url": "https://example.test/a"}, READ, "http"),
    ],
)
def test_a_payload_that_can_be_read_says_what_the_call_does(name: str, arguments: Any, expected: str, basis: str) -> None:
    assert shown(call(name, arguments), "effect_class", "basis") == (expected, basis)


def test_a_search_for_words_of_sql_is_no_statement() -> None:
    assert shown(call("web_lookup", {"q": "drop table saw blades"}), "effect_class", "basis") == (READ, "name")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # a reading verb first or last
        ("get_order", READ),
        ("order_get", READ),
        ("orderGet", READ),
        ("loki.query", READ),
        ("list-buckets", READ),
        ("stop_get", READ),
        ("payout_check", READ),
        # a noun for what is reported
        # verbs that change something
        ("order_create", MORE),
        ("createOrder", MORE),
        ("mcp__git__branch_create", MORE),
        ("update_status", MORE),
        ("mark_read", SAME),
        ("delete_list", GONE),
        ("mail_send", GONE),
        ("count_start", MORE),
        ("check_in_guest", MORE),
        ("find_and_delete", GONE),
        ("reminder_send_range", GONE),
        ("ci.pipeline.trigger", MORE),
        ("bestellung_erstelle", MORE),
        ("buscar_cliente", READ),
        # words that only look like a reading verb
        ("pedidos_ver", READ),
        ("lijst_tonen", READ),
        ("szukaj_faktur", READ),
        ("zobraz_plan", READ),
        ("voir_facture", READ),
        ("siparis_getir", READ),
    ],
)
def test_a_name_is_judged_by_its_verbs_as_an_assumption(name: str, expected: str) -> None:
    assert shown(call(name, {"id": "x-1"}), "effect_class", "basis", "assumed") == (expected, "name", True)


@pytest.mark.parametrize(
    "name",
    [
        "adopt_cat",
        "sow_field",
        "sync_contacts",
        "move_card",
        "order_blood_test",
        "book_tickets",
        "form.request_quote",
        "zmień_adres",
        "aendre_adresse",
        "comprar_entradas",
        "bank.raise_limit",
        "audit.freeze",
        "vpn.revoke_profile",
    ],
)
def test_a_name_that_begins_with_a_deed_is_one_whatever_is_done_to(name: str) -> None:
    assert call(name).get("effect_class") != READ


@pytest.mark.parametrize(
    "name",
    [
        "sync_status",
        "backup_history",
        "order_search",
        "purchase.search",
        "move_log",
        "connect.lag",
        "供应商.查询",
        "casa_llista",
        "motd",
    ],
)
def test_a_name_that_ends_with_what_is_known_of_a_deed_reads(name: str) -> None:
    assert call(name).get("effect_class") == READ


@pytest.mark.parametrize("name", ["order_history", "job_status", "pr_comments", "command_history", "mail.sizes"])
def test_a_name_of_nouns_for_what_is_reported_reads_and_says_by_what(name: str) -> None:
    assert shown(call(name, {"id": "x-1"}), "effect_class", "basis", "assumed") == (READ, "noun", True)


@pytest.mark.parametrize("name", ["forecast", "ci_status", "estado_sendero.estado", "lag"])
def test_a_name_of_nothing_but_what_is_looked_at_can_mean_no_deed(name: str) -> None:
    assert shown(call(name, {"id": "x-1"}), "effect_class", "basis", "assumed") == (READ, "report", True)


@pytest.mark.parametrize("name", ["shop_order", "book_flight", "hass_call_service", "control_device", "device_command"])
def test_a_name_whose_only_acting_word_may_be_a_noun_says_so(name: str) -> None:
    assert shown(call(name, {"id": "x-1"}), "effect_class", "basis", "assumed") == (MORE, "noun", True)


def test_a_name_without_a_known_word_is_a_change_unless_its_arguments_only_select() -> None:
    assert shown(call("frobnicate", {"id": "x"}), "effect_class", "basis", "assumed") == (MORE, "unknown", True)
    assert shown(call("grafana", {"panel": "p", "range": "30m"}), "effect_class", "assumed") == (READ, True)


@pytest.mark.parametrize("name", ["price.zorf", "stand_zorfen", "menu-zorf"])
def test_a_known_noun_before_an_unknown_word_makes_no_read(name: str) -> None:
    assert shown(call(name, {"by": 4}), "effect_class", "basis") == (MORE, "unknown")


def test_nouns_do_not_make_a_read_of_a_call_that_stores_a_value() -> None:
    assert call("room_temperature", {"room": "r1"}).get("effect_class") == READ
    assert call("room_temperature", {"room": "r1", "value": 21}).get("effect_class") == MORE


def test_an_argument_that_names_the_action_speaks_for_a_tool_whose_name_does_not() -> None:
    assert call("crawl_control", {"crawl": "c", "action": "stop"}).get("operation") == "crawl_control stop"
    assert call("device", {"id": "d", "action": "delete"}).get("effect_class") == GONE
    assert call("device", {"id": "d", "action": "status"}).get("effect_class") == READ
    assert call("index_delete", {"id": "d", "op": "list"}).get("effect_class") == GONE
    assert call("estimate", {"table": "t", "op": "vacuum full"}).get("effect_class") == READ


def test_a_tool_whose_name_begins_like_a_program_is_not_run_as_one() -> None:
    assert call("file_delete", {"args": "a.txt"}).get("effect_class") == GONE
    assert call("host_restart", {"cmd": "web"}).get("effect_class") == SAME


def test_a_message_that_quotes_sql_is_a_message() -> None:
    assert shown(call("chat_post", {"text": "select a from b"}), "effect_class", "basis") == (MORE, "noun")


def test_a_file_of_any_size_is_written_where_its_path_says() -> None:
    fact = call("Write", {"file_path": "big.txt", "content": "x" * 2_000_000})
    assert (*shown(fact, "effect_class", "targets"), fact.text) == (SAME, ("big.txt",), "big.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        {"to": "a", "idempotency_key": "k-1"},
        {"to": "a", "Idempotency-Key": "k-1"},
        {"to": "a", "clientRequestId": "k-1"},
        {"to": "a", "dedupe_key": "k-1"},
        {"to": "a", "options": {"request_id": "k-1"}},
    ],
)
def test_a_key_makes_a_change_keyed_and_leaves_a_read_a_read(arguments: Any) -> None:
    assert shown(call("payout_create", arguments), "effect_class", "keys") == (KEYED, ("k-1",))
    assert shown(call("payout_find", arguments), "effect_class", "keys") == (READ, ("k-1",))


@pytest.mark.parametrize(
    "flag", [{"dry_run": True}, {"preview": "true"}, {"confirm": False}, {"mode": "plan"}, {"dryRun": True}]
)
def test_a_rehearsal_is_a_read_by_assumption(flag: Any) -> None:
    assert shown(call("index_delete", {"id": "i", **flag}), "effect_class", "assumed") == (READ, True)
    assert call("index_delete", {"id": "i", **dict.fromkeys(flag, "other")}).get("effect_class") == GONE


@pytest.mark.parametrize(
    ("name", "arguments", "background"),
    [
        ("Bash", {"command": "./run", "run_in_background": True}, True),
        ("restore_start", {"id": "r", "detach": True}, True),
        ("deploy_run", {"id": "r", "wait": False}, True),
        ("deploy_run", {"id": "r", "wait": True}, False),
        ("Bash", {"command": "nohup ./run > log &"}, True),
    ],
)
def test_background_starts_are_marked(name: str, arguments: Any, background: bool) -> None:
    assert call(name, arguments).get("background") is background


@pytest.mark.parametrize(
    ("name", "arguments", "mark"),
    [
        ("Task", {"prompt": "look", "subagent_type": "x"}, "subagent"),
        ("helper_start", {"topic": "x"}, "subagent"),
        ("AskUserQuestion", {"questions": []}, "interactive"),
        ("ask_user", {"question": "which?"}, "interactive"),
        ("ExitPlanMode", {}, "interactive"),
        ("TodoWrite", {"todos": []}, "plan"),
        ("update_plan", {"plan": []}, "plan"),
    ],
)
def test_calls_of_a_special_kind_are_marked(name: str, arguments: Any, mark: str) -> None:
    marks = ("subagent", "interactive", "plan")
    assert shown(call(name, arguments), *marks) == tuple(mark == other for other in marks)


def test_targets_are_short_values_that_name_something() -> None:
    arguments = {
        "channel": "#ops",
        "ids": ["a-1", "a-2"],
        "order_id": 5018,
        "amount": 3,
        "text": "long text",
        "format": "csv",
        "api_key": "k",
        "urgent": True,
        "note": "x",
        "path": "a b/c.md",
    }
    assert call("thing_create", arguments).get("targets") == ("#ops", "a-1", "a-2", "5018", "a b/c.md")


def test_the_text_of_a_fact_is_the_verbatim_target_and_its_place() -> None:
    fact = call("delete_file", {"path": "src/a.py"})
    assert (fact.kind, fact.message, fact.part, fact.text) == ("tool_call", 3, 0, "src/a.py")
    assert json.dumps({"path": "src/a.py"})[fact.start : fact.end] == fact.text


def test_every_attribute_has_the_declared_type() -> None:
    (kind,) = side_effects.barrier_fact_kinds()
    types = {"string": str, "bool": bool, "list(string)": tuple}
    fact = call("Bash", {"command": "git push"})
    assert {name: type(value) for name, value in fact.attributes.items()} == {a.name: types[a.type] for a in kind.attributes}


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_own_records_and_summaries_hold_no_calls(kind: MessageKind) -> None:
    part = Part(type=PartType.TOOL_CALL, name="Bash", text="{}", arguments={})
    message = Message(index=0, role="user", origin=Origin.USER, parts=(part,), kind=kind)
    assert not list(side_effects.barrier_extract_facts(message=message, context=Context(calls={}, tools={}, now="")))


def _nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        "text",
        ["a", 1],
        5,
        _nested(5_000),
        {"command": 5},
        {"command": [1, None]},
        {"command": {}},
        {"url": [], "method": {}},
        {"a": list(range(100_000))},
        {str(number): number for number in range(50_000)},
        {"command": "x" * 1_000_000},
        {"": "", "a": None},
        {"command": "\x00\ud800"},
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("name", ["Bash", "kubectl", "http", "sql", "apply_patch", "", "x" * 10_000, "get_" * 500])
def test_weird_arguments_are_judged_without_an_error(name: str, arguments: Any) -> None:
    part = Part(type=PartType.TOOL_CALL, name=name, text="{}", arguments=arguments)
    message = Message(index=0, role="assistant", origin=Origin.AGENT, parts=(part,))
    (fact,) = side_effects.barrier_extract_facts(message=message, context=Context(calls={}, tools={}, now=""))
    assert fact.get("effect_class") in (READ, SAME, KEYED, MORE, GONE)
    assert len(fact.get("targets")) <= 16
