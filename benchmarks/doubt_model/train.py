"""Trains the weights of the plugin `doubts`: python benchmarks/doubt_model/train.py CASES… [--held-out FILE]

`results.jsonl` has results of calls that change something, what the agent says next, and whether the deed is still unsettled; CASES are
JSON Lines files of labelled cases, whose results are taken as well. With --held-out, the figures on a file of cases that was left out are
printed instead of writing the weights. Needs scikit-learn, which is no dependency of the project.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from barrier_policy_plugins.doubts import HEAD
from barrier_policy_plugins.piece_weights import SCALE, pieces
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from barrier_policy import extract_facts

OUTPUT = Path(__file__).parents[2] / "plugins" / "doubt_weights.json"
RESULTS = Path(__file__).with_name("results.jsonl")
UNSETTLED = {"unconfirmed_effect", "partial_effect"}
OPEN = {"pending", "unknown", "partial"}
PENALTY = 3.0
KEPT = 3_000
"""Pieces that keep a weight, of results and replies together."""
FEWEST = 3
"""Texts that a piece must stand in."""
WRITTEN_WEIGHT = 0.5
"""What a line of `results.jsonl` counts beside one of a case."""


class Row(NamedTuple):
    """A result with the agent's next words; `seen` is whether the result's own words are known to leave it open."""

    result: str
    reply: str
    unsettled: bool
    weight: float
    seen: bool = False


def written() -> Iterator[Row]:
    """The rows of `results.jsonl`."""
    for line in RESULTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Row(row["result"], row["reply"], row["unsettled"], WRITTEN_WEIGHT)


def of_cases(path: str) -> Iterator[Row]:
    """The results of a file's cases whose label is clear."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        facts = extract_facts(case["messages"], now=case["now"])
        changes = {fact.message for fact in facts if fact.kind == "tool_call" and fact.get("effect_class") != "read_only"}
        states = {fact.message: str(fact.get("state")) for fact in facts if fact.kind == "tool_result"}
        for (start, end), expected in zip(case["spans"], case["expect"], strict=True):
            open_span = expected["action"] == "retain" and not expected.get("also_ok")
            unsettled = open_span and bool(UNSETTLED & set(expected["because"]))
            results = [index for index in range(start, end) if case["messages"][index]["role"] == "tool"]
            for index in results:
                seen = states.get(index, "") in OPEN
                before = max((call for call in changes if call < index), default=-1)
                clear = not open_span or (unsettled and (index == results[-1] or seen))
                if clear and all(case["messages"][between]["role"] == "tool" for between in range(before + 1, index)):
                    yield Row(_text(case, index), _reply(case, index), unsettled, 1.0, seen)


def _text(case: dict[str, list[dict[str, object]]], index: int) -> str:
    content = case["messages"][index].get("content")
    return content if isinstance(content, str) else json.dumps(content or "")


def _reply(case: dict[str, list[dict[str, object]]], index: int) -> str:
    """The agent's words right after a result, or after those that came together with it."""
    for message in case["messages"][index + 1 :]:
        if message["role"] != "tool":
            return str(message.get("content") or "") if message["role"] == "assistant" else ""
    return ""


def counted(texts: list[str], vocabulary: dict[str, int]) -> csr_matrix:
    """Presence of pieces, each row of length one."""
    pointers, columns, values = [0], [], []
    for text in texts:
        known = sorted({vocabulary[piece] for piece in pieces(text[:HEAD]) if piece in vocabulary})
        columns += known
        values += [1 / np.sqrt(max(1, len(known)))] * len(known)
        pointers.append(len(columns))
    return csr_matrix((values, columns, pointers), shape=(len(texts), len(vocabulary)))


def fitted(rows: list[Row], known: tuple[list[str], list[str]]) -> LogisticRegression:
    """A model over the known pieces of results and of replies."""
    columns = ([row.result for row in rows], [row.reply for row in rows])
    counts = [
        counted(texts, {piece: number for number, piece in enumerate(names)})
        for texts, names in zip(columns, known, strict=True)
    ]
    model = LogisticRegression(C=PENALTY, solver="liblinear", class_weight="balanced", max_iter=4000, random_state=1)
    return model.fit(hstack(counts).tocsr(), [row.unsettled for row in rows], sample_weight=[row.weight for row in rows])


def train(rows: list[Row]) -> dict[str, object]:
    """The weights of the pieces that matter most."""
    frequent = []
    for texts in ([row.result for row in rows], [row.reply for row in rows]):
        counts = Counter(piece for text in texts for piece in set(pieces(text[:HEAD])))
        frequent.append(sorted(piece for piece, count in counts.items() if count >= FEWEST))
    strength = np.abs(fitted(rows, (frequent[0], frequent[1])).coef_[0])
    least = np.sort(strength)[-KEPT]
    first = len(frequent[0])
    known = (
        [piece for piece, value in zip(frequent[0], strength[:first], strict=True) if value >= least],
        [piece for piece, value in zip(frequent[1], strength[first:], strict=True) if value >= least],
    )
    model = fitted(rows, known)
    weights = [round(value * SCALE) for value in model.coef_[0]]
    return {
        "bias": round(model.intercept_[0] * SCALE),
        "result": dict(zip(known[0], weights[: len(known[0])], strict=True)),
        "reply": dict(zip(known[1], weights[len(known[0]) :], strict=True)),
    }


def score(model: dict[str, object], row: Row) -> float:
    """The logit of a row."""
    total = float(model["bias"])  # type: ignore[arg-type]
    for weights, text in ((model["result"], row.result), (model["reply"], row.reply)):
        known = {piece for piece in pieces(text[:HEAD]) if piece in weights}  # type: ignore[operator]
        total += sum(weights[piece] for piece in known) / max(1, len(known)) ** 0.5  # type: ignore[index]
    return total / SCALE


def main() -> None:
    """Train and write, or measure on a held-out file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--held-out", nargs="+")
    arguments = parser.parse_args()
    model = train([*written(), *(row for path in arguments.cases for row in of_cases(path))])
    if arguments.held_out:
        rows = [row for path in arguments.held_out for row in of_cases(path) if not row.seen]
        found = [(score(model, row), row.unsettled) for row in rows]
        for bar in (0.5, 1.0, 1.5, 2.0):
            caught = [unsettled for logit, unsettled in found if logit > bar]
            print(
                f"above {bar}: {sum(caught)} of {sum(unsettled for _, unsettled in found)} unsettled that no word gives away, "
                f"{len(caught) - sum(caught)} of {sum(not unsettled for _, unsettled in found)} settled"
            )
        return
    OUTPUT.write_text(json.dumps(model, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{KEPT} weights, {OUTPUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
