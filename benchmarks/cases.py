"""Scores the gate on labelled cases: python benchmarks/cases.py [FILE.jsonl …]

What must survive against what may go, always together. A span is unsafe if one of its `must_survive` strings is neither in what stays
verbatim nor in the text of a carrier record. Freed is the share of characters, in spans that are labelled `summarize` only, that leave the
context, the records that stem from them counted against it. A record that holds lines of several spans for one consumer (values and look-ups for the turn at hand) stems from the consumer,
so the last figure counts everything: of all characters before the tail, those that leave, less the text of every record. The default are
the project's own files of cases.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from barrier_policy import Decision, decide

CASES = Path(__file__).parents[1] / "tests" / "data" / "cases"


def words(message: dict[str, Any]) -> str:
    """What the model sees of a message."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(p.get("text") or (p.get("image_url") or {}).get("url", "") for p in content)
    calls = (f"{c['function']['name']} {c['function']['arguments']}" for c in message.get("tool_calls") or ())
    return "\n".join((content, *calls))


def remains(case: dict[str, Any], decision: Decision) -> tuple[set[int], str]:
    """The indices of messages that leave, and the text of what is left."""
    gone = {i for span in decision.spans if span.action != "retain" for i in range(*span.messages)}
    kept = [words(m) for i, m in enumerate(case["messages"]) if i not in gone]
    return gone, "\n".join(kept + [record.text for record in decision.carrier])


def holds(needle: str, text: str) -> bool:
    """Verbatim, or as it reads once the JSON escapes of a call's arguments are undone."""
    return needle in text or needle in text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def main() -> None:
    """Score each file and print one line for it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", default=sorted(map(str, CASES.glob("*.jsonl"))))
    for path in parser.parse_args().files:
        spans = unsafe = size = freed = before = net = 0
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            decision = decide(case["messages"], keep_last=case["keep_last"], now=case["now"], store="/nonexistent")
            gone, left = remains(case, decision)
            before += sum(len(words(message)) for message in case["messages"][: decision.tail.start])
            net += sum(len(words(case["messages"][i])) for i in gone) - sum(len(record.text) for record in decision.carrier)
            for (start, end), expected in zip(case["spans"], case["expect"], strict=True):
                if expected["must_survive"]:
                    spans += 1
                    unsafe += not all(holds(needle, left) for needle in expected["must_survive"])
                if expected["action"] == "summarize" and not expected.get("also_ok"):
                    sizes = {i: len(words(case["messages"][i])) for i in range(start, end)}
                    records = sum(len(r.text) for r in decision.carrier if start <= r.source.message < end)
                    size += sum(sizes.values())
                    freed += max(0, sum(n for i, n in sizes.items() if i in gone) - records)
        print(
            f"{Path(path).name}: {spans} spans must keep something, unsafe {100 * unsafe / spans:.1f} %; filler freed {100 * freed / size:.1f} %; "
            f"of all before the tail, less all records, {100 * net / before:.1f} %"
        )


if __name__ == "__main__":
    main()
