"""Trains the sentence model: python benchmarks/prose_model/train.py POOL LABELLED… [--folds N | --write]

POOL is plain text, one sentence a line. LABELLED are JSON Lines files of labelled sentences, used beside the project's own. See README.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from barrier_policy_plugins.sentence_model import split_words
from labelled import OUTPUTS, Labelled, read_labelled
from network import Lesson, Parameters, encode, learn, logits, start, warm_up, write
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from teacher import Encoder, Teacher
from variants import Swaps, Variants, make_variants

OWN = Path(__file__).with_name("sentences.jsonl")
MODEL = Path(__file__).parents[2] / "plugins" / "sentence_model.bin"
PIECES, COMPOUND_FROM, LONGEST = 12_000, 25, 12
NUMBERS = ["0", "00", "000", "0000", '""']
SPEAKER_SHARES = (0.7, 0.25, 0.05)


class Course:
    """All that students learn from: the pool, the labelled sentences, their variants, and how the encoder sees them."""

    def __init__(self, pool: list[str], data: Labelled, *, variants: int, epochs: int) -> None:
        encoder = Encoder()
        self.data = data
        self.names = choose_pieces(pool + 3 * data.texts, encoder)
        self.inputs = np.array([encoder.piece(piece if piece != '""' else '"') for piece in self.names])
        self.variants: Variants = make_variants(data.texts, Swaps(self.names, self.inputs), variants)
        self.vectors = encoder.sentences(data.texts)
        self._pool = (encode(pool, self.names), encoder.sentences(pool))
        self._variants = (encode(self.variants.texts, self.names), encoder.sentences(self.variants.texts))
        self.pieces = encode(data.texts, self.names)
        self._start = warm_up(start(self.inputs, len(OUTPUTS)), *self._pool, 2 * epochs)
        self._epochs = epochs
        self._speakers = np.random.default_rng(7).choice(3, len(pool), p=SPEAKER_SHARES)

    def student(self, rows: np.ndarray) -> Parameters:
        """A student of a teacher that knows the labelled sentences of these rows only."""
        teacher = Teacher(self.vectors[rows], self.data.take(rows))
        known = np.isin(self.variants.origins, rows)
        speakers = np.concatenate([self._speakers, self.data.speakers[self.variants.origins[known]]])
        scores = teacher.scores(np.vstack([self._pool[1], self._variants[1][known]]), speakers)
        lesson = Lesson(np.vstack([self._pool[0], self._variants[0][known]]), speakers, scores)
        return learn(self._start, lesson, self._epochs)


def choose_pieces(texts: list[str], encoder: Encoder) -> list[str]:
    """The commonest pieces of words, and common words that the encoder would take apart."""
    words = Counter(word for text in texts for word in split_words(text) if word[0].isalpha() or not word[0].isalnum())
    counts: Counter[str] = Counter()
    for word, count in words.items():
        segments = encoder.segments(word)
        counts.update(dict.fromkeys(segments, count))
        if len(segments) > 1 and count >= COMPOUND_FROM and word.isalpha():
            counts[" " + word] += count
    short = [piece for piece, _ in counts.most_common() if len(piece.strip()) <= LONGEST and piece != '""']
    return short[:PIECES] + NUMBERS


def held_out(course: Course, own: int, folds: int) -> np.ndarray:
    """Scores of the labelled sentences after the first `own`, each by a student that has not met it."""
    others = np.arange(own, len(course.data.texts))
    scores = np.zeros((len(others), len(OUTPUTS)))
    rules = course.data.targets[others, OUTPUTS.index("rule")]
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(others, rules):
        student = course.student(np.concatenate([np.arange(own), others[train]]))
        scores[test] = logits(student, course.pieces[others[test]], course.data.speakers[others[test]])
    return scores


def report(scores: np.ndarray, data: Labelled) -> None:
    """Average precision of each output; and how many rules are found when 15 % of fillers and mentions are taken for one."""
    for number, name in enumerate(OUTPUTS):
        print(f"{name:18s} average precision {average_precision_score(data.targets[:, number], scores[:, number]):.3f}")
    rule, mention, filler = (data.targets[:, OUTPUTS.index(name)] > 0 for name in ("rule", "mention", "filler"))
    found = np.where(data.speakers == 1, -np.inf, scores[:, OUTPUTS.index("rule")])
    bar = np.quantile(found[mention | filler], 0.85, method="higher")
    print(f"rules found at 15 % false alarms on mentions and fillers: {100 * np.mean(found[rule] >= bar):.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("labelled", type=Path, nargs="*")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--variants", type=int, default=50)
    parser.add_argument("--folds", type=int, default=0, help="print the figures of held-out folds of the labelled files")
    parser.add_argument("--write", action="store_true", help=f"train on everything and write {MODEL.name}")
    arguments = parser.parse_args()
    own = read_labelled(OWN)
    course = Course(
        arguments.pool.read_text(encoding="utf-8").splitlines(),
        read_labelled(OWN, *arguments.labelled),
        variants=arguments.variants,
        epochs=arguments.epochs,
    )
    if arguments.folds:
        others = course.data.take(np.arange(len(own.texts), len(course.data.texts)))
        report(held_out(course, len(own.texts), arguments.folds), others)
    if arguments.write:
        student = course.student(np.arange(len(course.data.texts)))
        MODEL.write_bytes(write(student, course.names, OUTPUTS))


if __name__ == "__main__":
    main()
