"""Trains what tells the polarity of a rule: python benchmarks/prose_model/polarity.py LABELLED… [--folds N | --write]

LABELLED are JSON Lines files of labelled sentences, used beside the project's own; those with a polarity count. See README.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from barrier_policy_plugins.rule_polarity import POLARITIES, name_marks
from barrier_policy_plugins.sentence_model import shipped_model
from sklearn.cluster import AgglomerativeClustering
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

HERE = Path(__file__).parent
OWN = (HERE / "sentences.jsonl", HERE / "rules.jsonl")
MODEL = HERE.parents[1] / "plugins" / "polarity_weights.json"
COST, SIGHTS_SHARE, RAREST, ALIKE = 0.4, 0.25, 3, 0.9
UNIT = 2**18

Record = dict[str, str]


class Rules:
    """Rule sentences as rows of numbers: the marks they bear, then what the filters see."""

    def __init__(self, records: list[Record]) -> None:
        model = shipped_model()
        self.texts = [record["text"] for record in records]
        self.wanted = np.array([POLARITIES.index(record["polarity"]) for record in records])
        marks = [set(name_marks(text)) for text in self.texts]
        counts = Counter(mark for found in marks for mark in found)
        self.names = sorted(mark for mark, count in counts.items() if count >= RAREST)
        self._marks = np.array([[float(name in found) for name in self.names] for found in marks])
        sights = np.array([model.sights(text) for text in self.texts], float)
        self.centre, self.spread = sights.mean(0), sights.std(0) / SIGHTS_SHARE
        self.rows = np.hstack([self._marks, (sights - self.centre) / self.spread])


def read_rules(*paths: Path) -> list[Record]:
    """The records that have a polarity."""
    records = (json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line)
    return [record for record in records if record.get("polarity")]


def fit(rows: np.ndarray, wanted: np.ndarray) -> LogisticRegression:
    """The linear model."""
    return LogisticRegression(C=COST, max_iter=2_000).fit(rows, wanted)


def held_out(rules: Rules, folds: int) -> np.ndarray:
    """What is said of each sentence by a model that has met neither it nor one much like it."""
    from teacher import Encoder

    clusters = AgglomerativeClustering(n_clusters=None, distance_threshold=ALIKE, linkage="average")
    groups = clusters.fit_predict(Encoder().sentences(rules.texts).astype(float))
    said = np.zeros_like(rules.wanted)
    for train, test in GroupKFold(folds).split(rules.rows, rules.wanted, groups):
        said[test] = fit(rules.rows[train], rules.wanted[train]).predict(rules.rows[test])
    return said


def report(records: list[Record], rules: Rules, said: np.ndarray, *, first: int) -> None:
    """Shares that are right, of the project's own sentences and of the others, by language; then what is wrong."""
    right = said == rules.wanted
    english = np.array([record["lang"] == "en" for record in records])
    own = np.arange(len(records)) < first

    def share(name: str, chosen: np.ndarray) -> None:
        print(f"{name:24s} {100 * right[chosen].mean():5.1f} % of {chosen.sum()}" if chosen.any() else f"{name}: none")

    for name, chosen in (("own", own), ("others", ~own)):
        share(name, chosen)
        share(f"  {name}, English", chosen & english)
        share(f"  {name}, not English", chosen & ~english)
    for row in np.flatnonzero(~right):
        print(records[row]["lang"], POLARITIES[rules.wanted[row]], "taken for", POLARITIES[said[row]], "|", rules.texts[row])


def to_json(rules: Rules, model: LogisticRegression) -> str:
    """The weights as whole numbers, one mark a line."""
    names = len(rules.names)
    whole: Callable[[np.ndarray], list[int]] = lambda values: np.round(values * UNIT).astype(int).tolist()  # noqa: E731
    sights = model.coef_[:, names:] / rules.spread
    marks = ",\n".join(f"{json.dumps(name)}: {whole(model.coef_[:, place])}" for place, name in enumerate(rules.names))
    filters = ",\n".join(str(whole(column)) for column in sights)
    bias = whole(model.intercept_ - sights @ rules.centre)
    return f'{{"bias": {bias},\n"marks": {{\n{marks}}},\n"sights": [\n{filters}]}}\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labelled", type=Path, nargs="*")
    parser.add_argument("--folds", type=int, default=0, help="print the figures of held-out folds and what is wrong")
    parser.add_argument("--write", action="store_true", help=f"train on everything and write {MODEL.name}")
    arguments = parser.parse_args()
    own = read_rules(*OWN)
    records = own + read_rules(*arguments.labelled)
    rules = Rules(records)
    if arguments.folds:
        report(records, rules, held_out(rules, arguments.folds), first=len(own))
    if arguments.write:
        MODEL.write_text(to_json(rules, fit(rules.rows, rules.wanted)), encoding="utf-8")


if __name__ == "__main__":
    main()
