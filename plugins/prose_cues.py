"""Words that are typical of a kind of sentence, in many languages, from `prose_cues.json`.

`^word` and `^one_two` stand at the beginning only, `one_two` are neighbours, `stem*` begins a word; words of languages without spaces are found
anywhere. A cue decides nothing: it raises the score that the sentence model gives to its kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from barrier_policy.facts.remembered import Remembered

MAX_WORDS: Final = 80
MAX_MEMO: Final = 20_000
"""Words whose kinds are remembered."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_UNSPACED: Final = re.compile("[぀-ヿ一-鿿가-힯]")


class _Cues(msgspec.Struct, frozen=True, gc=False):
    """Kinds by cue."""

    words: Mapping[str, frozenset[str]]
    pairs: Mapping[str, frozenset[str]]
    stems: Mapping[str, frozenset[str]]
    unspaced: Mapping[str, frozenset[str]]
    unspaced_pattern: re.Pattern[str]
    pair_starts: frozenset[str]
    stem_sizes: tuple[int, ...]


def find_cues(sentence: str) -> set[str]:
    """The kinds that the sentence has a cue for."""
    cues = _cues()
    text = sentence.lower().replace("’", "'")
    words = _WORD.findall(text)[:MAX_WORDS]
    of_words = _kinds_of_words()
    found: set[str] = set()
    if words:
        found.update(cues.words.get("^" + words[0], ()))
        found.update(cues.words.get("^" + "_".join(words[:2]), ()))
    before = ""
    for word in words:
        found.update(of_words[word])
        if before in cues.pair_starts:
            found.update(cues.pairs.get(f"{before}_{word}", ()))
        before = word
    if not text.isascii():
        for match in cues.unspaced_pattern.finditer(text):
            found.update(cues.unspaced[match.group()])
    return found


@cache
def _kinds_of_words() -> Remembered[frozenset[str]]:
    return Remembered(_of_word, MAX_MEMO)


def _of_word(word: str) -> frozenset[str]:
    cues = _cues()
    found = set(cues.words.get(word, ()))
    for size in cues.stem_sizes:
        if size > len(word):
            break
        found.update(cues.stems.get(word[:size], ()))
    return frozenset(found)


@cache
def _cues() -> _Cues:
    lists: dict[str, str] = json.loads(
        files("barrier_policy_plugins").joinpath("prose_cues.json").read_text(encoding="utf-8")
    )
    kinds: dict[str, set[str]] = {}
    for kind, cues in lists.items():
        for cue in cues.split():
            kinds.setdefault(cue, set()).add(kind)
    table = {cue: frozenset(found) for cue, found in kinds.items()}
    unspaced = {cue.lstrip("^").replace("_", " "): found for cue, found in table.items() if _UNSPACED.search(cue)}
    spaced = {cue: found for cue, found in table.items() if not _UNSPACED.search(cue)}
    stems = {cue[:-1]: found for cue, found in spaced.items() if cue.endswith("*") and cue[0] != "^"}
    pairs = {cue: found for cue, found in spaced.items() if "_" in cue}
    return _Cues(
        words=spaced,
        pairs=pairs,
        stems=stems,
        unspaced=unspaced,
        unspaced_pattern=re.compile("|".join(re.escape(cue) for cue in sorted(unspaced, key=lambda cue: (-len(cue), cue)))),
        pair_starts=frozenset(cue.partition("_")[0] for cue in pairs),
        stem_sizes=tuple(sorted({len(stem) for stem in stems})),
    )
