"""A process that is killed at any step: the transcript is the old one or the audited new one, and every original is there."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pytest

from barrier_policy import Gate
from barrier_policy.gate.journal import FINAL, State, read_journal, transactions
from barrier_policy.gate.recover import recover
from barrier_policy.gate.target import FileTarget

from .conftest import NOW, SENTENCE, Messages, agent, call, result, user

NO_GAIN = "the new context would be no smaller"
STEPS = [state for state in State if state is not State.ROLLED_BACK]
HISTORIES = int(os.environ.get("BARRIER_POLICY_HISTORIES", "8"))
"""Each is crashed at every step; the bar of the project is 200."""


def history(seed: int) -> Messages:
    """A random conversation of finished work, unfinished work, rules and talk."""
    chance = random.Random(seed)
    messages: Messages = [{"role": "system", "content": "You look after a service."}]
    for number in range(chance.randint(3, 9)):
        kind = chance.choice(("read", "write", "start", "rule", "talk"))
        place = f"/srv/app/{chance.randint(100, 999)}/part-{number}.yaml"
        if kind == "read":
            lines = "\n".join(f"entry {chance.randint(1000, 9999)} of the log" for _ in range(30))
            messages += [
                user("Look at it."),
                call(number, "read_file", path=place),
                result(number, lines),
                agent("It is fine."),
            ]
        elif kind == "write":
            messages += [
                user("Write it."),
                call(number, "write_file", path=place, content="x: 1"),
                result(number, "ok, written"),
            ]
        elif kind == "start":
            job = call(number, "start_job", name=f"job-{number}", idempotency_key=f"key-{chance.randint(10_000, 99_999)}")
            messages += [user("Start it."), job, result(number, '{"state": "accepted"}')]
        elif kind == "rule":
            messages.append(user(f"Never touch shard-{number} before the export has ended."))
        else:
            messages += [user("How are you?"), agent("Busy as ever, thank you for asking. " * chance.randint(1, 30))]
    return [*messages, user("Go on."), agent("I do.")]


def killed_at(step: State, path: Path, store: Path) -> None:
    """Compact a file in a child process that kills itself as soon as this step is durable."""
    child = os.fork()
    if child == 0:
        try:
            gate = Gate(store=store, summarizer=lambda request: SENTENCE)
            watch = lambda state: os.kill(os.getpid(), signal.SIGKILL) if state is step else None  # noqa: E731
            gate.compact_file(path, path, keep_last=2, now=NOW, watch=watch)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_leaves_a_committed_or_an_untouched_transcript(tmp_path: Path, step: State) -> None:
    Gate(store=False)  # so that the children share what is loaded once
    ended = set()
    for seed in range(HISTORIES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path, store = folder / "history.json", folder / "store"
        original = json.dumps(history(seed)).encode()
        path.write_bytes(original)
        killed_at(step, path, store)
        gate = Gate(store=store, summarizer=lambda request: SENTENCE)
        assert gate.store is not None
        for found in recover(gate.store, NOW):
            assert found.state in FINAL
        for name in transactions(gate.store):
            entries = read_journal(gate.store, name)
            assert entries[-1].state in FINAL
            committed = entries[-1].state is State.COMMITTED
            if entries[-1].detail.get("reason") != NO_GAIN:
                ended.add(entries[-1].state)
            sealed = [entry.detail["output"] for entry in entries if entry.state is State.SEALED]
            if committed:
                assert gate.store.read(entries[0].detail["head"]) == original
                assert path.read_bytes() != original and sealed
            else:
                assert path.read_bytes() == original
        assert sorted(found.name for found in folder.iterdir()) in (["history.json", "store"], ["history.json"])
    assert ended == {State.COMMITTED} if step is State.COMMITTED else ended == {State.ROLLED_BACK}


@pytest.mark.parametrize("step", ["commit", "_forget_old"])
def test_a_crash_between_the_move_and_its_note_is_found_committed(tmp_path: Path, step: str) -> None:
    path, store = tmp_path / "history.json", tmp_path / "store"
    path.write_bytes(json.dumps(history(3)).encode())
    child = os.fork()
    if child == 0:
        try:
            done = getattr(FileTarget, step)
            last = done if step == "commit" else lambda *_: None  # killed with the old file still there, and without it
            setattr(FileTarget, step, lambda *given: (last(*given), os.kill(os.getpid(), signal.SIGKILL)))
            Gate(store=store, summarizer=lambda request: SENTENCE).compact_file(path, path, keep_last=2, now=NOW)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    opened = Gate(store=store).store
    assert opened is not None
    assert [found.state for found in recover(opened, NOW)] in ([State.COMMITTED], [])
    assert read_journal(opened, transactions(opened)[-1])[-1].state is State.COMMITTED
    assert sorted(found.name for found in tmp_path.iterdir()) == ["history.json", "store"]
