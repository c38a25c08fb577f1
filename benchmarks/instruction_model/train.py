"""Trains the weights of the plugin `instructions`: python benchmarks/instruction_model/train.py SENTENCES CASES… [--held-out FILE]

SENTENCES is a JSON Lines file of labelled sentences, CASES are JSON Lines files of labelled cases. With --held-out, the figures on a file of
cases that was left out are printed instead of writing the weights. Needs scikit-learn, which is no dependency of the project.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from barrier_policy_plugins.piece_weights import SCALE, pieces
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from barrier_policy.facts.prose import prose_sentences

OUTPUT = Path(__file__).parents[2] / "plugins" / "instruction_weights.json"
TALK = ({"question"}, {"filler"}, {"mention"})
PENALTY = 4.0
THRESHOLD = 0.6
CASE_WEIGHT = 2.0

Row = tuple[str, bool, float]


def sentences(path: str) -> list[Row]:
    """Users' labelled sentences; true: small talk or a question."""
    records = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [(r["text"], set(r["labels"]) in TALK, 1.0) for r in records if r["role"] in ("user", "system")]


def messages(path: str) -> list[Row]:
    """Users' messages of cases; true where the label lets the whole span go, false where the message itself must stay or be recorded."""
    found = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        for (start, end), expected in zip(case["spans"], case["expect"], strict=True):
            free = expected["action"] == "summarize" and not expected.get("also_ok")
            bound = expected["action"] == "retain" or (expected["action"] == "repair" and end - start <= 2)
            if free or bound:
                said = (m.get("content") for m in case["messages"][start:end] if m["role"] == "user")
                found += [(words, free, CASE_WEIGHT) for words in said if isinstance(words, str)]
    return found


def matrix(rows: list[Row], vocabulary: dict[str, int]) -> csr_matrix:
    """Presence of pieces, each row of length one."""
    pointers, columns, values = [0], [], []
    for text, _, _ in rows:
        known = sorted({vocabulary[piece] for piece in pieces(text) if piece in vocabulary})
        columns += known
        values += [1 / np.sqrt(max(1, len(known)))] * len(known)
        pointers.append(len(columns))
    return csr_matrix((values, columns, pointers), shape=(len(rows), len(vocabulary)))


def train(rows: list[Row]) -> dict[str, object]:
    """The weights of the pieces that matter."""
    counts = Counter(piece for text, _, _ in rows for piece in set(pieces(text)))
    vocabulary = {
        piece: number for number, piece in enumerate(sorted(piece for piece, count in counts.items() if count > 1))
    }
    model = LogisticRegression(
        C=PENALTY, penalty="l1", solver="liblinear", class_weight="balanced", max_iter=2000, random_state=1
    )
    model.fit(matrix(rows, vocabulary), [talk for _, talk, _ in rows], sample_weight=[weight for _, _, weight in rows])
    weights = {piece: round(model.coef_[0][number] * SCALE) for piece, number in vocabulary.items()}
    return {
        "bias": round(model.intercept_[0] * SCALE),
        "threshold": round(THRESHOLD * SCALE),
        "weights": {piece: weight for piece, weight in sorted(weights.items()) if weight},
    }


def score(model: dict[str, object], text: str) -> float:
    """The lowest score of a message's sentences."""
    weights: dict[str, int] = model["weights"]  # type: ignore[assignment]
    found = []
    for sentence in prose_sentences(text):
        known = {piece for piece in pieces(sentence.text) if piece in weights}
        found.append((model["bias"] + sum(weights[piece] for piece in known) / max(1, len(known)) ** 0.5) / SCALE)  # type: ignore[operator]
    return min(found, default=1.0)


def main() -> None:
    """Train and write, or measure on a held-out file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sentences")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--held-out")
    arguments = parser.parse_args()
    rows = sentences(arguments.sentences) + [row for path in arguments.cases for row in messages(path)]
    model = train(rows)
    if arguments.held_out:
        held = messages(arguments.held_out)
        kept = [score(model, text) < THRESHOLD for text, _, _ in held]
        told = [keep for keep, (_, talk, _) in zip(kept, held, strict=True) if not talk]
        talk = [keep for keep, (_, is_talk, _) in zip(kept, held, strict=True) if is_talk]
        print(
            f"instructions found {100 * sum(told) / len(told):.1f} % of {len(told)}; small talk let go {100 - 100 * sum(talk) / len(talk):.1f} % of {len(talk)}"
        )
        return
    OUTPUT.write_text(json.dumps(model, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(model['weights'])} weights, {OUTPUT.stat().st_size:,} bytes")  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
