"""Two engines and two type checkers must agree, on expressions and records that nobody wrote by hand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barrier_policy.errors import BarrierPolicyError, MissingExtraError
from barrier_policy.join.schema import build_schema, element
from barrier_policy.policy.cel import engine as engines
from barrier_policy.policy.cel.check import MAX_DEPTH, check
from barrier_policy.policy.cel.engine import FAILED, Engine, Failed, Value
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.cel.scope import Scope, Variable
from barrier_policy.policy.cel.subset import parse_expression
from barrier_policy.policy.record import MAX_ITEMS, RecordReader

SCHEMA = build_schema()
SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def checked_or_problems(text: str) -> tuple[Variable | None, list[str]]:
    node, problems = parse_expression(text)
    if node is None or problems:
        return None, [problem.message for problem in problems]
    expression, problems = check(text, node, Scope(SCHEMA))
    return expression, [problem.message for problem in problems]


def checked(text: str) -> Variable | None:
    return checked_or_problems(text)[0]


def evaluate(engine: Engine, expression: Variable, record: dict[str, Any]) -> Value | Failed:
    """What the evaluator does, without its memory."""
    reading = RecordReader(SCHEMA, expression.reads).read(record)
    if reading.problem(expression.reads):
        return FAILED
    return engine.compile(expression.cel)(engine.bind(reading.span(expression.reads)))


# Records: every field by its declared type, with the texts and numbers that break things.

TEXTS = st.sampled_from(
    ["", "a", "started", "narrative", "é😀", "A\n", "a\0b", "\ud800x", "it's \\d", "7", "x" * 300]
) | st.text(max_size=3)
NUMBERS = st.sampled_from([0, 1, 2, -1, 7, 2**63 - 1, -(2**63)])
JUNK = st.sampled_from([None, 1, "1", True, [], {}, 1.5, 2**63, [None], ["a"], [{}], b"x", object(), {"id": "x"}])


def values(type_name: str, junk: bool) -> st.SearchStrategy[Any]:
    item = element(type_name)
    if item is not None:
        good: st.SearchStrategy[Any] = st.lists(values(item, junk), max_size=3)
    elif type_name in SCHEMA.types:
        good = st.fixed_dictionaries({field.name: values(field.type, junk) for field in SCHEMA.types[type_name].fields})
    else:
        good = {"string": TEXTS, "int": NUMBERS, "bool": st.booleans()}[type_name]
    return st.one_of(*[good] * 20, JUNK) if junk else good


RECORDS = values("Span", junk=False)
JUNK_RECORDS = values("Span", junk=True).filter(lambda record: isinstance(record, dict))


# Expressions: well typed by construction, apart from `wild`, where a type may be any.

LISTS = {f"span.{field.name}": element(field.type) for field in SCHEMA.types["Span"].fields if element(field.type)}
SCALAR_PATHS = {
    "bool": ["span.provenance.retrievable", "span.fidelity.audited", "span.workload.evidence_demand"],
    "int": ["span.tokens", "span.start"],
    "string": ["span.id", "span.zone", "span.provenance.uri"],
}


@st.composite
def expressions(draw: st.DrawFn, wanted: str = "bool", depth: int = 3, item: str = "", wild: bool = False) -> str:
    """An expression; `item` is the record type of the loop variable `i`, if there is one."""
    if wild and draw(st.integers(0, 9)) == 0:
        wanted = draw(st.sampled_from(["bool", "int", "string"]))

    def sub(type_name: str) -> str:
        return draw(expressions(type_name, depth - 1, item, wild))

    def items() -> tuple[str, str]:
        path, name = draw(st.sampled_from(sorted(LISTS.items())))
        if not item and depth > 1 and draw(st.booleans()):
            path += f".filter(i, {draw(expressions('bool', depth - 2, str(name), wild))})"
        return path, str(name)

    def field(owner: str, name: str) -> str | None:
        found = [field.name for field in SCHEMA.types[name].fields if field.type == wanted]
        return f"{owner}.{draw(st.sampled_from(found))}" if found else None

    leaves = [*SCALAR_PATHS[wanted], {"bool": "true", "int": "3", "string": "'a'"}[wanted]]
    if item and (own := field("i", item)):
        leaves += [own] * 4
    if depth <= 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(leaves))
    kind = draw(st.integers(0, 7))
    if kind == 0:
        path, name = items()
        return field(f"{path}[{draw(st.integers(0, 1))}]", name) or draw(st.sampled_from(leaves))
    if kind == 1:
        return f"({sub('bool')} ? {sub(wanted)} : {sub(wanted)})"
    if wanted == "int":
        if kind < 4:
            path, _ = items()
            return draw(
                st.sampled_from([f"size({path})", f"size({sub('string')})", f"-({sub('int')})", "9223372036854775807"])
            )
        return f"({sub('int')} {draw(st.sampled_from('+-*/%'))} {sub('int')})"
    if wanted == "string":
        return draw(
            st.sampled_from([f"({sub('string')} + {sub('string')})", f"string({sub('int')})", f"string({sub('string')})"])
        )
    if kind == 2:
        return f"({sub('int')} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {sub('int')})"
    if kind == 3:
        tests = ["{} == {}", "{} < {}", "{}.contains({})", "{}.startsWith({})", "{}.endsWith({})", "{} in ['a', {}]"]
        return draw(st.sampled_from(tests)).format(sub("string"), sub("string"))
    if kind == 4:
        return draw(
            st.sampled_from([f"{sub('string')}.matches('^[a-z]+$')", f"({sub('string')} in span.fidelity.preserve)"])
        )
    if kind == 5:
        return f"!({sub('bool')})"
    if kind == 6 and not item:
        path, name = items()
        loop = draw(st.sampled_from(["exists", "all", "exists_one"]))
        return f"{path}.{loop}(i, {draw(expressions('bool', depth - 1, name, wild))})"
    return f"({sub('bool')} {draw(st.sampled_from(['&&', '||']))} {sub('bool')})"


@SETTINGS
@given(text=expressions(), record=RECORDS)
def test_both_engines_say_the_same_of_any_expression_on_any_record(
    fast_engine: Engine, python_engine: Engine, text: str, record: dict[str, Any]
) -> None:
    expression = checked(text)
    assert expression is not None, f"the generator made something that is not in the subset: {text}"
    fast, slow = evaluate(fast_engine, expression, record), evaluate(python_engine, expression, record)
    assert fast == slow and type(fast) is type(slow), (text, fast, slow)


@SETTINGS
@given(text=expressions(), record=JUNK_RECORDS)
def test_both_engines_say_the_same_of_records_that_break_the_schema(
    fast_engine: Engine, python_engine: Engine, text: str, record: dict[str, Any]
) -> None:
    expression = checked(text)
    assert expression is not None
    assert evaluate(fast_engine, expression, record) == evaluate(python_engine, expression, record)


@settings(SETTINGS, max_examples=30)
@given(
    record=RECORDS,
    text=st.sampled_from([f"{path}.filter(i, size(i.text + 'a') > 1)" for path in LISTS if path != "span.unknowns"]),
)
def test_both_engines_return_the_same_items(
    fast_engine: Engine, python_engine: Engine, text: str, record: dict[str, Any]
) -> None:
    expression = checked(text)
    assert expression is not None
    fast = evaluate(fast_engine, expression, record)
    assert fast == evaluate(python_engine, expression, record)
    assert isinstance(fast, list) and all(type(item) is dict for item in fast)


GUARDS = [
    ("has(span.zone) && span.zone == ''", True),
    ("!has(span.zone) || span.zone == 'x'", False),
    ("has(span.zone) ? span.zone == '' : false", True),
    ("size(span.effects) > 0 && span.effects[0].id == 'e1'", False),
    ("size(span.effects) == 0 || span.effects[0].id == 'e1'", True),
    ("span.effects[0].id == 'e1' && size(span.effects) > 0", False),
    ("size(span.effects) > 0 ? span.effects[0].id == 'e1' : true", True),
    ("span.effects[0].id == 'e1'", FAILED),
    ("span.effects[0].held || true", True),
    ("true || span.effects[0].held", True),
    ("span.effects[0].held && true", FAILED),
    ("span.fidelity.preserve.filter(p, p == 'a' || span.effects[0].held).size() > 0 || true", True),
    ("span.fidelity.preserve.map(p, span.effects[0].id)[0] == 'a' || true", True),
    ("span.fidelity.preserve.exists_one(p, span.effects[0].held) || true", True),
    ("span.effects[0].held ? true : true", FAILED),
    ("span.tokens / span.start > 0", FAILED),
    ("span.tokens % span.start > 0", FAILED),
    ("9223372036854775807 + span.tokens > 0", FAILED),
    ("span.tokens > 0 ? true : 1 / 0 > 0", True),
    ("('a' + span.id + span.zone).contains('as') && (span.id + 'x').size() == 3", True),
    ("'a\\'b\\\\d' == \"a'b\\\\d\"", True),
    ("span.id.matches('^s\\\\d$')", True),
    ("span.effects.all(e, e.held) && !span.effects.exists(e, e.held)", True),
    ("-7 / 2 == -3 && -7 % 3 == -1", True),
    ("span.tokens -1 == 119 // spacing", True),
]


@pytest.mark.parametrize(("text", "value"), GUARDS)
def test_guards_absorb_errors_and_nothing_else_does(
    engine: Engine, record: dict[str, Any], text: str, value: object
) -> None:
    expression = checked(text)
    assert expression is not None
    assert evaluate(engine, expression, record) is value


NESTINGS = {
    "brackets": lambda depth: "(" * depth + "true" + ")" * depth,
    "negations": lambda depth: "!(" * depth + "true" + ")" * depth,
    "sums": lambda depth: " + ".join(["1"] * depth) + " > 0",
    "long conjunctions": lambda depth: " && ".join(["span.tokens > 1"] * (8 * depth)),
    "nested disjunctions": lambda depth: "(true || " * depth + "false" + ")" * depth,
    "conditionals": lambda depth: "false ? false : " * depth + "true",
    "filters": lambda depth: "span.effects" + ".filter(e, e.held)" * min(depth, 8) + ".size() >= 0",
}  # fmt: skip


@pytest.mark.parametrize("nesting", NESTINGS)
def test_whatever_the_depth_limit_lets_pass_both_engines_evaluate(
    engine: Engine, record: dict[str, Any], nesting: str
) -> None:
    passing = [depth for depth in range(1, MAX_DEPTH + 2) if checked(NESTINGS[nesting](depth))]
    assert passing
    deepest = checked(NESTINGS[nesting](max(passing)))
    assert deepest is not None
    assert isinstance(evaluate(engine, deepest, record), bool)


def test_whatever_variables_may_pile_up_both_engines_evaluate(engine: Engine, record: dict[str, Any]) -> None:
    text, pile = " && ".join(["true"] * 60), None
    for _ in range(50):
        node, _ = parse_expression(text)
        assert node is not None
        found, problems = check(text, node, Scope(SCHEMA, {"pile": pile} if pile else {}))
        if found is None:
            assert "with its variables" in problems[0].message
            break
        pile, text = found, "variables.pile && " + " && ".join(["true"] * 60)
    assert pile is not None
    assert evaluate(engine, pile, record) is True


def test_a_list_that_is_too_long_is_an_error_in_both_engines(engine: Engine, record: dict[str, Any]) -> None:
    expression = checked("span.fidelity.preserve.exists(p, p == 'x')")
    assert expression is not None
    record["fidelity"] = {"preserve": ["a"] * MAX_ITEMS, "audited": True}
    assert evaluate(engine, expression, record) is False
    record["fidelity"] = {"preserve": ["a"] * (MAX_ITEMS + 1), "audited": True}
    assert evaluate(engine, expression, record) is FAILED


def test_a_program_is_made_once_for_each_expression(engine: Engine) -> None:
    assert engine.compile("1 + 1 > 1") is engine.compile("1 + 1 > 1")
    with pytest.raises(engines.ExpressionError):
        engine.compile("1 +")


# A second opinion on our type check: cel-cpp's, over a protobuf message made from the same schema.


@pytest.fixture(scope="session")
def typed_environment() -> Any:
    cel = pytest.importorskip("cel_expr_python.cel", exc_type=ImportError)
    from google.protobuf import descriptor_pb2, descriptor_pool

    field_type = descriptor_pb2.FieldDescriptorProto
    scalars = {"string": field_type.TYPE_STRING, "int": field_type.TYPE_INT64, "bool": field_type.TYPE_BOOL}
    file = descriptor_pb2.FileDescriptorProto(name="record.proto", package="record", syntax="proto3")
    for record_type in SCHEMA.types.values():
        message = file.message_type.add(name=record_type.name)
        for number, field in enumerate(record_type.fields, start=1):
            inner = element(field.type) or field.type
            label = field_type.LABEL_REPEATED if element(field.type) else field_type.LABEL_OPTIONAL
            added = message.field.add(name=field.name, number=number, label=label)
            added.type = scalars.get(inner, field_type.TYPE_MESSAGE)
            if inner not in scalars:
                added.type_name = f".record.{inner}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return cel.NewEnv(pool, variables={"span": cel.Type("record.Span")})


CPP_NAMES = {"BOOL": "bool", "INT": "int", "STRING": "string"}
STRICTER = ("does not work on a bool", "`string` of a bool", "the list mixes")
"""What we refuse and cel-cpp takes: the engines differ on it."""


def cpp_type(environment: Any, text: str) -> str:
    """The type that cel-cpp finds, empty where it refuses."""
    try:
        return CPP_NAMES[environment.compile(text).return_type().name()]
    except RuntimeError:
        return ""


@SETTINGS
@given(text=expressions(wild=True), misspelt=st.booleans())
def test_what_our_type_check_accepts_or_refuses_cel_cpp_does_too(typed_environment: Any, text: str, misspelt: bool) -> None:
    if misspelt:
        text = text.replace(".id", ".ids").replace("span.tokens", "span.token").replace(".contains(", ".contain(")
    expression, problems = checked_or_problems(text)
    if expression is None and all(any(words in problem for words in STRICTER) for problem in problems):
        return
    assert (expression.type if expression else "") == cpp_type(typed_environment, text), text


# Choosing an engine.


def test_auto_takes_the_fast_engine_where_it_is_installed(fast_engine: Engine) -> None:
    assert load_engine().name == fast_engine.name
    assert fast_engine.name.startswith("cel-expr-python ")


def without_the_extra(code: str) -> str:
    """Runs code in a process where the fast engine can't be imported."""
    block = "import sys; sys.modules['cel_expr_python'] = None\n"
    done = subprocess.run([sys.executable, "-c", block + code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_the_extra_auto_takes_the_reference_engine() -> None:
    code = "from barrier_policy.policy.cel.load import load_engine; print(load_engine().name.split()[0])"
    assert without_the_extra(code) == "cel-python"


def test_without_the_extra_asking_for_fast_names_the_install_command() -> None:
    code = (
        "from barrier_policy.policy.cel.load import load_engine\n"
        "from barrier_policy.errors import MissingExtraError\n"
        "try: load_engine('fast')\n"
        "except MissingExtraError as error: print(error)"
    )
    assert "pip install 'barrier-policy[fast]'" in without_the_extra(code)


@pytest.mark.parametrize("name", ["auto", "fast"])
def test_an_extra_that_is_installed_but_broken_counts_as_missing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "barrier_policy.policy.cel.fast_engine", None)
    if name == "auto":
        assert load_engine(name).name.startswith("cel-python ")
    else:
        with pytest.raises(MissingExtraError):
            load_engine(name)


def test_an_unknown_engine_is_named_with_the_known_ones() -> None:
    with pytest.raises(BarrierPolicyError, match=r"unknown engine `quick` \(known: auto, fast, python\)"):
        load_engine("quick")


def test_building_the_reference_engine_never_lowers_the_recursion_limit() -> None:
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(5_000)
        load_engine("python")
        assert sys.getrecursionlimit() == 5_000
    finally:
        sys.setrecursionlimit(limit)
