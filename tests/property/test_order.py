"""Rules, facts and plugins in any order give the same bytes: invariant 10 of the design, section 9."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy import Decider
from barrier_policy.plugins import Extractor, PluginSet, load_plugins
from barrier_policy.policy.loader import policy_files, shipped_policies
from barrier_policy.walk import Analysis

Messages = list[dict[str, Any]]
Analyse = Callable[..., Analysis]

PROPERTY = settings(settings.get_profile("properties"))


def _shuffled(plugins: PluginSet, seed: int) -> PluginSet:
    """The same plugins in another order, each giving its facts in another order."""
    source = random.Random(seed)

    def mixed(wrapped: Extractor) -> Extractor:
        def extract(message: Any, context: Any) -> Any:
            facts = list(wrapped.extract(message=message, context=context) or ())
            source.shuffle(facts)
            return facts

        return msgspec.structs.replace(wrapped, extract=extract)

    extractors = [mixed(extractor) for extractor in plugins.extractors]
    readers = list(plugins.readers)
    source.shuffle(extractors)
    source.shuffle(readers)
    return msgspec.structs.replace(
        plugins,
        extractors=tuple(extractors),
        readers=tuple(readers),
        kinds=dict(reversed(plugins.kinds.items())),
    )


@PROPERTY
@given(data=st.data(), seed=st.integers(0, 2**32), keep_last=st.integers(0, 6))
def test_facts_and_plugins_in_any_order_give_the_same_bytes(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    plugins: PluginSet,
    data: st.DataObject,
    seed: int,
    keep_last: int,
) -> None:
    messages = data.draw(transcripts)
    mixed = Decider(plugins=_shuffled(plugins, seed))
    straight = analyse(messages, keep_last=keep_last).decision.to_json()
    assert analyse(messages, by=mixed, keep_last=keep_last).decision.to_json() == straight


@pytest.mark.parametrize("seed", range(3))
def test_the_shipped_plugins_in_any_order_give_the_same_bytes(analyse: Analyse, seed: int) -> None:
    shipped = load_plugins()
    for example in sorted((Path(__file__).parents[2] / "examples").glob("*.json")):
        straight, mixed = (
            plan.analyse(example, now="2026-06-01T12:00:00Z").decision.to_json()
            for plan in (Decider(plugins=shipped), Decider(plugins=_shuffled(shipped, seed)))
        )
        assert mixed == straight


@pytest.fixture(scope="module")
def disordered(plugins: PluginSet, tmp_path_factory: pytest.TempPathFactory) -> tuple[Decider, Decider]:
    """Two gates whose policies are the shipped ones: as they are, and with rules and files the other way round."""
    deciders = []
    for turn in (1, -1):
        folder = tmp_path_factory.mktemp(f"order{turn}") / "policies"
        folder.mkdir()
        for number, file in enumerate(policy_files(shipped_policies(), [])[::turn]):
            policy = yaml.safe_load(file.read_text(encoding="utf-8"))
            policy["rules"] = policy["rules"][::turn]
            (folder / f"{number}.yaml").write_text(
                yaml.safe_dump(policy, sort_keys=turn > 0, width=10_000), encoding="utf-8"
            )
        deciders.append(Decider(plugins=plugins, policies=[folder]))
    return deciders[0], deciders[1]


@PROPERTY
@given(data=st.data())
def test_rules_in_any_order_give_the_same_bytes(
    transcripts: st.SearchStrategy[Messages],
    analyse: Analyse,
    disordered: tuple[Decider, Decider],
    data: st.DataObject,
) -> None:
    messages = data.draw(transcripts)
    one, other = (analyse(messages, by=by).decision.to_json() for by in disordered)
    assert one == other


@PROPERTY
@given(data=st.data())
def test_deciding_twice_gives_the_same_bytes(
    transcripts: st.SearchStrategy[Messages], analyse: Analyse, data: st.DataObject
) -> None:
    messages = data.draw(transcripts)
    assert analyse(messages).decision.to_json() == analyse(messages).decision.to_json()
