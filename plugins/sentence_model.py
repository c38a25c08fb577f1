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
WIDE: Final = 64
"""Bits of a lane of the last layer, whose sums are larger."""
SIGN: Final = 1 << (LANE - 1)
WIDE_SIGN: Final = 1 << (WIDE - 1)
HIDDEN_SHIFT: Final = 4
"""What is cut off hidden numbers, so that they stay short."""
HEAD: Final = 24
TAIL: Final = 12
"""Of a sentence with more pieces than both together, the first and the last are looked at."""
MAX_WORD: Final = 40
MAX_PIECE: Final = 12
MAX_MEMO: Final = 20_000
"""Words whose pieces are remembered; then all are forgotten, so that hostile text can't fill the memory."""
SIGHT_UNIT: Final = 16
"""Sights are given in parts of this size, so that the rounding doesn't show."""
FRACTION: Final = 20
"""Factors are whole numbers of 2 ** -FRACTION."""

_WORD: Final = re.compile(r'""|[^\W\d_]+|\d+|[^\w\s]')

Row = tuple[int, int, int]
NO_PIECE: Final = (0, 0, 0)


class ModelFile(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The trained numbers as stored: small whole numbers, and factors that turn sums of their products into scores.

    `pieces` are separated by line feeds, a space in front of those that begin a word. `vectors` has one row of signed bytes a piece,
    `filters` one row for each element of three neighbouring vectors, `hidden` one row a filter, `output` one row a hidden
    number. A filter's sum is shifted right by `shift` before it enters the hidden layer.
    """

    outputs: tuple[str, ...]
    pieces: str
    vectors: bytes
    filters: tuple[int, ...]
    filter_bias: tuple[int, ...]
    shift: int
    hidden: tuple[int, ...]
    hidden_factor: int
    hidden_bias: tuple[tuple[int, ...], ...]
    output: tuple[int, ...]
    output_factor: int
    output_bias: tuple[int, ...]


def pack(values: Sequence[int], bits: int = LANE) -> int:
    """Signed numbers as the lanes of one integer; adding and scaling such integers adds and scales the lanes."""
    total = 0
    for value in reversed(values):
        total = (total << bits) + value
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
    """The network, ready to score sentences. Holds nothing but its numbers and the rows of words and pieces seen before."""

    def __init__(self, file: ModelFile) -> None:
        self.outputs = file.outputs
        self._index = {piece: number for number, piece in enumerate(file.pieces.split("\n"))}
        self._vectors = memoryview(file.vectors).cast("b")
        self._size = len(self._vectors) // len(self._index)
        width = len(file.filter_bias)
        filters = _rows(file.filters, width)
        self._taps = tuple(filters[tap * self._size : (tap + 1) * self._size] for tap in range(3))
        self._bias = pack([value + SIGN for value in file.filter_bias])
        self._signs = pack([SIGN] * width)
        self._seen_lanes = _Lanes(width, file.shift)
        hidden = len(file.hidden_bias[0])
        self._hidden = _rows(file.hidden, hidden)
        self._hidden_signs = pack([SIGN] * hidden)
        self._hidden_lanes = _Lanes(hidden, HIDDEN_SHIFT)
        self._hidden_bias = tuple(
            tuple(
                pack([(value << FRACTION) // factor + SIGN for value in biases]) for factor in _factors(file.hidden_factor)
            )
            for biases in file.hidden_bias
        )
        self._output = _rows(file.output, len(file.outputs), WIDE)
        self._output_lanes = struct.Struct(f"<{len(file.outputs)}Q")
        self._output_sign = pack([WIDE_SIGN] * len(file.outputs), WIDE)
        self._output_factors = tuple(
            (factor * file.output_factor) << HIDDEN_SHIFT for factor in _factors(file.hidden_factor)
        )
        self._output_bias = file.output_bias
        self._memo: dict[str, tuple[Row, ...]] = {}
        self._pieces: dict[str, Row] = {}

    def scores(self, sentence: str, speaker: int) -> list[int]:
        """One score for each output, in hundredths of a logit; above zero is more likely than not.

        `speaker` is 0 for a user, 1 for the agent, 2 for a system or developer message.
        """
        rows = self._rows(sentence)
        count = len(rows)
        sight = sum(map(mul, self._seen_lanes.unpack(self._see(rows)), self._hidden)) + self._hidden_bias[speaker][count]
        hidden = self._hidden_lanes.unpack(_positive(sight, self._hidden_signs))
        total = sum(map(mul, hidden, self._output)) + self._output_sign
        lanes = self._output_lanes.unpack(total.to_bytes(self._output_lanes.size, "little"))
        factor = self._output_factors[count]
        return [
            ((lane - WIDE_SIGN) * factor >> 2 * FRACTION) + bias for lane, bias in zip(lanes, self._output_bias, strict=True)
        ]

    def sights(self, sentence: str) -> list[int]:
        """What each filter sees in a sentence, over the root of its pieces' number, so that long ones don't outweigh short ones."""
        rows = self._rows(sentence)
        root = isqrt(max(len(rows), 1) << 20)
        return [(seen * SIGHT_UNIT << 10) // root for seen in self._seen_lanes.unpack(self._see(rows))]

    def _rows(self, sentence: str) -> list[Row]:
        rows: list[Row] = []
        memo = self._memo
        for word in split_words(sentence):
            rows += memo.get(word) or self._learn(word)
        return rows if len(rows) <= HEAD + TAIL else rows[:HEAD] + rows[-TAIL:]

    def _see(self, rows: list[Row]) -> int:
        """What each filter sees in all places together, negative sights left out."""
        total, before, signs = 0, 0, self._signs
        for (as_left, as_centre, _), (_, _, as_right) in zip(rows, [*rows[1:], NO_PIECE], strict=False):
            sight = before + as_centre + as_right
            sign = sight & signs  # as in `_positive`, which would cost half as much again to call
            total += sight & (sign - (sign >> (LANE - 1)))
            before = as_left
        return total

    def _learn(self, word: str) -> tuple[Row, ...]:
        if len(self._memo) >= MAX_MEMO:
            self._memo.clear()
        rows = tuple(map(self._row, split_pieces(word, self._index)))
        self._memo[word] = rows
        return rows

    def _row(self, piece: str) -> Row:
        """What a piece adds to the filters as left neighbour, centre (with the filters' bias) and right neighbour."""
        if piece not in self._pieces:
            number = self._index[piece]
            vector = self._vectors[number * self._size : (number + 1) * self._size].tolist()
            left, centre, right = (sum(map(mul, vector, tap)) for tap in self._taps)
            self._pieces[piece] = left, centre + self._bias, right
        return self._pieces[piece]


class _Lanes:
    """Reads the lanes of an integer, none of them negative, each shifted right."""

    def __init__(self, width: int, shift: int) -> None:
        self._shift = shift
        self._kept = pack([(1 << (LANE - shift)) - 1] * width)
        self._lanes = struct.Struct(f"<{width}I")

    def unpack(self, packed: int) -> tuple[int, ...]:
        """The lanes."""
        shifted = (packed >> self._shift) & self._kept
        return self._lanes.unpack(shifted.to_bytes(self._lanes.size, "little"))


def _positive(packed: int, signs: int) -> int:
    """Of lanes to which SIGN was added: the value where it is positive, zero elsewhere. `signs` has SIGN in each lane."""
    sign = packed & signs
    return packed & (sign - (sign >> (LANE - 1)))


def _rows(weights: Sequence[int], width: int, bits: int = LANE) -> list[int]:
    return [pack(weights[start : start + width], bits) for start in range(0, len(weights), width)]


def _factors(factor: int) -> list[int]:
    """The factor over the root of each possible number of pieces, so that long sentences don't outweigh short ones."""
    return [factor * 1024 // isqrt(max(count, 1) << 20) for count in range(HEAD + TAIL + 1)]


def read_model(data: bytes) -> SentenceModel:
    """The model in the bytes of a model file."""
    return SentenceModel(msgspec.msgpack.decode(zlib.decompress(data), type=ModelFile))


def shipped_model() -> SentenceModel:
    """The model that comes with the plugins."""
    return read_model(files("barrier_policy_plugins").joinpath("sentence_model.bin").read_bytes())
