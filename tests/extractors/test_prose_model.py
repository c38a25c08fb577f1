"""The sentence model computes with lanes of one integer what its numbers say."""

from __future__ import annotations

import random
import zlib
from importlib.resources import files
from math import isqrt

import msgspec
import pytest
from barrier_policy_plugins.sentence_model import (
    FRACTION,
    HEAD,
    HIDDEN_SHIFT,
    MAX_MEMO,
    TAIL,
    ModelFile,
    read_model,
    split_pieces,
    split_words,
)

MODEL = files("barrier_policy_plugins").joinpath("sentence_model.bin").read_bytes()
SHIPPED = read_model(MODEL)
PIECES = [" keep", " it", " short", "s", "h", "or", "t", ",", ".", "0", "00", '""', " ne", "ver", "x"]
SIZE, WIDTH, HIDDEN = 4, 6, 5
KNOWN = {piece: number for number, piece in enumerate(PIECES)}


def _file(seed: int) -> ModelFile:
    chance = random.Random(seed)

    def some(count: int, top: int) -> tuple[int, ...]:
        return tuple(chance.randint(-top, top) for _ in range(count))

    return ModelFile(
        outputs=("a", "b", "c"),
        pieces="\n".join(PIECES),
        vectors=bytes(value & 255 for value in some(len(PIECES) * SIZE, 127)),
        filters=some(3 * SIZE * WIDTH, 511),
        filter_bias=some(WIDTH, 5_000),
        shift=9,
        hidden=some(WIDTH * HIDDEN, 511),
        hidden_factor=3_000,
        hidden_bias=(some(HIDDEN, 300), some(HIDDEN, 300), some(HIDDEN, 300)),
        output=some(HIDDEN * 3, 511),
        output_factor=900,
        output_bias=some(3, 100),
    )


def _plain(file: ModelFile, sentence: str, speaker: int) -> list[int]:
    """The same sums, number by number."""
    known = {piece: number for number, piece in enumerate(file.pieces.split("\n"))}
    size, width = len(file.vectors) // len(known), len(file.filter_bias)
    depth, outputs = len(file.hidden_bias[0]), len(file.outputs)
    pieces = [known[piece] for word in split_words(sentence) for piece in split_pieces(word, known)]
    if len(pieces) > HEAD + TAIL:
        pieces = pieces[:HEAD] + pieces[-TAIL:]
    signed = [byte - 256 if byte > 127 else byte for byte in file.vectors]
    vectors = [signed[piece * size : (piece + 1) * size] for piece in pieces]
    padded = [[0] * size, *vectors, [0] * size]
    sums = [0] * width
    for place in range(len(vectors)):
        window = padded[place] + padded[place + 1] + padded[place + 2]
        for column in range(width):
            sight = file.filter_bias[column] + sum(x * file.filters[row * width + column] for row, x in enumerate(window))
            sums[column] += max(0, sight)
    factor = file.hidden_factor * 1024 // isqrt(max(len(pieces), 1) << 20)
    hidden = []
    for column in range(depth):
        total = sum((seen >> file.shift) * file.hidden[row * depth + column] for row, seen in enumerate(sums))
        hidden.append(max(0, total + (file.hidden_bias[speaker][column] << FRACTION) // factor) >> HIDDEN_SHIFT)
    scale = (factor * file.output_factor) << HIDDEN_SHIFT
    totals = [
        sum(value * file.output[row * outputs + column] for row, value in enumerate(hidden)) for column in range(outputs)
    ]
    return [(total * scale >> 2 * FRACTION) + bias for total, bias in zip(totals, file.output_bias, strict=True)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("speaker", range(3))
@pytest.mark.parametrize(
    "sentence",
    ["", "keep it short.", "never", "x", "unknown ß words", "it, 7 'quoted words' 12.", "keep short it never " * 20],
)
def test_lanes_give_the_same_scores_as_plain_numbers(seed: int, speaker: int, sentence: str) -> None:
    file = _file(seed)
    model = read_model(zlib.compress(msgspec.msgpack.encode(file)))
    assert model.scores(sentence, speaker) == _plain(file, sentence, speaker)


def test_a_word_is_taken_apart_into_the_longest_known_pieces() -> None:
    assert split_pieces("keep", KNOWN) == [" keep"]
    assert split_pieces("shorts", KNOWN) == [" short", "s"]
    assert split_pieces("xor", KNOWN) == ["x", "or"]
    assert split_pieces("never", KNOWN) == [" ne", "ver"]
    assert split_pieces("2031", KNOWN) == ["0000"]
    assert split_pieces("ßß", KNOWN) == []


def test_quotations_are_one_sign_for_the_model() -> None:
    assert split_words("The sign says 'staff only', I’m in.") == ["the", "sign", "says", '""', ",", "i", "'", "m", "in", "."]


def test_words_seen_before_do_not_pile_up() -> None:
    model = read_model(zlib.compress(msgspec.msgpack.encode(_file(0))))
    for start in range(0, 2 * MAX_MEMO, 1000):
        model.scores(
            " ".join("x" * 3 + chr(97 + n % 26) * (start // 1000 + 1) + chr(97 + n // 26 % 26) for n in range(1000)), 0
        )
    assert len(model._memo) <= MAX_MEMO


@pytest.mark.parametrize("word", ["", "never", "!", "zz", "不", "1", "responsabilidades", "'x'"])
@pytest.mark.parametrize("count", [1, HEAD + TAIL, 200])
def test_no_lane_of_the_shipped_model_overflows(word: str, count: int) -> None:
    file = msgspec.msgpack.decode(zlib.decompress(MODEL), type=ModelFile)
    assert SHIPPED.scores(f"{word} " * count, 1) == _plain(file, f"{word} " * count, 1)
