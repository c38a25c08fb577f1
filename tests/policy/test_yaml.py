from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.errors import PolicyError
from barrier_policy.policy.yaml import MAX_CHARACTERS, Node, parse_yaml


def plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(child) for child in node.value]
    return node.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("", None),
        ("17", 17),
        ("-3", -3),
        ("0", 0),
        ("on", "on"),
        ("no", "no"),
        ("Yes", "Yes"),
        ("True", "True"),
        ("~", "~"),
        ("017", "017"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-11-10", "2026-11-10"),
        ("1.0", "1.0"),
        ("1.0.0", "1.0.0"),
        (".inf", ".inf"),
        ("'true'", "true"),
        ('"17"', "17"),
        ("1" * 30, "1" * 30),
    ],
)
def test_only_words_decimals_and_strings_are_read_as_such(text: str, value: object) -> None:
    found = parse_yaml(f"a: {text}\n", "f").value
    assert isinstance(found, dict)
    assert found["a"].value == value
    assert type(found["a"].value) is type(value)


def test_keys_are_always_strings() -> None:
    assert plain(parse_yaml("on: 1\n017: 2\ntrue: 3\nnull: 4\n", "f")) == {"on": 1, "017": 2, "true": 3, "null": 4}


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("a: 1\nb: 2\na: 3\n", ["f:3:1: key `a` is already used at line 1"]),
        (
            "a: &x 1\nb: *x\n",
            ["f:1:4: anchors are not allowed (write the value out)", "f:2:4: aliases are not allowed (write the value out)"],
        ),
        ("<<: {a: 1}\n", ["f:1:1: merge keys are not allowed (write the values out)"]),
        ("a: !!python/object:os.system x\n", ["f:1:4: tags are not allowed (a text that starts with `!` needs quotes)"]),
        ("condition: !span.held\n", ["f:1:12: tags are not allowed (a text that starts with `!` needs quotes)"]),
        ("a: !!str 1\n", ["f:1:4: tags are not allowed (a text that starts with `!` needs quotes)"]),
        ("&k a: 1\n", ["f:1:1: a key can't have an anchor or a tag"]),
        ("? [a]\n: b\n", ["f:1:3: a key must be a string"]),
        ("a: 1\n---\nb: 2\n", ["f:2:1: a second document is not allowed (use one file for each)"]),
        ("a: [1,\n", ["f:2:1: not valid YAML: expected the node content, but found '<stream end>'"]),
        ("a: b: c\n", ["f:1:5: not valid YAML: mapping values are not allowed here"]),
        ("a: 1\nb: \x01\n", ["f:2:4: this character is not allowed in YAML"]),
        ("[" * 30 + "]" * 30, ["f:1:26: nested more than 24 deep"]),
        ("[" * 50_000, ["f:1:26: nested more than 24 deep"]),
        ("#" * (MAX_CHARACTERS + 1), [f"f: the file has {MAX_CHARACTERS + 1:,} characters (at most {MAX_CHARACTERS:,})"]),
    ],
)
def test_what_yaml_allows_and_policies_do_not_is_refused_with_its_place(text: str, issues: list[str]) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_yaml(text, "f")
    assert str(caught.value).splitlines() == issues


def test_an_empty_file_is_nothing() -> None:
    assert parse_yaml("# only a comment\n", "f").value is None


PLACES = """\
a: one two
b: 'it''s here'
c: "tab\\there \\u0041 end"
d: |
  first line
    second line

  last line
e: {f: [x, "y z"]}
g: |2
   odd
h: "é😀 end"
i: >-  # with a comment
  first word

    kept line
  last word
j: 'it''s

  here   and
  there'
k: "tab\\t \\u0041 \\
  joined\\n next
  end"
l: plain   text
  below
"""


@pytest.mark.parametrize(
    ("path", "word", "place"),
    [
        (["a"], "two", (1, 8)),
        (["b"], "here", (2, 11)),
        (["c"], "here", (3, 10)),
        (["c"], "end", (3, 22)),
        (["d"], "first", (5, 3)),
        (["d"], "second", (6, 5)),
        (["d"], "last", (8, 3)),
        (["e", "f", 0], "x", (9, 9)),
        (["e", "f", 1], "z", (9, 15)),
        (["g"], "odd", (11, 4)),
        (["h"], "end", (12, 8)),
        (["i"], "word", (14, 9)),
        (["i"], "kept", (16, 5)),
        (["i"], "last", (17, 3)),
        (["j"], "here", (20, 3)),
        (["j"], "and", (20, 10)),
        (["j"], "there", (21, 3)),
        (["k"], "joined", (23, 3)),
        (["k"], "next", (23, 12)),
        (["k"], "end", (24, 3)),
        (["l"], "text", (25, 12)),
        (["l"], "below", (26, 3)),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_every_character_of_a_text_has_its_place_in_the_file(
    path: list[Any], word: str, place: tuple[int, int], line_break: str
) -> None:
    node = parse_yaml(PLACES.replace("\n", line_break), "f")
    for step in path:
        node = node.value[step]  # type: ignore[index]
    assert node.place(str(node.value).index(word)) == place
    line = PLACES.splitlines()[place[0] - 1]
    assert line[place[1] - 1 :].startswith(word)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a: >-\n  x\n", True),
        ("a: x\n  y\n", True),
        ("a: 'x\n  y'\n", True),
        ("a: |\n  x\n", False),
        ("a: x\n", False),
        ("a: '> x'\n", False),
        ('a: "x\\ny"\n', False),
    ],
)
def test_a_text_whose_line_breaks_became_spaces_says_so(text: str, folded: bool) -> None:
    node = parse_yaml(text, "f").value
    assert isinstance(node, dict)
    assert node["a"].is_folded is folded


PIECES = ["a", "b", ": ", ":", "- ", "\n", "  ", "[", "]", "{", "}", ",", "|", ">-", "'", '"', "\\", "&x", "*x", "!t", "?", "#", "%", "---", "...", "é", "\t", "\r\n", "\x85", "<<", "1", "true"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=20))
def test_any_text_gives_a_node_or_issues_and_never_another_exception(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        nodes = [parse_yaml(text, "f")]
    except PolicyError as error:
        assert error.issues
        return
    while nodes:
        node = nodes.pop()
        if isinstance(node.value, str):
            places = [node.place(offset) for offset in range(len(node.value) + 1)]
            assert all(line >= 1 and column >= 1 for line, column in places)
        elif isinstance(node.value, dict):
            nodes += node.value.values()
        elif isinstance(node.value, tuple):
            nodes += node.value
