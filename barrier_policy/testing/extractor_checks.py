"""What an extractor owes to everybody after it (docs/extractors.md), one check a promise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

import msgspec

from barrier_policy.facts.extract import PYTHON_TYPES
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.model import Fact, FactKind
from barrier_policy.facts.secrets import find_secrets, secret_digest
from barrier_policy.plugins import Extractor
from barrier_policy.testing.builders import context_of, conversation, message
from barrier_policy.testing.hostile import SECRETS, deep, long_messages, long_texts, malformed_messages
from barrier_policy.testing.limit import OverTimeError, processor_limit
from barrier_policy.transcript.builder import CARRIER_MARK, SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

SECONDS = 10.0
"""Of processor time for one long message. What is linear needs a tenth of it, what is quadratic a hundred times as much."""


class ExtractorCase(msgspec.Struct, frozen=True, kw_only=True):
    """An extractor, the kinds that its plugin declares, and a conversation of its domain, in which it finds each kind.

    `first` are the facts of the very first call: what is kept between calls may show from the second one on, whichever test makes it.
    """

    extractor: Extractor
    kinds: Mapping[str, FactKind]
    messages: tuple[Message, ...]
    first: list[list[Fact]] | None = None

    def facts(self, messages: Sequence[Message], index: int) -> list[Fact]:
        """Facts of one message of a conversation, in the order in which the walk keeps them."""
        found = self.extractor(messages[index], context_of(messages, index))
        return sorted(found, key=lambda fact: (fact.part, fact.start, fact.end, fact.kind, fact.text, str(fact.attributes)))

    def all_facts(self, messages: Sequence[Message] | None = None) -> list[list[Fact]]:
        """Facts of each message, first to last."""
        known = self.messages if messages is None else messages
        return [self.facts(known, message.index) for message in known]

    def conversations(self) -> Iterator[tuple[Message, ...]]:
        """Its own conversation, and one of malformed messages."""
        yield self.messages
        yield malformed_messages()


def every_declared_kind_is_found_in_the_messages_of_the_test(case: ExtractorCase) -> None:
    """Otherwise the checks of facts check nothing."""
    found = {fact.kind for facts in case.first or case.all_facts() for fact in facts}
    missing = sorted({*case.kinds} - found)
    assert not missing, (
        f"no message of the test has a fact of kind {', '.join(missing)} (give one: contract_tests(…, messages=[…]))"
    )


def the_same_message_gives_the_same_facts(case: ExtractorCase) -> None:
    """Pure: nothing is kept between calls, and the message is left as it was."""
    for messages in case.conversations():
        before = deepcopy(messages)
        first = case.first if messages is case.messages and case.first is not None else case.all_facts(messages)
        assert case.all_facts(messages) == first, "a second call gives other facts: something is kept between calls"
        assert str(messages) == str(before), "the extractor changed its message"


def the_order_of_messages_changes_nothing(case: ExtractorCase) -> None:
    """A message is read alone, with its context, whatever was read before it."""
    forward = case.all_facts()
    backward = [case.facts(case.messages, index) for index in reversed(range(len(case.messages)))]
    assert backward[::-1] == forward, "facts depend on which message was read before: something is kept between calls"


def every_fact_is_as_declared(case: ExtractorCase) -> None:
    """Its kind, all declared attributes and no others, each of its type and among its values: conditions read them."""
    for messages in case.conversations():
        for facts in case.all_facts(messages):
            for fact in facts:
                _check_declared(fact, case.kinds)


def _check_declared(fact: Fact, kinds: Mapping[str, FactKind]) -> None:
    place = f"`{fact.kind}` in message {fact.message}"
    assert fact.kind in kinds, f"{place}: the kind is not declared"
    declared = {attribute.name: attribute for attribute in kinds[fact.kind].attributes}
    assert fact.attributes.keys() == declared.keys(), (
        f"{place}: attributes {sorted(fact.attributes)}, declared {sorted(declared)}"
    )
    for name, value in fact.attributes.items():
        expected = declared[name]
        assert type(value) is PYTHON_TYPES[expected.type], f"{place}: `{name}` is {value!r}, declared as {expected.type}"
        if isinstance(value, tuple):
            assert all(type(item) is str for item in value), (
                f"{place}: `{name}` holds {value!r}, declared as {expected.type}"
            )
        elif type(value) is int:
            assert -(2**63) <= value < 2**63, f"{place}: `{name}` is beyond 64 bits"
        if expected.values:
            assert value in expected.values, (
                f"{place}: `{name}` is {value!r}, declared values are {', '.join(expected.values)}"
            )


def every_fact_stands_where_it_says(case: ExtractorCase) -> None:
    """A reviewer opens the place: the text stands there. A kind that says `derived` has a place only."""
    for messages in case.conversations():
        for number, facts in enumerate(case.all_facts(messages)):
            for fact in facts:
                _check_place(fact, messages[number], derived=case.kinds[fact.kind].derived)


def _check_place(fact: Fact, message: Message, *, derived: bool) -> None:
    place = f"`{fact.kind}` in message {fact.message}, part {fact.part}"
    assert fact.message == message.index, f"{place}: found in message {message.index}"
    assert 0 <= fact.part < len(message.parts), f"{place}: the message has {len(message.parts)} parts"
    text = message.parts[fact.part].text
    assert 0 <= fact.start <= fact.end <= len(text), (
        f"{place}: {fact.start} to {fact.end} is outside its {len(text)} characters"
    )
    if fact.text and not derived:
        assert text[fact.start : fact.end] == fact.text, (
            f"{place}: {fact.text!r} is not what stands at {fact.start} to {fact.end}: {text[fact.start : fact.end]!r} (or declare `derived=True`)"
        )


def no_two_facts_share_a_name(case: ExtractorCase) -> None:
    """Decisions name a fact by kind, message, part and start."""
    for facts in case.all_facts():
        names = [(fact.kind, fact.part, fact.start) for fact in facts]
        twice = sorted({name for name in names if names.count(name) > 1})
        assert not twice, f"two facts of kind `{twice[0][0]}` begin at {twice[0][2]} of part {twice[0][1]}"


def summaries_and_carriers_are_not_mined(case: ExtractorCase) -> None:
    """What the gate wrote itself states nothing anew (design section 9, invariant 23)."""
    for kind, mark in ((MessageKind.SUMMARY, SUMMARY_MARK), (MessageKind.CARRIER, CARRIER_MARK)):
        for number, found in enumerate(case.messages):
            parts = tuple(_marked(part, mark) for part in found.parts)
            changed = msgspec.structs.replace(found, kind=kind, parts=parts)
            messages = (*case.messages[:number], changed, *case.messages[number + 1 :])
            assert not case.facts(messages, number), (
                f"facts were found in a message of kind `{kind}` (return none where `message.kind` is that)"
            )


def _marked(part: Part, mark: str) -> Part:
    return msgspec.structs.replace(part, text=f"{mark}>\n{part.text}") if part.type is PartType.TEXT else part


def malformed_messages_are_survived(case: ExtractorCase) -> None:
    """An extractor that raises makes its facts unknown, and spans stay that could go."""
    messages = malformed_messages()
    for number, found in enumerate(messages):
        try:
            case.facts(messages, number)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} was raised: {error}, on {_shown(found)}") from error


def long_and_hostile_texts_take_bounded_time(case: ExtractorCase) -> None:
    """A million characters of each unit that makes patterns backtrack, and of the test's own messages over and over."""
    own = [part.text for found in case.messages for part in found.parts]
    for name, text in long_texts(own):
        for messages in long_messages(text):
            for number in range(len(messages)):
                _check_time(case, messages, number, name)
    arguments = Part(type=PartType.TOOL_CALL, name="run", arguments={"rows": list(range(100_000)), "tree": deep()})
    _check_time(case, conversation(message(arguments, role="assistant")), 0, "long and deep arguments")


