"""Labelled sentences as numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

LABELS = (
    *("constraint", "approval_gate", "approval", "denial", "release", "correction", "request", "commitment", "question"),
    *("status_pending", "status_done", "status_failed", "negation_evidence", "plan_item", "binding"),
)
OUTPUTS = (*LABELS, "rule", "mention", "filler")
SPEAKERS = {"user": 0, "tool": 0, "assistant": 1, "system": 2}


class Labelled(NamedTuple):
    """Sentences, their speakers, and one row of zeros and ones an output for each."""

    texts: list[str]
    speakers: np.ndarray
    targets: np.ndarray

    def take(self, rows: np.ndarray) -> Labelled:
        """Some of the sentences."""
        return Labelled([self.texts[row] for row in rows], self.speakers[rows], self.targets[rows])


def read_labelled(*paths: Path) -> Labelled:
    """Sentences of JSON Lines files with text, role and labels."""
    records = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
    return Labelled(
        [record["text"] for record in records],
        np.array([SPEAKERS[record["role"]] for record in records]),
        np.array([_target(set(record["labels"])) for record in records], np.float32),
    )


def _target(labels: set[str]) -> list[float]:
    rule = bool(labels & {"constraint", "approval_gate"})
    return [float(name in labels or (name == "rule" and rule)) for name in OUTPUTS]
