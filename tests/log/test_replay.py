"""Replay gives the same bytes, or names the input that is missing or differs (design section 9, 19)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from barrier_policy import Decider, Decision, Profile
from barrier_policy.digest import digest_value
from barrier_policy.facts.effect_class import EffectClass
from barrier_policy.log import replay as replay_module
from barrier_policy.log.decision_log import DecisionLog
from barrier_policy.log.inputs import ArchivedInputs, read_inputs
from barrier_policy.log.logged import log_decision
from barrier_policy.log.record import Asked, PackageInput, Record
from barrier_policy.log.replay import Replay, replay
from barrier_policy.log_spec import LogSpec
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.store import original_bytes
from barrier_policy.transcript.source import Source

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "conf-write.json"
SHARED = ROOT.parent / "shared" / "transcripts"
NOW = "2026-06-01T12:00:00Z"
WANTED = 10
MAX_BYTES = 150_000


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "store")


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog.open(tmp_path / "log.jsonl")


def logged(
    decider: Decider, log: DecisionLog, store: FileStore | None, data: bytes = EXAMPLE.read_bytes(), **asked: Any
) -> tuple[Decision, Record]:
    """A decision, and its record."""
    request = Asked(**({"now": NOW, "keep_last": 4} | asked))
    analysis = decider.analyse(
        data,
        now=request.now,
        keep_last=request.keep_last,
        target_tokens=request.target_tokens,
        ranges=request.ranges,
        store=store,
    )
    return analysis.decision, log_decision(log, analysis, decider, data, request, store=store, timestamp=NOW)


def problems(done: Replay) -> list[str]:
    return [str(difference) for difference in done.differences]


@pytest.mark.parametrize(
    "asked", [{}, {"target_tokens": 300}, {"target_tokens": 1}, {"ranges": ((2, 7),)}, {"keep_last": None}, {"keep_last": 0}]
)
def test_a_decision_is_derived_again_byte_for_byte(decider: Decider, log: DecisionLog, store: FileStore, asked: Any) -> None:
    decision, record = logged(decider, log, store, **asked)
    assert replay(record, store) == Replay(same=True, data=decision.to_json())


@pytest.mark.parametrize("engine", ["fast", "python"])
def test_the_engine_that_decided_derives_it_again(log: DecisionLog, store: FileStore, engine: str) -> None:
    decision, record = logged(Decider(Profile(engine=engine)), log, store)
    assert replay(record, store) == Replay(same=True, data=decision.to_json())


def test_a_profile_and_overlays_are_replayed_and_not_those_of_today(
    tmp_path: Path, log: DecisionLog, store: FileStore
) -> None:
    team = tmp_path / "team"
    team.mkdir()
    (team / "own.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: own, version: 1.0.0, owner: team}\nrules:\n"
        "  - {id: own.long, effect: barrier, severity: high, summary: Long spans stay., why: Because., references: [team],\n"
        "     condition: 'span.tokens > 100'}\n"
    )
    profile = Profile(overlays=(team,), tools={"write_file": EffectClass.IRREVERSIBLE}, keep_last=2)
    decision, record = logged(Decider(profile), log, store, keep_last=None)
    (team / "own.yaml").unlink()
    assert decision.policy.name == "shipped+team"
    assert replay(record, store) == Replay(same=True, data=decision.to_json())


def test_what_the_store_held_then_counts_and_not_what_it_holds_now(
    decider: Decider, log: DecisionLog, store: FileStore
) -> None:
    """Before anything was archived, after all was, and after one original was damaged: three decisions, all replayed in the end."""
    messages = decider.read(EXAMPLE).messages
    found = [logged(decider, log, store)]
    for span in found[0][0].spans:
        store.put(original_bytes(messages[slice(*span.messages)]))
    found.append(logged(decider, log, store))
    damaged = store._object(found[0][0].spans[3].digest)
    damaged.write_bytes(b"x")
    found.append(logged(decider, log, store))
    damaged.unlink()
    assert len({decision.decision_id for decision, _ in found}) == 3
    assert [replay(record, store) for _, record in found] == [
        Replay(same=True, data=decision.to_json()) for decision, _ in found
    ]


def test_messages_that_were_handed_over_in_memory_are_replayed(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    source = Source.from_value(json.loads(EXAMPLE.read_bytes()))
    transcript = decider.read(json.loads(EXAMPLE.read_bytes()))
    analysis = decider.analyse(transcript, now=NOW, store=store)
    record = log_decision(log, analysis, decider, source.data, Asked(now=NOW), store=store, timestamp=NOW)
    assert replay(record, store) == Replay(same=True, data=analysis.decision.to_json())


# What is missing or differs -------------------------------------------------------------------------------------------


def forged(record: Record, store: FileStore, **changes: Any) -> Record:
    """The record with other archived inputs, of which it says what they are unless they are other objects."""
    data = store.read(record.inputs.archive)
    assert data is not None
    inputs = msgspec.structs.replace(read_inputs(data), **changes)
    pointer = store.put(msgspec.json.encode(inputs))
    named = {"asked": inputs.asked, "package": inputs.package, "profile": digest_value(inputs.profile)}
    return msgspec.structs.replace(record, inputs=msgspec.structs.replace(record.inputs, archive=pointer.digest, **named))


def test_a_decision_that_was_logged_without_a_store_says_so(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, None)
    (problem,) = problems(replay(record, store))
    assert problem.startswith("archived inputs: none: the decision was logged without a store")


@pytest.mark.parametrize(
    ("name", "what"), [("transcript", "transcript"), ("policies", "policy bundle"), ("", "archived inputs")]
)
@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_an_object_that_is_not_there_as_it_was_is_named(
    decider: Decider, log: DecisionLog, store: FileStore, name: str, what: str, how: str
) -> None:
    _, record = logged(decider, log, store)
    digest = getattr(_inputs(record, store), name) if name else record.inputs.archive
    if how == "missing":
        store._object(digest).unlink()
    else:
        store._object(digest).write_bytes(b"other")
    done = replay(record, store)
    (problem,) = problems(done)
    assert not done.same and not done.data
    assert problem.startswith(f"{what}: {digest} is {'not in the store' if how == 'missing' else 'damaged'}")


def _inputs(record: Record, store: FileStore) -> ArchivedInputs:
    data = store.read(record.inputs.archive)
    assert data is not None
    return read_inputs(data)


def test_all_missing_objects_are_named_at_once(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, store)
    inputs = _inputs(record, store)
    store._object(inputs.transcript).unlink()
    store._object(inputs.policies).unlink()
    assert [problem.partition(":")[0] for problem in problems(replay(record, store))] == ["transcript", "policy bundle"]


def test_an_engine_that_is_not_installed_is_named(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, store)
    other = forged(record, store, engine="cel-python 0.1")
    other = msgspec.structs.replace(other, inputs=msgspec.structs.replace(other.inputs, engine="cel-python 0.1"))
    assert problems(replay(other, store))[-1].startswith("engine: `cel-python 0.1` then, ")


def test_a_counter_of_tokens_that_is_not_ours_is_named(log: DecisionLog, store: FileStore) -> None:
    _, record = logged(Decider(counter=lambda text: 1), log, store)
    assert problems(replay(record, store))[-1].startswith("token counter: `")


def test_another_plugin_version_is_named_though_the_bytes_differ_by_it_alone(
    decider: Decider, log: DecisionLog, store: FileStore
) -> None:
    older = tuple(msgspec.structs.replace(info, version="0.0.9") for info in decider.plugins.infos[:1])
    plugins = msgspec.structs.replace(decider.plugins, infos=(*older, *decider.plugins.infos[1:]))
    _, record = logged(Decider(plugins=plugins), log, store)
    done = replay(record, store)
    assert not done.same and done.data
    assert problems(done)[0] == f"plugins: `{older[0].name}` 0.0.9 then, {decider.plugins.infos[0].version} here"
    assert replay(record, store, plugins=plugins).same


@pytest.mark.parametrize(
    ("package", "problem"),
    [
        (PackageInput(version="0.0.1", digest="sha256:0"), "package: version 0.0.1 then, "),
        (None, "package: another build of version "),
    ],
)
def test_other_code_is_named_though_the_bytes_are_the_same(
    decider: Decider, log: DecisionLog, store: FileStore, monkeypatch: pytest.MonkeyPatch, package: Any, problem: str
) -> None:
    _, record = logged(decider, log, store)
    here = replay_module.this_package()
    other = package or msgspec.structs.replace(here, digest="sha256:" + "1" * 64)
    done = replay(forged(record, store, package=other), store)
    assert done.same and problems(done)[0].startswith(problem)


def test_another_profile_gives_another_decision_which_is_told_span_by_span(
    decider: Decider, log: DecisionLog, store: FileStore
) -> None:
    _, record = logged(decider, log, store)
    asked = Asked(now=NOW, keep_last=4, target_tokens=1)
    done = replay(forged(record, store, asked=asked), store)
    assert not done.same and done.data
    assert problems(done)[0] == "decision: outcome compact then, refuse here"
    assert (
        problems(done)[1].startswith("decision: span 1: barrier, repair (")
        and ") then, barrier, retain (" in problems(done)[1]
    )
    assert problems(done)[-1] == "decision: 7 further spans"


def test_settings_that_only_one_version_knows_are_named(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, store)
    profile = _inputs(record, store).profile | {"mood": "good"}
    done = replay(forged(record, store, profile=profile), store)
    assert done.same and problems(done) == ["profile: settings that only one version knows: mood"]


def test_a_record_that_names_another_transcript_than_its_inputs_is_told(
    decider: Decider, log: DecisionLog, store: FileStore
) -> None:
    _, record = logged(decider, log, store)
    assert problems(replay(forged(record, store, transcript="sha256:" + "2" * 64), store))[0].startswith(
        "transcript: the record says "
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"schema":"barrier_policy/inputs/v9"}'])
def test_an_object_that_holds_something_else_is_told(
    decider: Decider, log: DecisionLog, store: FileStore, data: bytes
) -> None:
    _, record = logged(decider, log, store)
    archive = store.put(data).digest
    other = msgspec.structs.replace(record, inputs=msgspec.structs.replace(record.inputs, archive=archive))
    assert problems(replay(other, store)) == ["archived inputs: the archived object holds no inputs of a decision"]


# What the record says of it -------------------------------------------------------------------------------------------


def _first_span(record: Record, **changes: Any) -> dict[str, Any]:
    spans = record.result.spans
    return {
        "result": msgspec.structs.replace(record.result, spans=(msgspec.structs.replace(spans[0], **changes), *spans[1:]))
    }


def _first_rule(record: Record, **changes: Any) -> dict[str, Any]:
    rules = record.result.spans[0].rules
    return _first_span(record, rules=(msgspec.structs.replace(rules[0], **changes), *rules[1:]))


def _result(record: Record, **changes: Any) -> dict[str, Any]:
    return {"result": msgspec.structs.replace(record.result, **changes)}


FORGERIES: dict[str, Any] = {
    "decision_id": lambda record: {"decision_id": "sha256:" + "1" * 64},
    "bundle.name": lambda record: {"bundle": msgspec.structs.replace(record.bundle, name="other")},
    "bundle.digest": lambda record: {"bundle": msgspec.structs.replace(record.bundle, digest="sha256:" + "1" * 64)},
    "inputs.asked.keep_last": lambda record: {
        "inputs": msgspec.structs.replace(record.inputs, asked=msgspec.structs.replace(record.inputs.asked, keep_last=9))
    },
    "inputs.profile": lambda record: {"inputs": msgspec.structs.replace(record.inputs, profile="sha256:" + "1" * 64)},
    "inputs.plugins": lambda record: {"inputs": msgspec.structs.replace(record.inputs, plugins=())},
    "result.outcome": lambda record: _result(record, outcome="refuse"),
    "result.tail": lambda record: _result(record, tail=3),
    "result.blocking": lambda record: _result(record, blocking=7),
    "result.carrier": lambda record: _result(record, carrier=()),
    "result.totals.tokens_reclaimed": lambda record: _result(
        record, totals=msgspec.structs.replace(record.result.totals, tokens_reclaimed=1)
    ),
    "result.spans": lambda record: _result(record, spans=record.result.spans[1:]),
    "result.spans[0].action": lambda record: _first_span(record, action="summarize"),
    "result.spans[0].tokens": lambda record: _first_span(record, tokens=1),
    "result.spans[0].errors": lambda record: _first_span(record, errors=("effects.unsettled",)),
    "result.spans[0].rules[0].rule": lambda record: _first_rule(record, rule="effects.unsettled"),
    "result.spans[0].rules[0].evidence": lambda record: _first_rule(record, evidence=()),
    "metrics.counts.repair": lambda record: {
        "metrics": msgspec.structs.replace(record.metrics, counts=record.metrics.counts | {"repair": 0})
    },
    "erased": lambda record: {"erased": record.erased[1:]},
    "masked": lambda record: {"masked": ("/labels/team",)},
}


@pytest.mark.parametrize("field", FORGERIES)
def test_a_record_that_says_something_else_of_the_decision_differs_in_that_field(
    decider: Decider, log: DecisionLog, store: FileStore, field: str
) -> None:
    decision, record = logged(decider, log, store)
    done = replay(msgspec.structs.replace(record, **FORGERIES[field](record)), store)
    assert not done.same and done.data == decision.to_json()
    assert problems(done)[0].startswith(f"record: `{field}` is ")


def test_many_fields_that_differ_are_counted(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, store)
    spans = tuple(msgspec.structs.replace(span, tokens=1) for span in record.result.spans)
    done = replay(msgspec.structs.replace(record, **_result(record, spans=spans)), store)
    assert problems(done)[-1] == f"record: {len(spans) - 5} further fields"


def test_what_a_record_has_of_its_own_is_not_compared(decider: Decider, log: DecisionLog, store: FileStore) -> None:
    _, record = logged(decider, log, store)
    metrics = msgspec.structs.replace(record.metrics, timers_us={"read": 7})
    own = msgspec.structs.replace(record, timestamp="2027-01-01T00:00:00Z", labels={"team": "other"}, metrics=metrics)
    assert replay(own, store).same


@pytest.mark.parametrize("include_text", [False, True])
def test_explanations_that_were_logged_are_compared(
    decider: Decider, tmp_path: Path, store: FileStore, include_text: bool
) -> None:
    log = DecisionLog.open(LogSpec(path=tmp_path / "log.jsonl", include_text=include_text))
    _, record = logged(decider, log, store)
    assert replay(record, store).same
    other = replay(msgspec.structs.replace(record, **_first_rule(record, text="because")), store)
    assert problems(other)[0].startswith("record: `result.spans[0].rules[0].text` is `because`, ")
