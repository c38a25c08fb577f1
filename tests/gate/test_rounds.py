"""A conversation that was compacted, grew and was compacted again is audited round by round, each against what it was made of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from barrier_policy import Gate
from barrier_policy.cli.app import app
from barrier_policy.errors import StoreError
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import object_name
from barrier_policy.walk import source_of

from .conftest import call, result

Messages = list[dict[str, Any]]
NOW = "2026-09-14T08:30:00Z"
EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = Path(__file__).parents[1] / "data" / "cases"
MIGRATED = '{"migration_id":"mig_2240","state":"completed","columns_rewritten":["customer_ref","placed_at","currency","total_minor"]}'


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


LATER: Messages = [
    user("Tobias is on 2 again. Go on with the migration of orders now, and tell me when it is through."),
    call(9001, "resume_migration", migration_id="mig_2240", idempotency_key="orders-v2-prd-0910-k7f3c9"),
    result(9001, '{"migration_id":"mig_2240","state":"running","done":2,"of":7}'),
    agent("It runs."),
    user("Look again."),
    call(9002, "get_migration", migration_id="mig_2240"),
    result(9002, MIGRATED),
    agent("The migration is completed."),
    user("Good. And the dashboard colours?"),
    agent("They are fine. " * 80),
    user("Bye."),
    agent("Bye."),
]


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Gate, Messages, Messages, Messages]:
    """A gate, the incident, what it had become when it was compacted again, and the result of that."""
    gate = Gate(store=tmp_path_factory.mktemp("rounds", numbered=False) / "store")
    first = json.loads((EXAMPLES / "incident.json").read_text(encoding="utf-8"))["messages"]
    grown = [*gate.compact(first, keep_last=10, now=NOW).messages, *LATER]
    return gate, first, grown, gate.compact(grown, keep_last=2, now=NOW).messages


def test_each_round_is_audited_against_what_it_was_made_of(rounds: tuple[Gate, Messages, Messages, Messages]) -> None:
    gate, first, grown, second = rounds
    reports = gate.audit_rounds(first, second, now=NOW)
    assert [report.outcome for report in reports] == ["pass", "pass"]
    assert [report.before.messages for report in reports] == [len(first), len(grown)]
    assert (
        gate.audit(first, second, now=NOW).outcome == "fail"
    )  # what the second round let go by right was still owed in the first


def test_what_the_last_round_lost_is_found_in_it(rounds: tuple[Gate, Messages, Messages, Messages]) -> None:
    gate, first, _, second = rounds
    spoilt = [{**message, "content": str(message["content"]).replace("k7f3c9", "k7f3c8")} for message in second]
    reports = gate.audit_rounds(first, spoilt, now=NOW)
    assert [report.outcome for report in reports] == ["pass", "fail"]


def test_a_transcript_that_the_store_does_not_know_is_audited_as_it_is(
    rounds: tuple[Gate, Messages, Messages, Messages],
) -> None:
    gate, first, _, second = rounds
    other = [user("Something else."), *first[1:]]
    assert len(gate.audit_rounds(other, second, now=NOW)) == 1


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (lambda path: path.write_bytes(path.read_bytes().replace(b"mig_2240", b"mig_2241", 1)), "is damaged"),
        (lambda path: path.write_bytes(path.read_bytes() + b"garbage"), "is damaged"),
        (Path.unlink, "no object"),
    ],
    ids=["a byte changed", "something appended", "lost"],
)
def test_a_round_whose_original_is_damaged_or_lost_in_the_store_is_told_and_not_judged(
    rounds: tuple[Gate, Messages, Messages, Messages], tmp_path: Path, harm: Callable[[Path], Any], problem: str
) -> None:
    gate, first, grown, second = rounds
    assert isinstance(gate.store, FileStore)
    copy = FileStore(shutil.copytree(gate.store.root, tmp_path / "store"))
    damaged = source_of(grown).digest
    harm(copy.root / "objects" / object_name(damaged))
    other = Gate(store=copy, decider=gate.decider)
    with pytest.raises(StoreError, match=f"{damaged} is damaged" if problem == "is damaged" else f"no object {damaged}"):
        other.audit_rounds(first, second, now=NOW)
    assert [report.outcome for report in other.audit_rounds(grown, second, now=NOW)] == ["pass"]  # it is at hand


def test_the_first_original_is_not_needed_where_it_is_at_hand(
    rounds: tuple[Gate, Messages, Messages, Messages], tmp_path: Path
) -> None:
    gate, first, _, second = rounds
    assert isinstance(gate.store, FileStore)
    copy = FileStore(shutil.copytree(gate.store.root, tmp_path / "store"))
    (copy.root / "objects" / object_name(source_of(first).digest)).write_bytes(b"[]")
    other = Gate(store=copy, decider=gate.decider)
    assert [report.outcome for report in other.audit_rounds(first, second, now=NOW)] == ["pass", "pass"]


def test_the_command_says_which_round_it_speaks_of(
    rounds: tuple[Gate, Messages, Messages, Messages],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    _, first, grown, second = rounds
    names = []
    for name, messages in (("first", first), ("grown", grown), ("second", second)):
        names.append(str(tmp_path / f"{name}.json"))
        Path(names[-1]).write_text(json.dumps(messages), encoding="utf-8")
    known = ["--store", str(tmp_path_factory.getbasetemp() / "rounds" / "store"), "--now", NOW]
    whole = command("audit", names[0], names[2], *known, "--format", "json")
    assert whole.exit_code == 0
    assert [report["outcome"] for report in json.loads(whole.stdout)["rounds"]] == ["pass", "pass"]
    assert command("audit", *names, *known).exit_code == 0
    assert command("audit", names[0], names[2], "--now", NOW).exit_code == 4
    shown = command("audit", names[0], names[2], *known)
    assert shown.exit_code == 0 and "round 1 of 2" in shown.stdout and "round 2 of 2" in shown.stdout


FILLER = "The shelves in the hall look tidy, and the plants near the window grow well this season. " * 30
SMALL_TALK = [{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": FILLER}]


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def edited(path: str, answer: str) -> list[dict[str, Any]]:
    function = {
        "name": "edit_file",
        "arguments": json.dumps({"path": path, "find": "class A(Old):", "replace": "class A(New):"}),
    }
    call = {"id": "e1", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "e1", "content": answer},
    ]


PUT_OFF = [
    said("user", "Our bed plan is a mess, can you propose a new one?"),
    said("assistant", "Three ways: (a) by ward, (b) by age, (c) by day. I'd go for (a)."),
    said("user", "let me sleep over that, I tell you after lunch"),
    said("user", "meanwhile print the old one"),
    said("assistant", "It is printed."),
]
HALF_DONE = [
    said("user", "Port the three importers to the new interface: csv, ods, avro. One commit each."),
    *edited("imp/avro.py", "1 replacement in imp/avro.py"),
    said("assistant", "avro: reader moved, schema mapping not yet, so imp/avro.py does not import at the moment."),
]


def looked_up(number: str, tool: str, answer: str, **arguments: str) -> list[dict[str, Any]]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": number, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": number, "content": answer},
    ]


HALF_PORTED = [
    said("user", "Change of plan: charts in the browser with Plotbird, and no animations, the wall tablets are slow."),
    *edited("web/charts.js", "4 replacements in web/charts.js"),
    said(
        "assistant",
        "4 of 10 charts: temperature, humidity, CO2 and noise are ported, the page mixes both kinds at the moment.",
    ),
]
BROKEN_OFF = [
    said("user", "The heating in house 2 does not react to the app, what can I do?"),
    {"role": "system", "content": "[runtime] step aborted after 60 s, no answer was produced"},
    said("user", "Hello? It is down to 9 degrees, are the seedlings at risk?"),
    {"role": "system", "content": "[runtime] step aborted after 60 s, no answer was produced"},
    said("user", "Thank you. And how is the weather today?"),
    said("assistant", "I can't see the weather from here."),
]
TWO_QUESTIONS = "when does the choir meet on sunday? and who keeps the spare key of the small vestry?"
HALF_ANSWERED = [
    said("user", TWO_QUESTIONS),
    *looked_up("q1", "calendar", "Sun 25 Oct 09:00 choir, upper hall", q="choir"),
    said("assistant", "At nine on Sunday."),
    said("user", "nine, ugh. is the bakery open then"),
    *looked_up("q2", "calendar", "Mon-Sat 06:00-18:00", q="bakery"),
    said("assistant", "No, it is closed on Sundays."),
]


@pytest.mark.parametrize(
    ("talk", "needed"),
    [
        (PUT_OFF, "(a) by ward, (b) by age, (c) by day"),
        (HALF_DONE, "reader moved, schema mapping not yet"),
        (BROKEN_OFF, "heating in house 2 does not react"),
        (BROKEN_OFF, "are the seedlings at risk"),
        (HALF_PORTED, "temperature, humidity, CO2 and noise are ported"),
        (HALF_ANSWERED, TWO_QUESTIONS),
    ],
)
def test_what_is_open_because_of_what_left_stays_open_in_later_rounds(
    talk: list[dict[str, Any]], needed: str, tmp_path: Path
) -> None:
    gate = Gate(store=tmp_path, summarizer=lambda request: "The user and the agent worked on it.")
    messages = [*SMALL_TALK, *talk, said("user", "How was the soup?"), said("assistant", "Fine.")]
    for _ in range(4):
        messages = list(gate.compact(messages, keep_last=2, now="2026-06-01T00:00:00Z").messages)
        assert needed in json.dumps(messages, ensure_ascii=False)
        messages += [said("user", "And how is the weather?"), said("assistant", "Good, it is a quiet day. " * 20)]


def test_what_was_held_although_its_answer_has_left_is_held_for_some_turns_and_not_for_ever(tmp_path: Path) -> None:
    gate = Gate(store=tmp_path, summarizer=lambda request: "The user and the agent worked on it.")
    messages = [*SMALL_TALK, *HALF_ANSWERED, said("user", "How was the soup?"), said("assistant", "Fine.")]
    there = []
    for number in range(9):
        done = gate.compact(messages, keep_last=2, now="2026-06-01T00:00:00Z")
        there.append(TWO_QUESTIONS in json.dumps(done.messages))
        if done.report is not None:
            assert done.report.outcome == "pass"
        messages = [
            *done.messages,
            *SMALL_TALK,
            said("user", f"And soup number {number}?"),
            said("assistant", f"Soup {number} is fine."),
        ]
    assert all(there[:3]) and not there[-1]


@pytest.mark.parametrize("case", ["W035", "X025", "M029", "XI015"])
def test_what_a_labelled_case_needs_is_there_after_every_round(case: str, tmp_path: Path) -> None:
    """What told that it is needed has left in the first round: an answer to a half of it, a word between it and `not now`."""
    lines = (line for file in sorted(CASES.glob("*.jsonl")) for line in file.read_text(encoding="utf-8").splitlines())
    found = json.loads(next(line for line in lines if f'"id": "{case}"' in line))
    gate = Gate(store=tmp_path, summarizer=lambda request: "The user and the agent worked on it.")
    messages, needed = [*SMALL_TALK, *found["messages"]], [text for span in found["expect"] for text in span["must_survive"]]
    for number in range(4):
        messages = gate.compact(messages, keep_last=found["keep_last"], now=found["now"]).messages
        there = "\n".join(str(message["content"]) for message in messages)
        needed = [text for text in needed if text in there] if number == 0 else needed
        assert needed and [text for text in needed if text not in there] == []


@pytest.mark.parametrize("numbered", [False, True])
def test_thanks_and_answered_questions_make_no_carrier_grow(tmp_path: Path, numbered: bool) -> None:
    gate = Gate(store=tmp_path, summarizer=lambda request: "The user and the agent worked on it.")
    messages, sizes = [*SMALL_TALK, *HALF_DONE], []
    for number in range(41, 49):
        messages = [
            *messages,
            said("user", f"Thank you. And how is the weather today{f', day {number}' if numbered else ''}?"),
            said("assistant", "It is mild. " * 60),
        ]
        messages = list(gate.compact(messages, keep_last=2, now="2026-06-01T00:00:00Z").messages)
        sizes.append(sum(len(str(m["content"])) for m in messages if "<barrier-policy-carrier" in str(m["content"])))
    assert sizes[-1] == sizes[2] > 0


def test_a_number_that_a_look_up_was_asked_for_gets_a_line_once_a_user_says_it(tmp_path: Path) -> None:
    gate = Gate(store=tmp_path, summarizer=lambda request: "The user and the agent worked on it.")
    rooms = looked_up(
        "t1", "climate_get", "bath 21.4\nbedroom 18.9\nguest 17.2 (radiator valve must be calibrated)", floor="1"
    )
    asked = [
        said("user", "how warm is it upstairs, warmest first"),
        *rooms,
        said("assistant", "bath 21.4, bedroom 18.9, guest 17.2"),
    ]
    messages = [
        *SMALL_TALK,
        *asked,
        said("user", "and those in the guest room?"),
        said("assistant", "The valve there is off."),
    ]
    for number in range(1, 6):
        done = gate.compact(messages, keep_last=2, now="2026-06-01T00:00:00Z")
        assert done.report is None or done.report.outcome == "pass"
        question = said("user", f"Thank you. And how is the weather today, round {number}?")
        messages = [*done.messages, question, said("assistant", "It is mild. " * 200)]
