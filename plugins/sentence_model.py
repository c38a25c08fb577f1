"""A small network that scores a sentence for each kind of prose fact, in whole numbers only.

Pieces of words are looked up, a filter looks at each piece with its two neighbours, what the filters see is summed and two
layers turn the sum into one score a kind. Many numbers are held side by side as lanes of one Python integer, so that one
addition or multiplication works on all of them: no foreign package, the same result everywhere, microseconds a sentence.
Trained by `benchmarks/prose_model`.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Sequence
from importlib.resources import files
from math import isqrt
from operator import mul
from typing import Final

import msgspec

from barrier_policy.facts.prose import without_quotes

LANE: Final = 32
"""Bits of a lane. Every sum that a lane can hold stays below half of it, which the model's writer checks."""
SIGN: Final = 1 << (LANE - 1)
HEAD: Final = 24
TAIL: Final = 12
"""Of a sentence with more pieces than both together, the first and the last are looked at."""
MAX_WORD: Final = 40
MAX_PIECE: Final = 12
MAX_MEMO: Final = 20_000
"""Words whose pieces are remembered; then all are forgotten, so that hostile text can't fill the memory."""
FRACTION: Final = 20
"""Factors are whole numbers of 2 ** -FRACTION."""

_WORD: Final = re.compile(r'""|[^\W\d_]+|\d+|[^\w\s]')

type_Row = tuple[int, int, int]


