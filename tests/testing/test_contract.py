"""The contract suite passes good plugins, and each check fails the plugin that breaks its promise."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import barrier_policy_plugins.read_openai_chat as openai_chat
import barrier_policy_plugins.stores as shipped_stores
import pytest

from barrier_policy import Attribute, Context, Fact, FactKind, Message, MessageKind, PartType, Reader, Source, hookimpl
from barrier_policy.errors import PluginError
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.store import StoreKind
from barrier_policy.testing import Sample, contract_tests, message, tool_call, tool_result
from barrier_policy.testing import extractor_checks as checks

TICKET = re.compile(r"\b([A-Z]{2,6})-\d{2,6}\b")
PROJECT = Attribute(name="project", type="string", doc="the project")
KIND = FactKind(name="tickets.reference", doc="A ticket.", attributes=(PROJECT,))
MESSAGES = (
    message("Please look at OPS-1234 and WEB-77 today."),
    message(tool_call("open", {"ticket": "OPS-1234"}), role="assistant"),
    message(tool_result({"ticket": "OPS-1234"}), role="tool"),
)


def tickets(found: Message, context: Context) -> Iterator[Fact]:
    """A good extractor."""
    if found.kind not in (MessageKind.SUMMARY, MessageKind.CARRIER):
        for number, part in enumerate(found.parts):
            for match in TICKET.finditer(part.text):
                yield fact(found, number, match)


def fact(found: Message, number: int, match: re.Match[str], **changes: Any) -> Fact:
    fields: dict[str, Any] = {
        "kind": KIND.name,
        "message": found.index,
        "part": number,
        "start": match.start(),
        "end": match.end(),
        "text": match.group(),
        "attributes": {"project": match.group()[:2]},
    }
    return Fact(**fields | changes)


def plugin(extract: Callable[[Message, Context], Any], *kinds: FactKind, name: str = "tickets_plugin") -> ModuleType:
    module = ModuleType(name)

    @hookimpl
    def barrier_extract_facts(message: Message, context: Context) -> Any:
        return extract(message, context)

    @hookimpl
    def barrier_fact_kinds() -> Any:
        return kinds or (KIND,)

    module.barrier_extract_facts = barrier_extract_facts  # type: ignore[attr-defined]
    module.barrier_fact_kinds = barrier_fact_kinds  # type: ignore[attr-defined]
    return module


def case(extract: Callable[[Message, Context], Any], *kinds: FactKind) -> checks.ExtractorCase:
    tests: Any = contract_tests(plugin(extract, *kinds), messages=MESSAGES)
    (mark,) = tests.test_every_fact_is_as_declared.pytestmark
    found = mark.args[1][0]
    assert isinstance(found, checks.ExtractorCase)
    return found


TestAGoodExtractor = contract_tests(plugin(tickets), messages=MESSAGES)
CHAT = (
    b'[{"role": "user", "content": "Open the door."}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",'
    b' "function": {"name": "open", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "open"}, {"role": "assistant", "content": "It is open."}]'
)
SAMPLE = Sample(format="openai_chat", data=CHAT, calls=1, results=1, texts=2)
TestAShippedReaderAndWriter = contract_tests(openai_chat, samples=[SAMPLE])


def only_folders() -> ModuleType:
    module = ModuleType("folders")

    @hookimpl
    def barrier_stores() -> Any:
        return [StoreKind(name="file", open=shipped_stores.open_folder)]

    module.barrier_stores = barrier_stores  # type: ignore[attr-defined]
    return module


TestAShippedStore = contract_tests(only_folders(), stores={"file": lambda folder: f"file:{folder / 'store'}"})


def stateful() -> Callable[[Message, Context], Any]:
    seen: set[str] = set()

    def extract(found: Message, context: Context) -> Iterator[Fact]:
        for entry in tickets(found, context):
            if entry.text not in seen:
                yield entry
            seen.add(entry.text)

    return extract


def after_the_first() -> Callable[[Message, Context], Any]:
    last: list[int] = []

    def extract(found: Message, context: Context) -> list[Fact]:
        facts = list(tickets(found, context)) if not last or last[-1] <= found.index else []
        last.append(found.index)
        return facts

    return extract


def each(change: Callable[[Message, int, re.Match[str]], Fact]) -> Callable[[Message, Context], Any]:
    def extract(found: Message, context: Context) -> Iterator[Fact]:
        for entry in tickets(found, context):
            match = TICKET.search(found.parts[entry.part].text, entry.start)
            assert match is not None
            yield change(found, entry.part, match)

    return extract


def raising(found: Message, context: Context) -> Iterator[Fact]:
    for part in found.parts:
        if part.type is PartType.TOOL_CALL:
            part.arguments.get("ticket")
    yield from tickets(found, context)


def backtracking(found: Message, context: Context) -> Iterator[Fact]:
    for part in found.parts:
        re.search(r"(a+)+$", part.text[:60] + "!")
    yield from tickets(found, context)


def mining(found: Message, context: Context) -> Iterator[Fact]:
    for number, part in enumerate(found.parts):
        for match in TICKET.finditer(part.text):
            yield fact(found, number, match)


def changing(found: Message, context: Context) -> Iterator[Fact]:
    for part in found.parts:
        if isinstance(part.arguments, dict):
            part.arguments["seen"] = "yes"
    yield from tickets(found, context)


def words_beside(found: Message, context: Context) -> Iterator[Fact]:
    for number, part in enumerate(found.parts):
        for match in re.finditer(r"[a-z]+-\d+\w*", part.text):
            yield fact(found, number, match)
    yield from tickets(found, context)


UNDECLARED = FactKind(name="tickets.reference", doc="A ticket.")
NUMBERED = FactKind(name="tickets.reference", doc="A ticket.", attributes=(Attribute(name="project", type="int", doc="x"),))
CHOSEN = FactKind(
    name="tickets.reference",
    doc="A ticket.",
    attributes=(Attribute(name="project", type="string", doc="x", values=("OP",)),),
)
UNFOUND = FactKind(name="tickets.closed", doc="A closed ticket.")


@pytest.mark.parametrize(
    "check, extract, kinds, message",
    [
        (checks.the_same_message_gives_the_same_facts, stateful(), (), "something is kept between calls"),
        (checks.the_same_message_gives_the_same_facts, changing, (), "changed its message"),
        (checks.the_order_of_messages_changes_nothing, after_the_first(), (), "was read before"),
        (checks.every_declared_kind_is_found_in_the_messages_of_the_test, tickets, (KIND, UNFOUND), "tickets.closed"),
        (checks.every_fact_is_as_declared, tickets, (UNDECLARED,), r"attributes \['project'\], declared \[\]"),
        (checks.every_fact_is_as_declared, tickets, (NUMBERED,), "'OP', declared as int"),
        (checks.every_fact_is_as_declared, tickets, (CHOSEN,), "declared values are OP"),
        (checks.every_fact_stands_where_it_says, each(lambda *at: fact(*at, start=0)), (), "is not what stands at 0"),
        (checks.every_fact_stands_where_it_says, each(lambda *at: fact(*at, end=10**6)), (), "is outside its"),
        (checks.every_fact_stands_where_it_says, each(lambda *at: fact(*at, part=9)), (), "the message has 1 parts"),
        (checks.every_fact_stands_where_it_says, each(lambda *at: fact(*at, message=9)), (), "found in message 0"),
        (checks.no_two_facts_share_a_name, lambda *at: [*tickets(*at), *tickets(*at)], (), "two facts of kind"),
        (checks.summaries_and_carriers_are_not_mined, mining, (), "of kind `summary`"),
        (checks.malformed_messages_are_survived, raising, (), "AttributeError was raised"),
        (checks.long_and_hostile_texts_take_bounded_time, backtracking, (), "one letter.*backtracks"),
        (checks.secrets_are_never_shown, words_beside, (), "shows a secret, or a piece of it"),
    ],
)
def test_a_broken_promise_is_found(
    check: Callable[[checks.ExtractorCase], None],
    extract: Callable[[Message, Context], Any],
    kinds: tuple[FactKind, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "SECONDS", 1.0)
    with pytest.raises(AssertionError, match=message):
        check(case(extract, *kinds))


def test_what_was_kept_before_the_test_of_it_is_found_too() -> None:
    found = case(stateful())
    found.all_facts()
    with pytest.raises(AssertionError, match="something is kept between calls"):
        checks.the_same_message_gives_the_same_facts(found)


def test_a_kind_that_says_it_is_derived_may_reword_its_place() -> None:
    kind = FactKind(name=KIND.name, doc="A ticket.", attributes=(PROJECT,), derived=True)
    checks.every_fact_stands_where_it_says(case(each(lambda *at: fact(*at, text="the ticket")), kind))


def _reader(read: Callable[[Source], Any], probe: Callable[[Source], int] = lambda source: 50) -> ModuleType:
    module = ModuleType("reader")

    @hookimpl
    def barrier_readers() -> Any:
        return [Reader(name="openai_chat", title="x", probe=probe, read=read)]

    module.barrier_readers = barrier_readers  # type: ignore[attr-defined]
    return module


def _without_results(source: Source) -> Any:
    import msgspec

    (good,) = openai_chat.barrier_readers()
    found = good.read(source)
    return msgspec.structs.replace(found, messages=found.messages[:2])


@pytest.mark.parametrize(
    "name, module, samples, message",
    [
        ("nothing_is_lost", _reader(_without_results), [SAMPLE], "read, not as counted"),
        (
            "broken_input_is_a_transcript_error",
            _reader(lambda source: source.document["x"]),
            [SAMPLE],
            "TypeError was raised",
        ),
        ("samples_are_recognised", _reader(_without_results), [SAMPLE], "claims b'Just some prose"),
        ("a_sample_of_the_format_is_given", _reader(_without_results), [], "no sample of format `openai_chat`"),
    ],
)
def test_a_reader_that_breaks_a_promise_is_found(name: str, module: ModuleType, samples: Any, message: str) -> None:
    tests: Any = contract_tests(module, samples=samples)
    test = getattr(tests, f"test_{name}")
    with pytest.raises(AssertionError, match=message):
        test(None, test.pytestmark[0].args[1][0])


def test_a_store_that_breaks_a_promise_is_found(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tests: Any = contract_tests(only_folders(), stores={"file": lambda folder: f"file:{folder}"})
    monkeypatch.setattr(FileStore, "delete", lambda self, digest: True)
    with pytest.raises(AssertionError):
        tests.test_what_was_deleted_is_gone(None, "file", tmp_path)


def test_a_store_without_an_address_is_told_how_to_give_one(tmp_path: Any) -> None:
    tests: Any = contract_tests(only_folders())
    with pytest.raises(AssertionError, match="no address for a store of kind `file`"):
        tests.test_what_was_put_reads_back(None, "file", tmp_path)


def test_a_sample_that_nobody_reads_is_refused() -> None:
    with pytest.raises(ValueError, match="a sample of format `openai_chat`, which none of these plugins reads"):
        contract_tests(plugin(tickets), samples=[SAMPLE])


def test_a_plugin_that_provides_only_facts_has_no_tests_of_readers() -> None:
    assert not [name for name in vars(contract_tests(plugin(tickets))) if "lost" in name or "written" in name]


def test_a_plugin_that_can_t_be_loaded_is_refused_when_tests_are_collected() -> None:
    with pytest.raises(PluginError, match=r"must be named `namespace\.kind`"):
        contract_tests(plugin(tickets, FactKind(name="reference", doc="x")))


def test_without_pytest_builders_work_and_the_suite_names_the_install_command() -> None:
    script = (
        "import sys; sys.modules['pytest'] = None\n"
        "from barrier_policy.testing import contract_tests, message\n"
        "from barrier_policy.errors import MissingExtraError\n"
        "assert message('hello').parts[0].text == 'hello'\n"
        "try: contract_tests('json')\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "contract tests need pytest (pip install 'barrier-policy[testing]')\n"
