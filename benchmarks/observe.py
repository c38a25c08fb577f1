"""What one observed message costs, early and late in a conversation, and what a decision costs with what is known.

    python benchmarks/observe.py [MESSAGES]

Prints ratios of one run: the cost per message of the last eighth against the first (1 is independent of the length), and a decision with
the observed facts against one from scratch.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from barrier_policy.gate.observe import Observer
from barrier_policy.walk import prepared

SAID = (
    "Look at host-{n}.example.test, please.",
    "Host-{n} is fine, 4{n} requests and no error.",
    "Thanks. Never touch /srv/data/{n}.",
)


def conversation(size: int) -> list[dict[str, Any]]:
    """A made-up conversation of `size` messages of equal kinds throughout."""
    roles = ("user", "assistant", "user")
    return [{"role": roles[n % 3], "content": SAID[n % 3].format(n=n % 997)} for n in range(size)]


def main() -> None:
    """Measure and print."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000
    messages = conversation(size)
    decider = prepared()
    decider.analyse(messages[:30])
    observer = Observer(decider)
    moments = [time.perf_counter()]
    for message in messages:
        observer.observe(message)
        moments.append(time.perf_counter())
    eighth = size // 8
    early = (moments[eighth] - moments[0]) / eighth
    late = (moments[-1] - moments[-1 - eighth]) / eighth
    print(
        f"{size:,} messages: {1e3 * early:.2f} ms a message in the first eighth, {late / early:.2f} times that in the last"
    )
    started = time.perf_counter()
    decider.analyse(messages)
    scratch = time.perf_counter() - started
    started = time.perf_counter()
    decider.analyse(observer.records, memo=observer.memo)
    print(f"a decision with what was observed takes {(time.perf_counter() - started) / scratch:.2f} times that from scratch")


if __name__ == "__main__":
    main()
