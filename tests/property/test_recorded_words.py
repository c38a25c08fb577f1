"""Whatever words a record has, a recorded case has them again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from barrier_policy.cases.record import flow
from barrier_policy.policy.yaml import Node, parse_yaml

WORDS = st.text(st.characters(codec=None), max_size=30)
VALUES = st.recursive(
    st.booleans() | st.integers(-(10**15), 10**15) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "text", "held"]), inner, max_size=3),
    max_leaves=8,
)


def plain(node: Node) -> object:
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    return [plain(child) for child in node.value] if isinstance(node.value, tuple) else node.value


@given(VALUES)
def test_a_value_is_read_back_as_it_was_written(value: object) -> None:
    text = flow(value)
    assert "\n" not in text
    assert all(char.isprintable() for char in text)
    assert plain(parse_yaml(f"field: {text}\n", "x.yaml")) == {"field": value}