def _check_time(case: ExtractorCase, messages: Sequence[Message], number: int, name: str) -> None:
    context = context_of(messages, number)
    try:
        with processor_limit(SECONDS):
            case.extractor(messages[number], context)
    except OverTimeError:
        raise AssertionError(
            f"more than {SECONDS:g} s for a long text ({name}): a pattern backtracks, or a step is quadratic"
        ) from None
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} was raised on a long text ({name}): {error}") from error


def secrets_are_never_shown(case: ExtractorCase) -> None:
    """A secret's value is masked wherever it stands whole; a fact must not show a piece of it, or spell it otherwise."""
    for secret in SECRETS:
        for messages in _with_secret(case.messages, secret):
            masker = Masker(messages, [_secret_facts(found) for found in messages])
            for facts in case.all_facts(messages):
                for fact in facts:
                    _check_hidden(masker.fact(fact), secret)


def _with_secret(messages: Sequence[Message], secret: str) -> Iterator[tuple[Message, ...]]:
    """The conversation with a secret after, before and instead of its words, one form a time."""
    label = f"password: {secret}"
    forms: tuple[Callable[[str], str], ...] = (
        lambda text: f"{text} {label}",
        lambda text: f"{label}\n{text}",
        lambda text: " ".join(label if number % 4 == 3 else word for number, word in enumerate(text.split(" "))),
    )
    for form in forms:
        yield tuple(
            msgspec.structs.replace(found, parts=tuple(_reworded(part, form) for part in found.parts)) for found in messages
        )


