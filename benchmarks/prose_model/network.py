"""The student: training with jax, then rounding to the whole numbers of a ModelFile."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import optax
from barrier_policy_plugins.sentence_model import HEAD, LANE, TAIL, ModelFile, split_pieces, split_words

PLACES = HEAD + TAIL
SIZE, FILTERS, HIDDEN = 32, 96, 48
BATCH, RATE, BLANKED, SHARPNESS = 512, 3e-3, 0.12, 2.5
HIDDEN_UNIT = 256

Parameters = dict[str, Any]


class Lesson(NamedTuple):
    """Sentences as numbers of pieces (0: none), their speakers, and what the teacher thinks of them."""

    pieces: np.ndarray
    speakers: np.ndarray
    scores: np.ndarray


def encode(texts: list[str], pieces: list[str]) -> np.ndarray:
    """Each sentence as the numbers of its pieces, counted from 1."""
    index = {piece: number for number, piece in enumerate(pieces)}
    rows = np.zeros((len(texts), PLACES), np.int32)
    memo: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        found: list[int] = []
        for word in split_words(text):
            if word not in memo:
                memo[word] = [index[piece] + 1 for piece in split_pieces(word, index)]
            found += memo[word]
        found = found if len(found) <= PLACES else found[:HEAD] + found[-TAIL:]
        rows[row, : len(found)] = found
    return rows


def start(vectors: np.ndarray, outputs: int) -> Parameters:
    """First guess: the main directions of the encoder's piece vectors, chance for the rest."""
    centred = vectors - vectors.mean(0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:SIZE]
    small = centred @ directions.T
    chance = np.random.default_rng(0)
    normal = lambda *shape: chance.normal(size=shape)  # noqa: E731
    return {
        "vectors": jnp.array(np.vstack([np.zeros((1, SIZE)), small / small.std()])),
        "filters": jnp.array(normal(3 * SIZE, FILTERS) / np.sqrt(3 * SIZE)),
        "filter_bias": jnp.zeros(FILTERS),
        "hidden": jnp.array(normal(FILTERS, HIDDEN) * 0.1),
        "hidden_bias": jnp.array(normal(3, HIDDEN) * 0.1),
        "output": jnp.array(normal(HIDDEN, outputs) * 0.05),
        "output_bias": jnp.full(outputs, -1.0),
    }


def seen(p: Parameters, pieces: jax.Array) -> jax.Array:
    """What the filters see in a sentence."""
    there = (pieces > 0).astype(jnp.float32)[..., None]
    x = p["vectors"][pieces] * there
    padded = jnp.pad(x, ((0, 0), (1, 1), (0, 0)))
    window = jnp.concatenate([padded[:, tap : tap + x.shape[1]] for tap in range(3)], -1)
    sights = jax.nn.relu(window @ p["filters"] + p["filter_bias"]) * there
    return sights.sum(1) / jnp.sqrt(jnp.maximum(there.sum(1), 1.0))


def logits(p: Parameters, pieces: jax.Array, speakers: jax.Array) -> jax.Array:
    """What `SentenceModel.scores` computes, in real numbers."""
    return jax.nn.relu(seen(p, pieces) @ p["hidden"] + p["hidden_bias"][speakers]) @ p["output"] + p["output_bias"]


def warm_up(p: Parameters, pieces: np.ndarray, vectors: np.ndarray, epochs: int) -> Parameters:
    """Pieces and filters that tell a sentence's vector, which needs no labels; the other layers stay as they are."""
    size = vectors.shape[1]
    chance = np.random.default_rng(1)
    decoder = {"weights": jnp.array(chance.normal(size=(FILTERS, size)) * 0.03), "bias": jnp.zeros(size)}
    base = {name: p[name] for name in ("vectors", "filters", "filter_bias")}

    def loss(q: Parameters, pieces: jax.Array, wanted: jax.Array) -> jax.Array:
        return ((seen(q, pieces) @ q["weights"] + q["bias"] - wanted * np.sqrt(size)) ** 2).mean()

    fitted = _descend(loss, base | decoder, (pieces, vectors), epochs)
    return p | {name: fitted[name] for name in base}


