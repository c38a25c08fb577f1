"""What a decision costs: time against parsing the same JSON, ten times the messages, and peak memory against the file.

    python benchmarks/decide.py [--messages 4000] [--times 10] [--engine fast]

Of two mixes: `chat`, 120 characters of talk a message, 480,000 in 4,000 messages; and `calls`, where most messages are calls and their
results. Ratios are of one run on one machine, so they travel; seconds don't. Each figure is taken in a process of its own, which has
decided about another transcript before.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Message = dict[str, Any]
CHARACTERS = 120
NOW = "2026-06-01T12:00:00Z"
SERVICES = ("catalog", "cart", "orders", "billing", "search", "shipments", "accounts", "invoices")
TALK = (
    "Looks fine to me. What is the state of {service}?",
    "Never deploy {service} while the nightly export is running.",
    "Please check why {service} answers so slowly since this morning.",
    "Before you touch the table {service}_items, ask me.",
    "Thanks, that is what I wanted to know.",
    "I will look at the dashboards of {service} again after lunch.",
    "The timeout is 45 seconds, not 30, as the runbook of {service} says.",
)
CALLS: tuple[tuple[str, str, str], ...] = (
    ("read_file", '{{"path": "/srv/{service}/app/{name}.py"}}', "{listing}"),
    ("bash", '{{"command": "cd /srv/{service} && grep -rn {name} app | head -20"}}', "{listing}"),
    (
        "query_database",
        '{{"query": "select id, state from {service}_items where id = {number}"}}',
        '[{{"id": {number}, "state": "paid"}}]',
    ),
    ("edit_file", '{{"path": "/srv/{service}/app/{name}.py", "old": "retries = 3", "new": "retries = 5"}}', "ok"),
    (
        "deploy_service",
        '{{"service": "{service}", "version": "4.{number}.0", "key": "{key}"}}',
        '{{"status": "queued", "job": "job-{number}"}}',
    ),
    ("get_job", '{{"job": "job-{number}"}}', '{{"job": "job-{number}", "status": "succeeded"}}'),
)


def calls(count: int, seed: int = 7) -> Iterator[Message]:
    """Messages of about 120 characters each: talk, calls and their results, as agents of platform teams write them."""
    chance = random.Random(seed)
    yield {"role": "system", "content": "You are the operations agent of a web shop. Never print credentials."}
    written = 1
    while written < count:
        words = {
            "service": chance.choice(SERVICES),
            "name": f"{chance.choice(('order', 'price', 'stock', 'user'))}_{chance.randrange(900)}",
            "number": chance.randrange(10_000, 99_999),
            "key": f"k-{chance.randrange(16**10):010x}",
        }
        words["listing"] = "\n".join(f"app/{words['name']}.py:{line}: {chance.choice(TALK)}"[:90] for line in range(10, 17))
        turn = list(_turn(chance, words, written))[: count - written]
        written += len(turn)
        yield from turn


def chat(count: int, seed: int = 7) -> Iterator[Message]:
    """Messages of 120 characters each: users and the agent talk, and nothing is called."""
    chance = random.Random(seed)
    for number in range(count):
        service = chance.choice(SERVICES)
        talk = " ".join(chance.choice(TALK).format(service=service) for _ in range(CHARACTERS // 20))
        yield {"role": "assistant" if number % 2 else "user", "content": talk[:CHARACTERS]}


def _turn(chance: random.Random, words: dict[str, Any], number: int) -> Iterator[Message]:
    yield {"role": "user", "content": chance.choice(TALK).format(**words)}
    for step in range(chance.randrange(1, 5)):
        name, arguments, result = chance.choice(CALLS)
        call = {"id": f"call_{number}_{step}", "type": "function"}
        call["function"] = {"name": name, "arguments": arguments.format(**words)}  # type: ignore[assignment]
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": call["id"], "content": result.format(**words)}
    yield {"role": "assistant", "content": f"Done with {words['service']}. {chance.choice(TALK).format(**words)}"}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The best of some runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def _peak() -> int:
    """Peak resident memory of this process in bytes; Linux counts it in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(path: Path, engine: str, repeats: int) -> dict[str, float]:
    """Seconds for parsing and for deciding (engine and policies made ready before), and peak memory of this process in bytes."""
    from barrier_policy import Decider, Profile
    from barrier_policy.provenance.file_store import FileStore

    decider = Decider(Profile(engine=engine))
    store = FileStore(path.parent / "store")  # empty: every structured span has a repair to be judged as well
    decider.decide(list(calls(200, seed=1)), now=NOW, store=store)
    before = _peak()
    start = time.perf_counter()
    decision = decider.decide(path, now=NOW, store=store)
    first = time.perf_counter() - start
    peak = _peak() - before
    data = path.read_bytes()
    return {
        "bytes": len(data),
        "messages": decision.transcript.messages,
        "reclaimed": decision.totals.tokens_reclaimed / decision.totals.tokens_before,
        "parse": seconds(lambda: json.loads(data), 5),
        "decide": min(
            first, seconds(lambda: decider.decide(path, now=NOW, store=store), repeats - 1) if repeats > 1 else first
        ),
        "peak": peak,
    }


def in_own_process(path: Path, engine: str, repeats: int) -> dict[str, float]:
    """`measure` in a fresh interpreter, so that peaks don't add up."""
    command = [sys.executable, __file__, "--measure", str(path), "--engine", engine, "--repeats", str(repeats)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


MIXES: dict[str, Callable[[int], Iterator[Message]]] = {"chat": chat, "calls": calls}


def report(mix: str, small: dict[str, float], large: dict[str, float]) -> None:
    """Print both sizes and the ratios."""
    print(mix)
    for found in (small, large):
        print(
            f"{found['messages']:>7,.0f} messages, {found['bytes'] / 1e6:.2f} MB: decide {found['decide']:.2f} s "
            f"({found['decide'] / found['parse']:.0f} times json.loads), peak memory {found['peak'] / found['bytes']:.1f} times the file, "
            f"{100 * found['reclaimed']:.0f} % of the tokens may go"
        )
    times = large["messages"] / small["messages"]
    print(f"{times:.0f} times the messages cost {large['decide'] / small['decide']:.1f} times the time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--messages", type=int, default=4_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--engine", default="fast")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.engine, options.repeats)))
        return
    for mix, messages in MIXES.items():
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for count, repeats in ((options.messages, options.repeats), (options.messages * options.times, 1)):
                path = Path(folder) / f"{count}.json"
                path.write_text(json.dumps(list(messages(count))), encoding="utf-8")
                found.append(in_own_process(path, options.engine, repeats))
            report(mix, *found)


if __name__ == "__main__":
    main()
