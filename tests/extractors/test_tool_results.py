"""Fact kind `tool_result`: the state that a result reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from barrier_policy_plugins import tool_results

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType

PAY = ("payout_create", {"to": "acct-1"})
SHELL = ("Bash", {"command": "git push origin main"})
CHAIN = ("Bash", {"command": "git pull && git push"})
LOOK_UP = ("payout_find", {"id": "py-1"})


def result(text: Any, call: tuple[str, Any] | None = PAY, *, is_error: bool | None = None) -> Fact:
    """The fact of one result; a text that is no string is written as JSON."""
    shown = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    part = Part(type=PartType.TOOL_RESULT, text=shown, is_error=is_error)
    calls = {}
    if call is not None:
        calls[0] = Part(type=PartType.TOOL_CALL, name=call[0], text=json.dumps(call[1]), arguments=call[1])
    message = Message(index=4, role="tool", origin=Origin.TOOL, parts=(part,))
    (fact,) = tool_results.barrier_extract_facts(message=message, context=Context(calls=calls, tools={}, now=""))
    assert fact.text == shown[fact.start : fact.end]
    return fact


STATES = [
    # state keys
    ({"id": "p1", "status": "settled"}, "done"),
    ({"id": "p1"}, "done"),
    ({"ok": True, "id": "m-1"}, "done"),
    ({"accepted": True, "bid": "b-1"}, "done"),
    ({"deleted": "4417", "remaining": 6}, "done"),
    ({"device": "pump", "state": "off since 07:52"}, "done"),
    ({"ticket": "T-1", "state": "open"}, "done"),
    ({"error": None, "id": 1}, "done"),
    ({"error": "none", "id": 1}, "done"),
    ({"id": "p1", "status": "accepted_for_processing"}, "pending"),
    ({"state": "queued", "job": "j-1"}, "pending"),
    ({"status": "IN_PROGRESS"}, "pending"),
    ({"accepted": True, "job": "j-1"}, "pending"),
    ({"planned": True, "at": "09:00"}, "pending"),
    ({"status": "ok", "data": {"state": "running"}}, "pending"),
    ({"state": "closing, 40 %", "eta_s": 90}, "pending"),
    ({"state": "migrating"}, "pending"),
    ({"order": "7", "state": "cancellation requested"}, "pending"),
    ({"id": 1, "confirmed": False}, "pending"),
    ({"status": 202, "id": 1}, "pending"),
    ({"icn": "4471", "sent": "2026-05-14T21:40:11Z", "ack": "997: none"}, "pending"),
    ({"estado": "en curso"}, "pending"),
    ({"状态": "处理中"}, "pending"),
    ({"sent": 12, "total": 20}, "partial"),
    ({"succeeded": 3, "failed": 2}, "partial"),
    ({"archived": 200, "matched": 1350, "next_cursor": "cur_8821"}, "partial"),
    ({"renamed": 14, "total": 31, "next": "row_15"}, "partial"),
    ({"renamed": 14, "next": "row_15"}, "partial"),
    ({"ok": True, "deleted": 500, "has_more": True}, "partial"),
    ({"ok": True, "data": {"updated": 40, "continuationToken": "eyJ"}}, "partial"),
    ({"sent": 120, "remaining": 880}, "partial"),
    ({"processed": 1, "pending_count": 3}, "partial"),
    ({"archived": 1350, "matched": 1350, "next_cursor": None}, "done"),
    ({"archived": 1350, "next_cursor": "", "has_more": False}, "done"),
    ({"sent": 1000, "remaining": 0}, "done"),
    ({"sent": 1, "remaining": 499}, "done"),
    ({"id": "m-1", "next": "row_15"}, "done"),
    ({"status": "completed with errors"}, "partial"),
    ({"status": 207}, "partial"),
    ([{"id": 1, "status": "ok"}, {"id": 2, "status": "failed"}], "partial"),
    ({"success": False, "id": 1}, "failed"),
    ({"error": "no such account"}, "failed"),
    ({"status": 404}, "failed"),
    ({"status": "rejected", "reason": "limit"}, "rejected"),
    ({"status": "timeout"}, "unknown"),
    ({"status": "unknown"}, "unknown"),
    ({"error": "connection reset by peer"}, "unknown"),
    ({"error": {"code": 503, "message": "service unavailable"}}, "unknown"),
    ({"status": 502}, "unknown"),
    # prose
    ("inserted stall 231", "done"),
    ("moved 73 files\n0 errors", "done"),
    ("7 of 7 sites switched", "done"),
    ("wrote jobs/pending.sql (not scheduled)", "done"),
    ('Created issue "Pending invoices fail with an error"', "done"),
    ("approved and done: 64 GB freed", "done"),
    ("saved, section 2 of 5", "done"),
    ("accepted by bus, seq 88, ack: none yet", "pending"),
    ("202 Accepted", "pending"),
    ("started drill 7 (no completion event configured), log /var/d7", "pending"),
    ("crawl started, no notification on completion", "pending"),
    ("no jobs were deleted", "failed"),
    ("imported 12 rows, no duplicates found", "done"),
    ("order GC-4471 placed: 25 kg garden lime", "done"),
    ("order GC-4471 placed, awaiting confirmation", "pending"),
    ("unit restarted 15:02:11, active (running) on web-2", "done"),
    ("Auftrag in Warteschlange, Nummer 88", "pending"),
    ("注文は処理中です", "pending"),
    ("Заявка в обработке", "pending"),
    ("La solicitud está pendiente", "pending"),
    ("4 of 10 records written", "partial"),
    ("it-help: 18,440 of 27,902 items, state Failed", "partial"),
    ("updated 18,440 of 18,440 items", "done"),
    ("session lost during commit confirmed 5 on sw-lab-1", "unknown"),
    ('Error: page crashed! Target closed after click on "Place order"', "unknown"),
    ("Marktgasse: 14 renewed, rest unknown\nbatch worker lost", "unknown"),
    ("To example.test:cart\n   77af102..5d2c1aa main -> main", "done"),
    ("handed to the planner, task CP-41, result when ready", "pending"),
    ("created a.cs (0 bytes)", "partial"),
    ("teilweise ausgeführt", "partial"),
    ("updated 3 rows, error in row 4", "partial"),
    ("Error: amount does not add up, total is 12, but paid 8", "failed"),
    ("EROFS: /opt is on a read-only image", "failed"),
    ("400 Bad Request", "failed"),
    ("message not delivered", "failed"),
    ("south: refused before start, quota of 12 exceeded", "rejected"),
    ("abgelehnt: Limit erreicht", "rejected"),
    ("504 gateway timeout after 120 s", "unknown"),
    ("started handle=job_7f2 (reports once when finished)", "pending"),
    ("lancé, rapport une fois terminé", "pending"),
    ("deployed once the tests passed", "done"),
    ("saved; mail goes out when approved", "done"),
    ("held until 18:15, the partner has not accepted yet", "pending"),
    ("not accepted", "rejected"),
    ("slot 4: erase OK, write 61% ...", "partial"),
    ("write 10% ... 100% done", "done"),
    ("saved, disk at 61%", "done"),
    ("sent 40 (A to L)\nstopped: quota of 40 a day, next: Moreau", "partial"),
    ("old pods stopped, new pods are up to date", "done"),
    ("firmware written, heartbeat not seen after the restart", "unknown"),
    ("Update geschrieben, Neustart nicht beobachtet", "unknown"),
    ("mise à jour écrite, redémarrage pas vu en 120 s", "unknown"),
    ("east at 40, then the pod was evicted", "unknown"),
    ("the connection was lost: connection reset by peer", "unknown"),
    ("no response from the bank", "unknown"),
    ("délai dépassé", "unknown"),
    ("[Tool result missing due to internal error]", "unknown"),
    ("No result provided", "unknown"),
    ("Session was restored; the call did not return", "unknown"),
    ("Sandbox was terminated before the tool finished", "unknown"),
    ("fetch failed", "unknown"),
    ("502 upstream closed", "unknown"),
    ("504 canale istantaneo: esito non disponibile. Verificare prima di ripetere.", "unknown"),
    ("Ergebnis unbekannt, vor einer Wiederholung prüfen", "unknown"),
    ("option NO-8 held until 18:00 today", "pending"),
    ("cas-5 drenando, 37 %, sigue en segundo plano", "pending"),
    ("draining node cas-5: 37%", "partial"),
    ("This operation requires a one-time password.\nEnter OTP: ", "pending"),
    ("Are you sure you want to continue connecting (yes/no/[fingerprint])? ", "pending"),
    ("Campaign 'Spring' is set to go out Tuesday, 9:00 am", "pending"),
    ("Unless the registrant objects, the domain moves on 21 May", "pending"),
    ("line 1-9 posted\nline 10 held back (receipt missing)", "partial"),
    ('404 {"error": "not_found"}', "failed"),
    ("approved (was pending)", "done"),
    ("copied 61 %", "partial"),
    ("draining, 37% ... 100% done", "done"),
    ("dimming to 40 %", "done"),
    ("continue en arrière-plan", "pending"),
    ("order No. 7 confirmed", "done"),
    ("", "empty"),
    ("(no output)", "empty"),
    ("{}", "empty"),
    ("box 1 sealed\nbox 2 not started", "partial"),
    ("caixa 1 concluída\ncaixa 2 não iniciada\nTokenExpired", "partial"),
]


@pytest.mark.parametrize(("text", "state"), STATES, ids=[str(text)[:60] for text, _ in STATES])
def test_a_change_has_the_state_that_its_result_reports(text: Any, state: str) -> None:
    assert result(text).get("state") == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("To host:repo\n   1a2b3c4..5d6e7f8  main -> main", "done"),
        ("Everything up-to-date", "done"),
        ("ERROR: permission denied\nexit 1", "failed"),
        ("05-07 OK\n05-08 in staging\nworker w-4 lost heartbeat, exit 137", "partial"),
        ("! [rejected] main -> main (fetch first)\nerror: failed to push some refs", "rejected"),
        (
            " * [new branch]      release/4.2 -> release/4.2\n ! [remote rejected] v4.2 -> v4.2 (needs a signature)\nerror: failed to push some refs",
            "partial",
        ),
        ("fatal: unable to access: Could not resolve host\nexit code 128", "failed"),
        ("fatal: the remote end hung up unexpectedly\nexit code 128", "unknown"),
        ("Exit code 143", "unknown"),
        ("<returncode>124</returncode>", "unknown"),
        ("Running formatting and checks...\nok", "done"),
        ("copied 1/40\ncopied 40/40", "done"),
        ("copied 1/40\ncopied 12/40", "partial"),
        ("Uploading ring v0.9.0\nPublished ring v0.9.0 at registry `main`", "done"),
        ("pushed tag v0.9.0\nUploading ring v0.9.0", "pending"),
    ],
)
def test_the_output_of_a_command_is_read_as_a_log(text: str, state: str) -> None:
    assert result(text, SHELL).get("state") == state


def test_a_chain_that_failed_leaves_open_how_far_it_came() -> None:
    assert result("fatal: no upstream\nexit 1", CHAIN).get("state") == "unknown"
    assert result("UPDATE 2210\nERROR: duplicate key", ("Bash", {"command": "psql -f a.sql"})).get("state") == "partial"
    assert (
        result("UPDATE 2210\nERROR: duplicate key\nROLLBACK", ("Bash", {"command": "psql -f a.sql"})).get("state")
        == "failed"
    )


def test_a_patch_that_did_not_fit_has_changed_nothing() -> None:
    patch = ("apply_patch", {"input": "*** Update File: a.test.ts"})
    text = "apply_patch verification failed: Failed to find expected lines in a.test.ts:\n  expect(done).toBe('created');"
    assert result(text, patch).get("state") == "failed"


def test_a_merge_that_stopped_at_a_conflict_is_partial() -> None:
    text = "Exit code 1\nAuto-merging a.go\nCONFLICT (content): Merge conflict in a.go\nAutomatic merge failed"
    assert result(text, ("Bash", {"command": "git merge origin/main"})).get("state") == "partial"


def test_an_exit_code_in_an_envelope_counts() -> None:
    assert result({"output": "nothing pushed", "metadata": {"exit_code": 1}}, SHELL).get("state") == "failed"
    assert result({"output": "pushed", "metadata": {"exit_code": 0}}, SHELL).get("state") == "done"


def test_a_payload_inside_envelopes_is_found() -> None:
    inner = json.dumps({"state": "queued"})
    assert result({"content": [{"type": "text", "text": inner}]}).get("state") == "pending"
    assert result([{"type": "text", "text": inner}]).get("state") == "pending"
    assert result({"result": {"state": "queued"}}).get("state") == "pending"


@pytest.mark.parametrize(
    ("is_error", "text", "state"),
    [
        (True, "String to replace not found", "failed"),
        (True, "request timed out", "unknown"),
        (True, "", "failed"),
        (True, {"id": 1}, "failed"),
        (False, "stored", "done"),
    ],
)
def test_the_error_flag_counts_and_a_time_out_stays_unknown(is_error: bool, text: Any, state: str) -> None:
    fact = result(text, ("Edit", {"file_path": "a", "old_string": "b"}), is_error=is_error)
    assert fact.get("state") == state


def test_an_error_tag_at_the_head_is_a_failure() -> None:
    text = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    assert result(text, ("Write", {"file_path": "a", "content": "b"})).get("state") == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "denied by the user: the recordings stay",
        "Rejected by user",
        "vom Benutzer abgelehnt",
    ],
)
def test_a_call_that_the_user_did_not_allow_is_rejected(text: str) -> None:
    assert result(text).get("state") == "rejected"
    assert result(text, ("Read", {"file_path": "a"})).get("state") == "rejected"


# long results ------------------------------------------------------------------------------------------------------


def test_a_word_somewhere_in_a_long_result_says_nothing() -> None:
    listing = "Published the page.\n" + "row with a pending state and an error that timed out\n" * 40
    assert result(listing).get("state") == "done"


def test_the_head_of_a_long_result_speaks() -> None:
    assert result("Request queued as job-7.\n" + "detail line\n" * 80).get("state") == "pending"


def test_a_snippet_behind_the_head_does_not_turn_an_edit_into_a_failure() -> None:
    text = "The file a.py has been updated. Here's the result of running `cat -n`:\n" + "  12\traise Error('failed')\n" * 30
    fact = result(text, ("Edit", {"file_path": "a.py", "old_string": "b"}))
    assert fact.get("state") == "done"
    assert len(fact.get("receipt")) == 1


# what the call asked for is no news --------------------------------------------------------------------------------


def test_the_state_of_an_object_that_was_asked_for_is_not_that_of_the_call() -> None:
    assert result({"id": 1, "status": "pending"}, ("ticket_update", {"id": 1, "status": "pending"})).get("state") == "done"
    assert (
        result({"status": "pending (item modified)"}, ("modify_pending_order_items", {"order_id": "1"})).get("state")
        == "done"
    )
    assert (
        result("[main 1a2b3c4] fix pending 2/5", ("Bash", {"command": "git commit -m 'fix pending 2/5'"})).get("state")
        == "done"
    )


def test_cancelled_is_what_a_cancelling_call_wanted_and_open_from_another() -> None:
    assert result({"status": "cancelled"}, ("cancel_order", {"id": "1"})).get("state") == "done"
    assert result({"status": "cancelled"}, ("order_create", {"sku": "1"})).get("state") == "unknown"


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("depot_submit", "Change 88142 submitted"),
        ("quote_submit", "submitted, receipt 0322-QQ-18"),
        ("techlog.defer", "#3301 deferred, cat D, until 2026-09-26"),
        ("bms.ack", "ALM-209 acknowledged 13:04"),
    ],
)
def test_the_tool_s_own_verb_done_with_a_number_is_done(tool: str, text: str) -> None:
    assert result(text, (tool, {"entry": 1})).get("state") == "done"


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("form.submit", "form submitted (302), landing page blank"),
        ("card.stamp", "TC-0441 submitted for stamp"),
        ("job_submit", "job 771204 submitted"),
        ("report_start", "report 771204 started"),
        ("leave.request", "leave LV-2031 requested"),
        ("change_submit", "change 88142 submitted, pending approval"),
    ],
)
def test_what_a_verb_only_began_or_left_without_a_number_is_pending(tool: str, text: str) -> None:
    assert result(text, (tool, {"n": 1})).get("state") == "pending"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("queued -> delivered 11:01 (msg 8812)", "done"),
        ("delivered by post -> queued for mail", "pending"),
        ("first queued\nsecond -> delivered", "pending"),
        ("09:00 waiting for approval\n10:02 approved by Siv\n10:03 done", "done"),
        ("09:00 approved by Siv\n10:02 done\n10:03 queued", "pending"),
        ("waiting for approval\nletter sent", "pending"),
    ],
)
def test_what_waited_before_it_was_done_waits_no_more(text: str, state: str) -> None:
    assert result(text).get("state") == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("LK-90 state 10 / received\n(10 received, 20 priced, 30 agreed, 40 done)", "pending"),
        ("LK-90 tila 10 / vastaanotettu\n(10 vastaanotettu, 20 hinnoiteltu, 30 sovittu, 40 tehty)", "pending"),
        ("LK-90 state 40 / done\n(10 received, 20 priced, 30 agreed, 40 done)", "done"),
        ("mails sent (10 delivered, 20 queued, 30 open)", "pending"),
        ("moved (12 done, 2 failed, 1 skipped)", "partial"),
    ],
)
def test_a_legend_of_numbers_tells_no_state_and_counts_do(text: str, state: str) -> None:
    assert result(text).get("state") == state


@pytest.mark.parametrize(
    "text",
    [
        "build    passed\npublish: manual (not started)\nstatus: success",
        "sw-b: image copied, verify ok, reload scheduled 13:50Z",
        "PF-22 preflight green, price 96.00",
        "BC-312 · N1 ok · N2 en file (Mme Arnaud) · enregistré",
    ],
)
def test_a_step_that_is_still_to_come_leaves_it_open(text: str) -> None:
    assert result(text).get("state") == "pending"


def test_a_mail_server_s_acceptance_is_the_last_answer_that_there_is() -> None:
    assert result({"state": "accepted by server"}, ("mail_send", {"to": "a"})).get("state") == "done"


# background --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["npm test", "./deploy.sh"])
def test_a_background_start_is_pending_with_its_handle(command: str) -> None:
    text = "Command running in background with ID: b2ed671. Output is being written to: /tmp/x"
    fact = result(text, ("Bash", {"command": command, "run_in_background": True}))
    assert (fact.get("state"), fact.get("reports")) == ("pending", "pending")
    assert "b2ed671" in fact.get("handles")
    assert fact.get("receipt") == (text,)


def test_a_job_sent_to_the_background_is_pending_whatever_it_echoes() -> None:
    fact = result("job 5512", ("Bash", {"command": "nohup ./fill > log 2>&1 & echo job 5512"}))
    assert (fact.get("state"), fact.get("handles")) == ("pending", ("5512",))


def test_an_agent_that_was_launched_is_pending() -> None:
    fact = result("Async agent launched successfully.\nagentId: af9e8ed", ("Task", {"prompt": "x"}))
    assert (fact.get("state"), fact.get("handles")) == ("pending", ("af9e8ed",))


# reads -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ({"id": "py-1", "status": "settled"}, "done"),
        ({"id": "py-1", "status": "pending"}, "pending"),
        ({"result": "not indexed yet"}, "pending"),
        ({"state": "failed"}, "failed"),
        ("py-1 finished", "done"),
        ({"id": "py-1", "total": 4}, ""),
        ("4,120.00 EUR", ""),
    ],
)
def test_a_read_is_done_and_says_what_its_payload_reports(text: Any, reports: str) -> None:
    fact = result(text, LOOK_UP)
    assert (fact.get("state"), fact.get("reports")) == ("done", reports)


@pytest.mark.parametrize(
    "text",
    [
        {"error": "no such account"},
        "404 not found",
        "Error: user not found",
        {"output": "x", "exit_code": 2},
        "504 gateway timeout",
    ],
)
def test_a_read_that_failed_reports_nothing_about_anything_else(text: Any) -> None:
    fact = result(text, LOOK_UP)
    assert (fact.get("state"), fact.get("reports")) == ("failed", "")


@pytest.mark.parametrize(
    "call", [("Bash", {"command": "git log --oneline"}), ("Read", {"file_path": "a"}), ("Grep", {"pattern": "x"})]
)
def test_words_in_files_and_logs_report_nothing(call: tuple[str, Any]) -> None:
    text = "43ead9c log error when marshalling fails\n7a2c191 pending: retry queued jobs that timed out"
    assert result(text, call).get("reports") == ""
    assert result(text, call).get("state") == "done"


def test_content_that_happens_to_have_an_error_key_is_not_a_failed_read() -> None:
    theme = {"error": "red", "warning": "amber", "ok": "green", "text": "x", "a": 1, "b": 2, "c": 3}
    assert result(theme, ("Read", {"file_path": "theme.json"})).get("state") == "done"


def test_the_answer_of_the_user_is_done_whatever_it_says() -> None:
    assert result("Neither, that is still pending", ("ask_user", {"question": "which?"})).get("state") == "done"


def test_an_orphan_is_read_like_a_change() -> None:
    assert result({"state": "queued"}, None).get("state") == "pending"


# handles and receipts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "handles"),
    [
        ({"ok": True, "id": "msg-77c1e", "channel": "#ops"}, ("msg-77c1e",)),
        ({"job": "job 1201", "state": "printed"}, ("job 1201", "1201")),
        ({"message_id": "<a71@mail.example.test>"}, ("<a71@mail.example.test>",)),
        ("inserted stall 231, ticket F-2290", ("F-2290",)),
        ("started hp-1 slate, hp-2 metal", ("hp-1", "hp-2")),
        ("https://example.test/pull/201", ()),
    ],
)
def test_handles_are_the_ids_that_a_result_names(text: Any, handles: tuple[str, ...]) -> None:
    assert result(text).get("handles") == handles


def test_a_long_read_names_no_handles() -> None:
    assert result("line with id-1\n" * 200, ("Read", {"file_path": "a"})).get("handles") == ()


def test_a_short_result_is_its_own_receipt_and_a_certain_read_has_none() -> None:
    assert result('{"deleted":"4417"}').get("receipt") == ('{"deleted":"4417"}',)
    assert result("text", ("Read", {"file_path": "a"})).get("receipt") == ()


def test_the_receipt_of_long_json_holds_its_id_and_state_pairs_as_written() -> None:
    text = '{"ok": true, "entry":"entry 3318", "status" : "live since 09:04", "html":"' + "<p>x</p>" * 400 + '"}'
    assert result(text).get("receipt") == ('"ok": true', '"entry":"entry 3318"', '"status" : "live since 09:04"')


def test_the_receipt_of_a_long_text_holds_its_decisive_lines() -> None:
    text = "Building\n" + "step\n" * 100 + "created net-5102\n" + "noise\n" * 100 + "Apply complete: 5 added"
    assert result(text, SHELL).get("receipt") == ("Building", "created net-5102", "Apply complete: 5 added")


def test_receipts_stay_small() -> None:
    fact = result("\n".join(f"created item-{number} " + "x" * 100 for number in range(500)), SHELL)
    assert len(fact.get("receipt")) <= 12
    assert sum(map(len, fact.get("receipt"))) <= 700


def test_the_text_of_a_fact_is_the_pair_or_line_that_shows_the_state() -> None:
    assert result('{"id":"p1","status":"queued","x":1}').text == '"status":"queued"'
    assert result("Exported.\nUpload timed out").text == "Upload timed out"


def test_every_attribute_has_the_declared_type_and_values() -> None:
    (kind,) = tool_results.barrier_fact_kinds()
    types = {"string": str, "int": int, "bool": bool, "list(string)": tuple}
    fact = result({"state": "queued"})
    assert {name: type(value) for name, value in fact.attributes.items()} == {a.name: types[a.type] for a in kind.attributes}
    for attribute in kind.attributes:
        assert not attribute.values or fact.get(attribute.name) in attribute.values


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_own_records_and_summaries_hold_no_results(kind: MessageKind) -> None:
    message = Message(
        index=0, role="user", origin=Origin.USER, parts=(Part(type=PartType.TOOL_RESULT, text="x"),), kind=kind
    )
    assert not list(tool_results.barrier_extract_facts(message=message, context=Context(calls={}, tools={}, now="")))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 20_000,
        "error: x\n" * 50_000,
        " " * 500_000,
        "\x00\ud800",
        '"a": "\\' * 20_000,
    ],
    ids=["long", "open", "lists", "deep", "errors", "blank", "surrogate", "quotes"],
)
@pytest.mark.parametrize("call", [PAY, SHELL, LOOK_UP, None], ids=["pay", "shell", "read", "orphan"])
def test_hostile_results_are_read_without_an_error(text: str, call: tuple[str, Any] | None) -> None:
    assert result(text, call).get("state") in tool_results.STATES


def test_a_piece_of_a_secret_is_no_handle() -> None:
    fact = result('password: Xk7!vale-44Qz9w\n{"status": "queued", "job": "job-7781"}')
    assert fact.get("handles") == ("job-7781",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("заявка 77 принята, ожидает подтверждения склада", "pending"),
        ("рейс 4: зв'язок втрачено", "unknown"),
        ("żądanie 12 zarejestrowane, czeka na akceptację kierownika", "pending"),
        ("objednávka 8 potvrzena a zaplacena", "done"),
        ("Antrag 3 eingegangen, wird geprüft", "pending"),
        ("demande n° 9 en cours d'examen", "pending"),
        ("pedido 5 entregado y firmado", "done"),
        ("richiesta 6 in attesa di approvazione", "pending"),
        ("pedido 7 recusado pelo gerente", "rejected"),
        ("bestelling 2 is geleverd", "done"),
        ("αίτηση 4 υπό εξέταση", "pending"),
        ("a kérelem 11 jóváhagyásra vár", "pending"),
        ("talep 12 onay bekliyor", "pending"),
        ("הבקשה 14 ממתינה לאישור", "pending"),
        ("الطلب 15 قيد المراجعة", "pending"),
        ("درخواست ۱۶ در انتظار تأیید", "pending"),
        ("申請16は承認待ちです", "pending"),
        ("订单 17 已发货并签收", "done"),
        ("신청 18 승인 대기 중", "pending"),
        ("yêu cầu 19 đang chờ duyệt", "pending"),
        ("permintaan 20 sedang diproses", "pending"),
        ("अनुरोध 21 समीक्षा में है", "pending"),
        ("förfrågan 22 väntar på godkännande", "pending"),
        ("anmodning 23 under behandling", "pending"),
        ("cererea 24 este în curs de verificare", "pending"),
        ("on hold until 20:00, not ticketed", "pending"),
        ("312 de 900 archivos copiados, error de lectura", "partial"),
        ({"result": "19 banned", "rest": "12 remaining: rate limited"}, "partial"),
        ({"user": 4, "quota": {"remaining": 12}}, "done"),
        ("run 91 plate 4 state: ACQUIRING", "pending"),
    ],
)
def test_states_are_read_in_many_languages(text: Any, expected: str) -> None:
    assert result(text).get("state") == expected


def test_the_receipt_of_a_record_holds_its_own_ids_and_amounts_before_those_inside_it() -> None:
    legs = [{"leg_number": f"LX{number}", "leg_id": f"l{number}", "plane": "A220"} for number in range(4)]
    record = {"booking_id": "B7", "customer_id": "C9", "legs": legs, "paid": [{"payment_id": "p1", "amount": -116}]}
    people = [{"first_name": "Ada", "last_name": "Berg"}]
    text = json.dumps(record | {"people": people, "status": "cancelled", "padding": "x" * 200})
    assert result(text).get("receipt") == (
        '"booking_id": "B7"',
        '"customer_id": "C9"',
        '"amount": -116',
        '"status": "cancelled"',
    )


def test_the_receipt_of_a_batch_holds_the_ids_of_its_members() -> None:
    text = json.dumps([{"order_id": f"o-{number}", "status": "done", "padding": "x" * 60} for number in range(5)])
    pieces = result(text).get("receipt")
    assert [f'"order_id": "o-{number}"' in pieces for number in range(5)] == [True] * 5


@pytest.mark.parametrize(
    "shown", [{"fetched": 50, "next_cursor": "cur_2"}, {"processed": 50, "total": 90, "has_more": True}]
)
def test_a_read_with_a_cursor_is_a_read(shown: dict[str, Any]) -> None:
    assert result(shown, LOOK_UP).get("state") == "done"


def test_a_cursor_of_a_read_speaks_of_nothing_else() -> None:
    assert result({"fetched": 50, "next_cursor": "cur_2"}, LOOK_UP).get("reports") != "partial"


@pytest.mark.parametrize(
    ("arguments", "text", "state"),
    [
        ({"queue": "dlq", "n": 50}, "replayed 50 of 131", "done"),
        ({"queue": "dlq", "limit": 50}, {"moved": 50, "result": "replayed 50 of 131"}, "done"),
        ({"queue": "dlq", "n": 131}, "replayed 50 of 131", "partial"),
        ({"queue": "dlq"}, "replayed 50 of 131", "partial"),
        ({"queue": "dlq", "batch": 50}, "replayed 50 of 131", "partial"),
    ],
)
def test_a_share_is_all_where_no_more_was_asked_for(arguments: dict[str, Any], text: Any, state: str) -> None:
    assert result(text, ("queue_replay", arguments)).get("state") == state


@pytest.mark.parametrize(
    ("tool", "text", "state"),
    [
        ("usb.disconnect", "disconnected", "done"),
        ("leave.decline", "declined, employee notified", "done"),
        ("stream.interrupt", "stream interrupted", "done"),
        ("vm.stop", "stopped: vm-7", "done"),
        ("order.reject", "Rejected: insufficient permissions", "rejected"),
        ("invoice.decline", "declined: you may not decline this invoice", "rejected"),
        ("refund_order", "Refunded 50 of 131 EUR.", "partial"),
    ],
)
def test_what_the_verb_of_the_tool_says_is_done_unless_it_was_refused_or_done_in_part(
    tool: str, text: str, state: str
) -> None:
    assert result(text, (tool, {"id": 7, "amount": 50})).get("state") == state