def learn(p: Parameters, lesson: Lesson, epochs: int) -> Parameters:
    """Fit the teacher's scores, a share of the pieces blanked each time so that no single word decides."""
    wanted = (1 / (1 + np.exp(-SHARPNESS * lesson.scores.astype(np.float32)))).astype(np.float32)

    def loss(p: Parameters, pieces: jax.Array, speakers: jax.Array, target: jax.Array, key: jax.Array) -> jax.Array:
        kept = jnp.where(jax.random.bernoulli(key, BLANKED, pieces.shape), 0, pieces)
        return optax.sigmoid_binary_cross_entropy(logits(p, kept, speakers), target).sum(1).mean()

    return _descend(loss, p, (lesson.pieces, lesson.speakers, wanted), epochs, blanked=True)


def _descend(loss: Any, p: Parameters, data: tuple[np.ndarray, ...], epochs: int, *, blanked: bool = False) -> Parameters:
    """Minimize a loss over batches of the data; a blanked one gets a key for its chance as well."""
    count = len(data[0])
    rule = optax.adam(optax.cosine_decay_schedule(RATE, epochs * (count // BATCH)))

    @jax.jit
    def step(p: Parameters, state: Any, *batch: Any) -> tuple[Parameters, Any]:
        change, state = rule.update(jax.grad(loss)(p, *batch), state, p)
        return optax.apply_updates(p, change), state

    state, key, chance = rule.init(p), jax.random.PRNGKey(0), np.random.default_rng(0)
    for _ in range(epochs):
        order = chance.permutation(count)
        for first in range(0, count - BATCH + 1, BATCH):
            rows = order[first : first + BATCH]
            key, blank = jax.random.split(key)
            batch = [values[rows] for values in data]
            p, state = step(p, state, *batch, blank) if blanked else step(p, state, *batch)
    return {name: np.array(value) for name, value in p.items()}


def write(p: Parameters, pieces: list[str], outputs: tuple[str, ...]) -> bytes:
    """The model file of the parameters. The shift is the smallest with which no lane can overflow."""
    vectors, vector_scale = _whole(p["vectors"][1:], 127)
    filters, filter_scale = _whole(p["filters"], 511)
    hidden, hidden_scale = _whole(p["hidden"], 511)
    output, output_scale = _whole(p["output"], 511)
    bias = np.round(p["filter_bias"] * vector_scale * filter_scale).astype(int)
    largest = PLACES * int((127 * np.abs(filters).sum(0) + np.abs(bias)).max())
    widest = int(np.abs(hidden).sum(0).max())
    assert largest < 1 << (LANE - 1), "a filter's sum may overflow"
    shift = next(s for s in range(1, LANE) if (largest >> s) * widest < 1 << (LANE - 2))
    file = ModelFile(
        outputs=outputs,
        pieces="\n".join(pieces),
        vectors=vectors.astype(np.int8).tobytes(),
        filters=tuple(filters.ravel().tolist()),
        filter_bias=tuple(bias.tolist()),
        shift=shift,
        hidden=tuple(hidden.ravel().tolist()),
        hidden_factor=round(HIDDEN_UNIT * 2.0 ** (shift + 20) / (vector_scale * filter_scale * hidden_scale)),
        hidden_bias=tuple(tuple(row) for row in np.round(p["hidden_bias"] * HIDDEN_UNIT).astype(int).tolist()),
        output=tuple(output.ravel().tolist()),
        output_factor=round(100 * 2.0**20 / (HIDDEN_UNIT * output_scale)),
        output_bias=tuple(np.round(p["output_bias"] * 100).astype(int).tolist()),
    )
    return zlib.compress(msgspec.msgpack.encode(file), 9)


def _whole(values: np.ndarray, top: int) -> tuple[np.ndarray, float]:
    """Whole numbers up to `top` and the factor that made them; the largest twentieth of a per cent is cut off."""
    scale = top / float(np.quantile(np.abs(values), 0.9995))
    return np.clip(np.round(values * scale), -top, top).astype(int), scale