def _reworded(part: Part, form: Callable[[str], str]) -> Part:
    if part.type is PartType.TOOL_CALL:
        note = form("")
        arguments = {**part.arguments, "note": note} if isinstance(part.arguments, dict) else part.arguments
        return msgspec.structs.replace(part, arguments=arguments, text=msgspec.json.encode(arguments).decode())
    return msgspec.structs.replace(part, text=form(part.text))


def _secret_facts(message: Message) -> list[Fact]:
    return [
        Fact(
            kind="secret",
            message=message.index,
            part=number,
            start=found.start,
            end=found.end,
            attributes={"type": str(found.type), "digest": secret_digest(part.text[found.start : found.end])},
        )
        for number, part in enumerate(message.parts)
        for found in find_secrets(part.text)
    ]


PIECE = 5
"""Characters of a secret in a row that are taken for a piece of it."""


def _check_hidden(fact: Fact, secret: str) -> None:
    pieces = {secret[start : start + PIECE].lower() for start in range(len(secret) - PIECE + 1)}
    for name, shown in (("text", fact.text), *fact.attributes.items()):
        for text in _strings(shown):
            assert not any(piece in text.lower() for piece in pieces), (
                f"the {name} of a `{fact.kind}` in message {fact.message} shows a secret, or a piece of it"
            )


def _strings(value: object) -> Iterable[str]:
    return value if isinstance(value, tuple) else (str(value),)


def _shown(message: Message) -> str:
    return f"a message of role {message.role!r} with " + (
        ", ".join(f"{part.type} {part.text[:20]!r}" for part in message.parts[:3]) or "no part"
    )


EXTRACTOR_CHECKS: tuple[Callable[[ExtractorCase], None], ...] = (
    every_declared_kind_is_found_in_the_messages_of_the_test,
    the_same_message_gives_the_same_facts,
    the_order_of_messages_changes_nothing,
    every_fact_is_as_declared,
    every_fact_stands_where_it_says,
    no_two_facts_share_a_name,
    summaries_and_carriers_are_not_mined,
    malformed_messages_are_survived,
    long_and_hostile_texts_take_bounded_time,
    secrets_are_never_shown,
)
