"""What a user takes back or changes leaves, and what it changes stays for a while: it holds all the same when that leaves as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate, Profile
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.replay import replay
from barrier_policy.log_spec import LogSpec
from barrier_policy.provenance.file_store import FileStore

from .conftest import call, result

Messages = list[dict[str, Any]]
NOW = "2026-09-14T08:30:00Z"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


TALK: Messages = [
    said
    for number in range(6)
    for said in (
        user(f"How is it going, {('Ann', 'Bob', 'Cy')[number % 3]}?"),
        agent("I am fine. " + "All is calm today. " * 8),
    )
]
RUNS: Messages = [
    call(1, "deploy", service="checkout", version="v1.2.3"),
    result(1, '{"status":"running","deployment_id":"dep_77aa11"}'),
    agent("It runs."),
]
RUNS_ALSO: Messages = [call(3, "restart", service="search"), result(3, '{"status":"running","restart_id":"rst_5512"}')]
THROUGH: Messages = [
    call(2, "get_deployment", deployment_id="dep_77aa11"),
    result(2, '{"deployment_id":"dep_77aa11","status":"succeeded"}'),
    agent("The deployment is through."),
]


def gate_in(folder: Path, **profile: Any) -> Gate:
    return Gate(
        Profile(**profile), store=FileStore(folder / "store"), summarizer=lambda request: "The conversation went on."
    )


def told(*texts: str) -> Messages:
    """What a user says, each acknowledged."""
    return [said for text in texts for said in (user(text), agent("OK."))]


def lines_of(messages: Messages) -> list[str]:
    """The lines of the carrier in a context."""
    (carrier,) = (str(m["content"]) for m in messages if "<barrier-policy-carrier" in str(m["content"]))
    return carrier.splitlines()


PORT = "Never deploy on Fridays. Use port 8080 for the service checkout."
KEPT_AND_CHANGED = {
    "a ban that was lifted": (
        PORT,
        ("You may deploy on Fridays from now on, that ban is lifted.",),
        PORT.partition(" Use")[0],
        None,
    ),
    "a value that was corrected": (
        "Use port 8080 for the service checkout. Deploy it.",
        ("Use port 8081 instead of 8080 for the service checkout.",),
        "Use port 8080",
        "[8080 is superseded: now 8081]",
    ),
    "a value that was corrected twice": (
        "Use port 8080 for the service checkout. Deploy it.",
        ("Use port 8081 instead of 8080 for the service checkout.", "Sorry, use port 8082 instead of 8081 for checkout."),
        "Use port 8080",
        "[8080 is superseded: now 8082]",
    ),
    "a value that was corrected, and back": (
        "Use port 8080 for the service checkout. Deploy it.",
        ("Use port 8081 instead of 8080 for the service checkout.", "Sorry, use port 8080 instead of 8081 for checkout."),
        "Use port 8080",
        "Deploy it.",
    ),
    "a rule that was said with another number": (
        "Run at most 3 replicas of the checkout service in production.",
        ("Run at most 5 replicas of the checkout service in production from now on.",),
        "at most 3 replicas",
        None,
    ),
    "a rule that was said anew": (
        "Deploy only on Fridays and Mondays.",
        ("Actually, from now on deploy only on Mondays, not on Fridays or Sundays.",),
        "Deploy only on Fridays",
        None,
    ),
}


@pytest.mark.parametrize("silent", [0, 1], ids=["in the next round", "two rounds later"])
@pytest.mark.parametrize("said, later, old, end", KEPT_AND_CHANGED.values(), ids=KEPT_AND_CHANGED)
def test_what_left_still_ends_and_changes_what_stayed_before_it(
    tmp_path: Path, said: str, later: tuple[str, ...], old: str, end: str | None, silent: int
) -> None:
    gate = gate_in(tmp_path)
    first = [*told(said), *RUNS, *told(*later)]
    at_once = lines_of(gate.compact([*first, *THROUGH, *TALK], keep_last=4, now=NOW).messages)
    context = gate.compact([*first, *TALK], keep_last=4, now=NOW).messages
    assert user(said) in context
    for _ in range(silent):
        context = gate.compact([*context, *TALK], keep_last=4, now=NOW).messages
    grown = [*context, *THROUGH, *TALK]
    last = gate.compact(grown, keep_last=4, now=NOW).messages
    assert user(said) not in last
    found = [line for line in lines_of(last) if line.startswith(old) or old in line]
    assert found == [line for line in at_once if line.startswith(old) or old in line]
    assert all(end is not None and line.endswith(end) for line in found) and bool(found) == (end is not None)
    assert gate.audit(grown, last, keep_last=4, now=NOW).outcome == "pass"


def test_what_left_ends_nothing_that_was_said_after_it(tmp_path: Path) -> None:
    gate = gate_in(tmp_path)
    lifted = told(
        "Never deploy on Fridays.", "You may deploy on Fridays from now on, that ban is lifted. Use port 8081, not 8080."
    )
    first = [*lifted, *TALK, *told(PORT), *RUNS, *TALK]
    context = gate.compact(first, keep_last=4, now=NOW).messages
    last = gate.compact([*context, *THROUGH, *TALK], keep_last=4, now=NOW).messages
    assert PORT in lines_of(last)


def test_a_context_that_tells_as_current_what_was_corrected_before_it_left_fails_its_audit(tmp_path: Path) -> None:
    gate = gate_in(tmp_path)
    said, (later,), *_ = KEPT_AND_CHANGED["a value that was corrected"]
    context = gate.compact([*told(said), *RUNS, *told(later), *TALK], keep_last=4, now=NOW).messages
    grown = [*context, *THROUGH, *TALK]
    last = gate.compact(grown, keep_last=4, now=NOW).messages
    spoilt = [m | {"content": str(m["content"]).replace(" [8080 is superseded: now 8081]", "")} for m in last]
    assert gate.audit(grown, spoilt, keep_last=4, now=NOW).outcome == "fail"


def test_a_decision_that_what_left_had_a_part_in_is_derived_again(tmp_path: Path) -> None:
    gate = gate_in(tmp_path, log=LogSpec(path=tmp_path / "log.jsonl"))
    said, later, *_ = KEPT_AND_CHANGED["a ban that was lifted"]
    context = gate.compact([*told(said), *RUNS, *told(*later), *TALK], keep_last=4, now=NOW).messages
    decision = gate.compact([*context, *THROUGH, *TALK], keep_last=4, now=NOW).decision
    record = list(DecisionLog.open(LogSpec(path=tmp_path / "log.jsonl")).records())[-1]
    done = replay(record, gate.store)
    assert done.same and done.data == decision.to_json()


def test_no_secret_is_kept_with_what_left(tmp_path: Path) -> None:
    gate = gate_in(tmp_path)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    later = told(f"From now on deploy on Fridays again, with token {secret}, the ban on Fridays is lifted.")
    gate.compact([*told(PORT), *RUNS, *later, *TALK], keep_last=4, now=NOW)
    assert isinstance(gate.store, FileStore)
    archives = [data for digest in gate.store.digests() if (data := gate.store.read(digest)) and b"/carrier/v1" in data]
    assert any(b'"left"' in data for data in archives)
    assert not any(part.lower().encode() in data.lower() for data in archives for part in (secret, secret[4:]))


def test_words_that_stay_after_all_because_their_summary_was_too_long_count_once(tmp_path: Path) -> None:
    said, (later,), old, end = KEPT_AND_CHANGED["a value that was corrected"]
    store = FileStore(tmp_path / "store")

    def summarizer(request: SummaryRequest) -> str:
        return "It went on. " * (1 if any("How is" in part.text for m in request.messages for part in m.parts) else 500)

    gate = Gate(store=store, summarizer=summarizer)
    first = [
        *TALK,
        *told(said),
        *RUNS,
        user(later),
        agent("OK. " + "All is calm. " * 40),
        user("Restart the search."),
        *RUNS_ALSO,
        *TALK,
    ]
    context = gate.compact(first, keep_last=4, now=NOW).messages
    assert user(later) in context
    last = gate_in(tmp_path).compact([*context, *THROUGH, *TALK], keep_last=4, now=NOW).messages
    assert user(later) not in last
    assert [line for line in lines_of(last) if old in line] == [f"{said} {end}"]