class ModelFile(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The trained numbers as stored: signed bytes, and factors that turn sums of their products into scores.

    `pieces` are separated by line feeds, a space in front of those that begin a word. `vectors` has one row a piece,
    `filters` one row for each element of three neighbouring vectors, `hidden` one row a filter, `output` one row a hidden
    number. A filter's sum is shifted right by `shift` before it enters the hidden layer.
    """

    outputs: tuple[str, ...]
    pieces: str
    vectors: bytes
    filters: bytes
    filter_bias: tuple[int, ...]
    shift: int
    hidden: bytes
    hidden_factor: int
    hidden_bias: tuple[tuple[int, ...], ...]
    output: bytes
    output_factor: int
    output_bias: tuple[int, ...]


def pack(values: Sequence[int]) -> int:
    """Signed numbers as the lanes of one integer; adding and scaling such integers adds and scales the lanes."""
    total = 0
    for value in reversed(values):
        total = (total << LANE) + value
    return total


def split_words(sentence: str) -> list[str]:
    """The words, numbers and signs of a sentence in lower case; a quotation is one sign."""
    return _WORD.findall(without_quotes(sentence).replace("’", "'").lower())


def split_pieces(word: str, known: frozenset[str] | dict[str, int]) -> list[str]:
    """The known pieces that a word is made of, longest first; what no piece covers is passed over."""
    if word[0].isdigit():
        return ["0" * min(len(word), 4)]
    if " " + word in known:
        return [" " + word]
    pieces = []
    begin, end, first = 0, min(len(word), MAX_WORD), " "
    while begin < end:
        for stop in range(min(end, begin + MAX_PIECE), begin, -1):
            if first and first + word[begin:stop] in known:
                pieces.append(first + word[begin:stop])
                begin = stop
                break
            if word[begin:stop] in known:
                pieces.append(word[begin:stop])
                begin = stop
                break
        else:
            begin += 1
        first = ""
    return pieces


class SentenceModel:
    """The network, ready to score sentences. Holds nothing but its numbers and the rows of words seen before."""

    def __init__(self, file: ModelFile) -> None:
        self.outputs = file.outputs
        self._index = {piece: number for number, piece in enumerate(file.pieces.split("\n"))}
        self._vectors = memoryview(file.vectors).cast("b")
        self._size = len(self._vectors) // len(self._index)
        width = len(file.filter_bias)
        filters = _rows(file.filters, width)
        self._taps = tuple(filters[tap * self._size : (tap + 1) * self._size] for tap in range(3))
        self._ones = pack([1] * width)
        self._bias = pack([value + SIGN for value in file.filter_bias])
        self._kept = pack([(1 << (LANE - file.shift)) - 1] * width)
        self._shift = file.shift
        self._sums = struct.Struct(f"<{width}I")
        self._hidden = _Layer(file.hidden, len(file.hidden_bias[0]))
        self._hidden_bias = file.hidden_bias
        self._factors = tuple(_root_factor(file.hidden_factor, count) for count in range(HEAD + TAIL + 1))
        self._output = _Layer(file.output, len(file.outputs))
        self._output_factor = file.output_factor
        self._output_bias = file.output_bias
        self._memo: dict[str, tuple[type_Row, ...]] = {}

    def scores(self, sentence: str, speaker: int) -> tuple[int, ...]:
        """One score for each output, in hundredths of a logit; above zero is more likely than not.

        `speaker` is 0 for a user, 1 for the agent, 2 for a system or developer message.
        """
        rows = [row for word in split_words(sentence) for row in self._rows_of(word)]
        if len(rows) > HEAD + TAIL:
            rows = rows[:HEAD] + rows[-TAIL:]
        factor = self._factors[len(rows)]
        hidden = [
            max(0, (value * factor >> FRACTION) + bias)
            for value, bias in zip(self._hidden.apply(self._seen(rows)), self._hidden_bias[speaker], strict=True)
        ]
        return tuple(
            (value * self._output_factor >> FRACTION) + bias
            for value, bias in zip(self._output.apply(hidden), self._output_bias, strict=True)
        )

    def _seen(self, rows: list[type_Row]) -> tuple[int, ...]:
        """What each filter sees in all places, negative sights left out."""
        total, before, last = 0, 0, len(rows) - 1
        ones, bias = self._ones, self._bias
        for place, (as_left, as_centre, _) in enumerate(rows):
            sight = before + as_centre + bias
            if place < last:
                sight += rows[place + 1][2]
            sign = (sight >> (LANE - 1)) & ones
            total += sight & ((sign << (LANE - 1)) - sign)
            before = as_left
        shifted = (total >> self._shift) & self._kept
        return self._sums.unpack(shifted.to_bytes(self._sums.size, "little"))

    def _rows_of(self, word: str) -> tuple[type_Row, ...]:
        rows = self._memo.get(word)
        if rows is None:
            if len(self._memo) >= MAX_MEMO:
                self._memo.clear()
            rows = tuple(self._row(self._index[piece]) for piece in split_pieces(word, self._index))
            self._memo[word] = rows
        return rows

    def _row(self, number: int) -> type_Row:
        """What a piece adds to the filters as left neighbour, centre and right neighbour."""
        vector = self._vectors[number * self._size : (number + 1) * self._size].tolist()
        left, centre, right = (sum(map(mul, vector, tap)) for tap in self._taps)
        return left, centre, right


class _Layer:
    """Weights from a list of numbers to another one."""

    def __init__(self, weights: bytes, width: int) -> None:
        self._rows = _rows(weights, width)
        self._offset = pack([SIGN] * width)
        self._lanes = struct.Struct(f"<{width}I")

    def apply(self, values: Sequence[int]) -> list[int]:
        """The weighted sums."""
        packed = sum(map(mul, values, self._rows)) + self._offset
        return [lane - SIGN for lane in self._lanes.unpack(packed.to_bytes(self._lanes.size, "little"))]


def _rows(weights: bytes, width: int) -> list[int]:
    numbers = memoryview(weights).cast("b").tolist()
    return [pack(numbers[start : start + width]) for start in range(0, len(numbers), width)]


def _root_factor(factor: int, count: int) -> int:
    """The factor over the square root of the count, so that long sentences don't outweigh short ones."""
    return factor * 1024 // isqrt(max(count, 1) << 20)


def read_model(data: bytes) -> SentenceModel:
    """The model in the bytes of a model file."""
    return SentenceModel(msgspec.msgpack.decode(zlib.decompress(data), type=ModelFile))


def shipped_model() -> SentenceModel:
    """The model that comes with the plugins."""
    return read_model(files("barrier_policy_plugins").joinpath("sentence_model.bin").read_bytes())
